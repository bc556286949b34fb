// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `import-netrc` and `import-git-credentials`.
@Suite struct ImportTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    /// Imports a netrc text from standard input.
    private func netrc(_ text: String, _ options: String...) throws -> Answer {
        try security.run(["import-netrc"] + options + ["-"], input: text)
    }

    private func git(_ text: String, _ options: String...) throws -> Answer {
        try security.run(["import-git-credentials"] + options + ["-"], input: text)
    }

    private func secret(_ words: String...) throws -> String {
        try security.run(["find-internet-password", "-w"] + words).output
    }

    private var isEmpty: Bool {
        get throws { try security.run("find-internet-password") == Text.notFound }
    }

    private func write(_ text: String, _ path: String, mode: mode_t = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        unsafe #expect(chmod(path, mode) == 0)
    }

    // MARK: - What is stored

    @Test func eachLoginBecomesAnInternetPasswordForHTTPS() throws {
        let text = "machine host login bob password \"pass word\"\nmachine other password x\n"
        #expect(try netrc(text) == Answer(0, "standard input: 2 stored, 0 unchanged\n"))
        let block = try security.run("find-internet-password", "-s", "host", "-a", "bob", "-g")
        for line in [
            "0x00000007 <blob>=\"host\"", "\"acct\"<blob>=\"bob\"", "\"atyp\"<blob>=\"dflt\"",
            "\"port\"<uint32>=0x00000000 ", "\"ptcl\"<uint32>=\"htps\"", "\"srvr\"<blob>=\"host\"",
        ] {
            #expect(block.output.contains("    \(line)\n"), "\(line)")
        }
        #expect(block.errors == "password: \"pass word\"\n")
        // add-internet-password with the same values makes the same item.
        let again = ["add-internet-password", "-s", "host", "-a", "bob", "-r", "htps", "-w", "y"]
        #expect(try security.run(again).status == 45)
    }

    @Test func theProtocolIsTheFilesOrTheOptions() throws {
        #expect(try netrc("machine a password 1 port imaps\nmachine b password 2").status == 0)
        #expect(try netrc("machine c password 3", "--protocol", "ftp").status == 0)
        #expect(try netrc("machine d password 4", "--protocol", "none").status == 0)
        #expect(try secret("-s", "a", "-r", "imps") == "1\n")
        #expect(try secret("-s", "b", "-r", "htps") == "2\n")
        #expect(try secret("-s", "c", "-r", "ftp ") == "3\n")
        let block = try security.run("find-internet-password", "-s", "d").output
        #expect(block.contains("\"ptcl\"<uint32>=0x00000000 \n"))
    }

    @Test func gitsURLsKeepTheirParts() throws {
        let text = "https://b%40c:p%3a%2f@host%3a8443/group/repo.git\nhttp://a:b@host\n"
        #expect(try git(text) == Answer(0, "standard input: 2 stored, 0 unchanged\n"))
        #expect(
            try secret(
                "-s", "host", "-a", "b@c", "-P", "8443", "-r", "htps", "-p", "group/repo.git")
                == "p:/\n")
        #expect(try secret("-s", "host", "-r", "http") == "b\n")
    }

    /// Every line that `git credential-store` writes is imported.
    @Test func whatGitStoresIsImported() throws {
        try TemporaryDirectory.lend { home in
            let logins = [
                ("host:8443", "plain", "secret"), ("host", "b@c:d/e", "p:a/s@s?w#o%r d"),
                ("xn--host.example", "ü", "ключ\t&="), ("[::1]:99", "", "x"),
            ]
            for (host, account, password) in logins {
                let result = try TestProcess.run(
                    "/usr/bin/env",
                    [
                        "HOME=\(home)", "git", "credential-store", "--file",
                        "\(home)/.git-credentials", "store",
                    ],
                    input: "protocol=https\nhost=\(host)\nusername=\(account)\n"
                        + "password=\(password)\n")
                try #require(result.ending == .exit(0), "\(result.errors)")
            }
            let answer = try security.run(["import-git-credentials"], home: home)
            #expect(
                answer == Answer(0, "\(home)/.git-credentials: 4 stored, 0 unchanged\n"))
            #expect(try secret("-s", "host", "-P", "8443", "-a", "plain") == "secret\n")
            #expect(try secret("-a", "b@c:d/e") == "p:a/s@s?w#o%r d\n")
            let hexadecimal = [UInt8]("ключ\t&=".utf8).map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }.joined()
            #expect(try secret("-a", "ü") == hexadecimal + "\n")
            #expect(try secret("-s", "::1", "-P", "99") == "x\n")
        }
    }

    @Test func defaultsAreTheFilesWhereTheyUsuallyLie() throws {
        try TemporaryDirectory.lend { home in
            let none = try security.run(["import-netrc"], home: home)
            #expect(none.status == 1)
            #expect(
                none.errors == "security: import-netrc: \(home)/.netrc: No such file or directory. "
                    + "Nothing was stored.\n")
            let neither = try security.run(["import-git-credentials"], home: home)
            #expect(neither.status == 1)
            #expect(neither.errors.contains("\(home)/.config/git/credentials"))

            try write("machine a password 1", home + "/.netrc")
            #expect(
                try security.run(["import-netrc"], home: home)
                    == Answer(0, "\(home)/.netrc: 1 stored, 0 unchanged\n"))
            try FileManager.default.createDirectory(
                atPath: home + "/.config/git", withIntermediateDirectories: true)
            try write("https://u:2@b", home + "/.config/git/credentials")
            #expect(try security.run(["import-git-credentials"], home: home).status == 0)
            try write("https://u:2@b\nhttps://u:3@c", home + "/.git-credentials")
            let both = try security.run(["import-git-credentials"], home: home)
            #expect(both.status == 0)
            #expect(both.output.hasSuffix(": 1 stored, 2 unchanged\n"))
            #expect(try secret("-s", "c") == "3\n")
        }
    }

    @Test func backgroundItemsCanBeReadWhileTheDeviceIsLocked() throws {
        #expect(try netrc("machine night password 1", "--background").status == 0)
        #expect(try netrc("machine day password 2").status == 0)
        let set = ["device", "set-passcode", "--passcode-fd", "0"]
        #expect(try security.run(set, input: "1234\n").status == 0)
        #expect(try security.run("device", "lock").status == 0)
        #expect(try secret("-s", "night") == "1\n")
        #expect(try security.run("find-internet-password", "-s", "day", "-w").status == 36)
        // Now nothing can be compared or stored.
        let locked = try netrc("machine x password y\nmachine day password 2")
        #expect(locked.status == 36)
        #expect(locked.errors.contains("standard input:2: it can't be looked for"))
        let fresh = try netrc("machine x password y")
        #expect(fresh.status == 36)
        #expect(fresh.errors.contains("Nothing was stored."))
        #expect(fresh.errors.contains("security device unlock"))
    }

    // MARK: - Existing items

    @Test func importingAgainChangesNothing() throws {
        let text = "machine a login b password c\nmachine d login e password f\n"
        #expect(try netrc(text).status == 0)
        let before = try security.run("find-internet-password", "-s", "a").output
        #expect(try netrc(text) == Answer(0, "standard input: 0 stored, 2 unchanged\n"))
        #expect(try netrc(text, "--replace").output.hasSuffix("2 unchanged, 0 replaced\n"))
        #expect(try security.run("find-internet-password", "-s", "a").output == before)
    }

    @Test func anotherPasswordIsAnErrorUnlessItIsToBeReplaced() throws {
        #expect(try netrc("machine a login b password secret1").status == 0)
        let text = "machine new password n\n\nmachine a login b password secret2\n"
        let answer = try netrc(text)
        #expect(
            answer
                == Answer(
                    45,
                    errors: """
                        security: import-netrc: standard input:3: the keychain has another \
                        password for this login
                        security: import-netrc: Nothing was stored. With --replace the passwords \
                        of the file are taken.

                        """))
        #expect(try secret("-s", "a") == "secret1\n")
        #expect(try secret("-s", "new") == "")
        #expect(
            try netrc(text, "--replace")
                == Answer(0, "standard input: 1 stored, 0 unchanged, 1 replaced\n"))
        #expect(try secret("-s", "a") == "secret2\n")
    }

    @Test func replacingKeepsTheItemAndItsOtherAttributes() throws {
        let add = ["add-internet-password", "-s", "a", "-a", "b", "-r", "htps", "-j", "note"]
        #expect(try security.run(add + ["-w", "1", "-l", "Label"]) == Answer(0))
        #expect(try netrc("machine a login b password 2", "--replace").status == 0)
        let block = try security.run("find-internet-password", "-s", "a").output
        #expect(block.contains("<blob>=\"Label\"") && block.contains("<blob>=\"note\""))
        #expect(try secret("-s", "a") == "2\n")
    }

    @Test func twoPasswordsForOneLoginAreNotGuessedAbout() throws {
        let text = "machine a login b password one\nmachine a login b password two\n"
        let answer = try netrc(text, "--replace")
        #expect(answer.status == 1)
        #expect(
            answer.errors.contains(
                "standard input:2: another password for the login of standard input:1\n"))
        #expect(try isEmpty)
        let same = "machine a login b password one\nmachine a login b password one\n"
        #expect(try netrc(same) == Answer(0, "standard input: 1 stored, 1 unchanged\n"))
    }

    @Test func aDryRunStoresNothing() throws {
        let text = "machine a login b password c\n"
        #expect(
            try netrc(text, "--dry-run")
                == Answer(
                    0,
                    "standard input: 1 to store, 0 unchanged (dry run: nothing was stored)\n"))
        #expect(try isEmpty)
    }

    // MARK: - All or nothing

    @Test func aBadLineIsNamedAndNothingIsStored() throws {
        for (text, line) in [
            ("machine a password hunter2\nmachine b password correct hunter2", 2),
            ("machine a password hunter2 hunter2", 1), ("\n\nhunter2", 3),
            ("machine a\npassword \"hunter2", 2),
        ] {
            let answer = try netrc(text)
            #expect(answer.status == 1)
            #expect(answer.output == "")
            #expect(answer.errors.hasPrefix("security: import-netrc: standard input:\(line): "))
            #expect(answer.errors.hasSuffix(". Nothing was stored.\n"))
            #expect(!answer.errors.contains("hunter2"), "a password may be anywhere")
        }
        let answer = try git("https://a:b@c\nhttps://u:hunter2/x@host\n")
        #expect(answer.status == 1)
        #expect(answer.errors.contains("import-git-credentials: standard input:2: the URL has no"))
        #expect(!answer.errors.contains("hunter2"))
        #expect(try isEmpty)
    }

    /// The last login has more attributes than an item may have.
    @Test func whatWasStoredBeforeAFailureIsTakenBack() throws {
        #expect(try netrc("machine old login b password before").status == 0)
        let big = String(repeating: "x", count: 65_535)
        let text =
            "https://b:after@old\n" + (0..<20).map { "https://u:p\($0)@host\($0)\n" }.joined()
            + "https://\(big):p@\(big)/\(big)\n"
        let answer = try git(text, "--replace")
        #expect(answer.status == 42)
        #expect(answer.output == "")
        #expect(answer.errors.contains("standard input:22: it can't be stored.\n"))
        #expect(answer.errors.contains("what this run had changed (21) is as it was before"))
        #expect(!answer.errors.contains("couldn't be taken back"))
        #expect(try secret("-s", "old") == "before\n")
        for number in 0..<20 { #expect(try secret("-s", "host\(number)") == "") }
    }

    @Test func anInterruptedImportStoresNothing() throws {
        try TemporaryDirectory.lend { home in
            // Enough that storing them takes seconds, and looking each of them up before the first is
            // stored doesn't take minutes with daemons that aren't optimized.
            let text = (0..<5000).map { "machine m\($0) password p\n" }.joined()
            try write(text, home + "/file")
            let process = try security.start(["import-netrc", home + "/file"])
            defer { process.end() }
            try Waiting.until("the first login to be stored", within: .seconds(120)) {
                try secret("-s", "m0") == "p\n"
            }
            process.signal(SIGINT)
            #expect(try process.wait() == .exit(128 + SIGINT))
            #expect(process.errorText.contains("Interrupted."))
            #expect(process.errorText.contains("is as it was before"))
            #expect(try isEmpty)
        }
    }

    @Test func anUnreachableServiceIsStatus53() throws {
        let silent = Transcript(socket: "/nonexistent/securityd.sock")
        let answer = try silent.run(["import-netrc", "-"], input: "machine a password b")
        #expect(answer.status == 53)
        #expect(answer.errors.contains("Nothing was stored."))
    }

    // MARK: - Output

    @Test func whatIsLeftOutIsTold() throws {
        let text = "machine a login b\nmachine c password d\ndefault password e\n"
        let answer = try netrc(text)
        #expect(answer.status == 0)
        #expect(answer.output == "standard input: 1 stored, 0 unchanged, 2 left out\n")
        #expect(
            answer.errors == """
                security: import-netrc: standard input:1: left out: the entry has no password
                security: import-netrc: standard input:3: left out: the entry for any other \
                machine belongs to no server

                """)
        let many = try git((0..<30).map { "gopher://u:p@h\($0)\n" }.joined())
        #expect(many.errors.split(separator: "\n").count == 11)
        #expect(many.errors.hasSuffix("... and 20 more\n"))
    }

    @Test func aFileThatOthersMayReadIsWarnedAbout() throws {
        try TemporaryDirectory.lend { home in
            for (mode, isOpen) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
                try write("machine a password b", home + "/file", mode: mode_t(mode))
                let answer = try security.run("import-netrc", home + "/file")
                #expect(answer.status == 0)
                let digits = String(mode, radix: 8)
                #expect(
                    answer.errors
                        == (isOpen
                            ? "security: import-netrc: warning: \(home)/file is open to others "
                                + "(mode \(digits)); chmod 600 makes it private\n" : ""))
                try FileManager.default.removeItem(atPath: home + "/file")
            }
        }
    }

    @Test func filesThatCannotBeReadAreToldApart() throws {
        try TemporaryDirectory.lend { home in
            let directory = try security.run("import-netrc", home)
            #expect(directory.status == 1)
            #expect(directory.errors.contains("\(home): is a directory. Nothing was stored."))
            let big = home + "/big"
            try write("", big)
            unsafe #expect(truncate(big, 16 * 1024 * 1024 + 1) == 0)
            let answer = try security.run("import-netrc", big)
            #expect(answer.status == 1)
            #expect(answer.errors.contains("has more than 16777216 bytes"))
            unsafe #expect(truncate(big, 16 * 1024 * 1024) == 0)
            #expect(try security.run("import-netrc", big).errors.contains(":1: "))
        }
        #expect(try netrc("") == Answer(0, "standard input: 0 stored, 0 unchanged\n"))
    }

    @Test func wrongWordsGiveTheUsage() throws {
        for words in [
            ["--nonsense"], ["one", "two"], ["-x"], ["--protocol"], ["--protocol", "gopher"],
            ["-", "x"],
        ] {
            let answer = try security.run(["import-netrc"] + words)
            #expect(answer.status == 2, "\(words)")
            #expect(answer.errors.hasPrefix("Usage: import-netrc "))
        }
        #expect(try security.run("import-git-credentials", "--protocol", "http").status == 2)
    }

    @Test func theSecretIsNowhereButInTheKeychain() throws {
        let secret = "hunter2-\(UInt64.random(in: 0 ... .max))"
        for options in [["--dry-run"], [], ["--replace"]] {
            let answer = try security.run(
                ["-v", "import-netrc"] + options + ["-"],
                input: "machine a login b password \(secret)")
            #expect(answer.status == 0)
            #expect(!(answer.output + answer.errors).contains(secret))
        }
        let other = try netrc("machine a login b password \(secret)x")
        #expect(other.status == 45)
        #expect(!(other.output + other.errors).contains(secret))
    }

    // MARK: - Many

    @Test func manyLoginsWithoutATerminalGiveOneLine() throws {
        let text = (0..<1_000).map { "machine m\($0) login l password p\($0)\n" }.joined()
        #expect(try netrc(text) == Answer(0, "standard input: 1000 stored, 0 unchanged\n"))
        #expect(try secret("-s", "m999") == "p999\n")
    }

    /// `script` gives the command a terminal.
    @Test func aBarIsShownOnATerminalAboveTwoHundredLogins() throws {
        try TemporaryDirectory.lend { home in
            for (count, hasBar) in [(200, false), (201, true)] {
                let text = (0..<count).map { "machine m\(count)-\($0) password p\n" }.joined()
                try write(text, home + "/file")
                let output = try security.runOnTerminal(["import-netrc", home + "/file"])
                #expect(output.contains("comparing [") == hasBar)
                #expect(output.contains("storing [") == hasBar)
                #expect(output.contains("\(home)/file: "))
            }
        }
    }
}
