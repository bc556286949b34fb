// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Certificates, keys and identities in keychains with passwords of their own.
@Suite struct KeychainArgumentTests {
    private struct Job {
        let security: Transcript
        let home: String
        let made: TestCertificates
        let file: String

        func run(_ words: String...) throws -> Answer { try security.run(words, home: home) }

        var path: String { home + "/Library/Keychains/job.keychain-db" }
    }

    /// Lends a keychain, unlocked, that isn't in the search list, and a file with an identity.
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
            let job = Job(security: security, home: home, made: made, file: file)
            #expect(try job.run("create-keychain", "-p", "pw", "job.keychain") == Answer(0))
            try body(job)
        }
    }

    private static let none = Answer(0, "     0 valid identities found\n")

    @Test func anImportGoesIntoTheKeychainThatItNames() throws {
        try Self.lend { (job: Job) throws in
            let words = ["import", job.file, "-P", "p", "-A", "-t", "cert", "-f", "pkcs12"]
            #expect(
                try job.security.run(words + ["-k", "job.keychain"], home: job.home)
                    == Answer(0, "1 identity imported.\n"))
            #expect(try job.run("find-certificate", "-c", "server").status == 44)
            let block = try job.run("find-certificate", "-c", "server", "job.keychain")
            #expect(block.status == 0)
            #expect(block.output.hasPrefix("keychain: \"\(job.path)\"\n"))
            #expect(try job.run("find-key", "-t", "private").status == 1)
            #expect(try job.run("find-key", "-t", "private", "job.keychain").status == 0)
            #expect(try job.run("find-identity", "-p", "basic").output.contains("0 identities"))
            let own = try job.run("find-identity", "-p", "basic", "job.keychain")
            #expect(own.output.contains("     1 identities found"))
            // The same in login is another item.
            #expect(
                try job.run("import", job.file, "-P", "p", "-k", "login.keychain")
                    == Answer(0, "1 identity imported.\n"))
        }
    }

    @Test func theSearchListIsSearchedAndTheDefaultTakesNewItems() throws {
        try Self.lend { (job: Job) throws in
            #expect(
                try job.run("list-keychains", "-s", "login.keychain", "job.keychain") == Answer(0))
            #expect(try job.run("default-keychain", "-s", "job.keychain") == Answer(0))
            #expect(
                try job.run("import", job.file, "-P", "p") == Answer(0, "1 identity imported.\n"))
            #expect(try job.run("add-certificates", job.made.path("root")) == Answer(0))
            #expect(try job.run("find-certificate", "-c", "server").status == 0)
            #expect(try job.run("find-certificate", "-c", "server", "login.keychain").status == 44)
            #expect(try job.run("find-certificate", "-a", "job.keychain").status == 0)
            #expect(try job.run("find-identity", "-p", "basic").output.contains("1 identities"))
            #expect(try job.run("delete-keychain", "job.keychain") == Answer(0))
            #expect(try job.run("find-certificate", "-c", "server").status == 44)
            #expect(try job.run("find-identity", "-v", "-p", "codesigning") == Self.none)
        }
    }

    @Test func aLockedKeychainExportsNoKeyAndTakesNone() throws {
        try Self.lend { (job: Job) throws in
            #expect(try job.run("import", job.file, "-P", "p", "-k", "job.keychain").status == 0)
            let open = try job.run("export", "-k", "job.keychain", "-t", "privKeys", "-p")
            #expect(open.status == 0)
            #expect(open.output.contains("PRIVATE KEY"))
            #expect(try job.run("lock-keychain", "job.keychain") == Answer(0))
            // Certificates and attributes are found, as on the Mac.
            #expect(try job.run("find-certificate", "-c", "server", "job.keychain").status == 0)
            let identities = try job.run("find-identity", "-p", "basic", "job.keychain")
            #expect(identities.output.contains("     1 identities found"))
            let closed = try job.run("export", "-k", "job.keychain", "-t", "privKeys")
            #expect(closed.status != 0)
            #expect(!closed.output.contains("PRIVATE KEY"))
            let refused = try job.run("import", job.made.path("root"), "-k", "job.keychain")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("User interaction is not allowed."))
            #expect(try job.run("unlock-keychain", "-p", "pw", "job.keychain") == Answer(0))
            #expect(try job.run("export", "-k", "job.keychain", "-t", "privKeys", "-p") == open)
        }
    }

    @Test func anIdentityIsDeletedWhereItIs() throws {
        try Self.lend { (job: Job) throws in
            for keychain in ["job.keychain", "login.keychain"] {
                #expect(try job.run("import", job.file, "-P", "p", "-k", keychain).status == 0)
            }
            #expect(
                try job.run("delete-identity", "-c", "server.example", "job.keychain") == Answer(0))
            #expect(try job.run("find-key", "-t", "private", "job.keychain").status == 1)
            #expect(try job.run("find-key", "-t", "private", "login.keychain").status == 0)
            #expect(
                try job.run("delete-certificate", "-c", "server.example", "login.keychain")
                    == Answer(0))
            #expect(try job.run("find-certificate", "-c", "server").status == 44)
        }
    }

    /// The same identity in both: what is deleted is one of them, certificate and key.
    @Test(arguments: [["login.keychain", "job.keychain"], ["job.keychain", "login.keychain"]])
    func ofTwoEqualIdentitiesOneIsDeletedWhole(_ order: [String]) throws {
        try Self.lend { (job: Job) throws in
            for keychain in order {
                #expect(try job.run("import", job.file, "-P", "p", "-k", keychain).status == 0)
            }
            let words = ["delete-identity", "-c", "server.example"] + order
            #expect(try job.security.run(words, home: job.home) == Answer(0))
            #expect(try job.run("find-certificate", "-c", "server", order[0]).status == 44)
            #expect(try job.run("find-key", "-t", "private", order[0]).status == 1)
            #expect(try job.run("find-certificate", "-c", "server", order[1]).status == 0)
            #expect(try job.run("find-key", "-t", "private", order[1]).status == 0)
        }
    }

    @Test func aKeychainThatIsNotThereTakesAndGivesNothing() throws {
        try Self.lend { (job: Job) throws in
            let message = "The specified keychain could not be found.\n"
            #expect(
                try job.run("import", job.file, "-P", "p", "-k", "no.keychain")
                    == Answer(1, errors: "security: SecKeychainOpen no.keychain: \(message)"))
            #expect(
                try job.run("add-certificates", "-k", "no.keychain", job.made.path("root"))
                    == Answer(1, errors: "security: SecKeychainOpen no.keychain: \(message)"))
            #expect(try job.run("find-certificate", "no.keychain").status == 44)
            #expect(try job.run("find-identity", "-v", "no.keychain") == Self.none)
            #expect(try job.run("find-key", "no.keychain").status == 1)
            // A dump without it would look whole, and replace an earlier one.
            let file = job.home + "/dump"
            try "earlier".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(
                try job.run("dump-keychain", "-o", file, "no.keychain")
                    == Answer(50, errors: "security: SecKeychainOpen: \(message)"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "earlier")
            #expect(try job.run("find-certificate", "-c", "server").status == 44)
        }
    }

    // MARK: - dump-keychain

    @Test func aDumpHasEachItemAndSecretsOnlyWhenAsked() throws {
        try Self.lend { (job: Job) throws in
            #expect(try job.run("import", job.file, "-P", "p", "-k", "job.keychain").status == 0)
            for keychain in ["job.keychain", "login.keychain"] {
                #expect(
                    try job.run(
                        "add-generic-password", "-s", "svc", "-a", "bob", "-w", "in\(keychain)",
                        keychain) == Answer(0))
            }
            let dump = try job.run("dump-keychain", "job.keychain")
            #expect(dump.status == 0)
            let blocks = dump.output.components(separatedBy: "keychain: \"").dropFirst()
            #expect(blocks.count == 3)
            #expect(blocks.allSatisfy { $0.hasPrefix(job.path + "\"\nversion: 512\nclass: ") })
            #expect(dump.output.contains("class: \"genp\"\nattributes:\n"))
            #expect(dump.output.contains("    \"svce\"<blob>=\"svc\"\n"))
            #expect(dump.output.contains("class: 0x80001000 \n"))
            #expect(dump.output.contains("class: 0x00000010 \n"))
            #expect(!dump.output.contains("injob.keychain"))
            let secrets = try job.run("dump-keychain", "-d", "job.keychain")
            #expect(secrets.output.contains("data:\n\"injob.keychain\"\n"))
            #expect(!secrets.output.contains("inlogin.keychain"))
            // The search list has login alone.
            let list = try job.run("dump-keychain", "-a")
            #expect(!list.output.contains(job.path))
            #expect(list.output.contains("no access control for this item\n"))
            #expect(try job.run("dump-keychain", "-r").status == 1)
            #expect(try job.run("dump-keychain", "-i").status == 1)
            #expect(try job.run("dump-keychain", "-z").status == 2)
        }
    }

    @Test func aDumpOfALockedKeychainSaysWhichSecretsItLacks() throws {
        try Self.lend { (job: Job) throws in
            #expect(
                try job.run(
                    "add-generic-password", "-s", "svc", "-a", "bob", "-w", "inside", "job.keychain"
                ) == Answer(0))
            #expect(try job.run("lock-keychain", "job.keychain") == Answer(0))
            #expect(try job.run("dump-keychain", "job.keychain").status == 0)
            let dump = try job.run("dump-keychain", "-d", "job.keychain")
            #expect(dump.status == 36)
            #expect(dump.output.contains("\"svce\"<blob>=\"svc\""))
            #expect(!dump.output.contains("inside"))
            #expect(dump.errors.contains("SecKeychainItemCopyContent"))
        }
    }

    @Test func aDumpGoesToAFileOfItsOwnersAlone() throws {
        try Self.lend { (job: Job) throws in
            let file = job.home + "/dump"
            #expect(
                try job.run("add-generic-password", "-s", "svc", "-a", "bob", "-w", "x").status == 0
            )
            #expect(try job.run("dump-keychain", "-d", "-o", file) == Answer(0))
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.contains("data:\n\"x\"\n"))
        }
    }
}
