// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// Many users, as one account with subordinate user numbers can be.
@Suite struct KeybagLimitTests {
    private static let crowd = (0..<UInt32(Enclave.userLimit) + 200).map { 200_000 + $0 }

    private static func fill(_ fixture: EnclaveFixture) {
        for user in crowd {
            guard case .bytes = fixture.seal([1], user: user) else {
                Issue.record("user \(user) is refused")
                return
            }
        }
    }

    @Test func userWhoAsksForTheStateGetsNoKeybag() {
        let fixture = EnclaveFixture()
        for user in Self.crowd.prefix(100) {
            let status = fixture.status(user: user)
            #expect(status?.state == .noPasscode)
            #expect(status?.keybagGeneration == 0)
            #expect(fixture.send(.anchor(0), user: user) == .commit(0))
        }
        #expect(fixture.state.records.isEmpty)
        // What is said before and after the keybag is made differs only in the keybag itself.
        let before = fixture.status()
        #expect(fixture.seal([1]) != .failure(.busy))
        let after = fixture.status()
        #expect(after?.keybagGeneration == 1)
        #expect(before?.usableClasses == after?.usableClasses)
        #expect(before?.existingClasses == after?.existingClasses)
        #expect(before?.graceSeconds == after?.graceSeconds)
        #expect(before?.eraseAfter == after?.eraseAfter)
    }

    @Test func crowdKeepsNobodyOut() {
        let fixture = EnclaveFixture()
        let sealed = fixture.seal([7])
        Self.fill(fixture)
        // A user whose keybag isn't in memory, and a new one.
        #expect(fixture.open(sealed) == .bytes([7]))
        #expect(fixture.status(user: 5)?.state == .noPasscode)
        guard case .bytes = fixture.seal([1], user: 5) else {
            Issue.record("a new user is refused")
            return
        }
    }

    @Test func keybagWithWhatOnlyMemoryHasStays() {
        let fixture = EnclaveFixture()
        // Unlocked; locked after it was unlocked; and in the delay after wrong passcodes.
        for user: UInt32 in [1, 2, 3] {
            #expect(fixture.passcode(.set, "right", user: user) == .done)
        }
        #expect(fixture.send(.lock(.now), user: 2) == .done)
        for attempt in 0..<5 {
            #expect(
                fixture.passcode(.unlock, "wrong \(attempt)", user: 3) == .failure(.wrongPasscode))
        }
        let waiting = fixture.status(user: 3)?.secondsUntilNextAttempt
        #expect((waiting ?? 0) > 0)
        let sealed = fixture.seal([7], .ak, user: 1)
        Self.fill(fixture)
        #expect(fixture.status(user: 1)?.state == .unlocked)
        #expect(fixture.open(sealed, .ak, user: 1) == .bytes([7]))
        #expect(fixture.status(user: 2)?.state == .locked)
        #expect(fixture.status(user: 2)?.lockCount == 1)
        fixture.clock.seconds += 1
        #expect(fixture.status(user: 3)?.secondsUntilNextAttempt == waiting.map { $0 - 1 })
        #expect(fixture.passcode(.unlock, "right", user: 2) == .done)
    }

    @Test func evictedUserBeforeTheFirstUnlockIsStillLocked() {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right", user: 1) == .done)
        fixture.restart()
        #expect(fixture.status(user: 1)?.state == .beforeFirstUnlock)
        Self.fill(fixture)
        #expect(fixture.status(user: 1)?.state == .beforeFirstUnlock)
        #expect(fixture.passcode(.unlock, "wrong", user: 1) == .failure(.wrongPasscode))
        #expect(fixture.passcode(.unlock, "right", user: 1) == .done)
    }

    /// Any program of the user can make a code while there is no passcode.
    @Test func firstPasscodeDeletesTheRecoveryCodeFromBefore() {
        let fixture = EnclaveFixture()
        let code = [UInt8](repeating: UInt8(ascii: "A"), count: 26)
        #expect(
            fixture.letter(
                .makeRecoveryCode, [EnclaveFixture.counted([]), EnclaveFixture.counted(code)])
                == .done)
        #expect(fixture.status()?.hasRecoveryCode == true)
        #expect(fixture.passcode(.set, "right") == .done)
        #expect(fixture.status()?.hasRecoveryCode == false)
        fixture.restart()
        #expect(fixture.status()?.hasRecoveryCode == false)
        #expect(
            fixture.letter(.recover, [EnclaveFixture.counted(code), [0]])
                == .failure(.wrongState))
        // A change keeps the code that was made with the passcode.
        #expect(
            fixture.letter(
                .makeRecoveryCode,
                [EnclaveFixture.counted([UInt8]("right".utf8)), EnclaveFixture.counted(code)])
                == .done)
        #expect(fixture.passcode(.change, "right", new: "other") == .done)
        #expect(fixture.status()?.hasRecoveryCode == true)
    }
}
