// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `security find-identity`, `delete-identity` and `find-key`.
@Suite struct IdentityCommandTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    /// Imports `server` with its key, and its authority; its root is trusted if wanted.
    private func importServer(
        trusted: Bool, _ then: (_ digest: String, _ made: TestCertificates) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { (directory) throws in
            let made = try TestCertificates(in: directory)
            let file = directory + "/server.p12"
            let packed = try TestProcess.run(
                "openssl",
                [
                    "pkcs12", "-export", "-in", made.path("server"), "-inkey",
                    directory + "/server.key", "-certfile", made.path("authority"), "-passout",
                    "pass:p", "-out", file,
                ])
            #expect(packed.ending == .exit(0))
            #expect(try security.run("import", file, "-P", "p").status == 0)
            if trusted {
                let status = try security.run("add-trusted-cert", made.path("root")).status
                #expect(status == 0)
            }
            let text = try TestProcess.run(
                "openssl", ["x509", "-in", made.path("server"), "-noout", "-fingerprint", "-sha1"]
            ).output
            let digest = text.split(separator: "=").last.map { $0.filter(\.isHexDigit) }
            try then(try #require(digest).uppercased(), made)
        }
    }

    @Test func withoutAnIdentityNoneIsFound() throws {
        #expect(
            try security.run("find-identity", "-v", "-p", "codesigning")
                == Answer(0, "     0 valid identities found\n"))
        #expect(
            try security.run("find-identity")
                == Answer(
                    0,
                    "\nPolicy: X.509 Basic\n  Matching identities\n     0 identities found\n\n"
                        + "  Valid identities only\n     0 valid identities found\n"))
        #expect(try security.run("find-identity", "-p", "iChat").status == 2)
        #expect(
            try security.run("find-identity", "-v", "other.keychain")
                == Answer(0, "     0 valid identities found\n"))
    }

    @Test func anUntrustedIdentityMatchesAndIsNotValid() throws {
        try importServer(trusted: false) { (digest, _) throws in
            let line = "  1) \(digest) \"server.example\""
            #expect(
                try security.run("find-identity", "-p", "ssl-server")
                    == Answer(
                        0,
                        "\nPolicy: SSL (server)\n  Matching identities\n"
                            + "\(line) (CSSMERR_TP_NOT_TRUSTED)\n     1 identities found\n\n"
                            + "  Valid identities only\n     0 valid identities found\n"))
        }
    }

    @Test func aTrustedIdentityIsValidForItsPurposeAlone() throws {
        try importServer(trusted: true) { (digest, _) throws in
            let line = "  1) \(digest) \"server.example\"\n     1 valid identities found\n"
            let none = "     0 valid identities found\n"
            #expect(
                try security.run("find-identity", "-v", "-p", "ssl-server", "login.keychain")
                    == Answer(0, line))
            #expect(try security.run("find-identity", "-v", "-p", "codesigning") == Answer(0, none))
            #expect(
                try security.run(
                    "find-identity", "-v", "-p", "ssl-server", "-s", "server.example")
                    == Answer(
                        0, "Looking for identities matching \"server.example\"\n" + line))
            #expect(
                try security.run("find-identity", "-v", "-p", "ssl-server", "-s", "x.example")
                    == Answer(0, "Looking for identities matching \"x.example\"\n" + none))
            let json = try security.run("find-identity", "--json", "-p", "ssl-server").output
            #expect(json.contains("\"sha1\":\"\(digest)\""))
            #expect(json.contains("\"valid\":true,\"error\":null"))
        }
    }

    @Test func aCertificateWithoutItsKeyIsNoIdentity() throws {
        try TemporaryDirectory.lend { (directory) throws in
            let made = try TestCertificates(in: directory)
            #expect(try security.run("add-certificates", made.path("server")).status == 0)
            #expect(
                try security.run("find-identity", "-v")
                    == Answer(0, "     0 valid identities found\n"))
        }
    }

    @Test func anIdentityIsDeletedWithItsKeyAndNothingElse() throws {
        try importServer(trusted: true) { (digest, _) throws in
            let other = try security.run("delete-identity", "-c", "Test Authority")
            #expect(
                other
                    == Answer(1, errors: "Unable to delete certificate matching \"Test Authority\"")
            )
            #expect(try security.run("find-key", "-t", "private").status == 0)
            #expect(try security.run("delete-identity", "-Z", digest) == Answer(0))
            #expect(try security.run("find-key", "-t", "private").status == 1)
            #expect(try security.run("find-certificate", "-c", "Test Authority").status == 0)
            #expect(try security.run("find-certificate", "-c", "server.example").status == 44)
            #expect(try security.run("delete-identity", "-Z", digest).status == 1)
            #expect(try security.run("delete-identity").status == 2)
        }
    }

    @Test func keysAreFoundByWhatTheyAreAndCanDo() throws {
        try importServer(trusted: false) { (_, _) throws in
            let found = try security.run("find-key", "-t", "private", "-s")
            #expect(found.status == 0)
            #expect(found.output.contains("class: 0x00000010 \nattributes:\n"))
            #expect(found.output.contains("    0x00000000 <uint32>=0x00000010 \n"))
            #expect(found.output.contains("    0x00000015 <uint32>=0x00000001 \n"))
            #expect(try security.run("find-key", "-t", "symmetric").status == 1)
            #expect(try security.run("find-key", "-l", "nothing").status == 1)
            #expect(try security.run("find-key", "-t", "odd").status == 2)
            #expect(
                try security.run("find-key", "-a", "00")
                    == Answer(
                        1,
                        errors: "security: SecItemCopyMatching: The specified item could not be "
                            + "found in the keychain.\n"))
        }
    }
}
