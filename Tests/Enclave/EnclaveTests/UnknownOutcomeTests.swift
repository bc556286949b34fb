// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// A write may have happened or not: the enclave then answers no request, and the next process uses
/// the state that it finds.
@Suite struct UnknownOutcomeTests {
    private static func withPasscode() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right") == .done)
        return fixture
    }

    @Test(arguments: [PasscodeOperation.set, .change, .remove])
    func aKeybagWithAnUnknownOutcomeEndsTheEnclave(operation: PasscodeOperation) {
        let fixture = EnclaveFixture()
        if operation != .set { _ = fixture.passcode(.set, "right") }
        #expect(
            fixture.passcode(
                operation, "right", new: operation == .change ? "new" : nil, deriving: false)
                == .deferred)
        fixture.state.losesTheOutcome = true
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .ended)
        #expect(fixture.notices.all.contains(.outcomeUnknown(user: EnclaveFixture.user)))
    }

    @Test func afterItNothingIsAnswered() {
        let fixture = Self.withPasscode()
        fixture.state.losesTheOutcome = true
        #expect(fixture.passcode(.unlock, "right") == .ended)
        fixture.state.losesTheOutcome = false
        #expect(fixture.send(.status) == .ended)
        #expect(fixture.seal([1], .dk) == .ended)
        #expect(fixture.send(.lock(.now)) == .ended)
        #expect(fixture.finish(.failed) == .ended)
    }

    @Test func aCountWithAnUnknownOutcomeComparesNothing() {
        let fixture = Self.withPasscode()
        let derivations = fixture.derivations
        fixture.state.losesTheOutcome = true
        #expect(fixture.passcode(.unlock, "wrong") == .ended)
        #expect(fixture.derivations == derivations)
        fixture.state.losesTheOutcome = false
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 1)
    }

    @Test func theNextStartGoesByTheDisk() {
        let fixture = Self.withPasscode()
        #expect(
            fixture.passcode(.remove, "right", deriving: false) == .deferred)
        guard let job = fixture.job else { return }
        // First the right passcode's count is written, then the keybag.
        fixture.state.losesTheOutcome = true
        #expect(fixture.finish(fixture.derive(job)) == .ended)
        fixture.state.losesTheOutcome = false
        fixture.restart()
        #expect(fixture.lockState == .beforeFirstUnlock)
        #expect(fixture.passcode(.unlock, "right") == .done)
    }

    @Test func aNewUsersKeybagWithAnUnknownOutcomeEndsTheEnclave() {
        let fixture = EnclaveFixture()
        fixture.state.losesTheOutcome = true
        #expect(fixture.seal([1], .dk) == .ended)
        fixture.state.losesTheOutcome = false
        fixture.restart()
        #expect(fixture.lockState == .noPasscode)
    }
}
