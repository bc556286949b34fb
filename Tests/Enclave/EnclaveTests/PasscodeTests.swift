// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// `Documentation/attack-list.md` explains the numbers in names of tests.
@Suite struct PasscodeTests {
    private static func withPasscode() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right") == .done)
        _ = fixture.send(.lock(.now))
        return fixture
    }

    /// Fails this many times, and waits out each delay.
    private static func fail(_ fixture: EnclaveFixture, times: Int) {
        for attempt in 0..<times {
            #expect(fixture.passcode(.unlock, "wrong \(attempt)") == .failure(.wrongPasscode))
            fixture.clock.seconds += 3_600
        }
    }

    @Test func x02DelaysFollowTheClassicTable() {
        let fixture = Self.withPasscode()
        for (attempt, delay) in [UInt32(0), 0, 0, 0, 60, 300, 900, 900, 3600].enumerated() {
            #expect(fixture.passcode(.unlock, "wrong \(attempt)") == .failure(.wrongPasscode))
            let status = fixture.status()
            #expect(status?.failedAttempts == UInt32(attempt + 1))
            #expect(status?.secondsUntilNextAttempt == delay)
            guard delay > 0 else { continue }
            fixture.clock.seconds += UInt64(delay) - 1
            #expect(fixture.passcode(.unlock, "right") == .throttled(1))
            fixture.clock.seconds += 1
        }
        #expect(fixture.passcode(.unlock, "wrong 9") == .failure(.wrongPasscode))
        #expect(fixture.status()?.secondsUntilNextAttempt == EnclaveStatus.never)
        fixture.clock.seconds += 1_000_000
        for operation in [PasscodeOperation.unlock, .remove] {
            #expect(fixture.passcode(operation, "right") == .failure(.disabled))
        }
        fixture.restart()
        #expect(fixture.passcode(.unlock, "right") == .failure(.disabled))
        #expect(fixture.seal([1], .dk) != .failure(.locked))
    }

    @Test func x03RestartDuringADelayStartsItAgain() {
        let fixture = Self.withPasscode()
        Self.fail(fixture, times: 5)
        #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        fixture.clock.seconds += 150
        #expect(fixture.status()?.secondsUntilNextAttempt == 150)
        fixture.restart()
        #expect(fixture.status()?.secondsUntilNextAttempt == 300)
        #expect(fixture.passcode(.unlock, "right") == .throttled(300))
    }

    @Test func x09RightPasscodeAfterNineFailuresResetsTheCount() {
        let fixture = Self.withPasscode()
        Self.fail(fixture, times: 9)
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(fixture.status()?.failedAttempts == 0)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 0)
    }

    @Test func x04SameWrongPasscodeCountsOnce() {
        let fixture = Self.withPasscode()
        for _ in 0..<30 {
            #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        }
        #expect(fixture.status()?.failedAttempts == 1)
        #expect(fixture.passcode(.unlock, "other") == .failure(.wrongPasscode))
        #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        #expect(fixture.status()?.failedAttempts == 3)
    }

    @Test func x06CountIsDurableBeforeTheComparison() {
        let fixture = Self.withPasscode()
        #expect(fixture.passcode(.unlock, "wrong", deriving: false) == .deferred)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 1)
    }

    @Test func withoutADurableCountNothingIsCompared() {
        let fixture = Self.withPasscode()
        fixture.state.isWritable = false
        let derivations = fixture.derivations
        #expect(fixture.passcode(.unlock, "right") == .failure(.stateNotWritten))
        #expect(fixture.derivations == derivations)
        fixture.state.isWritable = true
        #expect(fixture.passcode(.unlock, "right") == .done)
    }

    @Test(arguments: [true, false])
    func aMissingOrForeignCountLeavesOneAttempt(isMissing: Bool) {
        let fixture = Self.withPasscode()
        fixture.state.records[.attempts(user: EnclaveFixture.user)] =
            isMissing ? nil : [UInt8](repeating: 0, count: 40)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 9)
        #expect(fixture.passcode(.unlock, "right") == .throttled(3600))
        fixture.clock.seconds += 3600
        #expect(fixture.passcode(.unlock, "right") == .done)
        #expect(fixture.notices.all.contains(.attemptsRefused(user: EnclaveFixture.user)))
    }

    @Test func aFailedDerivationDoesNotCount() {
        let fixture = Self.withPasscode()
        #expect(fixture.passcode(.unlock, "right", deriving: false) == .deferred)
        #expect(fixture.finish(.failed) == .failure(.busy))
        #expect(fixture.status()?.failedAttempts == 0)
        #expect(fixture.passcode(.unlock, "right") == .done)
    }

    @Test func aDeviceKeyThatFailsDoesNotCount() {
        let fixture = Self.withPasscode()
        fixture.deviceKey.works = false
        #expect(fixture.passcode(.unlock, "right") == .failure(.deviceKeyUnavailable))
        fixture.deviceKey.works = true
        #expect(fixture.status()?.failedAttempts == 0)
        #expect(fixture.passcode(.unlock, "right") == .done)
    }

    @Test(arguments: [DeviceKeyFailure.busy, .full, .lockout, .timedOut, .gone, .otherRegisters])
    func whatTheDeviceKeyRefusesWithoutJudgingDoesNotCount(_ failure: DeviceKeyFailure) {
        let fixture = Self.withPasscode()
        #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        #expect(fixture.status()?.failedAttempts == 1)
        #expect(fixture.passcode(.unlock, "other", deriving: false) == .deferred)
        #expect(fixture.finish(.refused(failure)) == .failure(.deviceKeyUnavailable))
        #expect(fixture.status()?.failedAttempts == 1)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 1)
        // The chip that judges the passcode counts the failure.
        #expect(fixture.passcode(.unlock, "other", deriving: false) == .deferred)
        #expect(fixture.finish(.refused(.wrongPasscode)) == .failure(.wrongPasscode))
        #expect(fixture.status()?.failedAttempts == 2)
    }

    @Test func onePasscodeIsWorkedOnAtATime() {
        let fixture = Self.withPasscode()
        #expect(fixture.passcode(.unlock, "right", deriving: false) == .deferred)
        #expect(fixture.passcode(.unlock, "right") == .failure(.busy))
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .done)
        #expect(fixture.finish(.failed) == .failure(.busy))
    }

    @Test func otherRequestsAreAnsweredMeanwhile() {
        let fixture = Self.withPasscode()
        #expect(fixture.passcode(.unlock, "right", deriving: false) == .deferred)
        let sealed = fixture.seal([5], .ck)
        #expect(fixture.open(sealed, .ck) == .bytes([5]))
        #expect(fixture.seal([5], .ak) == .failure(.locked))
    }

    @Test func changeAndRemoveNeedTheRightPasscode() {
        let fixture = Self.withPasscode()
        #expect(fixture.passcode(.change, "wrong", new: "new") == .failure(.wrongPasscode))
        #expect(fixture.passcode(.remove, "wronger") == .failure(.wrongPasscode))
        #expect(fixture.status()?.failedAttempts == 2)
        #expect(fixture.status()?.isPasscodeSet == true)
        #expect(fixture.passcode(.unlock, "right") == .done)
    }

    @Test func passcodesHave1To1024Bytes() {
        let fixture = EnclaveFixture()
        let longest = String(repeating: "x", count: 1024)
        #expect(fixture.passcode(.set, "") == .failure(.passcodeUnacceptable))
        #expect(fixture.passcode(.set, longest + "x") == .failure(.passcodeUnacceptable))
        #expect(fixture.passcode(.set, longest) == .done)
        #expect(fixture.passcode(.change, longest, new: "") == .failure(.passcodeUnacceptable))
        #expect(fixture.passcode(.unlock, "") == .failure(.passcodeUnacceptable))
        #expect(fixture.status()?.failedAttempts == 0)
    }

    // MARK: - Passcode messages

    private static func nonce(_ fixture: EnclaveFixture, user: UInt32 = EnclaveFixture.user)
        -> [UInt8]
    {
        guard case .bytes(let nonce) = fixture.send(.challenge, user: user) else { return [] }
        return nonce
    }

    private static func send(
        _ fixture: EnclaveFixture, nonce: [UInt8], _ operation: PasscodeOperation = .unlock,
        passcodes: [String] = ["right"], key: [UInt8]? = nil, sealedFor user: UInt32? = nil
    ) -> Outcome {
        fixture.send(
            EnclaveFixture.letter(
                operation, nonce: nonce, passcodes, key: key ?? fixture.enclave.publicKey,
                user: user ?? EnclaveFixture.user))
    }

    @Test func aNonceIsGoodOnceAndForAMinute() {
        let fixture = Self.withPasscode()
        let nonce = Self.nonce(fixture)
        fixture.clock.seconds += 59
        #expect(Self.send(fixture, nonce: nonce) == .done)
        #expect(Self.send(fixture, nonce: nonce) == .failure(.staleChallenge))
        let late = Self.nonce(fixture)
        fixture.clock.seconds += 60
        #expect(Self.send(fixture, nonce: late) == .failure(.staleChallenge))
        let invented = [UInt8](repeating: 0, count: 32)
        #expect(Self.send(fixture, nonce: invented) == .failure(.staleChallenge))
    }

    @Test func aNonceIsOneUsers() {
        let fixture = Self.withPasscode()
        let nonce = Self.nonce(fixture, user: 2)
        #expect(Self.send(fixture, nonce: nonce) == .failure(.staleChallenge))
    }

    @Test(arguments: [EnclaveFixture.user, 2])
    func floodOfChallengesMakesNoNonceStale(ofUser user: UInt32) {
        let fixture = Self.withPasscode()
        let used = Self.nonce(fixture)
        #expect(Self.send(fixture, nonce: used) == .done)
        let nonce = Self.nonce(fixture)
        for _ in 0..<100_000 { _ = Self.nonce(fixture, user: user) }
        #expect(Self.send(fixture, nonce: nonce) == .done)
        // It doesn't make a used nonce valid again, either.
        #expect(Self.send(fixture, nonce: nonce) == .failure(.staleChallenge))
        #expect(Self.send(fixture, nonce: used) == .failure(.staleChallenge))
    }

    /// Each byte of a nonce matters.
    @Test func aChangedNonceIsStale() {
        let fixture = Self.withPasscode()
        let nonce = Self.nonce(fixture)
        for place in nonce.indices {
            var changed = nonce
            changed[place] ^= 1
            #expect(Self.send(fixture, nonce: changed) == .failure(.staleChallenge))
        }
        #expect(Self.send(fixture, nonce: nonce) == .done)
    }

    @Test func aNonceOfAnotherStartIsStale() {
        let fixture = Self.withPasscode()
        let nonce = Self.nonce(Self.withPasscode())
        #expect(Self.send(fixture, nonce: nonce) == .failure(.staleChallenge))
    }

    @Test func aLetterForAnotherKeyUserOrPurposeDoesNotOpen() {
        let fixture = Self.withPasscode()
        let other = [UInt8](Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
        let nonce = Self.nonce(fixture)
        #expect(Self.send(fixture, nonce: nonce, key: other) == .failure(.undecodable))
        #expect(Self.send(fixture, nonce: nonce, sealedFor: 2) == .failure(.undecodable))
        let letter = EnclaveFixture.letter(
            .unlock, nonce: nonce, ["right"], key: fixture.enclave.publicKey,
            user: EnclaveFixture.user)
        guard case .passcode(_, let key, let ciphertext, _, _) = letter else { return }
        #expect(
            fixture.send(.passcode(.remove, encapsulatedKey: key, ciphertext: ciphertext))
                == .failure(.undecodable))
        #expect(fixture.status()?.failedAttempts == 0)
    }

    @Test func aLetterWithTheWrongNumberOfPasscodesIsMalformed() {
        let fixture = Self.withPasscode()
        for passcodes in [[], ["right", "new"]] {
            #expect(
                Self.send(fixture, nonce: Self.nonce(fixture), passcodes: passcodes)
                    == .failure(.malformed))
        }
        #expect(
            Self.send(fixture, nonce: Self.nonce(fixture), .change) == .failure(.malformed))
        #expect(Self.send(fixture, nonce: [1, 2]) == .failure(.malformed))
    }
}
