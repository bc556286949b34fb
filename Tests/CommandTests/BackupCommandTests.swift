// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Foundation
import TestSupport
import Testing

/// `security backup`, as a person and a nightly job run it.
@Suite struct BackupCommandTests {
    private static let password = "a long password\n"
    private static let noPasscode =
        "No passcode protects them here; `security device set-passcode` sets one.\n"

    private static func add(_ account: String, _ security: Transcript) throws {
        #expect(
            try security.run(
                "add-generic-password", "-a", account, "-s", "mail", "-w", "of \(account)")
                == Answer(0))
    }

    private static func files(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// The transcript of a move to another machine.
    @Test func aKeychainMovesToAnotherDevice() throws {
        let old = try Transcript()
        let new = try Transcript()
        try TemporaryDirectory.lend { disk in
            try Self.add("anna", old)
            try Self.add("otto", old)
            #expect(
                try old.run("backup", "set-password", "--password-fd", "0", input: Self.password)
                    == Answer(0))
            #expect(
                try old.run(
                    "device", "set-passcode", "--passcode-fd", "0", "--no-recovery-code",
                    input: "1234\n"
                ).status == 0)
            #expect(try old.run("device", "lock") == Answer(0))
            let made = try old.run("backup", "create", disk)
            #expect(made.status == 0, "\(made)")
            let name = try #require(try Self.files(disk).first)
            #expect(name.hasPrefix("000001-") && name.hasSuffix(".llavero-backup"))
            #expect(made.output.hasPrefix("\(disk)/\(name): 2 items"))
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(disk)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try new.run("backup", "verify", disk) == Answer(0, "\(disk)/\(name): whole\n"))
            let dry = try new.run(
                "backup", "restore", disk, "--dry-run", "--password-fd", "0",
                input: Self.password)
            #expect(dry == Answer(0, "Would add 2, replace 0, keep 0.\n"))
            #expect(
                try new.run("find-generic-password", "-a", "anna", "-w").status == 44)
            let restored = try new.run(
                "backup", "restore", disk, "--password-fd", "0", input: Self.password)
            #expect(restored == Answer(0, "Added 2, replaced 0, kept 0.\n" + Self.noPasscode))
            #expect(
                try new.run("find-generic-password", "-a", "anna", "-w") == Answer(0, "of anna\n"))
        }
    }

    @Test func anArchiveGoesThroughAPipe() throws {
        let security = try Transcript()
        try Self.add("anna", security)
        let program = try Binaries.path("security")
        let line = "\(program) backup create - 2>/dev/null | \(program) backup verify -"
        #expect(try security.shell(line) == Answer(0, "-: whole\n"))
        let restored = try security.shell(
            "\(program) backup create - 2>/dev/null | \(program) backup restore -")
        #expect(restored == Answer(0, "Added 0, replaced 0, kept 1.\n" + Self.noPasscode))
    }

    @Test func damageIsNamed() throws {
        let security = try Transcript()
        try TemporaryDirectory.lend { disk in
            try Self.add("anna", security)
            #expect(try security.run("backup", "create", disk).status == 0)
            let file = "\(disk)/\(try #require(try Self.files(disk).first))"
            var bytes = try Data(contentsOf: URL(filePath: file))
            bytes[bytes.count - 20] ^= 1
            try bytes.write(to: URL(filePath: file))
            let expected = Answer(
                93,
                errors: "security: backup verify: \(file): damaged in chunk 0. Nothing was "
                    + "changed.\n")
            #expect(try security.run("backup", "verify", file) == expected)
            let restored = try security.run("backup", "restore", file)
            #expect(restored.status == 93)
            #expect(restored.errors.contains("damaged in chunk 0"))
            try Data("something else".utf8).write(to: URL(filePath: file))
            let other = try security.run("backup", "verify", file)
            #expect(other.status == 93)
            #expect(other.errors.contains("it isn't an archive of a backup"))
        }
    }

    @Test func weakPasswordsAreRefused() throws {
        let security = try Transcript()
        for weak in ["short", "aaaaaaaaaaaa", "abcdefghijklm", "987654321"] {
            let answer = try security.run(
                "backup", "set-password", "--password-fd", "0", input: weak + "\n")
            #expect(answer.status == 206, "\(weak)")
        }
        let status = try security.run("backup", "status", "--json")
        #expect(status.output.contains("\"passwordSet\":false"))
        let made = try security.run("backup", "set-password", "--generate")
        #expect(made.status == 0)
        #expect(made.output.count == 35)
        #expect(
            try security.run("backup", "status", "--json").output.contains("\"passwordSet\":true"))
        #expect(try security.run("backup", "remove-password") == Answer(0))
        #expect(try security.run("backup", "remove-password").status == 206)
    }

    @Test func pruningKeepsTheNewest() throws {
        let security = try Transcript()
        try TemporaryDirectory.lend { disk in
            for _ in 0..<3 { #expect(try security.run("backup", "create", disk).status == 0) }
            let all = try Self.files(disk)
            #expect(all.count == 3)
            #expect(try security.run("backup", "prune", disk).status == 2)
            #expect(try security.run("backup", "prune", disk, "--keep-last", "0").status == 2)
            let pruned = try security.run("backup", "prune", disk, "--keep-last", "2")
            #expect(pruned == Answer(0, "\(disk)/\(all[0]): deleted\n"))
            #expect(try Self.files(disk) == Array(all.dropFirst()))
        }
    }

    /// Archives of five days, one of them on another machine's behalf; 2026-11-01 is a Sunday.
    @Test(arguments: [
        (["--keep-daily", "2"], ["0109", "1201"]),
        (["--keep-weekly", "3"], ["0108", "0109", "1201"]),
        (["--keep-weekly", "4"], ["0101b", "0108", "0109", "1201"]),
        (["--keep-monthly", "9"], ["0109", "1201"]),
        (["--keep-monthly", "1", "--keep-last", "3"], ["0108", "0109", "1201"]),
        (["--keep-daily", "9"], ["0101b", "0102", "0108", "0109", "1201"]),
    ])
    func pruningKeepsTheNewestOfDaysWeeksAndMonths(options: [String], kept: [String]) throws {
        let security = try Transcript()
        let november: UInt64 = 1_793_491_200
        let hours: KeyValuePairs<String, UInt64> = [
            "0101a": 10, "0101b": 23, "0102": 24, "0108": 7 * 24 + 23, "0109": 8 * 24,
            "1201": 30 * 24,
        ]
        try TemporaryDirectory.lend { disk in
            func write(_ name: String, set: UInt8, hour: UInt64) throws {
                let head = ArchiveHead(
                    kind: .full, hasPassword: false, set: [UInt8](repeating: set, count: 16),
                    number: UInt32(hour), date: november + hour * 3600,
                    salt: [UInt8](repeating: 0, count: 32), keys: [])
                try Data(head.bytes).write(to: URL(filePath: "\(disk)/\(name).llavero-backup"))
            }
            for (name, hour) in hours { try write(name, set: 1, hour: hour) }
            try write("another", set: 2, hour: 0)
            #expect(try security.run("backup", "prune", disk, "--keep-daily", "-1").status == 2)
            let answer = try security.run(["backup", "prune", disk] + options)
            let expected = (kept + ["another"]).map { "\($0).llavero-backup" }
            #expect(answer.status == 0)
            #expect(try Self.files(disk) == expected.sorted())
        }
    }

    /// K19 in part: a disk that is full leaves no file.
    @Test func whatCantBeWrittenLeavesNothing() throws {
        let security = try Transcript()
        try Self.add("anna", security)
        let program = try Binaries.path("security")
        let full = try security.shell("\(program) backup create - >/dev/full")
        #expect(full.status == 220)
        #expect(try security.run("backup", "create", "/nowhere").status == 220)
        #expect(try security.run("backup", "create", "/nowhere").errors.contains("/nowhere"))
    }

    @Test func wrongUsageIsTwo() throws {
        let security = try Transcript()
        for words in [
            ["backup"], ["backup", "nothing"], ["backup", "create"], ["backup", "restore"],
            ["backup", "restore", "x", "--on-conflict", "never"], ["backup", "list"],
        ] {
            #expect(try security.run(words).status == 2, "\(words)")
        }
    }
}
