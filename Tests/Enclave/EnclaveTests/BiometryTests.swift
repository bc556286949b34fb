// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import IPC
import KeychainVocabulary
import Testing

/// Fingerprints, whose reader proves nothing to enclaved.
@Suite struct BiometryTests {
    private typealias Fixture = EnclaveFixture

    private static func fixture(_ mode: BiometryMode = .sets) -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "1234") == .done)
        if mode != .off { #expect(configure(fixture, mode) == .done) }
        return fixture
    }

    private static func configure(
        _ fixture: EnclaveFixture, _ mode: BiometryMode?, changesSet: Bool = false,
        passcode: String = "1234"
    ) -> Outcome {
        guard let nonce = fixture.nonce() else { return .failure(.malformed) }
        let plaintext =
            nonce + Fixture.counted([UInt8](passcode.utf8))
            + [mode?.rawValue ?? BiometryMode.unchanged, changesSet ? 1 : 0]
        return fixture.send(
            letter(fixture, .configureBiometry, plaintext), user: Fixture.user, deriving: true)
    }

    private static func letter(
        _ fixture: EnclaveFixture, _ operation: PasscodeOperation, _ plaintext: [UInt8]
    ) -> EnclaveRequest {
        let sealed = Fixture.sealed(plaintext, data(operation), fixture.enclave.publicKey)
        return .passcode(
            operation, encapsulatedKey: sealed.key, ciphertext: sealed.ciphertext,
            isIdentified: true)
    }

    private static func data(_ operation: PasscodeOperation) -> [UInt8] {
        var data = [operation.rawValue]
        data.append(littleEndian: Fixture.user)
        return data
    }

    private static func touch(
        _ fixture: EnclaveFixture, _ question: AccessQuestion, sealing other: AccessQuestion? = nil,
        nonce: [UInt8]? = nil, key: [UInt8] = EnclaveFixture.touchKey
    ) -> Outcome {
        guard let nonce = nonce ?? fixture.nonce() else { return .failure(.malformed) }
        let digest = Array(SHA256.hash(data: (other ?? question).encoded))
        let code = HMAC<SHA256>.authenticationCode(
            for: TouchKey.message(nonce: nonce, digest: digest, userID: Fixture.user),
            using: SymmetricKey(data: key))
        let plaintext = nonce + digest + Array(code)
        let sealed = Fixture.sealed(plaintext, data(.approveByTouch), fixture.enclave.publicKey)
        return fixture.send(
            .access(
                .approve(
                    question, letter: sealed.key + sealed.ciphertext, isIdentified: true,
                    isTouch: true)))
    }

    /// A row with an access control, as it was bound, and the question for it.
    private static func row(
        _ fixture: EnclaveFixture, _ constraint: AccessControl.Constraint
    ) throws -> (row: SealedSecret, question: AccessQuestion) {
        let row = fixture.row(fixture.guarded([1], Fixture.control(constraint)))
        try #require(row.sealed.count > 20)
        let end = 20 + Int(row.sealed[2])
        let control = try #require(AccessControl(decoding: row.sealed[20..<end]))
        return (row, Fixture.question(control))
    }

    @Test func withoutTheOwnersConsentATouchIsNothing() throws {
        let fixture = Self.fixture(.off)
        let (row, question) = try Self.row(fixture, .owner)
        #expect(Self.touch(fixture, question) == .failure(.accessRefused))
        #expect(fixture.openGuarded(row) == .personNeeded)
        #expect(Self.configure(fixture, .presence, passcode: "wrong") == .failure(.wrongPasscode))
        #expect(Self.touch(fixture, question) == .failure(.accessRefused))
        #expect(Self.configure(fixture, .presence) == .done)
        #expect(Self.touch(fixture, question) == .done)
        #expect(fixture.openGuarded(row) == .success)
    }

    @Test func aTouchIsGoodForItsQuestionOnceAndForSeconds() throws {
        let fixture = Self.fixture()
        let (row, question) = try Self.row(fixture, .biometry)
        let other = Fixture.question(Fixture.control(.biometry), operation: .delete)
        #expect(Self.touch(fixture, question, sealing: other) == .failure(.accessRefused))
        let nonce = try #require(fixture.nonce())
        #expect(Self.touch(fixture, question, nonce: nonce) == .done)
        #expect(Self.touch(fixture, question, nonce: nonce) == .failure(.staleChallenge))
        #expect(fixture.openGuarded(row) == .success)
        let late = try #require(fixture.nonce())
        fixture.clock.seconds += 10
        #expect(Self.touch(fixture, question, nonce: late) == .failure(.staleChallenge))
        // securityd, which knows neither key, can't say so in the agent's place.
        #expect(
            Self.touch(fixture, question, key: [UInt8](repeating: 0, count: 32))
                == .failure(.accessRefused))
        // As an ordinary letter it is none.
        let plaintext = [UInt8](repeating: 0, count: 64)
        #expect(
            fixture.send(
                Self.letter(fixture, .approveByTouch, plaintext), user: Fixture.user,
                deriving: true) == .failure(.malformed))
    }

    @Test func a05AnItemOfTheSetIsClosedForGoodOnceTheSetChanges() throws {
        let fixture = Self.fixture()
        let (row, question) = try Self.row(fixture, .enrolledBiometry)
        #expect(Self.touch(fixture, question) == .done)
        #expect(fixture.openGuarded(row) == .success)
        let before = fixture.status()?.enrolment
        #expect(Self.configure(fixture, nil, changesSet: true) == .done)
        #expect(fixture.status()?.enrolment != before)
        #expect(fixture.openGuarded(row) == .accessRefused)
        #expect(Self.touch(fixture, question) == .done)
        #expect(fixture.openGuarded(row) == .accessRefused)
        #expect(Self.configure(fixture, nil, changesSet: true) == .done)
        #expect(fixture.openGuarded(row) == .accessRefused)
        // A new passcode changes nothing, and neither does a new start.
        let (second, secondQuestion) = try Self.row(fixture, .enrolledBiometry)
        #expect(fixture.passcode(.change, "1234", new: "5678") == .done)
        fixture.restart()
        #expect(fixture.passcode(.unlock, "5678") == .done)
        #expect(Self.touch(fixture, secondQuestion) == .done)
        #expect(fixture.openGuarded(second) == .success)
        #expect(fixture.openGuarded(row) == .accessRefused)
    }

    @Test func a06AnyFingerStaysGoodWhenTheSetChanges() throws {
        let fixture = Self.fixture()
        let (row, question) = try Self.row(fixture, .biometry)
        #expect(Self.configure(fixture, nil, changesSet: true) == .done)
        #expect(fixture.openGuarded(row) == .personNeeded)
        #expect(Self.touch(fixture, question) == .done)
        #expect(fixture.openGuarded(row) == .success)
    }

    @Test func a08APasscodeOpensNoItemOfBiometry() throws {
        let fixture = Self.fixture()
        let (row, question) = try Self.row(fixture, .biometry)
        #expect(fixture.approve(question, "1234") == .done)
        #expect(fixture.openGuarded(row) == .personNeeded)
    }

    @Test func a09BothAreNeededOrOneOfThem() throws {
        let fixture = Self.fixture()
        let choices: [AccessControl.Constraint] = [.biometry, .passcode]
        let (both, question) = try Self.row(fixture, .some(2, of: choices))
        #expect(Self.touch(fixture, question) == .done)
        #expect(fixture.openGuarded(both) == .personNeeded)
        #expect(fixture.approve(question, "1234") == .done)
        #expect(fixture.openGuarded(both) == .success)
        let (one, other) = try Self.row(fixture, .some(1, of: choices))
        #expect(Self.touch(fixture, other) == .done)
        #expect(fixture.openGuarded(one) == .success)
    }

    @Test func theSetMustBeAcceptedBeforeAnItemIsBoundToIt() {
        let fixture = Self.fixture(.presence)
        #expect(
            fixture.guarded([1], Fixture.control(.enrolledBiometry)) == .failure(.setUnproven))
        #expect(
            fixture.guarded([1], Fixture.control(.companion)) == .failure(.accessRefused))
    }

    @Test func whoNamesAnotherSetGetsThePresentOne() throws {
        let fixture = Self.fixture()
        var control = Fixture.control(.enrolledBiometry)
        control.enrolment = 7
        let row = fixture.row(fixture.guarded([1], control))
        let end = 20 + Int(row.sealed[2])
        let bound = try #require(AccessControl(decoding: row.sealed[20..<end]))
        #expect(bound.enrolment == fixture.status()?.enrolment)
    }

    /// Without a passcode each person at the machine may enrol a finger: it opens nothing of before.
    @Test func removingThePasscodeEndsTheConsentAndTheSet() throws {
        let fixture = Self.fixture()
        let (row, question) = try Self.row(fixture, .enrolledBiometry)
        let set = fixture.status()?.enrolment
        #expect(fixture.passcode(.remove, "1234") == .done)
        #expect(fixture.status()?.biometry == .off)
        #expect(fixture.status()?.enrolment != set)
        #expect(fixture.passcode(.set, "1234") == .done)
        #expect(fixture.status()?.biometry == .off)
        #expect(Self.configure(fixture, .sets) == .done)
        #expect(Self.touch(fixture, question) == .done)
        #expect(fixture.openGuarded(row) == .accessRefused)
    }

    @Test func aChangeOfTheSetGivesNoConsent() {
        for mode in [BiometryMode.off, .presence] {
            let fixture = Self.fixture(mode)
            #expect(Self.configure(fixture, nil, changesSet: true) == .done)
            #expect(fixture.status()?.biometry == mode)
        }
    }

    @Test func afterFiveUnknownFingersNoneCountsUntilThePasscodeIsGiven() throws {
        let fixture = Self.fixture()
        let (row, question) = try Self.row(fixture, .biometry)
        for _ in 1...4 { #expect(fixture.send(.access(.miss)) == .done) }
        // One that is known begins anew.
        #expect(Self.touch(fixture, question) == .done)
        for _ in 1...4 { #expect(fixture.send(.access(.miss)) == .done) }
        #expect(fixture.status()?.isBiometryLockedOut == false)
        #expect(fixture.send(.access(.miss)) == .failure(.accessRefused))
        #expect(fixture.status()?.isBiometryLockedOut == true)
        #expect(Self.touch(fixture, question) == .failure(.accessRefused))
        // What was approved before stays approved.
        #expect(fixture.openGuarded(row) == .success)
        #expect(fixture.passcode(.unlock, "wrong") == .failure(.wrongPasscode))
        #expect(Self.touch(fixture, question) == .failure(.accessRefused))
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.status()?.isBiometryLockedOut == false)
        #expect(Self.touch(fixture, question) == .done)
    }

    /// S16: a finger opens no device.
    @Test func aTouchIsNothingWhileTheDeviceIsLocked() throws {
        let fixture = Self.fixture()
        let (row, question) = try Self.row(fixture, .owner)
        fixture.restart()
        #expect(fixture.status()?.state == .beforeFirstUnlock)
        #expect(Self.touch(fixture, question) == .failure(.locked))
        #expect(fixture.status()?.state == .beforeFirstUnlock)
        #expect(fixture.passcode(.unlock, "1234") == .done)
        #expect(fixture.openGuarded(row) == .personNeeded)
    }
}
