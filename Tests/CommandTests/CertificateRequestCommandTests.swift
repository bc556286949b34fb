// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `security create-csr`; the `openssl` command verifies and reads the requests.
@Suite struct CertificateRequestCommandTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    /// What openssl reads of a request that it has verified.
    private func read(_ file: String) throws -> String {
        let result = try TestProcess.run(
            "/usr/bin/openssl",
            [
                "req", "-in", file, "-verify", "-noout", "-text", "-nameopt",
                "utf8,sep_comma_plus,sname",
            ])
        guard result.ending == .exit(0), result.errors.lowercased().contains("verify ok") else {
            throw TestFailure("openssl: \(result.ending) \(result.errors)")
        }
        return result.output
    }

    /// The public key in a request.
    private func publicKey(_ file: String) throws -> String {
        let result = try TestProcess.run(
            "/usr/bin/openssl", ["req", "-in", file, "-noout", "-pubkey"])
        guard result.ending == .exit(0) else { throw TestFailure("openssl: \(result.errors)") }
        return result.output
    }

    private static let kinds = [
        ("p256", "Public-Key: (256 bit)"), ("p384", "Public-Key: (384 bit)"),
        ("p521", "Public-Key: (521 bit)"), ("ed25519", "ED25519 Public-Key"),
        ("rsa2048", "Public-Key: (2048 bit)"),
    ]

    @Test func aRequestOfANewKeyOfEachKindVerifies() throws {
        try TemporaryDirectory.lend { directory in
            for (kind, size) in Self.kinds {
                let file = directory + "/" + kind
                let answer = try security.run(
                    "create-csr", "-n", kind, "-l", "csr \(kind)", "-s",
                    "/C=DE/O=Größe \\/ Co/CN=www.example.com", "-d", "www.example.com", "-d",
                    "example.com", "-e", "admin@example.com", "-o", file)
                #expect(answer == Answer(0))
                let text = try read(file)
                #expect(text.contains("C=DE,O=Größe / Co,CN=www.example.com"), "\(text)")
                #expect(text.contains(size), "\(text)")
                #expect(
                    text.contains(
                        "DNS:www.example.com, DNS:example.com, email:admin@example.com"))
                // The same key again, found by its label.
                let again = try security.run(
                    "create-csr", "-l", "csr \(kind)", "-s", "/CN=again.example.com")
                #expect(again.status == 0 && again.errors == "")
                let other = directory + "/again"
                try again.output.write(toFile: other, atomically: true, encoding: .utf8)
                let second = try read(other)
                #expect(second.contains("Subject: CN=again.example.com"))
                #expect(try publicKey(file) == publicKey(other))
                #expect(!second.contains("Alternative"))
            }
        }
    }

    @Test func withoutAKeyNothingIsMade() throws {
        #expect(
            try security.run("create-csr", "-l", "no such key", "-s", "/CN=a")
                .status == 44)
        let wrong = [
            ["-s", "/CN=a"], ["-l", "x"], ["-l", "x", "-s", "/CN=a", "-n", "p224"],
            ["-l", "x", "-s", "/CN=a", "more"], ["-x"],
        ]
        for words in wrong {
            #expect(try security.run(["create-csr"] + words).status == 2, "\(words)")
        }
        for subject in ["CN=a", "/CN", "/XX=a", "/CN=", "", "/CN=a\\"] {
            let answer = try security.run(
                "create-csr", "-n", "p256", "-l", "not stored", "-s", subject)
            #expect(answer.status == 1 && answer.output == "", "\(subject)")
        }
        #expect(
            try security.run("create-csr", "-l", "not stored", "-s", "/CN=a").status == 44)
    }
}
