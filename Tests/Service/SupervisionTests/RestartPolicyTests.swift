// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Supervision
import Testing

@Suite struct RestartPolicyTests {
    @Test func firstDeathsAreFollowedByAStartAtOnce() {
        var policy = RestartPolicy()
        for _ in 0..<5 {
            #expect(policy.restart(afterLifeOf: .milliseconds(10)).delay == .zero)
        }
        #expect(policy.restart(afterLifeOf: .milliseconds(10)).delay == .milliseconds(100))
        #expect(policy.restart(afterLifeOf: .milliseconds(10)).delay == .milliseconds(200))
    }

    @Test func delayGrowsAndFromTheTwentyFifthDeathOnItIsHalfAMinute() {
        var policy = RestartPolicy()
        let quick = (1...24).map { _ in policy.restart(afterLifeOf: .zero) }
        #expect(quick.allSatisfy { !$0.isSlow && !$0.isFirstSlow })
        #expect(quick.last?.delay == .milliseconds(800))
        #expect(zip(quick, quick.dropFirst()).allSatisfy { $0.delay <= $1.delay })
        // All of it is over in a quarter of a minute.
        #expect(quick.reduce(.zero) { $0 + $1.delay } < .seconds(15))
        // However often it dies, it is started again, and that is said once.
        let slow = (1...100).map { _ in policy.restart(afterLifeOf: .zero) }
        #expect(slow.allSatisfy { $0.isSlow && $0.delay == .seconds(30) })
        #expect(slow.map(\.isFirstSlow) == [true] + Array(repeating: false, count: 99))
    }

    @Test func healthyLifeStartsTheCountAnew() {
        var policy = RestartPolicy()
        for _ in 0..<30 { _ = policy.restart(afterLifeOf: .zero) }
        #expect(policy.restart(afterLifeOf: .seconds(2)).delay == .zero)
        #expect(!policy.restart(afterLifeOf: .zero).isSlow)
    }
}
