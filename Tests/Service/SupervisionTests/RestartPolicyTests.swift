// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Supervision
import Testing

@Suite struct RestartPolicyTests {
    @Test func firstDeathsAreFollowedByAStartAtOnce() {
        var policy = RestartPolicy()
        for _ in 0..<5 { #expect(policy.delay(afterLifeOf: .milliseconds(10)) == .zero) }
        #expect(policy.delay(afterLifeOf: .milliseconds(10)) == .milliseconds(100))
        #expect(policy.delay(afterLifeOf: .milliseconds(10)) == .milliseconds(200))
    }

    @Test func delayGrowsToAtMostFiveSecondsAndThenItGivesUp() {
        var policy = RestartPolicy()
        var delays: [Duration] = []
        while let delay = policy.delay(afterLifeOf: .zero) { delays.append(delay) }
        #expect(delays.count == 24)
        #expect(delays.last == .seconds(5))
        #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func healthyLifeStartsTheCountAnew() {
        var policy = RestartPolicy()
        for _ in 0..<20 { _ = policy.delay(afterLifeOf: .zero) }
        #expect(policy.delay(afterLifeOf: .seconds(2)) == .zero)
        #expect(policy.delay(afterLifeOf: .zero) == .zero)
    }
}
