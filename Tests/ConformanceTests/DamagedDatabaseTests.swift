// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import Security
import TestSupport
import Testing

/// A database file that is damaged or unreadable, and the results of calls. Source of each claim:
/// Apple's SecItem, as observed; for the treatment of the file: Documentation/STORAGE.md.
@Suite struct DamagedDatabaseTests {
    /// Runs with an item in the database, ends the service, lets `change` modify the files, and
    /// runs again.
    private func run(
        _ kind: KeychainKind, _ change: (_ database: String) throws -> Void,
        _ body: (ItemCalls) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { directory in
            try serve(kind, directory, 1) { calls in
                for item in ItemKind.stored {
                    #expect(unsafe calls.add(item.sample() as NSDictionary, nil) == errSecSuccess)
                }
            }
            let state = kind == .daemons ? directory + "/llavero" : directory
            try change(state + "/keychain.db")
            try serve(kind, directory, 2, body)
        }
    }

    private func serve(
        _ kind: KeychainKind, _ directory: String, _ number: Int,
        _ body: (ItemCalls) throws -> Void
    ) throws {
        switch kind {
        case .inProcess:
            let service = try InProcessService(stateDirectory: directory, name: "\(number).sock")
            defer { service.stopEnclave() }
            let client = InProcessService.Client(
                userID: 100_000, entitlements: .holding(ConformanceKeychain.groups))
            try body(ItemCalls(try service.connect(client)))
        case .daemons:
            try TestService.run(.init(.user, directory: directory)) {
                try body(ItemCalls($0.keychain))
            }
        }
    }

    /// The statuses of add, copy, update and delete of the first sample.
    private func all(_ calls: ItemCalls, _ item: ItemKind) -> [OSStatus] {
        let query = item.query() as NSDictionary
        return unsafe [
            calls.copyMatching(query, nil), calls.update(query, ["labl": "x"] as NSDictionary),
            calls.delete(query), calls.add(item.sample() as NSDictionary, nil),
        ]
    }

    @Test(arguments: KeychainKind.allCases)
    func aDamagedDatabaseIsAnEmptyOne(_ kind: KeychainKind) throws {
        let garbage = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 167) })
        for content in [garbage, Data(), Data(count: 8192)] {
            try run(kind) { database in
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: database + suffix)
                }
                try content.write(to: URL(fileURLWithPath: database))
            } _: { calls in
                let none = errSecItemNotFound
                for item in ItemKind.stored {
                    #expect(all(calls, item) == [none, none, none, errSecSuccess], "\(item)")
                    #expect(unsafe calls.copyMatching(item.query() as NSDictionary, nil) == 0)
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aMarkBesideASoundDatabaseCostsNoItem(_ kind: KeychainKind) throws {
        var mark = ""
        try run(kind) { database in
            mark = database + "-iscorrupt"
            try Data().write(to: URL(fileURLWithPath: mark))
        } _: { calls in
            for item in ItemKind.stored {
                var result: CFTypeRef?
                let query = (item.query() + ["r_Data": true]) as NSDictionary
                #expect(unsafe calls.copyMatching(query, &result) == errSecSuccess, "\(item)")
                #expect(result as? Data == item.secret(), "\(item)")
            }
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
    }

    /// Daemons only: a service without a database doesn't work in the test's own process.
    @Test func aDatabaseThatCanNotBeReadIsUnavailableAndUntouched() throws {
        try TemporaryDirectory.lend { directory in
            let state = directory + "/llavero"
            let database = state + "/keychain.db"
            let aside = directory + "/aside"
            try serve(.daemons, directory, 1) { calls in
                for item in ItemKind.stored {
                    #expect(unsafe calls.add(item.sample() as NSDictionary, nil) == errSecSuccess)
                }
            }
            // Not even root can read a directory in its place.
            try FileManager.default.moveItem(atPath: database, toPath: aside)
            #expect(unsafe mkdir(database, 0o700) == 0)
            try TestService.run(.init(.user, directory: directory)) { service in
                try Waiting.until("the service to fail") {
                    service.messages.count { $0 == "\n" } > 1
                }
                let calls = ItemCalls(service.connect())
                let impatient = ItemCalls(
                    KeychainConnection(
                        location: ServiceLocation(
                            socketPath: service.socketPath, deadline: .milliseconds(300))))
                for item in ItemKind.stored {
                    let query = item.query() as NSDictionary
                    // Once with the full retry time.
                    let caller = item == .genericPassword ? calls : impatient
                    let status = unsafe caller.copyMatching(query, nil)
                    #expect(status == errSecNotAvailable, "\(item)")
                }
                // For missing items: the outcome of these calls is unknown.
                let absent = ItemKind.genericPassword.query(2) as NSDictionary
                let new = ItemKind.genericPassword.sample(3) as NSDictionary
                #expect(unsafe impatient.add(new, nil) == errSecIO)
                #expect(impatient.update(absent, ["labl": "x"] as NSDictionary) == errSecIO)
                #expect(impatient.delete(absent) == errSecIO)
                // At once: the service checks repeatedly, and makes a database if there is none.
                try Self.exchange(aside, database)
                #expect(unsafe rmdir(aside) == 0, "nothing was put into it")
                // As soon as it is readable, all items are there again; a write waits for that.
                let none: Entries = ["class": "genp", "acct": "nobody"]
                #expect(calls.delete(none as NSDictionary) == errSecItemNotFound)
                for item in ItemKind.stored {
                    var result: CFTypeRef?
                    let query = (item.query() + ["r_Data": true]) as NSDictionary
                    #expect(unsafe calls.copyMatching(query, &result) == errSecSuccess, "\(item)")
                    #expect(result as? Data == item.secret(), "\(item)")
                }
                let entries = try FileManager.default.contentsOfDirectory(atPath: state)
                #expect(!entries.contains { $0.hasPrefix("keychain-damaged-") }, "\(entries)")
            }
        }
    }

    /// Exchanges two names atomically.
    private static func exchange(_ first: String, _ second: String) throws {
        typealias Rename =
            @convention(c) (
                Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
            ) -> Int32
        // Not declared in Swift's view of the C library.
        let symbol = unsafe dlsym(nil, "renameat2")
        let rename = try unsafe unsafeBitCast(#require(symbol), to: Rename.self)
        // RENAME_EXCHANGE, linux/fs.h
        #expect(unsafe rename(AT_FDCWD, first, AT_FDCWD, second, 2) == 0)
    }
}
