// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import GRDB
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// When items were last used. Source: STORAGE.md, "Usage times".
    @Suite struct Usage {
        private static func lastUsed(_ service: TestService, _ account: String) throws -> Double? {
            try service.keychain.find(.password(account, returning: [.usage])).first?.lastUsed
        }

        private static func storedCount(_ directory: String) throws -> Int {
            try DatabaseQueue(path: directory + "/llavero/usage.db").inDatabase {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM usage") ?? -1
            }
        }

        @Test func onlyReadingTheSecretIsAUse() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna"))
                _ = try service.keychain.find(.password("anna", returning: [.attributes]))
                _ = try service.keychain.find(.password("anna", returning: [.persistentReference]))
                try service.keychain.update(
                    .password("anna"), applying: .setting([.label: .text("l")]))
                #expect(try Self.lastUsed(service, "anna") == nil)
                let before = Date().timeIntervalSinceReferenceDate
                _ = try service.keychain.find(.password("anna"))
                let after = Date().timeIntervalSinceReferenceDate
                let moment = try #require(try Self.lastUsed(service, "anna"))
                #expect((before - 0.001...after + 0.001).contains(moment))
                // A read that requests both returns the time of the previous one.
                let found = try service.keychain.find(
                    .password("anna", returning: [.data, .usage]))
                #expect(found.first?.lastUsed == moment)
                #expect(try #require(try Self.lastUsed(service, "anna")) > moment)
                // It isn't returned without a request.
                #expect(try service.keychain.find(.password("anna")).first?.lastUsed == nil)
            }
        }

        @Test func timesSurviveAnOrderlyEndAndDeletedItemsLeaveNone() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                var moment: Double?
                try TestService.run(options) { service in
                    for name in ["anna", "berta", "clara"] {
                        try service.keychain.add(.password(name))
                        _ = try service.keychain.find(.password(name))
                    }
                    try service.keychain.delete(.password("berta"))
                    moment = try Self.lastUsed(service, "anna")
                    #expect(moment != nil)
                }
                #expect(try Self.storedCount(directory) == 2)
                try TestService.run(options) { service in
                    #expect(try Self.lastUsed(service, "anna") == moment)
                    try service.keychain.delete(.password("clara"))
                }
                #expect(try Self.storedCount(directory) == 1)
            }
        }

        /// Half a minute after the oldest of them, all times are written; a later use doesn't delay
        /// that.
        @Test func timesAreWrittenAfterThirtySecondsAndNotBefore() throws {
            try TemporaryDirectory.lend { directory in
                let clock = TestClock(isStopped: true)
                let service = try InProcessService(stateDirectory: directory, wallClock: clock)
                defer { service.stopEnclave() }
                let client = InProcessService.Client(
                    userID: 7,
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                let keychain = try service.connect(client)
                /// Makes the writing thread check the clock, and counts the written entries.
                func written() throws -> Int {
                    // Before the second reply it checks the clock at least once, after the first.
                    for _ in 0..<2 { _ = try keychain.auditPage(AuditQuery()) }
                    return try DatabaseQueue(path: directory + "/usage.db").inDatabase {
                        try Int.fetchOne($0, sql: "SELECT count(*) FROM usage") ?? -1
                    }
                }
                for name in ["anna", "berta"] { try keychain.add(.password(name)) }
                _ = try keychain.find(.password("anna"))
                #expect(try written() == 0)
                clock.advance(byMilliseconds: 29_900)
                _ = try keychain.find(.password("berta"))
                #expect(try written() == 0)
                clock.advance(byMilliseconds: 100)
                #expect(try written() == 2)
                // The next half minute starts with the next use.
                clock.advance(byMilliseconds: 60_000)
                try keychain.add(.password("clara"))
                _ = try keychain.find(.password("clara"))
                clock.advance(byMilliseconds: 29_900)
                #expect(try written() == 2)
                clock.advance(byMilliseconds: 100)
                #expect(try written() == 3)
                #expect(service.restartReason == nil)
            }
        }

        @Test func readingCostsNoSync() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                options.hasFaults = true
                options.isInspectable = geteuid() != 0
                try TestService.run(options) { (service: TestService) throws -> Void in
                    func names() throws -> [Substring] {
                        // The records of the calls so far are written before the reply.
                        _ = try service.keychain.auditPage(AuditQuery())
                        return try service.fileCallNames()
                    }
                    func syncs() throws -> Int {
                        try names().count { $0 == "fsync" || $0 == "fdatasync" }
                    }
                    try service.strike("none")
                    try service.keychain.add(.password("anna"))
                    _ = try service.keychain.find(.password("anna"))
                    #expect(try syncs() > 0)
                    // When no write follows, the log is checkpointed into the database once.
                    try Waiting.until("a thousand reads without a sync") {
                        try service.strike("none")
                        for _ in 0..<1000 {
                            #expect(try service.keychain.find(.password("anna")).count == 1)
                        }
                        return try syncs() == 0
                    }
                    // The writes of reads are detected, and so is the sync of a write.
                    #expect(try !names().isEmpty)
                    try service.keychain.update(
                        .password("anna"), applying: .setting(secret: "second"))
                    #expect(try syncs() > 0)
                }
            }
        }

        @Test func aDamagedDatabaseOfTimesDisturbsNobody() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let path = directory + "/llavero/usage.db"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna"))
                    _ = try service.keychain.find(.password("anna"))
                }
                for isRemoved in [false, true] {
                    for suffix in ["-wal", "-shm"] { unsafe unlink(path + suffix) }
                    if isRemoved {
                        unsafe unlink(path)
                    } else {
                        try Data("garbage".utf8).write(to: URL(fileURLWithPath: path))
                    }
                    try TestService.run(options) { service in
                        #expect(try Self.lastUsed(service, "anna") == nil)
                        _ = try service.keychain.find(.password("anna"))
                        #expect(try Self.lastUsed(service, "anna") != nil)
                    }
                    #expect(try Self.storedCount(directory) == 1)
                }
            }
        }

        @Test func rowsThatACrashLeftBehindGo() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna"))
                    _ = try service.keychain.find(.password("anna"))
                }
                try DatabaseQueue(path: directory + "/llavero/usage.db").inDatabase {
                    try $0.execute(
                        sql: "INSERT INTO usage (uuid, lastused) VALUES (?, 5)",
                        arguments: [Data(repeating: 7, count: 16)])
                }
                #expect(try Self.storedCount(directory) == 2)
                try TestService.run(options) { service in
                    _ = try service.keychain.find(.password("anna"))
                }
                #expect(try Self.storedCount(directory) == 1)
            }
        }
    }
}
