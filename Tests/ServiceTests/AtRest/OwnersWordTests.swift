// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import ItemStore
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// An attacker changes the files while the service is stopped, and relies on a recovery, or on
    /// a new database, to make an old state accepted. Only the owner's passcode can accept it.
    @Suite struct OwnersWord {
        private static let passcode = "correct horse"

        /// Where the attacker puts the old rows.
        enum Place: String, CaseIterable, Sendable {
            /// In their table, from where they are moved to the quarantine.
            case table
            case quarantine
            /// In another database, named like a kept damaged one.
            case keptFile
        }

        private func passcode(_ text: String = passcode) -> SecretBytes {
            SecretBytes(passcode: text)
        }

        private func secrets(_ service: TestService) throws -> [String] {
            try service.keychain.find(.password(limit: nil, returning: [.data]))
                .compactMap { $0.secret?.testText }.sorted()
        }

        private func failure(_ body: () throws -> Void) -> KeychainError? {
            do {
                try body()
                return nil
            } catch { return error as? KeychainError }
        }

        // MARK: - Recovering

        @Test(arguments: Place.allCases)
        func oldRowsAreNotBroughtBackWithoutThePasscode(_ place: Place) throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                var old: [StoredRow] = []
                try TestService.run(options) { service in
                    try service.keychain.add(.password("updated", secret: "old"))
                    try service.keychain.add(.password("deleted", secret: "gone"))
                    try service.keychain.add(.password("kept", secret: "kept"))
                    old = Array(try StoredRows.rows("genp", state).prefix(2))
                    try StoredRows.checkpoint(state)
                    try FileManager.default.copyItem(
                        atPath: StoredRows.path(state), toPath: directory + "/before")
                    try service.keychain.setPasscode(passcode())
                    try service.keychain.update(
                        .password("updated", service: "service"),
                        applying: .setting([:], secret: "new"))
                    try service.keychain.delete(.password("deleted", service: "service"))
                }
                try plant(old, place, state, directory)
                try TestService.run(options) { service in
                    try service.keychain.unlock(passcode: passcode())
                    let present = try secrets(service)
                    #expect(present == (place == .keptFile ? ["kept", "new"] : ["kept"]))
                    let other = service.connect()
                    for _ in 0..<2 {
                        let refusal = failure { _ = try other.recover() }
                        #expect(refusal?.status == -25293)
                        #expect(refusal?.reason == .denied)
                        #expect(
                            failure { try other.unlock(passcode: passcode("wrong")) }?.reason
                                == .wrongPasscode)
                    }
                    #expect(try secrets(service) == present)
                    // Otherwise the withheld rows would have been restored.
                    let report = try service.keychain.recover()
                    #expect(report.counts.restored == (place == .keptFile ? 1 : 2))
                    #expect(try secrets(service).contains("gone"))
                    #expect(failure { _ = try other.recover() }?.reason == .denied)
                }
            }
        }

        private func plant(
            _ rows: [StoredRow], _ place: Place, _ state: String, _ directory: String
        ) throws {
            switch place {
            case .table:
                for row in rows { try StoredRows.put(row, "genp", state) }
            case .quarantine:
                // The updated item's name is taken as long as it exists.
                try StoredRows.execute(
                    "DELETE FROM genp WHERE rowid = \(rows[0]["rowid"]?.number ?? 0)", state)
                for row in rows {
                    var quarantined = row
                    quarantined["rowid"] = nil
                    var indexes: [UInt8] = []
                    for column in ItemTable.genericPasswords.indexColumns {
                        let value = quarantined.removeValue(forKey: column.rawValue) ?? .null
                        let none = [UInt8](repeating: 0, count: 16)
                        indexes += value.bytes.isEmpty ? none : value.bytes
                    }
                    quarantined["indexes"] = .blob(indexes)
                    quarantined["source"] = .other("genp")
                    quarantined["itemrowid"] = row["rowid"]
                    quarantined["quarantinedat"] = .integer(0)
                    quarantined["reason"] = .integer(1)
                    try StoredRows.put(quarantined, "quarantine", state)
                }
            case .keptFile:
                try FileManager.default.moveItem(
                    atPath: directory + "/before",
                    toPath: state + "/keychain-damaged-20260101T000000Z.db")
            }
        }

        // MARK: - A missing database

        @Test func aDatabaseThatIsTakenAwayIsRefusedUntilThatIsAccepted() throws {
            try refuse { state in
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: StoredRows.path(state) + suffix)
                }
            }
        }

        /// Only the enclave's record still shows that something was stored.
        @Test func aDatabaseThatIsTakenAwayWithTheCopiesOfItsKeysIsRefused() throws {
            try refuse { state in
                for name in try FileManager.default.contentsOfDirectory(atPath: state)
                where name != "enclave" {
                    try FileManager.default.removeItem(atPath: state + "/" + name)
                }
            }
        }

        @Test func anEmptiedDatabaseIsRefused() throws {
            try refuse { state in
                for table in ["genp", "leaves", "roots"] {
                    try StoredRows.execute("DELETE FROM \(table)", state)
                }
            }
        }

        private func refuse(_ strike: (_ state: String) throws -> Void) throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("a"))
                    try service.keychain.setPasscode(passcode())
                }
                try strike(directory + "/llavero")
                try TestService.run(options) { service in
                    #expect(failure { _ = try secrets(service) }?.reason == .rolledBack)
                    try service.keychain.unlock(passcode: passcode())
                    #expect(failure { _ = try secrets(service) }?.status == -25291)
                    #expect(
                        failure { try service.keychain.add(.password("b")) }?.reason
                            == .rolledBack)
                    #expect(service.messages.contains("deleted or emptied"))
                    try service.keychain.acceptRollback(passcode: passcode())
                    #expect(failure { _ = try secrets(service) }?.reason == .absent)
                    try service.keychain.add(.password("b", secret: "new"))
                }
                try TestService.run(options) { service in
                    try service.keychain.unlock(passcode: passcode())
                    #expect(try secrets(service) == ["new"])
                }
            }
        }

        /// Damage can be distinguished from that: its file was kept, and the next one begins at
        /// once, also when the kept file is deleted later.
        @Test func aDatabaseThatWasPutAsideMakesWayForANewOne() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("a"))
                    try StoredRows.checkpoint(state)
                }
                try Data(repeating: 7, count: 8192).write(
                    to: URL(fileURLWithPath: StoredRows.path(state)))
                try TestService.run(options) { service in
                    #expect(failure { _ = try secrets(service) }?.reason != .rolledBack)
                    try service.keychain.add(.password("b", secret: "new"))
                    try service.keychain.delete(.password("b", service: "service"))
                }
                for name in try FileManager.default.contentsOfDirectory(atPath: state)
                where name.hasPrefix("keychain-damaged-") {
                    try FileManager.default.removeItem(atPath: state + "/" + name)
                }
                try TestService.run(options) { service in
                    try service.keychain.add(.password("c", secret: "newer"))
                    #expect(try secrets(service) == ["newer"])
                }
            }
        }
    }
}

extension StoredValue {
    /// The number; 0 for anything else.
    fileprivate var number: Int64 {
        guard case .integer(let number) = self else { return 0 }
        return number
    }
}
