// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `-T`, `-A` and the partition lists.
@Suite struct PartitionListTests {
    private struct Job {
        let security: Transcript
        let home: String
        /// A PKCS #12 file, whose password is `p`.
        let file: String
        let made: TestCertificates

        func run(_ words: String...) throws -> Answer { try security.run(words, home: home) }
    }

    private static func lend(_ body: (Job) throws -> Void) throws {
        let security = try Transcript()
        try TemporaryDirectory.lend { home in
            let made = try TestCertificates(in: home)
            let file = home + "/server.p12"
            let packed = try TestProcess.run(
                "openssl",
                [
                    "pkcs12", "-export", "-in", made.path("server"), "-inkey",
                    home + "/server.key", "-passout", "pass:p", "-out", file,
                ])
            #expect(packed.ending == .exit(0))
            try body(Job(security: security, home: home, file: file, made: made))
        }
    }

    /// As GitHub's documentation has it, word for word.
    @Test func theSequenceOfBuildJobsRuns() throws {
        try Self.lend { (job: Job) throws in
            let keychain = job.home + "/app-signing.keychain-db"
            #expect(try job.run("create-keychain", "-p", "pw", keychain) == Answer(0))
            #expect(try job.run("set-keychain-settings", "-lut", "21600", keychain) == Answer(0))
            #expect(try job.run("unlock-keychain", "-p", "pw", keychain) == Answer(0))
            let imported = try job.run(
                "import", job.file, "-P", "p", "-A", "-t", "cert", "-f", "pkcs12", "-k", keychain)
            #expect(imported == Answer(0, "1 identity imported.\n"))
            let listed = try job.run(
                "set-key-partition-list", "-S", "apple-tool:,apple:", "-k", "pw", keychain)
            #expect(listed.status == 0)
            #expect(listed.output.hasPrefix("keychain: \"\(keychain)\"\nversion: 512\nclass: 0x"))
            #expect(try job.run("list-keychain", "-d", "user", "-s", keychain) == Answer(0))
            #expect(try job.run("find-identity", "-p", "basic").output.contains("1 identities"))
            #expect(try job.run("export", "-k", keychain, "-t", "privKeys", "-p").status == 0)
            #expect(try job.run("delete-keychain", keychain) == Answer(0))
            #expect(!FileManager.default.fileExists(atPath: keychain))
            let after = try job.run("find-identity", "-p", "basic")
            #expect(after.output.contains("0 identities"))
        }
    }

