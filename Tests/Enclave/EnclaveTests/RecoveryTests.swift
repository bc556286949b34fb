// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import Testing

/// Settings, escrow records and erasing.
/// `Documentation/attack-list.md` explains the numbers in names of tests.
@Suite struct RecoveryTests {
    private static let user = EnclaveFixture.user
    private static let key = [UInt8](repeating: 0x5A, count: 32)
    private static let survivors: [ProtectionClass] = [.ak, .ck, .dk, .aku, .cku, .dku]

    private static func withPasscode() -> EnclaveFixture {
        let fixture = EnclaveFixture()
        #expect(fixture.passcode(.set, "right") == .done)
        return fixture
    }

    private static func makeEscrow(_ fixture: EnclaveFixture) -> Outcome {
        fixture.letter(
            .makeEscrow,
            [EnclaveFixture.counted([UInt8]("right".utf8)), EnclaveFixture.counted(key)])
    }

    private static func reset(_ fixture: EnclaveFixture, key: [UInt8] = key) -> Outcome {
        fixture.letter(.reset, [EnclaveFixture.counted(key)])
    }

    private static func fail(_ fixture: EnclaveFixture, _ attempts: Range<Int>) {
        for attempt in attempts {
            fixture.clock.seconds += 3_600
            #expect(fixture.passcode(.unlock, "wrong \(attempt)") == .failure(.wrongPasscode))
        }
    }

    // MARK: - Settings

    @Test func settingsNeedTheRightPasscode() {
        let fixture = Self.withPasscode()
        #expect(fixture.configure("wrong", erasing: true) == .failure(.wrongPasscode))
        #expect(fixture.status()?.failedAttempts == 1)
        #expect(fixture.status()?.eraseAfter == 0)
        #expect(fixture.configure("right", erasing: true, grace: 300) == .done)
        #expect(fixture.status()?.eraseAfter == 10)
        #expect(fixture.status()?.graceSeconds == 300)
        #expect(fixture.status()?.failedAttempts == 0)
        fixture.restart()
        #expect(fixture.status()?.eraseAfter == 10)
        #expect(fixture.status()?.graceSeconds == 300)
        #expect(EnclaveFixture().configure("right") == .failure(.wrongState))
    }

    @Test(arguments: [(UInt8(10), UInt16(301)), (9, 0), (11, 0), (1, 1)])
    func settingsOutsideTheirBoundsAreMalformed(erase: UInt8, grace: UInt16) {
        let fixture = Self.withPasscode()
        let settings = [erase, UInt8(truncatingIfNeeded: grace), UInt8(grace >> 8), 0]
        let passcode = EnclaveFixture.counted([UInt8]("right".utf8))
        #expect(fixture.letter(.configure, [passcode, settings]) == .failure(.malformed))
        #expect(fixture.letter(.configure, [passcode, [0, 0, 0]]) == .failure(.malformed))
        #expect(fixture.letter(.configure, [passcode, [0, 0, 0, 2]]) == .failure(.malformed))
        #expect(fixture.letter(.configure, [passcode, [0, 0, 0, 1, 0]]) == .failure(.malformed))
    }

    @Test func settingsOutliveAChangeAndGoWithThePasscode() {
        let fixture = Self.withPasscode()
        #expect(fixture.configure("right", erasing: true, grace: 7) == .done)
        #expect(fixture.passcode(.change, "right", new: "new") == .done)
        #expect(fixture.status()?.eraseAfter == 10)
        #expect(fixture.status()?.graceSeconds == 7)
        #expect(fixture.passcode(.remove, "new") == .done)
        #expect(fixture.status()?.eraseAfter == 0)
        #expect(fixture.status()?.graceSeconds == 0)
    }

