// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `--json` of the commands that change, import and export certificates and trust settings.
@Suite struct CertificateJSONTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func withCertificates(_ body: (TestCertificates) throws -> Void) throws {
        try TemporaryDirectory.lend { try body(TestCertificates(in: $0)) }
    }

    /// The object that a command prints: one line, and nothing else.
    private func object(_ words: String..., status: Int32 = 0) throws -> [String: Any] {
        let answer = try security.run(words)
        #expect(answer.status == status, "\(answer)")
        #expect(answer.output.hasSuffix("}\n"), "\(answer)")
        #expect(answer.output.filter { $0 == "\n" }.count == 1, "\(answer)")
        if status == 0 { #expect(answer.errors.isEmpty, "\(answer)") }
        let value = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        return try #require(value as? [String: Any])
    }

    private func certificates(_ object: [String: Any]) throws -> [[String: Any]] {
        try #require(object["certificates"] as? [[String: Any]])
    }

    /// In upper-case hexadecimal, as openssl computes it.
    private func sha256(_ path: String) throws -> String {
        let answer = try TestProcess.run(
            "openssl", ["x509", "-in", path, "-noout", "-fingerprint", "-sha256"])
        let digits = try #require(answer.output.split(separator: "=").last)
        return digits.filter(\.isHexDigit)
    }

    @Test func addCertificatesSaysWhatBecameOfEach() throws {
        try withCertificates { made in
            let root = made.path("root")
            let missing = made.directory + "/missing.pem"
            let added = try object(
                "add-certificates", "--json", root, missing, made.path("server"), status: 1)
            #expect((added["keychain"] as? String)?.hasSuffix("login.keychain-db") == true)
            let list = try certificates(added)
            #expect(list.map { $0["file"] as? String } == [root, missing, made.path("server")])
            #expect(list.map { $0["status"] as? Int } == [0, -36, 0])
            #expect(list[0]["subject"] as? String == "Test Root")
            #expect(try list[0]["sha256"] as? String == sha256(root))
            #expect(list[1]["subject"] == nil)
            let again = try certificates(object("add-certificates", "--json", root, status: 1))
            #expect(again.map { $0["status"] as? Int } == [-25299])
        }
    }

    @Test func deleteCertificateSaysWhichItWas() throws {
        try withCertificates { made in
            let root = made.path("root")
            #expect(try security.run("add-certificates", root) == Answer(0))
            #expect(try security.run("add-trusted-cert", root) == Answer(0))
            let deleted = try object("delete-certificate", "--json", "-c", "Test Root")
            #expect(deleted["subject"] as? String == "Test Root")
            #expect(try deleted["sha256"] as? String == sha256(root))
            #expect(deleted["trustSettingsRemoved"] as? Bool == false)
            #expect(try security.run("dump-trust-settings").status == 0)
            #expect(try security.run("add-certificates", root) == Answer(0))
            let both = try object("delete-certificate", "--json", "-c", "Test Root", "-t")
            #expect(both["trustSettingsRemoved"] as? Bool == true)
            #expect(try security.run("dump-trust-settings").status == 1)
            let none = try security.run("delete-certificate", "--json", "-c", "Test Root")
            #expect(none.status == 1 && none.output.isEmpty)
        }
    }

    @Test func trustedCertificatesAreNamedWithTheirDomain() throws {
        try withCertificates { made in
            let root = made.path("root")
            for (words, domain) in [([], "user"), (["-d"], "machine")] {
                for command in ["add-trusted-cert", "remove-trusted-cert"] {
                    let answer = try security.run([command, "--json"] + words + [root])
                    #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer)")
                    let value = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
                    let object = try #require(value as? [String: Any])
                    #expect(object["domain"] as? String == domain)
                    let list = try certificates(object)
                    #expect(list.count == 1)
                    #expect(list.first?["subject"] as? String == "Test Root")
                    #expect(try list.first?["sha256"] as? String == sha256(root))
                    let isThere = command == "add-trusted-cert"
                    #expect(
                        try security.run(["dump-trust-settings"] + words).status
                            == (isThere ? 0 : 1))
                }
            }
            let refused = try security.run("remove-trusted-cert", "--json", root)
            #expect(refused.status == 1 && refused.output.isEmpty)
        }
    }

    @Test func settingsOfAFileAreNamed() throws {
        try withCertificates { made in
            let file = made.directory + "/settings.plist"
            let written = try object(
                "add-trusted-cert", "--json", "-o", file, made.path("root"))
            #expect(written["file"] as? String == file)
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            #expect(written["byteCount"] as? Int == size)
            #expect(try certificates(written).count == 1)
            let imported = try object("trust-settings-import", "--json", "-d", file)
            #expect(imported["domain"] as? String == "machine")
            #expect(imported["certificateCount"] as? Int == 1)
            let copy = made.directory + "/copy.plist"
            let exported = try object("trust-settings-export", "--json", "-d", copy)
            #expect(exported["file"] as? String == copy)
            #expect(exported["certificateCount"] as? Int == 1)
            let none = try security.run("trust-settings-export", "--json", copy)
            #expect(none.status == 1 && none.output.isEmpty)
        }
    }

    @Test func userTrustSettingsAreEnabled() throws {
        #expect(try object("user-trust-settings-enable", "--json")["enabled"] as? Bool == true)
    }

    @Test func importAndExportCount() throws {
        let vectors = Binaries.packageRoot + "/Tests/Vectors/imports/"
        let imported = try object(
            "import", "--json", vectors + "openssl-chain.p12", "-P", "secret")
        #expect(imported["identities"] as? Int == 1)
        #expect(imported["keys"] as? Int == 0)
        #expect(imported["certificates"] as? Int == 1)
        try TemporaryDirectory.lend { directory in
            let file = directory + "/all.pem"
            let exported = try object("export", "--json", "-o", file)
            #expect(exported["file"] as? String == file)
            #expect(exported["keys"] as? Int == 1)
            #expect(exported["certificates"] as? Int == 2)
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            #expect(exported["byteCount"] as? Int == size)
        }
        // Keys aren't printed among other things.
        let mixed = try security.run("export", "--json")
        #expect(mixed.status == 2 && mixed.output.isEmpty)
    }
}
