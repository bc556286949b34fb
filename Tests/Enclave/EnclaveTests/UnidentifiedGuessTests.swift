// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// Which programs' wrong passcodes lead to erasing. Any program of the user can guess.
@Suite struct UnidentifiedGuessTests {
    private static func fixture(countsUnidentified: Bool = false) -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right") == .done)
        #expect(
            fixture.configure("right", erasing: true, countsUnidentified: countsUnidentified)
                == .done)
        return fixture
    }

    /// Wrong passcodes, each after its delay.
    private static func guess(
        _ fixture: EnclaveFixture, _ count: Int, _ name: String, isIdentified: Bool
    ) {
        for number in 0..<count {
            fixture.clock.seconds += 3_600
            #expect(
                fixture.passcode(.unlock, "\(name) \(number)", isIdentified: isIdentified)
                    == .failure(.wrongPasscode))
        }
    }

    /// The delay restarts with the first request.
    private static func restart(_ fixture: EnclaveFixture) {
        fixture.restart()
        #expect(fixture.status() != nil)
    }

    private static func expectDisabled(_ fixture: EnclaveFixture) {
        for isIdentified in [false, true] {
            fixture.clock.seconds += 3_600
            #expect(
                fixture.passcode(.unlock, "another", isIdentified: isIdentified)
                    == .failure(.disabled))
        }
        fixture.restart()
        #expect(fixture.passcode(.unlock, "another") == .failure(.disabled))
        #expect(fixture.status()?.erasures == 0)
        #expect(fixture.status()?.isPasscodeSet == true)
        #expect(fixture.status()?.secondsUntilNextAttempt == EnclaveStatus.never)
    }

    /// A program without an identity gives ten wrong passcodes. They disable the passcode, and erase
    /// nothing.
    /// Red team: any; U, erases nothing.
    /// Before: worked; erases all.
    @Test func tenGuessesOfAnUnidentifiedProgramEraseNothing() {
        let fixture = Self.fixture()
        Self.guess(fixture, 10, "unknown", isIdentified: false)
        Self.expectDisabled(fixture)
    }

    /// A program without an identity gives one of ten wrong passcodes, at any place among them, with
    /// or without a restart. The ten erase nothing.
    /// Red team: any; U, erases nothing.
    /// Before: worked; erases all.
    @Test(arguments: [0, 5, 9], [false, true])
    func aGuessOfAnUnidentifiedProgramAmongTheTenErasesNothing(
        before: Int, isRestarted: Bool
    ) {
        let fixture = Self.fixture()
        Self.guess(fixture, before, "known", isIdentified: true)
        if isRestarted { Self.restart(fixture) }
        Self.guess(fixture, 1, "unknown", isIdentified: false)
        if isRestarted { Self.restart(fixture) }
        Self.guess(fixture, 9 - before, "later", isIdentified: true)
        Self.expectDisabled(fixture)
    }

    @Test(arguments: [false, true])
    func tenGuessesOfIdentifiedProgramsErase(isRestarted: Bool) {
        let fixture = Self.fixture()
        Self.guess(fixture, 6, "known", isIdentified: true)
        if isRestarted { Self.restart(fixture) }
        Self.guess(fixture, 4, "later", isIdentified: true)
        #expect(fixture.status()?.erasures == 1)
        #expect(fixture.status()?.isPasscodeSet == false)
    }

    @Test func whereTheOwnerWantsItEveryGuessCounts() {
        let fixture = Self.fixture(countsUnidentified: true)
        #expect(fixture.status()?.erasesForUnidentified == true)
        Self.guess(fixture, 3, "known", isIdentified: true)
        Self.restart(fixture)
        #expect(fixture.status()?.erasesForUnidentified == true)
        Self.guess(fixture, 7, "unknown", isIdentified: false)
        #expect(fixture.status()?.erasures == 1)
    }

    /// The right passcode resets the count: earlier guesses don't count any more.
    @Test func theRightPasscodeForgetsWhoGuessed() {
        let fixture = Self.fixture()
        Self.guess(fixture, 3, "unknown", isIdentified: false)
        fixture.clock.seconds += 3_600
        #expect(fixture.passcode(.unlock, "right") == .done)
        Self.guess(fixture, 10, "known", isIdentified: true)
        #expect(fixture.status()?.erasures == 1)
    }

    /// No wrong passcode yet: the count, and the senders, are as before.
    @Test func aGuessThatWasNotJudgedDoesNotCount() {
        let fixture = Self.fixture()
        Self.guess(fixture, 9, "known", isIdentified: true)
        fixture.clock.seconds += 3_600
        #expect(
            fixture.passcode(.unlock, "unknown", isIdentified: false, deriving: false)
                == .deferred)
        #expect(fixture.finish(.failed) == .failure(.busy))
        Self.guess(fixture, 1, "last", isIdentified: true)
        #expect(fixture.status()?.erasures == 1)
    }

    @Test func theSettingIsStoredInTheKeybag() throws {
        let key = SymmetricKey(size: .bits256)
        for isOn in [false, true] {
            var wrapped: [ProtectionClass: [UInt8]] = [:]
            for protectionClass in Keybag.classes(withPasscode: false) {
                wrapped[protectionClass] = [UInt8](repeating: 1, count: 40)
            }
            let settings = Keybag.Settings(
                eraseAfter: 10, graceSeconds: 3, erasesForUnidentified: isOn)
            let keybag = Keybag(
                uuid: [UInt8](repeating: 5, count: Keybag.uuidByteCount), generation: 1,
                passcode: nil, wrappedKeys: wrapped, settings: settings ?? .init())
            let file = keybag.encode(signingKey: key)
            #expect(try Keybag(file, signingKey: key) == keybag)
        }
    }

    @Test func aCountSaysWhetherOneOfItsSendersIsUnidentified() {
        let key = SymmetricKey(size: .bits256)
        let uuid = [UInt8](repeating: 5, count: Keybag.uuidByteCount)
        for isUnknown in [false, true] {
            let record = AttemptRecord(sequence: 4, failures: 3, hasUnidentified: isUnknown)
            let file = record.file(uuid: uuid, key: key)
            #expect(AttemptRecord(file, uuid: uuid, key: key) == record)
        }
        // The later slot is valid.
        for first in [false, true] {
            let older = AttemptRecord(sequence: 4, failures: 3, hasUnidentified: first)
            let newer = AttemptRecord(sequence: 5, failures: 4, hasUnidentified: !first)
            let file = older.slot(uuid: uuid, key: key) + newer.slot(uuid: uuid, key: key)
            #expect(AttemptRecord(file, uuid: uuid, key: key) == newer)
        }
    }
}
