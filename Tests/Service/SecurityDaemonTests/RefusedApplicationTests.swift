// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityDaemon
import Testing

@Suite struct RefusedApplicationTests {
    private static let start = ContinuousClock.now

    @Test func threeRefusalsInARowAreEnoughForAMinute() {
        var refused = RefusedApplications()
        for _ in 1...2 { refused.note(isRefusal: true, "app", user: 1, at: Self.start) }
        #expect(!refused.contains("app", user: 1, at: Self.start))
        refused.note(isRefusal: true, "app", user: 1, at: Self.start)
        #expect(refused.contains("app", user: 1, at: Self.start))
        #expect(!refused.contains("other", user: 1, at: Self.start))
        #expect(!refused.contains("app", user: 2, at: Self.start))
        let later = Self.start + RefusedApplications.pause
        #expect(refused.contains("app", user: 1, at: later - .milliseconds(1)))
        #expect(!refused.contains("app", user: 1, at: later))
        // One more refusal begins the pause again.
        refused.note(isRefusal: true, "app", user: 1, at: later)
        #expect(refused.contains("app", user: 1, at: later))
    }

    @Test func anApprovalForgivesTheRefusals() {
        var refused = RefusedApplications()
        for _ in 1...2 { refused.note(isRefusal: true, "app", user: 1, at: Self.start) }
        refused.note(isRefusal: false, "app", user: 1, at: Self.start)
        refused.note(isRefusal: true, "app", user: 1, at: Self.start)
        #expect(!refused.contains("app", user: 1, at: Self.start))
    }

    @Test func manyApplicationsDoNotPileUp() {
        var refused = RefusedApplications()
        for _ in 1...3 { refused.note(isRefusal: true, "first", user: 1, at: Self.start) }
        for number in 1...RefusedApplications.applicationLimit {
            let moment = Self.start + .milliseconds(number)
            refused.note(isRefusal: true, "app \(number)", user: 1, at: moment)
        }
        #expect(!refused.contains("first", user: 1, at: Self.start))
    }
}
