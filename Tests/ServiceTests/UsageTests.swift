// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

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
                // A read that asks for both is told of the one before.
                let found = try service.keychain.find(
                    .password("anna", returning: [.data, .usage]))
                #expect(found.first?.lastUsed == moment)
                #expect(try #require(try Self.lastUsed(service, "anna")) > moment)
                // Without being asked for it isn't given.
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
