// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `security import` and `security export`.
@Suite struct ImportExportCommandTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func sample(_ name: String) -> String {
        Binaries.packageRoot + "/Tests/Vectors/imports/" + name
    }

    @Test func aPairIsOneIdentity() throws {
        let pair = ["import", sample("openssl-chain.p12"), "-P", "secret"]
        #expect(
            try security.run(
                pair + ["-k", "login.keychain", "-f", "pkcs12", "-A", "-T", "/usr/bin/codesign"])
                == Answer(0, "1 identity imported.\n1 certificate imported.\n"))
        #expect(
            try security.run(pair)
                == Answer(
                    1,
                    errors: "security: SecKeychainItemImport: The specified item already exists in "
                        + "the keychain.\n"))
        #expect(try security.run("find-certificate", "-c", "Sample EC", "-Z").status == 0)
    }

    @Test func keysAndCertificatesAreCounted() throws {
        #expect(
            try security.run("import", sample("sequence.pem"))
                == Answer(0, "1 key imported.\n2 certificates imported.\n"))
        #expect(
            try security.run("import", sample("ssh-ed25519")) == Answer(0, "1 key imported.\n"))
        #expect(
            try security.run(
                "import", sample("rsa-openssl.pem"), "-t", "priv", "-w", "-P", "secret")
                == Answer(0, "1 key imported.\n"))
    }

    @Test func anImportThatFailsSaysWhy() throws {
        let function = "security: SecKeychainItemImport: "
        let wrong = try security.run("import", sample("openssl-aes.p12"), "-P", "x")
        #expect(
            wrong
                == Answer(
                    1,
                    errors: function
                        + "MAC verification failed during PKCS12 import (wrong password?)\n"))
        let none = try security.run("import", sample("openssl-aes.p12"))
        #expect(none.status == 1)
        #expect(none.errors.hasPrefix(function))
        #expect(try security.run("import", sample("Scripts")).status == 1)
        let missing = try security.run("import", "/nowhere/file")
        #expect(
            missing
                == Answer(
                    1,
                    errors: "security: Error reading infile /nowhere/file: "
                        + "No such file or directory\n"))
        let encrypted = try security.run("import", sample("ssh-encrypted"))
        #expect(encrypted.status == 1)
        #expect(encrypted.errors.contains("ssh-keygen -p"))
        #expect(try security.run("import").status == 2)
        #expect(try security.run("import", "-k", "login.keychain").status == 2)
        #expect(try security.run("import", sample("ssh-rsa"), "-f", "odd").status == 2)
        let elsewhere = try security.run("import", sample("ssh-rsa"), "-k", "other.keychain")
        #expect(elsewhere.status == 1)
        #expect(elsewhere.errors.hasPrefix("security: SecKeychainOpen other.keychain: "))
        // Nothing of all that was stored.
        #expect(
            try security.run("export")
                == Answer(1, errors: "security: No keychain items found\n"))
    }

    @Test func whatIsImportedIsExported() throws {
        _ = try security.run("import", sample("openssl-aes.p12"), "-P", "secret")
        try TemporaryDirectory.lend { directory in
            let file = directory + "/pair.p12"
            let answer = try security.run(
                "export", "-t", "identities", "-f", "pkcs12", "-P", "other", "-o", file,
                "--rounds", "4096")
            #expect(answer.status == 0)
            #expect(answer.errors.hasSuffix(" bytes written to \(file)\n"))
            #expect(answer.errors.hasPrefix("..."))
            let mode =
                try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let read = try TestProcess.run(
                "openssl",
                ["pkcs12", "-in", file, "-info", "-nodes", "-passin", "pass:other"])
            #expect((read.output + read.errors).contains("MAC: sha256, Iteration 4096"))
            #expect(read.output.contains("BEGIN PRIVATE KEY"))
            #expect(read.output.contains("Sample EC"))
        }
        let keys = try security.run("export", "-t", "privKeys", "-p")
        #expect(keys.output.hasPrefix("-----BEGIN EC PRIVATE KEY-----\n"))
        let certificates = try security.run("export", "-t", "certs", "-p")
        #expect(certificates.output.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        let all = try security.run("export")
        #expect(all.output.contains("BEGIN CERTIFICATE") && all.output.contains("BEGIN EC PRIVATE"))
        let wrapped = try security.run(
            "export", "-t", "privKeys", "-w", "-p", "-P", "p", "--rounds", "4096")
        #expect(wrapped.output.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
    }

    @Test func anExportThatFailsSaysWhy() throws {
        _ = try security.run("import", sample("ec-sec1.der"), "-x")
        let answer = try security.run("export", "-t", "privKeys", "-f", "pkcs8", "-P", "p")
        #expect(
            answer
                == Answer(
                    1,
                    errors: "security: SecKeychainItemExport: The contents of this item cannot be "
                        + "retrieved.\n"))
        _ = try security.run("import", sample("certificate.der"))
        let none = try security.run("export", "-t", "certs", "-f", "pkcs12")
        #expect(none.status == 1)
        #expect(none.errors.hasPrefix("security: SecKeychainItemExport: "))
        #expect(try security.run("export", "-t", "odd").status == 2)
        #expect(try security.run("export", "--rounds", "5").status == 2)
    }

    @Test func theSystemKeychainTakesWhatItsOwnerImports() throws {
        #expect(
            try security.run("import", sample("certificate.der"), "-k", "System.keychain")
                == Answer(0, "1 certificate imported.\n"))
        #expect(
            try security.run("find-certificate", "-c", "Sample EC", "System.keychain").status == 0)
        #expect(
            try security.run("find-certificate", "-c", "Sample EC", "login.keychain").status != 0)
        let certificate = try security.run("export", "-k", "System.keychain", "-p")
        #expect(certificate.output.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    }
}
