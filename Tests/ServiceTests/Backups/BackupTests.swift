// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Foundation
import GRDB
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Archives of everything, and what opens them. The numbers are those of the published test list.
    @Suite struct Backups {
        private static let password = TestService.backupPassword
        private static let decode: Int32 = -26275
        private static let authFailed: Int32 = -25293

        private static func fill(_ service: TestService, with accounts: String...) throws {
            for account in accounts {
                try service.keychain.add(.password(account, secret: "secret of \(account)"))
            }
        }

        /// K12: all classes, made while the device is locked, restored on another one.
        @Test func anArchiveOfALockedDeviceOpensOnAnother() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "before")
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                try service.setBackupPassword(passcode: "1234")
                let classes: [Accessibility] = [
                    .whenUnlocked, .afterFirstUnlock, .always, .whenUnlockedThisDeviceOnly,
                    .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
                    .whenPasscodeSetThisDeviceOnly,
                ]
                for (number, accessibility) in classes.enumerated() {
                    try service.keychain.add(
                        .password(
                            "class \(number)", secret: "secret \(number)",
                            accessibility: accessibility))
                }
                try service.waitUntilPortable()
                let written = try service.passwords()
                #expect(try service.keychain.check().findings.isEmpty)
                try service.keychain.lock()
                let archive = try TestArchive(of: service)
                #expect(archive.counts.rows == 7)
                #expect(archive.counts.deviceOnly == 3)
                #expect(archive.counts.pending == 0)
                #expect(archive.counts.excluded == 1)
                try TestService.run { (other: TestService) throws in
                    let counts = try archive.restore(into: other, password: Self.password)
                    #expect(counts.added == 4)
                    #expect(counts.deviceOnly == 3)
                    #expect(counts.lost == 0)
                    let restored = try other.passwords()
                    #expect(
                        restored.keys.sorted() == ["before", "class 0", "class 1", "class 2"])
                    for (account, item) in restored { #expect(written[account] == item) }
                    #expect(try other.keychain.check().findings.isEmpty)
                }
            }
        }

        /// K14.
        @Test func anArchiveWithoutAPasswordOpensHereAlone() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna", "otto")
                let archive = try TestArchive(of: service)
                let written = try service.passwords()
                try service.keychain.delete(.password("anna"))
                #expect(try archive.restore(into: service).added == 1)
                #expect(try service.passwords() == written)
                try TestService.run { (other: TestService) throws in
                    #expect(try archive.refusal(of: other) == Self.decode)
                    #expect(
                        try archive.refusal(of: other, password: Self.password) == Self.decode)
                    #expect(try other.passwords() == [:])
                }
                // Another passcode, and none, change nothing.
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                try service.keychain.delete(.password("anna"))
                #expect(try archive.restore(into: service, passcode: "1234").added == 1)
                try service.keychain.removePasscode(SecretBytes(passcode: "1234"))
                try service.keychain.delete(.password("otto"))
                #expect(try archive.restore(into: service).added == 1)
                #expect(try service.passwords() == written)
            }
        }

        /// K15 in part: each 64th byte; the unit tests take every byte of a chunk.
        @Test func aDamagedArchiveChangesNothing() throws {
            try TestService.run { (service: TestService) throws in
                for number in 0..<40 { try Self.fill(service, with: "account \(number)") }
                let archive = try TestArchive(of: service)
                let written = try service.passwords()
                try service.keychain.delete(.password("account 7"))
                let left = try service.passwords()
                for place in stride(from: 0, to: archive.bytes.count, by: 64) {
                    var damaged = archive
                    damaged.bytes[place] ^= 0x10
                    #expect(try damaged.refusal(of: service) == Self.decode, "byte \(place)")
                }
                for count in [archive.bytes.count - 1, archive.bytes.count / 2] {
                    var cut = archive
                    cut.bytes = Array(cut.bytes.prefix(count))
                    #expect(try cut.refusal(of: service) == Self.decode)
                }
                #expect(try service.passwords() == left)
                #expect(try archive.restore(into: service).added == 1)
                #expect(try service.passwords() == written)
            }
        }

        /// K16: a wrong password is refused and not counted.
        @Test func aWrongPasswordIsRefused() throws {
            try TestService.run { (service: TestService) throws in
                try service.setBackupPassword()
                try Self.fill(service, with: "anna")
                let archive = try TestArchive(of: service)
                try TestService.run { (other: TestService) throws in
                    try other.keychain.setPasscode(SecretBytes(passcode: "1234"))
                    for password in ["wrong password", ""] {
                        #expect(
                            try archive.refusal(of: other, password: password, passcode: "1234")
                                == Self.authFailed)
                    }
                    #expect(try other.keychain.deviceStatus().failedAttempts == 0)
                    #expect(try other.passwords() == [:])
                }
            }
        }

        /// K17.
        @Test func anOlderArchiveIsTheOwnersChoice() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna")
                let first = try TestArchive(of: service)
                try Self.fill(service, with: "otto")
                let second = try TestArchive(of: service)
                try service.keychain.delete(.password("anna"))
                #expect(try first.refusal(of: service) == Self.decode)
                #expect(try service.passwords().keys.sorted() == ["otto"])
                var options = RestoreOptions()
                options.takesOlder = true
                #expect(try first.restore(into: service, options).added == 1)
                #expect(try second.restore(into: service).added == 0)
                let status = try service.keychain.backupStatus()
                #expect(status.lastNumber == 2)
                #expect(status.lastRowCount == 2)
            }
        }

        /// The status isn't asked for here: that alone would begin the work.
        @Test func lockedItemsBecomePortableAtTheNextUnlock() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna", "otto")
                let path = StoredRows.path(service.stateDirectory)
                func portableCount() throws -> Int? {
                    try DatabaseQueue(path: path).read {
                        try Int.fetchOne(
                            $0, sql: "SELECT count(*) FROM genp WHERE substr(secret, 1, 1) = x'04'")
                    }
                }
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                try service.keychain.lock()
                try service.setBackupPassword(passcode: "1234")
                try service.keychain.add(
                    .password("always", secret: "x", accessibility: .always))
                #expect(try portableCount() == 1)
                try service.keychain.unlock(passcode: SecretBytes(passcode: "1234"))
                try Waiting.until("all items are portable") { try portableCount() == 3 }
            }
        }

        /// K20.
        @Test func aLockedDeviceTakesNothing() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna")
                let archive = try TestArchive(of: service)
                try service.keychain.delete(.password("anna"))
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                try service.keychain.lock()
                #expect(try archive.refusal(of: service, passcode: "1234") == -25308)
                try service.keychain.lock(.logOut)
                #expect(try archive.refusal(of: service, passcode: "1234") == -25308)
                try service.keychain.unlock(passcode: SecretBytes(passcode: "1234"))
                #expect(try service.passwords() == [:])
                #expect(try archive.restore(into: service, passcode: "1234").added == 1)
            }
        }

        /// K23: also while the device is unlocked. What a program may without a passcode, the table of
        /// requests says.
        @Test func withoutTheOwnersWordNothingHappens() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna")
                let archive = try TestArchive(of: service)
                try service.keychain.delete(.password("anna"))
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                try service.keychain.unlock(passcode: SecretBytes(passcode: "1234"))
                #expect(try archive.refusal(of: service, passcode: "9999") == Self.authFailed)
                let wrong = #expect(throws: KeychainError.self) {
                    try service.setBackupPassword(passcode: "9999")
                }
                #expect(wrong?.status == Self.authFailed)
                #expect(try service.passwords() == [:])
                #expect(try !service.keychain.backupStatus().isPasswordSet)
                let refused = try service.keychain.auditLog().records.filter { $0.status != 0 }
                #expect(refused.map(\.event) == [.openBackup, .setBackupPassword])
            }
        }

        /// K24: neither the database nor the enclave's files change, and the counts are the restore's.
        @Test func aDryRunChangesNoByte() throws {
            try TestService.run { (service: TestService) throws in
                try service.setBackupPassword()
                try Self.fill(service, with: "anna", "otto", "emma")
                let archive = try TestArchive(of: service)
                try service.keychain.delete(.password("anna"))
                var changes = ItemChanges()
                changes.secret = Secret(text: "later")
                try service.keychain.update(.password("otto"), applying: changes)
                for (conflict, replaces) in [
                    (RestoreOptions.Conflict.newer, false), (.backup, false), (.keep, true),
                ] {
                    var options = RestoreOptions()
                    options.conflict = conflict
                    options.replaces = replaces
                    options.isDryRun = true
                    let before = try Self.rows(service)
                    let dry = try archive.restore(
                        into: service, options, password: Self.password)
                    #expect(try Self.rows(service) == before)
                    guard conflict == .keep else { continue }
                    options.isDryRun = false
                    let real = try archive.restore(
                        into: service, options, password: Self.password)
                    #expect(dry == real)
                }
            }
        }

        /// What a program sees.
        private static func rows(_ service: TestService) throws -> [String: BackedUpItem] {
            try service.passwords()
        }

        /// K25: which of two items counts.
        @Test func eachConflictIsDecidedAsAskedFor() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "same", "changed", "gone", "renewed")
                let archive = try TestArchive(of: service)
                let written = try service.passwords()
                var changes = ItemChanges()
                changes.secret = Secret(text: "later")
                try service.keychain.update(.password("changed"), applying: changes)
                try service.keychain.delete(.password("gone"))
                try service.keychain.delete(.password("renewed"))
                try service.keychain.add(.password("renewed", secret: "another item"))
                try Self.fill(service, with: "new")
                let counts = try archive.restore(into: service)
                #expect([counts.added, counts.replaced, counts.kept] == [1, 0, 3])
                var found = try service.passwords()
                #expect(found["gone"] == written["gone"])
                #expect(found["changed"]?.secret == "later")
                #expect(found["renewed"]?.secret == "another item")
                var options = RestoreOptions()
                options.conflict = .backup
                let replaced = try archive.restore(into: service, options)
                #expect([replaced.added, replaced.replaced, replaced.kept] == [0, 4, 0])
                found = try service.passwords()
                for (account, item) in written { #expect(found[account] == item) }
                #expect(found["new"] != nil)
                #expect(try service.keychain.check().findings.isEmpty)
            }
        }

        /// Apple's rule: what the backup lacks goes, what synchronizes stays.
        @Test func replacingTakesWhatTheBackupLacks() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "old")
                let archive = try TestArchive(of: service)
                try Self.fill(service, with: "new")
                var synchronizing = NewItem.password("shared", secret: "s")
                synchronizing.attributes[.synchronizable] = .integer(1)
                try service.keychain.add(synchronizing)
                var options = RestoreOptions()
                options.replaces = true
                let counts = try archive.restore(into: service, options)
                #expect(counts.removed == 2)
                #expect(counts.added == 1)
                #expect(try service.passwords().keys.sorted() == ["old", "shared"])
                #expect(try service.keychain.check().findings.isEmpty)
            }
        }

        /// The group of programs without an identity is named after the user's number; others stay.
        @Test func referencesAndGroupsStay() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna")
                try service.setBackupPassword()
                try service.waitUntilPortable()
                let archive = try TestArchive(of: service)
                let written = try service.passwords()
                try TestService.run { (other: TestService) throws in
                    try archive.restore(into: other, password: Self.password)
                    #expect(try other.passwords() == written)
                    // Once more changes nothing.
                    let again = try archive.restore(into: other, password: Self.password)
                    #expect([again.added, again.replaced, again.kept] == [0, 0, 1])
                }
            }
        }

        /// K18: the old state, until everything is there.
        @Test func aServiceThatDiesInTheMiddleHasTheOldItems() throws {
            try TestService.run { (service: TestService) throws in
                for number in 0..<300 { try Self.fill(service, with: "account \(number)") }
                let archive = try TestArchive(of: service)
                for number in 0..<300 {
                    try service.keychain.delete(.password("account \(number)"))
                }
                for isEnclave in [false, true] {
                    let connection = service.connect()
                    _ = try connection.proveOwner()
                    let headCount = try ArchiveHead.byteCount(
                        prefix: Array(archive.bytes.prefix(12)))
                    let none = Secret(text: "")
                    let session = try connection.beginRestore(
                        Array(archive.bytes.prefix(headCount)), RestoreOptions(), password: none,
                        passcode: none)
                    try connection.restore(
                        Array(archive.bytes.dropFirst(headCount).prefix(ArchiveChunk.byteCount)),
                        session)
                    try service.crash(try isEnclave ? service.enclave() : service.worker())
                    #expect(try service.passwords() == [:])
                    #expect(throws: KeychainError.self) {
                        try connection.finishRestore(session)
                    }
                    #expect(try service.passwords() == [:])
                }
                #expect(try archive.restore(into: service).added == 300)
                #expect(try service.keychain.check().findings.isEmpty)
            }
        }

        /// K28: nobody depends on this program. The reader was written from the format's page.
        @Test func aReaderInPythonOpensAnArchive() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "before")
                try service.setBackupPassword()
                try Self.fill(service, with: "after")
                let archive = try TestArchive(of: service)
                try TemporaryDirectory.lend { path in
                    let file = path + "/archive"
                    try Data(archive.bytes).write(to: URL(filePath: file))
                    let script =
                        Binaries.packageRoot + "/Tests/ServiceTests/Backups/read_archive.py"
                    let read = try TestProcess.run(
                        "/usr/bin/python3", [script, file, Self.password], within: .seconds(60))
                    let secrets = read.output.split(separator: "\n").compactMap {
                        $0.split(separator: " ").last
                    }
                    let expected = ["before", "after"].map { account in
                        "secret of \(account)".utf8.map { String(format: "%02x", $0) }.joined()
                    }
                    #expect(secrets.map(String.init) == expected)
                    let wrong = try TestProcess.run(
                        "/usr/bin/python3", [script, file, "wrong password"],
                        within: .seconds(60))
                    #expect(wrong.ending != .exit(0))
                }
            }
        }

        /// Two restores of one user don't mix: the later one takes the place of the first.
        @Test func aSecondRestoreEndsTheFirst() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna")
                let archive = try TestArchive(of: service)
                try service.keychain.delete(.password("anna"))
                let connection = service.connect()
                _ = try connection.proveOwner()
                let headCount = try ArchiveHead.byteCount(prefix: Array(archive.bytes.prefix(12)))
                let none = Secret(text: "")
                let session = try connection.beginRestore(
                    Array(archive.bytes.prefix(headCount)), RestoreOptions(), password: none,
                    passcode: none)
                try connection.restore(Array(archive.bytes.dropFirst(headCount)), session)
                #expect(try archive.restore(into: service).added == 1)
                #expect(throws: KeychainError.self) { try connection.finishRestore(session) }
                #expect(try service.passwords().count == 1)
            }
        }

        /// Items that are stored while an archive is read are in it or not, and the archive opens.
        @Test func aBackupRunsBesideWrites() throws {
            try TestService.run { (service: TestService) throws in
                for number in 0..<200 { try Self.fill(service, with: "account \(number)") }
                let connection = service.connect()
                _ = try connection.proveOwner()
                let (session, head) = try connection.beginBackup()
                try Self.fill(service, with: "beside")
                var bytes = head
                while true {
                    let part = try connection.readBackup(session)
                    bytes += part.bytes
                    guard !part.isLast else { break }
                }
                var archive = try TestArchive(of: service)
                archive.bytes = bytes
                var options = RestoreOptions()
                options.takesOlder = true
                options.isDryRun = true
                let counts = try archive.restore(into: service, options)
                #expect(counts.lost == 0)
                #expect(counts.kept >= 200)
            }
        }

        /// A restore while an archive is read gives its items new rows: the archive has them twice.
        @Test func anArchiveWithItemsTwiceIsRestored() throws {
            try TestService.run { (service: TestService) throws in
                for number in 0..<600 {
                    try service.keychain.add(
                        .password("\(number)", secret: String(repeating: "\(number) ", count: 999)))
                }
                let first = try TestArchive(of: service)
                let written = try service.passwords()
                let connection = service.connect()
                _ = try connection.proveOwner()
                var (session, bytes) = try connection.beginBackup()
                var isLast = false
                var options = RestoreOptions()
                options.conflict = .backup
                var wasRestored = false
                while !isLast {
                    let part = try connection.readBackup(session)
                    bytes += part.bytes
                    isLast = part.isLast
                    guard !wasRestored, part.counts.rows >= 300 else { continue }
                    wasRestored = true
                    #expect(try first.restore(into: service, options).replaced == 600)
                }
                var second = first
                second.bytes = bytes
                let counts = try second.restore(into: service, options)
                #expect(counts.replaced == 600)
                #expect(counts.lost >= 300)
                #expect(try service.passwords() == written)
            }
        }

        @Test func longSecretsFitAnArchive() throws {
            try TestService.run { (service: TestService) throws in
                for number in 0..<20 {
                    try service.keychain.add(
                        .password(
                            "\(number)",
                            secret: String(repeating: "\(number % 10)", count: 1 << 20)))
                }
                try service.setBackupPassword()
                try service.waitUntilPortable()
                let archive = try TestArchive(of: service)
                #expect(archive.counts.rows == 20)
                try TestService.run { (other: TestService) throws in
                    let counts = try archive.restore(into: other, password: Self.password)
                    #expect(counts.added == 20)
                    #expect(counts.lost == 0)
                }
            }
        }

        /// The rest would be for the new password's keys, and the beginning for none.
        @Test func anotherPasswordEndsAnArchiveUnderWay() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna")
                let connection = service.connect()
                _ = try connection.proveOwner()
                let (session, _) = try connection.beginBackup()
                try service.setBackupPassword()
                #expect(throws: KeychainError.self) { try connection.readBackup(session) }
            }
        }

        /// Who can't open an archive doesn't end another one's restore.
        @Test func aRefusedArchiveLeavesTheRestoreThatIsUnderWay() throws {
            try TestService.run { (service: TestService) throws in
                try Self.fill(service, with: "anna")
                let archive = try TestArchive(of: service)
                try service.keychain.delete(.password("anna"))
                let connection = service.connect()
                _ = try connection.proveOwner()
                let count = try ArchiveHead.byteCount(prefix: Array(archive.bytes.prefix(12)))
                let none = Secret(text: "")
                let session = try connection.beginRestore(
                    Array(archive.bytes.prefix(count)), RestoreOptions(), password: none,
                    passcode: none)
                try TestService.run { (other: TestService) throws in
                    try Self.fill(other, with: "otto")
                    let foreign = try TestArchive(of: other)
                    #expect(try foreign.refusal(of: service) == Self.decode)
                    #expect(try foreign.refusal(of: service, provesOwner: false) != 0)
                }
                try connection.restore(Array(archive.bytes.dropFirst(count)), session)
                #expect(try connection.finishRestore(session).added == 1)
            }
        }
    }
}