    @Test func settingsThatCannotBeWrittenDoNotHold() {
        let fixture = Self.withPasscode()
        #expect(fixture.configure("right", grace: 7, deriving: false) == .deferred)
        fixture.state.isWritable = false
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .failure(.stateNotWritten))
        #expect(fixture.status()?.graceSeconds == 0)
    }

    // MARK: - Escrow

    @Test func s11AResetByEscrowKeepsAllClassesButAkpu() {
        let fixture = Self.withPasscode()
        let sealed = Self.survivors.map { fixture.seal([$0.rawValue], $0) }
        let akpu = fixture.seal([42], .akpu)
        #expect(fixture.status()?.hasEscrow == false)
        #expect(Self.makeEscrow(fixture) == .done)
        #expect(fixture.status()?.hasEscrow == true)
        fixture.restart()
        #expect(fixture.status()?.hasEscrow == true)
        #expect(Self.reset(fixture) == .done)
        #expect(fixture.lockState == .noPasscode)
        for (protectionClass, sealed) in zip(Self.survivors, sealed) {
            #expect(fixture.open(sealed, protectionClass) == .bytes([protectionClass.rawValue]))
        }
        #expect(fixture.open(akpu, .akpu) == .failure(.classMissing))
        #expect(fixture.passcode(.set, "next") == .done)
        #expect(fixture.open(akpu, .akpu) == .failure(.undecodable))
        #expect(fixture.status()?.hasEscrow == false)
        fixture.restart()
        #expect(fixture.passcode(.unlock, "right") == .failure(.wrongPasscode))
        #expect(fixture.passcode(.unlock, "next") == .done)
    }

    @Test func s11AResetWorksAfterTooManyWrongPasscodes() {
        let fixture = Self.withPasscode()
        #expect(Self.makeEscrow(fixture) == .done)
        Self.fail(fixture, 0..<10)
        #expect(fixture.passcode(.unlock, "right") == .failure(.disabled))
        #expect(Self.reset(fixture) == .done)
        #expect(fixture.status()?.failedAttempts == 0)
    }

    @Test func s11AResetTellsThatAkpuIsGone() {
        let fixture = Self.withPasscode()
        #expect(Self.makeEscrow(fixture) == .done)
        _ = fixture.send(.lock(.now))
        let last = fixture.enclave.lockEvent(after: 0)?.number ?? 0
        #expect(Self.reset(fixture) == .done)
        let event = fixture.enclave.lockEvent(after: last)
        #expect(event?.dropped.contains(.akpu) == true)
    }

    @Test func anotherKeyResetsNothing() {
        let fixture = Self.withPasscode()
        #expect(Self.reset(fixture) == .failure(.wrongState))
        #expect(Self.makeEscrow(fixture) == .done)
        var other = Self.key
        other[31] ^= 1
        #expect(Self.reset(fixture, key: other) == .failure(.wrongPasscode))
        #expect(Self.reset(fixture, key: [UInt8](other.dropLast())) == .failure(.malformed))
        #expect(fixture.status()?.failedAttempts == 0)
        #expect(fixture.lockState == .unlocked)
        #expect(Self.reset(EnclaveFixture()) == .failure(.wrongState))
    }

    @Test func anEscrowRecordGoesWithItsPasscode() {
        let fixture = Self.withPasscode()
        #expect(Self.makeEscrow(fixture) == .done)
        let old = fixture.state.records[.escrow(user: Self.user)]
        #expect(fixture.configure("right", grace: 5) == .done)
        #expect(fixture.status()?.hasEscrow == true)
        #expect(fixture.passcode(.change, "right", new: "new") == .done)
        #expect(fixture.state.records[.escrow(user: Self.user)] == nil)
        #expect(Self.reset(fixture) == .failure(.wrongState))
        // The replayed old file belongs to another passcode.
        fixture.state.records[.escrow(user: Self.user)] = old
        fixture.restart()
        #expect(fixture.status()?.hasEscrow == false)
        #expect(Self.reset(fixture) == .failure(.wrongState))
        #expect(
            fixture.notices.all.contains(.escrowRefused(user: Self.user, .wrongValue("SALT"))))
    }

    @Test func eachFlippedByteOfAnEscrowRecordIsRefused() {
        let fixture = Self.withPasscode()
        #expect(Self.makeEscrow(fixture) == .done)
        let record = StateRecord.escrow(user: Self.user)
        guard let bytes = fixture.state.records[record] else { return }
        for index in bytes.indices {
            fixture.state.records[record]?[index] ^= 0x10
            fixture.restart()
            #expect(fixture.status()?.hasEscrow == false)
            fixture.state.records[record] = bytes
        }
    }

    @Test func anotherDevicesEscrowRecordIsRefused() {
        let fixture = Self.withPasscode()
        let other = Self.withPasscode()
        #expect(Self.makeEscrow(other) == .done)
        fixture.state.records[.escrow(user: Self.user)] =
            other.state.records[.escrow(user: Self.user)]
        fixture.restart()
        #expect(fixture.status()?.hasEscrow == false)
    }

    // MARK: - Recovery code

    @Test func aRecoveryRecordThatCanNotBeReadIsNotOneThatIsNotThere() {
        let fixture = Self.withPasscode()
        let letter = [EnclaveFixture.counted([UInt8](repeating: 48, count: 26)), [0]]
        #expect(fixture.letter(.recover, letter) == .failure(.wrongState))
        fixture.state.unreadable = [.protectorsCopy(user: Self.user)]
        #expect(fixture.letter(.recover, letter) == .failure(.stateNotWritten))
    }

    // MARK: - Erasing

    /// A writer that doesn't know of the erasure can't make the enclave record an earlier commit. A
    /// writer that starts again asks first.
    @Test func aCommitOfBeforeAnErasureIsNotRemembered() {
        let fixture = Self.withPasscode()
        #expect(fixture.send(.anchor(0)) == .commit(0))
        #expect(fixture.send(.anchor(40)) == .commit(40))
        #expect(fixture.configure("right", erasing: true) == .done)
        Self.fail(fixture, 0..<10)
        #expect(fixture.status()?.erasures == 1)
        #expect(fixture.send(.anchor(41)) == .commit(0))
        #expect(fixture.send(.bindAnchor(73)) == .commit(0))
        #expect(fixture.send(.anchor(0)) == .commit(0))
        #expect(fixture.send(.anchor(2)) == .commit(2))
        fixture.restart()
        #expect(fixture.send(.anchor(0)) == .commit(2))
    }

    @Test func x07TheTenthWrongPasscodeDestroysAllClassKeys() {
        let fixture = Self.withPasscode()
        let sealed = ProtectionClass.allCases.map { fixture.seal([1], $0) }
        #expect(Self.makeEscrow(fixture) == .done)
        #expect(fixture.configure("right", erasing: true) == .done)
        let before = fixture.status()
        let old = fixture.state.records
        Self.fail(fixture, 0..<9)
        #expect(fixture.lockState == .unlocked)
        Self.fail(fixture, 9..<10)
        let status = fixture.status()
        #expect(status?.state == .noPasscode)
        #expect(status?.erasures == 1)
        #expect(status?.failedAttempts == 0)
        #expect(status?.eraseAfter == 0)
        #expect(status?.hasEscrow == false)
        #expect(status?.keybagUUID != before?.keybagUUID)
        #expect((status?.lockCount ?? 0) == (before?.lockCount ?? 0) + 1)
        #expect(fixture.notices.all.last == .erased(user: Self.user))
        for (protectionClass, sealed) in zip(ProtectionClass.allCases, sealed) {
            let expected: EnclaveStatusCode =
                protectionClass == .akpu ? .classMissing : .undecodable
            #expect(fixture.open(sealed, protectionClass) == .failure(expected))
        }
        #expect(fixture.passcode(.unlock, "right") == .failure(.wrongState))
        #expect(Self.reset(fixture) == .failure(.wrongState))
        for record in [StateRecord.keybag(user: Self.user), .keybagCopy(user: Self.user)] {
            #expect(fixture.state.records[record] != old[record])
        }
        #expect(fixture.state.records[.escrow(user: Self.user)] == nil)
        fixture.restart()
        #expect(fixture.status()?.state == .noPasscode)
        #expect(fixture.status()?.erasures == 1)
    }

    @Test func x07NothingIsErasedUnlessTheSettingsAskForIt() {
        let fixture = Self.withPasscode()
        let uuid = fixture.status()?.keybagUUID
        Self.fail(fixture, 0..<10)
        #expect(fixture.status()?.keybagUUID == uuid)
        #expect(fixture.status()?.erasures == 0)
    }

    @Test func x07AnAttemptThatWasCountedAndNotJudgedErasesAtTheNext() {
        let fixture = Self.withPasscode()
        #expect(fixture.configure("right", erasing: true) == .done)
        Self.fail(fixture, 0..<9)
        fixture.clock.seconds += 3_600
        #expect(fixture.passcode(.unlock, "wrong", deriving: false) == .deferred)
        fixture.restart()
        #expect(fixture.status()?.failedAttempts == 10)
        #expect(fixture.passcode(.unlock, "right") == .failure(.disabled))
        #expect(fixture.lockState == .noPasscode)
        #expect(fixture.status()?.erasures == 1)
    }

    @Test func x07WhatCannotBeErasedFromTheDiskIsNotUsableAndTriedAgain() {
        let fixture = Self.withPasscode()
        #expect(fixture.configure("right", erasing: true) == .done)
        Self.fail(fixture, 0..<9)
        fixture.clock.seconds += 3_600
        #expect(fixture.passcode(.unlock, "wrong", deriving: false) == .deferred)
        fixture.state.isWritable = false
        guard let job = fixture.job else { return }
        #expect(fixture.finish(fixture.derive(job)) == .failure(.wrongPasscode))
        #expect(fixture.notices.all.last == .eraseFailed(user: Self.user))
        #expect(fixture.lockState == .beforeFirstUnlock)
        fixture.state.isWritable = true
        #expect(fixture.passcode(.unlock, "right") == .failure(.disabled))
        #expect(fixture.lockState == .noPasscode)
    }

    @Test func x07RightPasscodesNeverEraseEvenIfTheirCountIsNotReset() {
        let fixture = Self.withPasscode()
        #expect(fixture.configure("right", erasing: true) == .done)
        for _ in 0..<12 {
            #expect(fixture.passcode(.unlock, "right", deriving: false) == .deferred)
            fixture.state.isWritable = false
            guard let job = fixture.job else { return }
            #expect(fixture.finish(fixture.derive(job)) == .done)
            fixture.state.isWritable = true
        }
        #expect(fixture.status()?.erasures == 0)
        #expect(fixture.status()?.failedAttempts == 0)
    }

    @Test func x07TheNewKeybagIsLaterThanAnyOldCopy() {
        let fixture = Self.withPasscode()
        #expect(fixture.configure("right", erasing: true) == .done)
        let old = fixture.state.records[.keybagCopy(user: Self.user)]
        Self.fail(fixture, 0..<10)
        fixture.state.records[.keybagCopy(user: Self.user)] = old
        fixture.restart()
        #expect(fixture.lockState == .noPasscode)
        #expect(fixture.status()?.erasures == 1)
        #expect(fixture.state.records[.keybagCopy(user: Self.user)] != old)
    }

    @Test func erasingOneUserTouchesNoOther() {
        let fixture = Self.withPasscode()
        _ = fixture.passcode(.set, "other", user: 2)
        #expect(fixture.configure("right", erasing: true) == .done)
        Self.fail(fixture, 0..<10)
        #expect(fixture.status(user: 2)?.state == .unlocked)
        #expect(fixture.status(user: 2)?.erasures == 0)
    }
}