    /// The job of `Documentation/keychains.md`.
    @Test func theJobThatSignsIsAsItSays() throws {
        let script = Binaries.packageRoot + "/Scripts/signing-session"
        var options = TestProcess.Options()
        options.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let result = try TestProcess.run(script, [Binaries.directory], options)
        #expect(
            result.ending == .exit(0) && result.output.hasSuffix("\nAll as it should be.\n"),
            "\(result.output)\(result.errors)")
    }

    @Test func aKeyForOtherProgramsIsGivenBackByItsPartitionList() throws {
        try Self.lend { (job: Job) throws in
            #expect(try job.run("create-keychain", "-p", "pw", "job.keychain") == Answer(0))
            let imported = try job.run(
                "import", job.file, "-k", "job.keychain", "-P", "p", "-T", "/usr/bin/codesign",
                "-T", "/usr/bin/productbuild")
            #expect(imported == Answer(0, "1 identity imported.\n"))
            let exporting = ["export", "-k", "job.keychain", "-t", "privKeys", "-p"]
            let refused = try job.security.run(exporting, home: job.home)
            #expect(refused.status == 1)
            #expect(!refused.output.contains("PRIVATE KEY"))
            #expect(refused.errors.contains("It was stored with -T"))
            // What isn't secret is found.
            #expect(
                try job.run("find-identity", "-p", "basic", "job.keychain").output
                    .contains("1 identities"))
            let labelled = ["set-key-partition-list", "-S", "apple-tool:,apple:"]
            let wrong = try job.security.run(
                labelled + ["-s", "-k", "wrong", "job.keychain"], home: job.home)
            #expect(
                wrong
                    == Answer(
                        1,
                        errors: "security: SecKeychainUnlock: The user name or passphrase you "
                            + "entered is not correct.\n"))
            #expect(try job.security.run(exporting, home: job.home).status == 1)
            let none = try job.security.run(
                labelled + ["-l", "no such key", "-k", "pw", "job.keychain"], home: job.home)
            #expect(none.status == 1)
            #expect(none.errors.hasPrefix("security: SecItemCopyMatching: "))
            let right = try job.security.run(
                labelled + ["-s", "-k", "pw", "job.keychain"], home: job.home)
            #expect(right.status == 0)
            #expect(
                try job.security.run(exporting, home: job.home).output.contains("PRIVATE KEY"))
        }
    }

    @Test func aNewPairHasBothHalvesAndItsGrants() throws {
        try Self.lend { (job: Job) throws in
            #expect(try job.run("create-keypair", "-a", "rsa", "-s", "2048", "mine") == Answer(0))
            for type in ["private", "public"] {
                let found = try job.run("find-key", "-t", type, "-l", "mine")
                #expect(found.status == 0)
                #expect(found.output.components(separatedBy: "keychain: \"").count == 2)
            }
            let text = try job.run("export", "-t", "privKeys", "-p")
            #expect(text.output.contains("PRIVATE KEY"))
            #expect(try job.run("create-keypair", "-T", "", "closed") == Answer(0))
            #expect(try job.run("export", "-t", "privKeys", "-p").status == 1)
            for words in [["-a", "dsa"], ["-s", "512"], ["-k", "no.keychain"]] {
                #expect(
                    try job.security.run(["create-keypair"] + words, home: job.home).status == 1)
            }
            #expect(try job.run("create-keypair", "-a", "none").status == 2)
        }
    }

    @Test func aPasswordForNobodyIsFoundWithoutItsSecret() throws {
        try Self.lend { (job: Job) throws in
            #expect(try job.run("create-keychain", "-p", "pw", "job.keychain") == Answer(0))
            let words = ["-a", "anna", "-s", "bank"]
            let added = try job.security.run(
                ["add-generic-password"] + words + ["-w", "APPLE", "-T", "", "job.keychain"],
                home: job.home)
            #expect(added.status == 0)
            let secret = ["find-generic-password"] + words + ["-w", "job.keychain"]
            let refused = try job.security.run(secret, home: job.home)
            #expect(refused.status == 36)
            #expect(refused.output == "")
            let found = try job.security.run(
                ["find-generic-password"] + words + ["job.keychain"], home: job.home)
            #expect(found.status == 0)
            #expect(found.output.contains("\"svce\"<blob>=\"bank\""))
            let listed = try job.security.run(
                ["set-generic-password-partition-list"] + words
                    + ["-S", "unsigned:", "-k", "pw", "job.keychain"], home: job.home)
            #expect(listed == found)
            #expect(try job.security.run(secret, home: job.home) == Answer(0, "APPLE\n"))
        }
    }

    @Test func anInternetPasswordHasAPartitionListToo() throws {
        try Self.lend { (job: Job) throws in
            let words = ["-a", "anna", "-s", "example.org"]
            #expect(
                try job.security.run(
                    ["add-internet-password"] + words + ["-w", "APPLE"], home: job.home
                ).status == 0)
            // Login has no password while no passcode is set.
            let listed = try job.security.run(
                ["set-internet-password-partition-list"] + words
                    + ["-S", "teamid:TEAMAAAAAA", "-k", ""], home: job.home)
            #expect(listed.status == 0)
            let dumped = try job.run("dump-keychain", "-a")
            #expect(
                dumped.output.contains(
                    """
                    access: 2 entries
                        entry 0:
                            authorizations (1): decrypt
                            don't-require-password
                            description:\u{20}
                            applications (1):
                                0: the programs of the item's group (OK)
                        entry 1:
                            authorizations (1): partition_id
                            don't-require-password
                            description: teamid:TEAMAAAAAA
                            applications: <null>

                    """))
        }
    }

    @Test func anUpdateAddsToTheList() throws {
        try Self.lend { (job: Job) throws in
            let words = ["add-generic-password", "-a", "anna", "-s", "bank", "-w", "APPLE"]
            #expect(try job.security.run(words + ["-A"], home: job.home).status == 0)
            #expect(
                try job.security.run(words + ["-U", "-T", "/usr/bin/one"], home: job.home).status
                    == 0)
            #expect(
                try job.run("find-generic-password", "-s", "bank", "-w") == Answer(0, "APPLE\n"))
            let dumped = try job.run("dump-keychain", "-a")
            #expect(dumped.output.contains("applications: <null>"))
        }
    }

    @Test func theListIsNeededAndNamesOneKeychain() throws {
        try Self.lend { (job: Job) throws in
            for words in [
                ["-k", "pw"], ["-S", "apple:", "-k", "pw", "one", "two"],
                ["-S", String(repeating: "a,", count: 100)], ["-S", "apple:", "-x"],
            ] {
                let answer = try job.security.run(
                    ["set-key-partition-list"] + words, home: job.home)
                #expect(answer.status == 2)
                #expect(answer.errors.hasPrefix("Usage: set-key-partition-list"))
            }
        }
    }
}
