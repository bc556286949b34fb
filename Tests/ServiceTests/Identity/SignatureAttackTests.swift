// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Crypto
import Foundation
import GRDB
import TestSupport
import Testing

extension ServiceTests {
    /// Programs whose signatures say what isn't so, against the service and against a check that
    /// believes what a signature says of itself, which they get past: that is the control.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct SignatureAttacks {
        private static let identifier = "org.example.bank"

        /// A program of the attacker's, and why it shouldn't count.
        private struct Forgery {
            let name: String
            let problem: SignatureProblem
            let program: [UInt8]
            var claim = identifier
        }

        /// An attacker signs programs with forged, expired, revoked or misused certificates.
        /// Red team: ephemeral, user, system; U.
        /// Before: stopped; U.
        @Test(arguments: SignedWorld.allModes)
        func t04NoForgedExpiredRevokedOrMisusedCertificateGivesAGroup(_ mode: TestService.Mode)
            throws
        {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let attacker = try SignedWorld.Team("ATTACKER01")
                try world.trust(attacker)
                let forgeries =
                    try Self.ofCertificates(world, victim, attacker)
                    + Self.ofSignatures(world, victim)
                for forgery in forgeries {
                    let path = try world.install(forgery.program, "forged")
                    let lines = try world.converse(
                        path, ["whoami", "find bank", "find bank \(Victim.group)"])
                    #expect(lines.first == "U", "\(forgery.name): \(lines)")
                    #expect(
                        lines.contains(forgery.problem.rawValue), "\(forgery.name): \(lines)")
                    #expect(
                        lines.suffix(2) == ["failed -25300", "failed -34018"],
                        "\(forgery.name): \(lines)")
                    let naive = try victim.startNaive(believing: forgery.claim)
                    defer { naive.process.end() }
                    let stolen = try world.run(path, [naive.socket, "lend", "bank"])
                    #expect(stolen.contains { $0.contains(Victim.secret) }, "\(forgery.name)")
                }
                #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
            }
        }

        /// Certificates that aren't what is needed.
        private static func ofCertificates(
            _ world: SignedWorld, _ victim: Victim, _ attacker: SignedWorld.Team
        ) throws -> [Forgery] {
            let key = P256.Signing.PrivateKey()
            let subject = SigningKey(key.publicKey)
            let now = SignedWorld.Team.validity.lowerBound
            func forgery(
                _ name: String, _ problem: SignatureProblem, _ certificate: SignedDocument,
                root: SignedDocument? = nil
            ) throws -> Forgery {
                let signer = try ProgramSigner(
                    key: key, certificate: certificate,
                    root: root ?? victim.team.authority.rootDocument)
                let options = ProgramSigner.Options(identifier: identifier, signedAt: now)
                return try Forgery(
                    name: name, problem: problem,
                    program: signer.signed(world.program(), options))
            }
            let team = victim.team.authority
            let revoked = try team.issue(
                to: subject, name: "Lost", validity: SignedWorld.Team.validity)
            try world.revoke(revoked, of: victim.team)
            // The victim's developer signs another's certificate, as if he were a root.
            let byDeveloper = TeamCertificate(
                usage: .codeSigning, team: team.root.team,
                serial: [UInt8](repeating: 1, count: 16), notBefore: 0, notAfter: .max,
                issuer: SigningKey(victim.team.key.publicKey).digest, key: subject, name: "")
            return [
                Forgery(
                    name: "a root of one's own", problem: .rootNotTrusted,
                    program: try SignedWorld.Team("VICTIM0001").sign(world.program(), identifier)),
                try forgery(
                    "expired", .outsideValidity,
                    team.issue(to: subject, name: "", validity: (now - 50)...(now - 1))),
                try forgery(
                    "not yet valid", .outsideValidity,
                    team.issue(to: subject, name: "", validity: (now + 5000)...(now + 6000))),
                try forgery("revoked", .revoked, revoked),
                try forgery(
                    "for another use", .wrongUsage,
                    team.issue(
                        to: subject, name: "", validity: SignedWorld.Team.validity, usage: .root)),
                try forgery(
                    "of a developer's", .wrongUsage,
                    victim.team.key.document(.certificate, byDeveloper.body),
                    root: victim.team.developer),
                try forgery(
                    "of another team in the victim's name", .wrongTeam,
                    attacker.authority.issue(
                        to: subject, name: "", validity: SignedWorld.Team.validity,
                        team: team.root.team),
                    root: attacker.authority.rootDocument),
            ]
        }

        /// The victim's own signatures, changed or taken elsewhere.
        private static func ofSignatures(
            _ world: SignedWorld, _ victim: Victim
        ) throws -> [Forgery] {
            let program = try world.program(build: "2")
            let other = try victim.team.sign(program, "org.example.bonk")
            let shared = try victim.team.sign(
                program, "org.example.bonk", groups: ["VICTIM0001.org.example.bonk"])
            let signed = try [UInt8](Data(contentsOf: URL(fileURLWithPath: victim.path)))
            let container = try section(".codesig", of: signed)
            return [
                Forgery(
                    name: "another identifier", problem: .signatureInvalid,
                    program: try changing("org.example.bonk", to: identifier, in: other)),
                Forgery(
                    name: "other entitlements", problem: .entitlementsChanged,
                    program: try changing(
                        "<string>VICTIM0001.org.example.bonk", to: "<string>" + Victim.group,
                        in: shared),
                    claim: Victim.group),
                Forgery(
                    name: "taken from another program", problem: .codeChanged,
                    program: try SectionWriter.adding(
                        signature: container, entitlements: [], to: program)),
            ]
        }

        private static func section(_ name: String, of program: [UInt8]) throws -> [UInt8] {
            let sections = try ELFFile(ByteSource(program)).sections()
            let found = try #require(sections.first { $0.name.elementsEqual(name.utf8) })
            return Array(program[found.offset..<found.offset + found.byteCount])
        }

        /// Writes over the only place of a text, which is near the end.
        private static func changing(
            _ text: String, to other: String, in program: [UInt8]
        ) throws -> [UInt8] {
            var data = Data(program)
            let end = (data.count - 64 * 1024)..<data.count
            let place = try #require(data.range(of: Data(text.utf8), in: end))
            #expect(data.range(of: Data(text.utf8), in: place.upperBound..<data.count) == nil)
            data.replaceSubrange(place, with: Data(other.utf8))
            return [UInt8](data)
        }

        // MARK: - A keychain dumper

        /// A keychain dumper reads every group that the database shows. It signs itself for each,
        /// and for those that it already knows, and asks.
        /// Red team: ephemeral, user, system; S of its own team.
        /// Before: stopped; S of its own team.
        @Test(arguments: SignedWorld.allModes)
        func dumperThatSignsItselfForEveryGroupGetsNothing(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let database = world.service.stateDirectory + "/keychain.db"
                let bare = try world.install(world.program(), "dumper")
                let files = [database, database + "-wal"]
                let seen = try world.run(bare, ["dump"] + files)
                #expect(seen.last == "read 2")
                #expect(!seen.contains { $0.contains("org.example") }, "\(seen)")
                #expect(!seen.contains { $0.contains(Victim.teamName) }, "\(seen)")
                // The control: where groups are in clear, it finds them.
                let clear = world.directory + "/clear.db"
                try DatabaseQueue(path: clear).write { database in
                    try database.execute(sql: "CREATE TABLE genp (agrp TEXT, data BLOB)")
                    try database.execute(
                        sql: "INSERT INTO genp VALUES (?, x'00')", arguments: [Victim.group])
                }
                #expect(unsafe chmod(clear, 0o644) == 0)
                let found = try world.run(bare, ["dump", clear])
                #expect(found.contains { $0.contains(Victim.group) }, "\(found)")

                let attacker = try SignedWorld.Team("ATTACKER01")
                try world.trust(attacker)
                let greedy = try world.install(
                    attacker.sign(
                        world.program(), Self.identifier,
                        groups: [Victim.group, "VICTIM0001.*", "*"]), "dumper")
                let lines = try world.converse(
                    greedy, ["whoami", "find bank", "find bank \(Victim.group)"])
                #expect(
                    lines == [
                        "S", "ATTACKER01.\(Self.identifier)", "failed -25300", "failed -34018",
                    ])
                let naive = try victim.startNaive(believing: Victim.group)
                defer { naive.process.end() }
                let stolen = try world.run(greedy, [naive.socket, "lend", "bank"])
                #expect(stolen.contains { $0.contains(Victim.secret) }, "\(stolen)")
            }
        }

        // MARK: - Another user

        /// Another user names the victim's group, runs the victim's program, and gives the victim's
        /// rows to that user in the file.
        /// Red team: ephemeral, user, system, another user; S.
        /// Before: stopped; S.
        @Test(
            .enabled(if: geteuid() == 0, "only root can be several users"),
            arguments: SignedWorld.allModes)
        func t05AnotherUserThatNamesTheFirstOnesGroupGetsNothing(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let unsigned = "unsigned.\(TestService.unprivilegedUser)"
                let bare = try world.install(world.program(), "bare")
                #expect(try world.ask(bare, "add", "note", "PLUM", unsigned) == ["ok"])
                // Root is served, too: as itself.
                func asRoot(_ program: String, _ words: String...) throws -> [String] {
                    try world.run(program, [world.service.socketPath, "raw"] + words, flags: [])
                }
                #expect(try asRoot(bare, "whoami") == ["U", "unsigned.0"])
                #expect(try asRoot(bare, "find", "note") == ["failed -25300"])
                #expect(try asRoot(bare, "find", "note", unsigned) == ["failed -34018"])
                // The very application, run by another user whom this service can't look into.
                #expect(try asRoot(victim.path, "whoami") == ["U", "unsigned.0"])
                #expect(try asRoot(victim.path, "find", "bank") == ["failed -25300"])
                #expect(try asRoot(victim.path, "find", "bank", Victim.group) == ["failed -34018"])
                #expect(try asRoot(victim.path, "add", "bank", "KIWI") == ["ok"])
                #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                // A service of all users answers each: ``SystemAttacks``.
                guard mode != .system else { return }
                // A third user isn't answered, even where the files let him connect.
                let parent = (world.service.stateDirectory as NSString).deletingLastPathComponent
                for path in [parent, world.service.stateDirectory, world.directory] {
                    #expect(unsafe chmod(path, 0o711) == 0)
                }
                #expect(unsafe chmod(world.service.socketPath, 0o666) == 0)
                let third = ["--user=65533"]
                let words = [world.service.socketPath, "raw", "find", "bank", Victim.group]
                #expect(try world.run(victim.path, words, flags: third) == ["closed"])
                // The control: he reaches a service in the same place.
                let naive = try victim.startNaive(flags: [])
                defer { naive.process.end() }
                let stolen = try world.run(
                    victim.path, [naive.socket, "lend", "bank"], flags: third)
                #expect(stolen.contains { $0.contains(Victim.secret) }, "\(stolen)")
                // Rows that are given to another user open for neither.
                try StoredRows.execute(
                    "UPDATE genp SET userid = 0 WHERE userid = \(TestService.unprivilegedUser)",
                    world.service.stateDirectory)
                #expect(
                    try world.ask(victim.path, "find", "bank").first?.hasPrefix("failed") == true)
                #expect(try asRoot(bare, "find", "note").first?.hasPrefix("failed") == true)
            }
        }

        // MARK: - The daemons

        /// A program without the group asks for it, and tries to read the memory of the daemons.
        /// Red team: ephemeral, user, system; U.
        /// Before: stopped; U.
        @Test(arguments: SignedWorld.allModes)
        func t01ProgramWithoutTheGroupGetsNothingOutOfTheDaemons(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                #expect(
                    try world.converse(bare, ["find bank", "find bank \(Victim.group)"]) == [
                        "failed -25300", "failed -34018",
                    ])
                let service = world.service
                var daemons = [try service.worker(), try service.enclave()]
                if mode == .system {
                    // It has none before a passcode is given to it.
                    daemons.append(service.supervisor)
                } else {
                    daemons.append(try service.deriver())
                }
                for pid in daemons {
                    for way in ["attach", "read-memory", "memory-file", "maps-file"] {
                        let error = try Self.attack(pid, way)
                        #expect(error == EPERM || error == EACCES, "\(way): error \(error)")
                    }
                    // A crash leaves no image either.
                    let limits = try ProcessFile.read(pid, "limits")
                    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core") }
                    #expect(core?.split(separator: " ").dropFirst(4).first == "0")
                }
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                for way in ["attach", "memory-file", "maps-file"] {
                    #expect(try Self.attack(naive.process.pid, way) == 0, "\(way)")
                }
                let needles = ["secret": Array(Victim.secret.utf8)]
                #expect(try FileScan.find(needles, below: service.stateDirectory) == [])
                #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
            }
        }

        private static func attack(_ pid: Int32, _ way: String) throws -> Int32? {
            let result = try TestProcess.run(
                Binaries.launcher(), ["--unprivileged", "attack", "\(pid)", way])
            return result.output.split(separator: " ").last.flatMap {
                Int32($0.trimmingCharacters(in: .newlines))
            }
        }
    }
}
