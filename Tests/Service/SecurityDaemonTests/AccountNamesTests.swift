// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityDaemon
import TestSupport
import Testing

/// Which account a keybag belongs to. Source: STORAGE.md, "Accounts".
@Suite struct AccountNamesTests {
    /// A state directory, and a machine's list of accounts.
    private struct Machine {
        let directory: String

        static func run(_ body: (Machine) throws -> Void) throws {
            try TemporaryDirectory.lend { directory in
                for folder in ["/etc", "/state"] {
                    try FileManager.default.createDirectory(
                        atPath: directory + folder, withIntermediateDirectories: false)
                }
                try body(Machine(directory: directory))
            }
        }

        func list(_ accounts: (String, UInt32)...) throws {
            let lines = accounts.map { "\($0.0):x:\($0.1):\($0.1)::/:/bin/sh\n" }
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: directory + "/etc/passwd"))
        }

        /// As a new process sees it.
        var names: AccountNames {
            AccountNames(directory: directory + "/state", accounts: Accounts(root: directory))
        }

        func file(_ userID: UInt32) -> String { directory + "/state/account.\(userID)" }
    }

    @Test func anAccountIsComparedOnceItHasStoredSomething() throws {
        try Machine.run { (machine) throws in
            try machine.list(("anna", 1000), ("root", 0))
            #expect(machine.names.admits(1000))
            #expect(!FileManager.default.fileExists(atPath: machine.file(1000)))
            machine.names.note(1000)
            let text = try String(contentsOfFile: machine.file(1000), encoding: .utf8)
            #expect(text == "llavero account 1\nanna\n")
            try machine.list(("berta", 1000), ("root", 0))
            #expect(!machine.names.admits(1000))
            // A later write changes nothing.
            machine.names.note(1000)
            #expect(!machine.names.admits(1000))
            try machine.list(("root", 0))
            #expect(!machine.names.admits(1000))
            try machine.list(("anna", 1000), ("root", 0))
            #expect(machine.names.admits(1000))
        }
    }

    /// The list is kept for ten seconds.
    @Test func anAccountThatWasJustMadeIsRecordedByItsName() throws {
        try Machine.run { (machine) throws in
            try machine.list(("root", 0))
            let names = machine.names
            names.note(5)
            try machine.list(("root", 0), ("anna", 1000))
            names.note(1000)
            let text = try String(contentsOfFile: machine.file(1000), encoding: .utf8)
            #expect(text == "llavero account 1\nanna\n")
            #expect(names.admits(1000))
        }
    }

    @Test func twoNamesOfANumberAreOneAccount() throws {
        try Machine.run { (machine) throws in
            try machine.list(("toor", 1000), ("anna", 1000))
            machine.names.note(1000)
            try machine.list(("other", 1000), ("anna", 1000))
            #expect(machine.names.admits(1000))
            try machine.list(("other", 1000))
            #expect(!machine.names.admits(1000))
        }
    }

    @Test func aNumberWithoutANameIsAnAccountUntilItGetsOne() throws {
        try Machine.run { (machine) throws in
            try machine.list(("root", 0))
            machine.names.note(4_000_000_000)
            #expect(machine.names.admits(4_000_000_000))
            try machine.list(("root", 0), ("late", 4_000_000_000))
            #expect(!machine.names.admits(4_000_000_000))
        }
    }

    @Test func withoutAListNobodyIsShutOutAndNothingIsRecorded() throws {
        try Machine.run { (machine) throws in
            machine.names.note(1000)
            #expect(!FileManager.default.fileExists(atPath: machine.file(1000)))
            try machine.list(("anna", 1000))
            machine.names.note(1000)
            try FileManager.default.removeItem(atPath: machine.directory + "/etc/passwd")
            #expect(machine.names.admits(1000))
        }
    }

    @Test(arguments: ["", "anna\n", "llavero account 1\nan", "llavero account 2\nanna\n"])
    func anotherFormCountsAsMissing(text: String) throws {
        try Machine.run { (machine) throws in
            try machine.list(("berta", 1000))
            try Data(text.utf8).write(to: URL(fileURLWithPath: machine.file(1000)))
            #expect(machine.names.admits(1000))
            machine.names.note(1000)
            let now = try String(contentsOfFile: machine.file(1000), encoding: .utf8)
            #expect(now == "llavero account 1\nberta\n")
        }
    }
}
