// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// A damaged database: the service continues, and the old file is kept.
    @Suite struct Damage {
        @Test func garbageIsKeptAsideAndANewDatabaseBegun() throws {
            try Self.expectKeptAside { path in
                try Data(Limits.bytes(50_000, seed: 8)).write(to: URL(fileURLWithPath: path))
            }
        }

        @Test func emptyFileIsKeptAsideAndANewDatabaseBegun() throws {
            try Self.expectKeptAside { path in #expect(unsafe truncate(path, 0) == 0) }
        }

        @Test func databaseWithoutItsFirstPageIsKeptAsideAndANewOneBegun() throws {
            try Self.expectKeptAside { path in try Self.zeroFirstPage(path) }
        }

        /// No byte of it changes, in any of SQLite's modes of writing.
        @Test(arguments: ["DELETE", "WAL"])
        func databaseOfAnotherProgramIsKeptAsideAndANewOneBegun(mode: String) throws {
            try Self.expectKeptAside { path in
                try FileManager.default.removeItem(atPath: path)
                let other = try DatabaseQueue(path: path)
                try other.inDatabase {
                    _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)")
                    try $0.execute(
                        sql: "CREATE TABLE notes (text); INSERT INTO notes VALUES ('kept')")
                }
                try other.close()
            }
        }

        /// A transaction that another program was rolling back is still there for it to roll back.
        @Test func anotherProgramsJournalStaysWithItsDatabase() throws {
            let junk = Limits.bytes(5_000, seed: 9)
            try TemporaryDirectory.lend { directory in
                let state = directory + "/llavero"
                let path = StoredRows.path(state)
                #expect(unsafe mkdir(state, 0o700) == 0)
                let other = try DatabaseQueue(path: path)
                try other.inDatabase { try $0.execute(sql: "CREATE TABLE notes (text)") }
                try other.close()
                try Data(junk).write(to: URL(fileURLWithPath: path + "-journal"))
                try TestService.run(.init(.user, directory: directory)) { service in
                    try service.keychain.add(.password("anna"))
                    let aside = try Self.keptAside(state).first { $0.hasSuffix("-journal") }
                    let kept = try #require(aside)
                    let content = try Data(contentsOf: URL(fileURLWithPath: state + "/" + kept))
                    #expect(content == Data(junk))
                    #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
                }
            }
        }

        /// As in a restored backup: SQLite wrote it without a log.
        @Test func copyOfOursWithoutALogIsOurs() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    _ = try service.keychain.add(.password("anna", secret: "kept"))
                }
                try StoredRows.execute("PRAGMA journal_mode = DELETE", state)
                try TestService.run(options) { service in
                    let found = try one(service, "anna")
                    #expect(found.secret?.testText == "kept")
                    #expect(try Self.keptAside(state) == [])
                }
            }
        }

        /// Half of the file is missing, and a page in the middle is overwritten: detected when it
        /// is read.
        @Test(arguments: [true, false])
        func damageFurtherBackIsNoticedAndNothingIsThrownAway(isTruncated: Bool) throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let path = StoredRows.path(directory + "/llavero")
                try TestService.run(options) { service in
                    for number in 0..<200 {
                        try service.keychain.add(.password("\(number)", secret: "\(number)"))
                    }
                    try StoredRows.checkpoint(service.stateDirectory)
                }
                let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
                #expect(size > 20 * 4096)
                if isTruncated {
                    #expect(unsafe truncate(path, size / 2) == 0)
                } else {
                    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                    try file.seek(toOffset: 4096)
                    try file.write(contentsOf: Data(Limits.bytes(size - 2 * 4096, seed: 6)))
                    try file.close()
                }
                try TestService.run(options) { service in
                    try Waiting.until("the service to work again") {
                        let account = "new \(UInt64.random(in: 0 ... .max))"
                        _ = try? service.keychain.add(.password(account))
                        _ = try? service.keychain.find(.password(limit: nil))
                        return (try? service.connect().find(.password(account)).count) == 1
                    }
                    let aside = try Self.keptAside(service.stateDirectory)
                    #expect(aside.count { $0.hasSuffix(".db") } == 1)
                    #expect(service.messages.contains("was damaged"))
                }
            }
        }

        @Test func damageUnderARunningServiceIsNoticedAndNothingIsThrownAway() throws {
            try TestService.run(.init(.user)) { service in
                for number in 0..<50 {
                    try service.keychain.add(.password("\(number)", secret: "\(number)"))
                }
                try StoredRows.checkpoint(service.stateDirectory)
                let path = StoredRows.path(service.stateDirectory)
                try Self.zeroFirstPage(path)
                // Further writes and reads detect it.
                try Waiting.until("the service to work again") {
                    let account = "new \(UInt64.random(in: 0 ... .max))"
                    _ = try? service.keychain.add(.password(account))
                    return (try? service.connect().find(.password(account)).count) == 1
                }
                let old = try? service.keychain.find(.password("7")).first?.secret?.testText
                let aside = try Self.keptAside(service.stateDirectory)
                if old == nil {
                    // A new database: then the old one must also exist, and be reported.
                    #expect(aside.count { $0.hasSuffix(".db") } == 1)
                    #expect(service.messages.contains("was damaged"))
                } else {
                    #expect(old == "7")
                    #expect(aside == [])
                }
            }
        }

        @Test func junkInTheLogCostsNoStoredItem() throws {
            for isAppended in [false, true] {
                try TemporaryDirectory.lend { directory in
                    let options = TestService.Options(.user, directory: directory)
                    // An orderly end would leave nothing in the log.
                    let copied = directory + "/copy/llavero"
                    let log = copied + "/keychain.db-wal"
                    try TestService.run(options) { service in
                        try service.keychain.add(.password("anna", secret: "kept"))
                        if !isAppended { try StoredRows.checkpoint(service.stateDirectory) }
                        try StateFiles.copyRunning(service.stateDirectory, to: copied)
                    }
                    var content =
                        isAppended ? try Data(contentsOf: URL(fileURLWithPath: log)) : Data()
                    #expect(!isAppended || !content.isEmpty)
                    content += Data(Limits.bytes(20_000, seed: 5))
                    try content.write(to: URL(fileURLWithPath: log))
                    try TestService.run(.init(.user, directory: directory + "/copy")) { service in
                        let found = try one(service, "anna")
                        #expect(found.secret?.testText == "kept")
                        try service.keychain.add(.password("berta"))
                        #expect(try Self.keptAside(service.stateDirectory) == [])
                    }
                }
            }
        }

        @Test func databaseOfANewerVersionIsRefusedAndUntouched() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    _ = try service.keychain.add(.password("anna", secret: "kept"))
                }
                let added =
                    "INSERT INTO grdb_migrations (identifier) VALUES ('version 99')"
                try StoredRows.execute(added, state)
                try StoredRows.checkpoint(state)
                let before = try Data(contentsOf: URL(fileURLWithPath: StoredRows.path(state)))
                // Nothing is retried.
                var environment = TestProcess.Options()
                environment.environment = [
                    "XDG_DATA_HOME": directory, "XDG_RUNTIME_DIR": directory,
                ]
                let result = try TestProcess.run(
                    Binaries.path("securityd"), ["--user", "--device-key", "file"], environment)
                #expect(result.ending == .exit(1))
                let lines = result.errors.split(separator: "\n")
                #expect(lines.count == 2, "where it listens, and why it doesn't: \(lines)")
                #expect(lines.last?.contains("A newer version wrote the keychain") == true)
                let keychain = KeychainConnection(
                    location: ServiceLocation(socketPath: state + "/securityd.sock"))
                #expect(reason { try keychain.find(.password("anna")) } == .unreachable)
                let after = try Data(contentsOf: URL(fileURLWithPath: StoredRows.path(state)))
                #expect(after == before)
                #expect(try Self.keptAside(state) == [])
                // Once the newer version has undone it, everything is readable.
                try StoredRows.execute(
                    "DELETE FROM grdb_migrations WHERE identifier = 'version 99'", state)
                try TestService.run(options) { service in
                    let found = try one(service, "anna")
                    #expect(found.secret?.testText == "kept")
                }
            }
        }

        @Test func rowThatSomebodyChangedIsNotReturned() throws {
            try TestService.run(.init(.user)) { service in
                try service.keychain.add(.password("anna", secret: "secret of anna"))
                try service.keychain.add(.password("berta", secret: "secret of berta"))
                // One row's secret in another row.
                try StoredRows.execute(
                    """
                    UPDATE genp SET secret = (SELECT secret FROM genp WHERE rowid = 2) \
                    WHERE rowid = 1
                    """, service.stateDirectory)
                let found = outcome { try service.keychain.find(.password("anna")) }
                #expect(reason { try found.get() } == .keyGone)
                #expect(status { try found.get() } == -25300)
                #expect(try one(service, "berta").secret?.testText == "secret of berta")
                // Its name is free for a new item.
                try service.keychain.add(.password("anna", secret: "new"))
                #expect(try one(service, "anna").secret?.testText == "new")
            }
        }

        // MARK: - Helpers

        /// Stores an item, lets `damage` change the database of the stopped service, and expects a
        /// working service with the damaged file, byte for byte, beside the new one.
        private static func expectKeptAside(_ damage: (String) throws -> Void) throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna"))
                    try StoredRows.checkpoint(state)
                }
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: StoredRows.path(state) + suffix)
                }
                try damage(StoredRows.path(state))
                let damaged = try Data(contentsOf: URL(fileURLWithPath: StoredRows.path(state)))
                try TestService.run(options) { service in
                    #expect(reason { try service.keychain.find(.password("anna")) } == .absent)
                    try service.keychain.add(.password("anna", secret: "new"))
                    #expect(try one(service, "anna").secret?.testText == "new")
                    let aside = try keptAside(state).filter { $0.hasSuffix(".db") }
                    #expect(aside.count == 1)
                    let name = try #require(aside.first)
                    let content = try Data(contentsOf: URL(fileURLWithPath: state + "/" + name))
                    #expect(content == damaged)
                    #expect(service.messages.contains(name))
                    #expect(service.messages.contains("was damaged"))
                }
                // There is only one kept file.
                try TestService.run(options) { service in
                    let found = try one(service, "anna")
                    #expect(found.secret?.testText == "new")
                    #expect(!service.messages.contains("damaged"))
                    #expect(try keptAside(state).filter { $0.hasSuffix(".db") }.count == 1)
                }
            }
        }

        private static func keptAside(_ stateDirectory: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: stateDirectory).filter {
                $0.hasPrefix("keychain-damaged-")
            }
        }

        private static func zeroFirstPage(_ path: String) throws {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data(repeating: 0, count: 4096))
            try file.close()
        }
    }
}
