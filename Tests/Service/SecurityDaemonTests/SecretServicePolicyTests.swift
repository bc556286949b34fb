// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import KeychainVocabulary
import SecurityDaemon
import Testing

@Suite struct SecretServicePolicyTests {
    private func policy(_ text: String) throws(PolicyProblem) -> SecretServicePolicy {
        try SecretServicePolicy(parsing: [UInt8](text.utf8))
    }

    private func problem(_ text: String) -> PolicyProblem? {
        do throws(PolicyProblem) { _ = try policy(text) } catch { return error }
        return nil
    }

    @Test func anEmptyFileIsWhatHoldsWithoutOne() throws {
        #expect(try policy("") == SecretServicePolicy())
        #expect(try policy("\n# isolation off\n\t \n   # x") == SecretServicePolicy())
        #expect(SecretServicePolicy().isIsolating)
    }

    @Test func everyLineIsRead() throws {
        let read = try policy(
            """
            # Ours.
            isolation off
            share org.example.Shared
            family  mine\torg.example.One org.example.Two : /usr/bin/one /opt/two/
            portal /usr/libexec/xdg-desktop-portal
            """)
        #expect(!read.isIsolating && read.sharedSchemas == ["org.example.Shared"])
        #expect(read.portals == ["/usr/libexec/xdg-desktop-portal"])
        let mine = try #require(read.families.last)
        #expect(mine.name == "mine" && mine.schemas == ["org.example.One", "org.example.Two"])
        #expect(mine.admits("/usr/bin/one") && mine.admits("/opt/two/deep/er"))
        for path in ["/usr/bin/on", "/usr/bin/one2", "/opt/two", "/opt/twofold/x", "/usr/bin/"] {
            #expect(!mine.admits(path), "\(path)")
        }
        #expect(read.families.count == SecretServicePolicy.shippedFamilies.count + 1)
    }

