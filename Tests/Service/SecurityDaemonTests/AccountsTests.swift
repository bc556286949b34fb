// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityDaemon
import TestSupport
import Testing

/// Whose a user number counts as.
@Suite struct AccountsTests {
    private static func accounts(
        passwd: String, subuid: String, _ body: (Accounts) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { directory in
            let folder = directory + "/etc"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            try Data(passwd.utf8).write(to: URL(fileURLWithPath: folder + "/passwd"))
            try Data(subuid.utf8).write(to: URL(fileURLWithPath: folder + "/subuid"))
            try body(Accounts(root: directory))
        }
    }

    private static let passwd = """
        root:x:0:0:root:/root:/bin/sh
        anna:x:1000:1000::/home/anna:/bin/sh
        odd:x:100500:100500::/:/bin/sh
        broken
        """

    @Test func subordinateNumbersCountAsTheirOwner() throws {
        let subuid = """
            # a comment
            anna:100000:65536
            1001:200000:65536
            network-user:300000:65536
            root:1000000:1000000000
            """
        try Self.accounts(passwd: Self.passwd, subuid: subuid) { accounts in
            for (user, account) in [
                (0, 0), (1000, 1000), (99_999, 99_999), (100_000, 1000), (165_535, 1000),
                (165_536, 165_536), (200_001, 1001), (300_000, 300_000), (365_535, 300_000),
                // An entry of its own.
                (100_500, 100_500),
                // Root gives blocks to containers.
                (1_000_000, 1_000_000), (1_065_535, 1_000_000), (1_065_536, 1_065_536),
                (1_065_600, 1_065_536), (UInt32.max - 1, UInt32.max - 1),
            ] as [(UInt32, UInt32)] {
                #expect(accounts.account(of: user) == account, "\(user)")
            }
        }
    }

    @Test(arguments: [
        "anna", "anna:1:2:3", "anna:x:65536", "anna:100000:0", "anna:0:65536", "anna:-1:5",
        "anna:4294967295:2", "anna:100000:99999999999", ":::", "anna:1000000", "\u{0}",
    ])
    func invalidLineGivesNoNumbers(line: String) throws {
        try Self.accounts(passwd: Self.passwd, subuid: line) { accounts in
            for user: UInt32 in [0, 1, 1000, 100_000, 4_294_967_294] {
                #expect(accounts.account(of: user) == user)
            }
        }
    }

    @Test func filesThatAreMissingOrNoFilesGiveNoNumbers() throws {
        try TemporaryDirectory.lend { directory in
            #expect(Accounts(root: directory).account(of: 100_000) == 100_000)
            let folder = directory + "/etc/subuid"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            #expect(unsafe mkfifo(directory + "/etc/passwd", 0o644) == 0)
            #expect(Accounts(root: directory).account(of: 100_000) == 100_000)
        }
        #expect(Accounts.apart.account(of: 100_000) == 100_000)
    }
}
