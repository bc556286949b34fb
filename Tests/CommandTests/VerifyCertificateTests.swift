// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// `security verify-cert`.
@Suite struct VerifyCertificateTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func withCertificates(_ body: (TestCertificates) throws -> Void) throws {
        try TemporaryDirectory.lend { try body(TestCertificates(in: $0)) }
    }

    @Test func aServerCertificateIsTrustedByItsRoot() throws {
        try withCertificates { (made) throws in
            let chain = ["-c", made.path("server"), "-c", made.path("authority")]
            let ssl = ["verify-cert"] + chain + ["-r", made.path("root"), "-p", "ssl"]
            #expect(
                try security.run(ssl + ["-n", "server.example"])
                    == Answer(0, "...certificate verification successful.\n"))
            #expect(
                try security.run(ssl + ["-n", "a.wild.example", "-v"])
                    == Answer(
                        0,
                        "---\nCertificate chain\n 0: server.example\n 1: Test Authority\n"
                            + " 2: Test Root\n...certificate verification successful.\n"))
            #expect(
                try security.run(ssl + ["-n", "other.example"])
                    == Answer(1, errors: "Cert Verify Result: CSSMERR_APPLETP_HOSTNAME_MISMATCH\n"))
            #expect(try security.run(ssl + ["-n", "other.example", "-q"]) == Answer(1))
            #expect(
                try security.run(ssl + ["-d", "2001-01-01"])
                    == Answer(1, errors: "Cert Verify Result: CSSMERR_TP_CERT_EXPIRED\n"))
            #expect(
                try security.run(["verify-cert"] + chain)
                    == Answer(1, errors: "Cert Verify Result: CSSMERR_TP_NOT_TRUSTED\n"))
        }
    }

    @Test func jsonNamesTheFailedChecks() throws {
        try withCertificates { (made) throws in
            let answer = try security.run(
                "verify-cert", "--json", "-c", made.path("server"), "-r", made.path("root"), "-p",
                "ssl", "-n", "other.example")
            #expect(answer.status == 1)
            let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
            let dictionary = try #require(object as? [String: Any])
            #expect(dictionary["trusted"] as? Bool == false)
            #expect(dictionary["error"] as? Int == -25318)
            let chain = try #require(dictionary["chain"] as? [[String: Any]])
            #expect(chain.count == 1)
            #expect(chain[0]["subject"] as? String == "server.example")
            #expect(
                chain[0]["failedChecks"] as? [String] == ["SSLHostname", "MissingIntermediate"])
        }
    }

    @Test func wrongUsageIsSaid() throws {
        #expect(
            try security.run("verify-cert") == Answer(2, errors: "***No certs specified.\n"))
        #expect(
            try security.run("verify-cert", "-c", "/nonexistent")
                == Answer(1, errors: "Error reading file /nonexistent\n"))
        #expect(try security.run("verify-cert", "-x").status == 2)
        #expect(try security.run("verify-cert", "https://example.com").status == 1)
    }

    @Test func withoutAServiceThereIsNoVerdict() throws {
        try withCertificates { (made) throws in
            let alone = Transcript(socket: made.directory + "/none")
            let answer = try alone.run("verify-cert", "-c", made.path("server"))
            #expect(answer.status == 53)
            #expect(answer.output == "")
        }
    }
}