    @Test func aProblemNamesItsLine() {
        let cases: [(String, Int, PolicyProblem.Kind)] = [
            ("isolation on\nisolation on", 2, .twice), ("\n\nisolate on", 3, .unknownWord),
            ("isolation", 1, .wrongWords), ("isolation maybe", 1, .wrongWords),
            ("share", 1, .wrongWords), ("share a b", 1, .wrongWords),
            ("share a\nshare a", 2, .twice), ("family n a :", 1, .wrongWords),
            ("family n : /a", 1, .wrongWords), ("family n a /a", 1, .wrongWords),
            ("family N a : /a", 1, .wrongName), ("family n a : a", 1, .wrongPath),
            ("family n a : /a/../b", 1, .wrongPath), ("family n a : //a", 1, .wrongPath),
            ("family n a : /", 1, .wrongPath), ("family n a a : /a", 1, .twice),
            ("family n a : /a\nfamily m a : /b", 2, .twice),
            ("family n a : /a\nfamily n b : /b", 2, .twice),
            ("share a\nfamily n a : /a", 2, .twice), ("portal", 1, .wrongWords),
            ("portal /usr/bin/", 1, .wrongPath), ("share a\u{0}", 1, .notText),
            ("share " + String(repeating: "s", count: 256), 1, .wrongSchema),
            ("family " + String(repeating: "n", count: 65) + " a : /a", 1, .wrongName),
        ]
        for (text, line, kind) in cases {
            let found = problem(text)
            #expect(found?.line == line && found?.kind == kind, "\(text)")
        }
        #expect(throws: PolicyProblem.self) {
            try SecretServicePolicy(parsing: [UInt8]("share ".utf8) + [0xFF])
        }
    }

    @Test func limitsHoldAtTheirNumber() throws {
        let shares = (0..<SecretServicePolicy.sharedLimit).map { "share s\($0)\n" }.joined()
        #expect(try policy(shares).sharedSchemas.count == SecretServicePolicy.sharedLimit)
        #expect(problem(shares + "share more")?.kind == .tooMany)
        let families = (0..<SecretServicePolicy.familyLimit)
            .map { "family f\($0) s\($0) : /a\n" }.joined()
        #expect(problem(families) == nil)
        #expect(problem(families + "family more more : /a")?.kind == .tooMany)
        func family(_ schemas: Int, _ paths: Int) -> String {
            let first = (0..<schemas).map { "s\($0)" }.joined(separator: " ")
            let second = (0..<paths).map { "/p\($0)" }.joined(separator: " ")
            return "family f \(first) : \(second)"
        }
        #expect(problem(family(SecretServicePolicy.schemaLimit, 1)) == nil)
        #expect(problem(family(SecretServicePolicy.schemaLimit + 1, 1))?.kind == .tooMany)
        #expect(problem(family(1, SecretServicePolicy.pathLimit)) == nil)
        #expect(problem(family(1, SecretServicePolicy.pathLimit + 1))?.kind == .tooMany)
        let filler = "#" + String(repeating: "x", count: SecretServicePolicy.byteLimit - 1)
        #expect(problem(filler) == nil)
        #expect(problem(filler + "x")?.kind == .tooLarge)
        #expect(problem("share " + String(repeating: "s", count: 255)) == nil)
        #expect(problem("family " + String(repeating: "n", count: 64) + " a : /a") == nil)
    }

    @Test func whatTheFileSaysReplacesWhatIsShipped() throws {
        let shared = try policy("share org.gnupg.Passphrase")
        #expect(!shared.families.contains { $0.name == "pinentry" })
        let replaced = try policy("family gvfs org.example.A : /usr/bin/a")
        #expect(
            replaced.families.filter { $0.name == "gvfs" }.map(\.schemas) == [["org.example.A"]])
        let taken = try policy("family mine org.qt.keychain : /usr/bin/a")
        #expect(!taken.families.contains { $0.name == "kwallet" })
    }

    @Test func shippedFamiliesBreakNoRule() throws {
        let lines = SecretServicePolicy.shippedFamilies.map { family in
            "family \(family.name) \(family.schemas.joined(separator: " ")) : "
                + family.paths.joined(separator: " ")
        }
        let read = try policy(lines.joined(separator: "\n"))
        #expect(read.families == SecretServicePolicy.shippedFamilies)
    }

    // MARK: - Reach

    @Test func anOwnerReachesItsOwnItsFamiliesAndShared() {
        let reach = BusReach(of: .path("/usr/bin/pinentry-gtk-2"), SecretServicePolicy())
        #expect(
            reach.groups == [
                "secrets:own:path:/usr/bin/pinentry-gtk-2", "secrets:family:pinentry",
                "secrets:shared",
            ])
        #expect(reach.group(forSchema: "org.gnupg.Passphrase") == "secrets:family:pinentry")
        #expect(reach.group(forSchema: "org.example.Other") == reach.groups[0])
        #expect(reach.group(forSchema: nil) == reach.groups[0])
        #expect(!reach.holds("secrets:own:path:/usr/bin/other") && !reach.holds("unsigned.1000"))
        #expect(!reach.isSandboxed && !reach.isOfFront)
    }

    @Test func nobodyReachesSharedAlone() {
        let reach = BusReach(of: .nobody, SecretServicePolicy())
        #expect(reach.groups == ["secrets:shared"])
        #expect(reach.group(forSchema: "org.gnupg.Passphrase") == "secrets:shared")
    }

    @Test func aSandboxedProgramReachesItsOwnAlone() throws {
        let open = try policy("isolation off\nshare org.example.S")
        for owner in [BusOwner.flatpak("org.a.B"), .snap("a")] {
            let reach = BusReach(of: owner, open)
            #expect(reach.groups == [BusGroup.own(owner)] && reach.isSandboxed)
            #expect(!reach.reachesAll && !reach.holds("secrets:shared"))
            #expect(reach.group(forSchema: "org.example.S") == reach.groups[0])
        }
    }

    @Test func withoutIsolationNothingButTheFrontsIsOutOfReach() throws {
        let reach = BusReach(of: .nobody, try policy("isolation off"))
        #expect(reach.holds("secrets:own:path:/usr/bin/a") && reach.holds("secrets:family:gvfs"))
        for group in ["secrets:portal", "secrets:collections", "unsigned.1000", "path:/a", ""] {
            #expect(!reach.holds(group), "\(group)")
        }
    }

    @Test func aSharedSchemaIsStoredForAll() throws {
        let reach = BusReach(of: .path("/usr/bin/a"), try policy("share org.example.S"))
        #expect(reach.group(forSchema: "org.example.S") == "secrets:shared")
    }

    @Test func theFrontReachesItsRecordsAndShared() {
        let reach = BusReach.ofFront
        #expect(reach.isOfFront && reach.holds("secrets:portal") && reach.holds("secrets:shared"))
        #expect(!reach.holds("secrets:own:path:/usr/bin/a"))
    }
}
