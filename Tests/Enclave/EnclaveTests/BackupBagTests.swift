// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import Testing

/// Backups in the enclave: the bag, what makes keys portable, and what opens them elsewhere.
@Suite struct BackupBagTests {
    private let device = EnclaveFixture()

    /// Another machine: nothing of the first one's is there.
    private func otherDevice() -> EnclaveFixture {
        let other = EnclaveFixture()
        other.deviceKey = KnownDeviceKey(byte: 2)
        other.restart()
        other.makeKeybag()
        return other
    }

    // MARK: - The password

    @Test func aBagIsThereOnceAPasswordIsSet() throws {
        #expect(device.bag == [])
        #expect(device.setBackupPassword() == nil)
        let bag = device.bag
        #expect(!bag.isEmpty)
        device.restart()
        #expect(device.bag == bag)
        #expect(device.setBackupPassword("another password") == nil)
        #expect(device.bag != bag)
        let letter = device.backupLetter(.removeBackupPassword, [""])
        #expect(device.backup(.removePassword(letter: letter, EnclaveFixture.owner)).code == nil)
        #expect(device.bag == [])
    }

    @Test func withoutAPasscodeOnlyTheOwnersProgramSetsThePassword() {
        device.makeKeybag()
        #expect(
            device.setBackupPassword("a long password", EnclaveFixture.stranger)
                == .administratorNeeded)
        #expect(device.bag == [])
    }

    /// K23: also while the device is unlocked.
    @Test func withAPasscodeItDecides() {
        #expect(device.passcode(.set, "code") == .done)
        #expect(device.setBackupPassword(passcode: "wrong") == .wrongPasscode)
        #expect(device.setBackupPassword(passcode: "") == .passcodeUnacceptable)
        #expect(device.bag == [])
        #expect(device.setBackupPassword(passcode: "code", EnclaveFixture.stranger) == nil)
        #expect(device.status()?.failedAttempts == 0)
    }

    @Test func passwordsHaveTenTo1023Bytes() {
        #expect(device.setBackupPassword(String(repeating: "x", count: 9)) == .passcodeUnacceptable)
        #expect(device.setBackupPassword(String(repeating: "x", count: 10)) == nil)
        #expect(device.setBackupPassword(String(repeating: "x", count: 1023)) == nil)
        #expect(
            device.setBackupPassword(String(repeating: "x", count: 1024)) == .passcodeUnacceptable)
    }

    @Test func anOlderBagIsNotUsed() throws {
        #expect(device.setBackupPassword("the first password") == nil)
        let old = device.state.records[.backup(user: EnclaveFixture.user)]
        #expect(device.setBackupPassword("the second password") == nil)
        device.state.records[.backup(user: EnclaveFixture.user)] = old
        device.state.records[.backupCopy(user: EnclaveFixture.user)] = old
        device.restart()
        #expect(device.bag == [])
        #expect(device.notices.all.contains(.backupBagRefused(user: EnclaveFixture.user)))
    }

    @Test func oneDamagedCopyIsReplaced() throws {
        #expect(device.setBackupPassword() == nil)
        let whole = try #require(device.state.records[.backup(user: EnclaveFixture.user)])
        for record in [
            StateRecord.backup(user: EnclaveFixture.user), .backupCopy(user: EnclaveFixture.user),
        ] {
            device.state.records[record]?[40] ^= 1
            device.restart()
            #expect(!device.bag.isEmpty)
            #expect(device.state.records[record] == whole)
        }
    }

    @Test func aChangedBagIsNoBag() throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        let other = otherDevice()
        for place in 0..<archive.keys.bag.count {
            var keys = archive.keys
            keys.bag[place] ^= 1
            let code = other.open(keys).code
            #expect(code == .undecodable || code == .wrongPasscode, "byte \(place)")
        }
    }

    @Test func erasingDeletesTheBag() throws {
        #expect(device.passcode(.set, "code") == .done)
        #expect(device.setBackupPassword(passcode: "code") == nil)
        #expect(device.letter(.forget, [[0, 0]], isRoot: true) == .done)
        #expect(device.bag == [])
        #expect(device.state.records[.backup(user: EnclaveFixture.user)] == nil)
        #expect(device.state.records[.backupCopy(user: EnclaveFixture.user)] == nil)
    }

    // MARK: - Rows

    @Test(arguments: [ProtectionClass.ak, .ck, .dk])
    func aRowOfAClassThatMovesOpensElsewhere(_ protectionClass: ProtectionClass) throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        let (sealed, portable) = try #require(device.exported([1, 2, 3], protectionClass))
        #expect(sealed[0] == 4)
        #expect(device.open(sealed, protectionClass) == .bytes([1, 2, 3]))
        let other = otherDevice()
        let opened = try other.open(archive.keys).get()
        #expect(opened.key == archive.key)
        let restored = try #require(
            other.restore(sealed, portable, protectionClass, session: opened.session)?.bytes)
        #expect(other.open(restored, protectionClass, context: 2) == .bytes([1, 2, 3]))
        #expect(other.open(restored, protectionClass, context: 1) == .failure(.undecodable))
    }

    @Test(arguments: [ProtectionClass.aku, .cku, .dku])
    func aRowOfThisDeviceOnlyGetsNoWrap(_ protectionClass: ProtectionClass) throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        let (sealed, portable) = try #require(device.exported([1], protectionClass))
        #expect(sealed[0] == 1)
        #expect(portable == [])
        let opened = try otherDevice().open(archive.keys).get()
        let other = otherDevice()
        let session = try other.open(archive.keys).get().session
        #expect(opened.key == archive.key)
        #expect(
            other.restore(sealed, portable, protectionClass, session: session)?.code
                == .undecodable)
        // Here it opens.
        let here = try device.open(archive.keys).get().session
        let restored = try #require(
            device.restore(sealed, portable, protectionClass, session: here)?.bytes)
        #expect(device.open(restored, protectionClass, context: 2) == .bytes([1]))
    }

    @Test func aRowGetsNoWeakerClass() throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        let (sealed, portable) = try #require(device.exported([1], .ak))
        let session = try device.open(archive.keys).get().session
        let secret = ArchivedSecret(
            sealed: sealed, portable: portable, from: EnclaveFixture.binding(.ak, 1),
            to: EnclaveFixture.binding(.dk, 2))
        guard
            case .success(.restored(let restored)) = device.backup(
                .restore(session: session, [secret]))
        else {
            Issue.record("no reply")
            return
        }
        #expect(restored.first?.code == .undecodable)
    }

    /// K12, K13: what was wrapped while the class was usable goes along while it is locked.
    @Test func whatIsLockedGoesAlongByTheWrapThatWasMadeBefore() throws {
        guard case .bytes(let before) = device.seal([7], .ak) else { return }
        #expect(device.passcode(.set, "code") == .done)
        #expect(device.setBackupPassword(passcode: "code") == nil)
        guard case .bytes(let after) = device.seal([8], .ak) else { return }
        guard
            case .success(.wraps(let attached)) = device.backup(
                .attach([Array(before.prefix(BackupLayout.headByteCount))]))
        else {
            Issue.record("nothing was attached")
            return
        }
        #expect(attached.map(\.count) == [BackupLayout.attachmentByteCount])
        let later = [4] + before[1..<44] + attached[0] + before[44...]
        #expect(device.open(Array(later), .ak) == .bytes([7]))
        #expect(device.send(.lock(.now)) == .done)
        #expect(device.portable(after)?.count == BackupLayout.portableByteCount)
        #expect(device.portable(Array(later))?.count == BackupLayout.portableByteCount)
        // Without one it can't be made now.
        #expect(device.portable(before) == [])
    }

    /// K22: an archive and its password open no secret that is stored later.
    @Test func whatIsInTheDatabaseIsNoUseWithoutTheDevice() throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        guard case .bytes(let sealed) = device.seal([9], .ak) else { return }
        let other = otherDevice()
        let session = try other.open(archive.keys).get().session
        // The wrap as the row has it: sealed by the first device.
        let attachment = Array(sealed[44..<148])
        for start in 0...(attachment.count - BackupLayout.portableByteCount) {
            let portable = Array(attachment[start..<start + BackupLayout.portableByteCount])
            #expect(
                other.restore(sealed, portable, .ak, session: session)?.code == .undecodable)
        }
    }

    @Test func aWrapOfAnotherRowIsNotTakenForThisOnes() throws {
        #expect(device.setBackupPassword() == nil)
        guard case .bytes(let one) = device.seal([1], .ak),
            case .bytes(let two) = device.seal([2], .ak)
        else { return }
        #expect(device.passcode(.set, "code") == .done)
        #expect(device.send(.lock(.now)) == .done)
        let mixed = Array(one[..<44]) + two[44..<148] + one[148...]
        #expect(device.portable(Array(mixed)) == [])
    }

    // MARK: - Archives

    @Test func withoutAPasswordOnlyThisDeviceOpensAnArchive() throws {
        device.makeKeybag()
        let archive = try #require(device.makeArchive())
        #expect(archive.keys.bag == [])
        #expect(try device.open(archive.keys, "").get().key == archive.key)
        #expect(otherDevice().open(archive.keys, "").code == .undecodable)
        #expect(otherDevice().open(archive.keys, "a long password").code == .undecodable)
    }

    /// K16: nothing is counted.
    @Test func aWrongPasswordIsRefusedAndNotCounted() throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        let other = otherDevice()
        for _ in 0..<20 {
            #expect(other.open(archive.keys, "wrong password").code == .wrongPasscode)
        }
        #expect(other.status()?.failedAttempts == 0)
        #expect(try other.open(archive.keys).get().key == archive.key)
    }

    @Test func anEarlierPasswordOpensItsOwnArchivesAlone() throws {
        #expect(device.setBackupPassword("the first password") == nil)
        let first = try #require(device.makeArchive())
        #expect(device.setBackupPassword("the second password") == nil)
        let second = try #require(device.makeArchive())
        let other = otherDevice()
        #expect(try other.open(first.keys, "the first password").get().key == first.key)
        #expect(other.open(second.keys, "the first password").code == .wrongPasscode)
    }

    /// K20.
    @Test func aLockedDeviceRestoresNothing() throws {
        #expect(device.passcode(.set, "code") == .done)
        #expect(device.setBackupPassword(passcode: "code") == nil)
        let archive = try #require(device.makeArchive())
        let session = try device.open(archive.keys, passcode: "code").get().session
        let (sealed, portable) = try #require(device.exported([1], .ak))
        #expect(device.send(.lock(.now)) == .done)
        #expect(device.restore(sealed, portable, .ak, session: session) == nil)
        #expect(device.open(archive.keys, passcode: "code").code == .locked)
        #expect(device.lockState == .locked)
    }

    @Test func anArchiveIsOpenForAnHour() throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        let (sealed, portable) = try #require(device.exported([1], .ak))
        let session = try device.open(archive.keys).get().session
        device.clock.seconds += 3599
        #expect(device.restore(sealed, portable, .ak, session: session)?.bytes != nil)
        device.clock.seconds += 1
        #expect(device.restore(sealed, portable, .ak, session: session) == nil)
    }

    /// K21: a stranger's archive can't ask for hours.
    @Test func aBagThatAsksForTooMuchIsRefused() throws {
        #expect(device.setBackupPassword() == nil)
        let bag = device.bag
        let iterations = try #require(bag.firstRange(of: Array("ITER".utf8))).upperBound + 4
        let memory = try #require(bag.firstRange(of: Array("MEMC".utf8))).upperBound + 4
        // 256 MiB.
        func passes(_ number: UInt8) -> [UInt8] {
            var bag = bag
            bag[memory..<memory + 4] = [0, 4, 0, 0]
            bag[iterations + 3] = number
            return bag
        }
        #expect(throws: Never.self) { try BackupBag(passes(16)) }
        #expect(throws: KeybagError.wrongValue("MEMC")) { try BackupBag(passes(17)) }
        var large = bag
        large[memory..<memory + 4] = [0, 0x10, 0, 1]
        #expect(throws: KeybagError.wrongValue("MEMC")) { try BackupBag(large) }
    }

    @Test func aTableKeyOpensElsewhereToo() throws {
        #expect(device.setBackupPassword() == nil)
        let archive = try #require(device.makeArchive())
        let name = TableKeyName(purpose: .metadata, protectionClass: .ak, generation: 3)
        guard case .bytes(let made) = device.send(.makeTableKey(name)),
            case .success(.wraps(let attached)) = device.backup(
                .attachKey(name, wrapped: Array(made.prefix(60)))),
            case .success(.wraps(let portable)) = device.backup(
                .exportKey(name, wrapped: Array(made.prefix(60)), attachment: attached[0]))
        else {
            Issue.record("no key")
            return
        }
        let other = otherDevice()
        let session = try other.open(archive.keys).get().session
        let wrapped = Array(made.prefix(60))
        guard
            case .success(.openedKey(let key)) = other.backup(
                .openKey(session: session, name, wrapped: wrapped, portable: portable[0]))
        else {
            Issue.record("it doesn't open")
            return
        }
        #expect(key.array == Array(made.suffix(32)))
        let index = TableKeyName(purpose: .blindIndex, protectionClass: .dku, generation: 1)
        #expect(device.backup(.attachKey(index, wrapped: wrapped)).wraps == [[]])
        // A wrap of a table key isn't one of a row key.
        let (sealed, _) = try #require(device.exported([1], .ak))
        #expect(
            other.restore(sealed, portable[0], .ak, session: session)?.code == .undecodable)
    }
}

extension Result where Success == BackupReply {
    fileprivate var wraps: [[UInt8]]? {
        guard case .success(.wraps(let wraps)) = self else { return nil }
        return wraps
    }
}
