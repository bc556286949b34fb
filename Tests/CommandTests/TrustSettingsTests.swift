// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Trust settings, and certificates in keychains, with the command.
@Suite struct TrustSettingsTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func withCertificates(_ body: (TestCertificates) throws -> Void) throws {
        try TemporaryDirectory.lend { try body(TestCertificates(in: $0)) }
    }

    private func verify(_ made: TestCertificates, _ words: String...) throws -> Answer {
        try security.run(
            [
                "verify-cert", "-c", made.path("server"), "-c", made.path("authority"), "-p", "ssl",
                "-n", "server.example",
            ] + words)
    }

    private static let good = Answer(0, "...certificate verification successful.\n")
    private static let notTrusted = Answer(
        1, errors: "Cert Verify Result: CSSMERR_TP_NOT_TRUSTED\n")
    private static let denied = Answer(1, errors: "SecTrustEvaluate result: kSecTrustResultDeny\n")

    @Test(arguments: [[], ["-d"]])
    func aTrustedRootIsTrustedUntilTheSettingIsRemoved(_ domain: [String]) throws {
        try withCertificates { (made) throws in
            #expect(try verify(made) == Self.notTrusted)
            #expect(
                try security.run(["add-trusted-cert"] + domain + [made.path("root")]) == Answer(0))
            #expect(try verify(made) == Self.good)
            #expect(
                try security.run(["dump-trust-settings"] + domain)
                    == Answer(
                        0,
                        "Number of trusted certs = 1\nCert 0: Test Root\n"
                            + "   Number of trust settings : 0\n"))
            #expect(
                try security.run(["remove-trusted-cert"] + domain + [made.path("root")])
                    == Answer(0))
            #expect(try verify(made) == Self.notTrusted)
            #expect(
                try security.run(["dump-trust-settings"] + domain)
                    == Answer(
                        1,
                        errors:
                            "SecTrustSettingsCopyCertificates: No Trust Settings were found.\n"))
        }
    }

    @Test func theUsersSettingComesBeforeTheMachines() throws {
        try withCertificates { (made) throws in
            let root = made.path("root")
            #expect(try security.run("add-trusted-cert", "-d", root) == Answer(0))
            #expect(try verify(made) == Self.good)
            #expect(try security.run("add-trusted-cert", "-r", "deny", root) == Answer(0))
            #expect(try verify(made) == Self.denied)
            #expect(try security.run("remove-trusted-cert", root) == Answer(0))
            #expect(try verify(made) == Self.good)
        }
    }

    @Test func aSettingCountsOnlyForItsPolicyAndItsHost() throws {
        try withCertificates { (made) throws in
            let root = made.path("root")
            #expect(try security.run("add-trusted-cert", "-p", "smime", root) == Answer(0))
            #expect(try verify(made) == Self.notTrusted)
            #expect(
                try security.run(
                    "add-trusted-cert", "-p", "ssl", "-s", "other.example", root) == Answer(0))
            #expect(try verify(made) == Self.notTrusted)
            #expect(
                try security.run(
                    "add-trusted-cert", "-p", "ssl", "-s", "server.example", root) == Answer(0))
            #expect(try verify(made) == Self.good)
            #expect(
                try security.run("dump-trust-settings")
                    == Answer(
                        0,
                        """
                        Number of trusted certs = 1
                        Cert 0: Test Root
                           Number of trust settings : 1
                           Trust Setting 0:
                              Policy OID            : SSL
                              Policy String         : server.example
                              Result Type           : kSecTrustSettingsResultTrustRoot

                        """))
        }
    }

    @Test func anAuthorityIsTrustedOnlyAsARoot() throws {
        try withCertificates { (made) throws in
            let authority = made.path("authority")
            let refused = try security.run("add-trusted-cert", authority)
            #expect(refused.status == 1)
            #expect(refused.errors.hasPrefix("SecTrustSettingsSetTrustSettings: "))
            #expect(
                try security.run("add-trusted-cert", "-r", "trustAsRoot", authority) == Answer(0))
            #expect(try verify(made) == Self.good)
            #expect(
                try security.run("add-trusted-cert", "-r", "trustAsRoot", made.path("root")).status
                    == 1)
        }
    }

    @Test func anExpiredCertificateIsAcceptedWhereASettingSaysSo() throws {
        try withCertificates { (made) throws in
            let root = made.path("root")
            #expect(try security.run("add-trusted-cert", root) == Answer(0))
            let late = "2040-01-01"
            #expect(
                try verify(made, "-d", late)
                    == Answer(1, errors: "Cert Verify Result: CSSMERR_TP_CERT_EXPIRED\n"))
            for name in ["root", "authority", "server"] {
                #expect(
                    try security.run(
                        "add-trusted-cert", "-r", name == "root" ? "trustRoot" : "unspecified",
                        "-e", "certExpired", made.path(name)) == Answer(0))
            }
            #expect(try verify(made, "-d", late) == Self.good)
        }
    }

    /// As mkcert does: export, find the entry by the issuer, replace its settings, import.
    @Test func settingsAreExportedChangedAndImported() throws {
        try withCertificates { (made) throws in
            let file = made.directory + "/settings.plist"
            #expect(try security.run("add-trusted-cert", "-d", made.path("root")) == Answer(0))
            #expect(
                try security.run("trust-settings-export", "-d", file)
                    == Answer(0, "...Trust Settings exported successfully.\n"))
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            let parsed = unsafe try PropertyListSerialization.propertyList(from: data, format: nil)
            var list = try #require(parsed as? [String: Any])
            #expect(list["trustVersion"] as? Int == 1)
            var entries = try #require(list["trustList"] as? [String: [String: Any]])
            let name = try #require(entries.keys.first)
            #expect(entries.count == 1 && name.count == 40)
            #expect(entries[name]?["issuerName"] is Data)
            #expect(entries[name]?["serialNumber"] is Data)
            #expect(entries[name]?["modDate"] is Date)
            entries[name]?["trustSettings"] = [
                [
                    "kSecTrustSettingsPolicy": Data([
                        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x01, 0x03,
                    ]), "kSecTrustSettingsPolicyName": "sslServer", "kSecTrustSettingsResult": 1,
                ]
            ]
            // What mkcert writes has no certificate of ours.
            entries[name]?["llaveroCertificate"] = nil
            list["trustList"] = entries
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: file))
            #expect(
                try security.run("trust-settings-import", "-d", file)
                    == Answer(0, "...Trust Settings imported successfully.\n"))
            #expect(try verify(made) == Self.good)
            #expect(
                try security.run("verify-cert", "-c", made.path("root"), "-p", "smime")
                    == Self.notTrusted)
            try "nothing".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try security.run("trust-settings-import", "-d", file).status == 1)
            #expect(try verify(made) == Self.good)
            #expect(try security.run("trust-settings-import", "-s", file).status == 1)
        }
    }

    @Test func changingSettingsNeedsThePasscodeWhereOneIsSet() throws {
        try withCertificates { (made) throws in
            let passcode = ["device", "set-passcode", "--passcode-fd", "0"]
            #expect(try security.run(passcode, input: "1234\n").status == 0)
            let add = ["add-trusted-cert", made.path("root")]
            #expect(try security.run(add).status == 1)
            #expect(try verify(made) == Self.notTrusted)
            let words = ["--passcode-fd", "0"] + add
            #expect(try security.run(words, input: "wrong\n").status == 1)
            #expect(try verify(made) == Self.notTrusted)
            #expect(try security.run(words, input: "1234\n") == Answer(0))
            #expect(try verify(made) == Self.good)
            // A locked device judges as before.
            #expect(try security.run("device", "lock") == Answer(0))
            #expect(try verify(made) == Self.good)
        }
    }

    // MARK: - Certificates

    @Test func issuersAreFoundInKeychains() throws {
        try withCertificates { (made) throws in
            let alone = [
                "verify-cert", "-c", made.path("server"), "-p", "ssl", "-n", "server.example",
            ]
            #expect(try security.run("add-trusted-cert", made.path("root")) == Answer(0))
            #expect(
                try security.run(alone)
                    == Answer(1, errors: "Cert Verify Result: CSSMERR_TP_NOT_TRUSTED\n"))
            for keychain in ["login.keychain", "/Library/Keychains/System.keychain"] {
                let add = ["add-certificates", "-k", keychain, made.path("authority")]
                #expect(try security.run(add) == Answer(0))
                #expect(try security.run(alone) == Self.good)
                #expect(
                    try security.run("delete-certificate", "-c", "Test Authority", keychain)
                        == Answer(0))
                #expect(try security.run(alone) == Self.notTrusted)
            }
        }
    }

    @Test func certificatesAreAddedFoundAndDeleted() throws {
        try withCertificates { (made) throws in
            let root = made.path("root")
            #expect(try security.run("find-certificate", "-a", "-c", "Test") == Answer(0))
            #expect(try security.run("find-certificate", "-c", "Test").status == 44)
            #expect(try security.run("add-certificates", root) == Answer(0))
            #expect(
                try security.run("add-certificates", root)
                    == Answer(1, errors: "security: \(root): already in default keychain\n"))
            let text = try String(contentsOfFile: root, encoding: .utf8)
            #expect(
                try security.run("find-certificate", "-c", "test root", "-p") == Answer(0, text))
            let block = try security.run("find-certificate", "-c", "Test Root", "-Z")
            #expect(block.output.hasPrefix("SHA-256 hash: "))
            #expect(block.output.contains("\nSHA-1 hash: "))
            #expect(block.output.contains("class: 0x80001000 \n"))
            #expect(block.output.contains(#""labl"<blob>="Test Root""#))
            #expect(
                try security.run("delete-certificate", "-c", "Unknown")
                    == Answer(1, errors: "Unable to delete certificate matching \"Unknown\""))
            #expect(try security.run("delete-certificate", "-c", "Test Root") == Answer(0))
            #expect(try security.run("find-certificate", "-a") == Answer(0))
            #expect(try security.run("delete-certificate").status == 2)
        }
    }

    /// M1: nobody changes the roots of the system through us.
    @Test func systemRootsCantBeChanged() throws {
        try withCertificates { (made) throws in
            let bundle = "/etc/ssl/certs/ca-certificates.crt"
            let before = try Data(contentsOf: URL(fileURLWithPath: bundle))
            let roots = "SystemRootCertificates.keychain"
            let all = try security.run("find-certificate", "-a", "-p", roots)
            let count = all.output.components(separatedBy: "-----BEGIN CERTIFICATE-----").count - 1
            #expect(count > 50)
            let add = try security.run("add-certificates", "-k", roots, made.path("root"))
            #expect(add.status == 1)
            #expect(add.errors.contains("This keychain cannot be modified."))
            let first = try #require(
                try security.run("find-certificate", "-Z", roots).output
                    .split(separator: "\n").first?.split(separator: " ").last)
            #expect(try security.run("delete-certificate", "-Z", String(first), roots).status == 1)
            #expect(try security.run("trust-settings-import", "-s", bundle).status == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: bundle)) == before)
            #expect(try security.run("find-certificate", "-a", "-p", roots) == all)
        }
    }

    /// M3: a user's denial counts more than the system's trust.
    @Test func aDeniedSystemRootIsDenied() throws {
        try TemporaryDirectory.lend { directory in
            let file = directory + "/root.pem"
            let roots = "SystemRootCertificates.keychain"
            let root = try security.run("find-certificate", "-p", roots)
            try root.output.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try security.run("verify-cert", "-c", file) == Self.good)
            #expect(try security.run("add-trusted-cert", "-r", "deny", file) == Answer(0))
            #expect(try security.run("verify-cert", "-c", file) == Self.denied)
            let bundle = try security.run("export-trusted", "--pem").output
            #expect(bundle.count > 50_000 && !bundle.contains(root.output))
            #expect(try security.run("remove-trusted-cert", file) == Answer(0))
            #expect(try security.run("verify-cert", "-c", file) == Self.good)
            #expect(try security.run("export-trusted", "--pem").output.contains(root.output))
        }
    }

    /// The README's session, with curl and the real update-ca-certificates in a mount namespace.
    @Test func theSessionOfTheReadmeIsAsItSays() throws {
        guard geteuid() == 0 else { throw TestFailure("Only root has mount namespaces.") }
        let script = Binaries.packageRoot + "/Scripts/trust-session"
        var options = TestProcess.Options()
        options.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let result = try TestProcess.run(script, [Binaries.directory], options)
        #expect(
            result.ending == .exit(0) && result.output.hasSuffix("\nAll as it should be.\n"),
            "\(result.output)\(result.errors)")
    }
}
