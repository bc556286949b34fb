// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// The identity that is preferred for a service.
@Suite struct IdentityPreferenceTests {
    private typealias Run = (String...) throws -> Answer

    /// Lends a keychain with one identity, `server.example`.
    private static func lend(
        _ body: (Run) throws -> Void
    ) throws {
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
            func run(_ words: String...) throws -> Answer { try security.run(words, home: home) }
            #expect(try run("import", file, "-P", "p").status == 0)
            try body(run)
        }
    }

    private static let name = Answer(0, "common name: \"server.example\"\n")
    private static let none = Answer(
        44,
        errors: "security: SecIdentityCopyPreference: The specified item could not be found in the "
            + "keychain.\n")

    @Test func aPreferenceIsFoundForWhatItsServiceIncludes() throws {
        try Self.lend { (run: Run) throws in
            let set = try run(
                "set-identity-preference", "-c", "server.example", "-s", "https://bank.example/a/")
            #expect(set == Answer(0))
            for service in ["https://bank.example/a/", "https://bank.example/a/b?c=d"] {
                #expect(try run("get-identity-preference", "-c", "-s", service) == Self.name)
            }
            for service in ["https://bank.example/", "https://other.example/a/"] {
                #expect(try run("get-identity-preference", "-c", "-s", service) == Self.none)
            }
            #expect(
                try run("set-identity-preference", "-c", "server.example", "-s", "*.shop.example")
                    == Answer(0))
            #expect(
                try run("get-identity-preference", "-c", "-s", "https://a.shop.example/x")
                    == Self.name)
        }
    }

    @Test func aPreferenceIsReplacedAndCleared() throws {
        try Self.lend { (run: Run) throws in
            let found = try run("find-certificate", "-Z", "-c", "server.example")
            let digest = try #require(
                found.output.split(separator: "\n").first?.split(separator: " ").last)
            for _ in 0..<2 {
                #expect(
                    try run("set-identity-preference", "-Z", String(digest), "-s", "mail")
                        == Answer(0))
            }
            let dump = try run("dump-keychain")
            #expect(dump.output.components(separatedBy: "\"svce\"<blob>=\"mail\"").count == 2)
            let hashes = try run("get-identity-preference", "-Z", "-s", "mail")
            #expect(hashes.output.hasPrefix("SHA-256 hash: \(digest)\nSHA-1 hash: "))
            let text = try run("get-identity-preference", "-p", "-s", "mail")
            #expect(text == (try run("find-certificate", "-p", "-c", "server.example")))
            #expect(try run("set-identity-preference", "-n", "-s", "mail") == Answer(0))
            #expect(try run("set-identity-preference", "-n", "-s", "mail") == Answer(0))
            #expect(try run("get-identity-preference", "-c", "-s", "mail") == Self.none)
        }
    }

    @Test func aUseHasItsOwnPreference() throws {
        try Self.lend { (run: Run) throws in
            #expect(
                try run("set-identity-preference", "-c", "server.example", "-s", "mail", "-u", "4")
                    == Answer(0))
            #expect(try run("get-identity-preference", "-c", "-s", "mail", "-u", "4") == Self.name)
            #expect(try run("get-identity-preference", "-c", "-s", "mail", "-u", "8") == Self.none)
        }
    }

    @Test func whatIsNoIdentityOrUseIsRefused() throws {
        try Self.lend { (run: Run) throws in
            let unknown = try run("set-identity-preference", "-c", "nobody", "-s", "mail")
            #expect(
                unknown
                    == Answer(1, errors: "security: No matching identity found for \"nobody\"\n"))
            #expect(try run("set-identity-preference", "-s", "mail").status == 2)
            #expect(try run("get-identity-preference", "-c").status == 2)
            #expect(try run("get-identity-preference", "-s", "mail", "-u", "512").status == 2)
            #expect(try run("get-identity-preference", "-s", "mail") == Self.none)
        }
    }
}
