// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// `security whoami`.
@Suite struct WhoAmITests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    @Test func theToolWorksInTheGroupOfItsUser() throws {
        let answer = try security.run("whoami", "--json")
        #expect(answer.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        let dictionary = try #require(object as? [String: Any])
        #expect(
            Set(dictionary.keys) == [
                "identityGrade", "userID", "application", "accessGroups", "storedGroups",
                "reasons",
            ])
        #expect(dictionary["identityGrade"] as? String == "U")
        #expect(dictionary["userID"] as? UInt32 == geteuid())
        #expect(dictionary["application"] is NSNull)
        #expect(dictionary["accessGroups"] as? [String] == ["unsigned.\(geteuid())"])
        #expect(dictionary["storedGroups"] as? [String] == ["unsigned.\(geteuid())"])
        #expect((dictionary["reasons"] as? [String])?.count == 1)
        let plain = try security.run("whoami").output
        #expect(plain.hasPrefix("Identity grade:   U\n"))
        #expect(plain.contains("Access group:     unsigned.\(geteuid())\n"))
    }

    @Test func aProcessIsShownAsTheSecretServiceSeesIt() throws {
        // This one isn't root's, and so nobody.
        let answer = try security.run("whoami", "--pid", "\(getpid())", "--json")
        #expect(answer.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        let dictionary = try #require(object as? [String: Any])
        #expect(dictionary["owner"] is NSNull && dictionary["sandboxed"] as? Bool == false)
        #expect(dictionary["isolation"] as? Bool == true)
        #expect(dictionary["groups"] as? [String] == ["secrets:shared"])
        let plain = try security.run("whoami", "--pid", "\(getpid())").output
        #expect(plain.hasPrefix("Secrets of:       nobody\nSandboxed:        no\n"))
        #expect(try security.run("whoami", "--pid", "4194304").status == 206)
        for words in [["--pid"], ["--pid", "x"], ["--pid", "0"], ["--pid", "1", "2"]] {
            #expect(try security.run(["whoami"] + words).status == 2)
        }
    }

    @Test func otherWordsAreNotUnderstood() throws {
        #expect(try security.run("whoami", "--xml").status == 2)
        #expect(try security.run("whoami", "--json", "now").status == 2)
    }
}
