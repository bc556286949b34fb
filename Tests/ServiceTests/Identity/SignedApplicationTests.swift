// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// What signed applications see, with real programs of an unprivileged user.
    @Suite struct SignedApplications {
        private static let shared = "TEAMAAAAAA.shared"

        @Test func twoApplicationsOfATeamShareAndAThirdPartysIsRefused() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                let other = try SignedWorld.Team("TEAMBBBBBB")
                try world.trust(team)
                try world.trust(other)
                let program = try world.program()
                let mail = try world.install(
                    team.sign(program, "org.example.mail", groups: [Self.shared]), "mail")
                let notes = try world.install(
                    team.sign(program, "org.example.notes", groups: [Self.shared]), "notes")
                let thief = try world.install(
                    other.sign(program, "org.example.mail", groups: [Self.shared]), "thief")
                let bare = try world.install(program, "bare")
                #expect(
                    try world.ask(mail, "whoami")
                        == ["S", Self.shared, "TEAMAAAAAA.org.example.mail"])
                #expect(try world.ask(mail, "add", "together", "PLUM") == ["ok"])
                #expect(
                    try world.ask(mail, "add", "mine", "PEAR", "TEAMAAAAAA.org.example.mail")
                        == ["ok"])
                #expect(try world.ask(notes, "find", "together") == ["PLUM"])
                #expect(try world.ask(notes, "find", "mine") == ["failed -25300"])
                #expect(
                    try world.ask(notes, "find", "mine", "TEAMAAAAAA.org.example.mail")
                        == ["failed -34018"])
                for stranger in [thief, bare] {
                    #expect(try world.ask(stranger, "find", "together") == ["failed -25300"])
                    #expect(
                        try world.ask(stranger, "find", "together", Self.shared)
                            == ["failed -34018"])
                    #expect(
                        try world.ask(stranger, "add", "x", "y", Self.shared)
                            == ["failed -34018"])
                }
                #expect(
                    try world.ask(thief, "whoami") == ["S", "TEAMBBBBBB.org.example.mail"])
                #expect(
                    try world.ask(bare, "whoami").prefix(2)
                        == ["U", "unsigned.\(TestService.unprivilegedUser)"])
            }
        }

        @Test func aRebuildAMoveAndAReinstallReadTheirItems() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let first = try world.install(
                    team.sign(world.program(), "org.example.app"), "app")
                #expect(try world.ask(first, "add", "kept", "APPLE") == ["ok"])
                try FileManager.default.removeItem(atPath: first)
                let second = try world.install(
                    team.sign(world.program(build: "2"), "org.example.app"), "app-2")
                #expect(try world.run(second, ["build"]) == ["llavero test application, build 2"])
                #expect(try world.ask(second, "find", "kept") == ["APPLE"])
                let elsewhere = try world.install(
                    team.sign(world.program(build: "2"), "org.example.another"), "app")
                #expect(try world.ask(elsewhere, "find", "kept") == ["failed -25300"])
            }
        }

        @Test func trustIsGivenAndTakenWithoutARestart() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                let app = try world.install(team.sign(world.program(), "org.example.app"), "app")
                #expect(
                    try world.ask(app, "whoami").contains(
                        SignatureProblem.teamNotTrusted.rawValue))
                try world.trust(team)
                #expect(try world.ask(app, "whoami").first == "S")
                #expect(try world.ask(app, "add", "kept", "APPLE") == ["ok"])
                try world.revoke(team)
                #expect(
                    try world.ask(app, "whoami").contains(SignatureProblem.revoked.rawValue))
                #expect(try world.ask(app, "find", "kept") == ["failed -25300"])
            }
        }

        /// Who comes while a large program's first digest is taken is answered before it.
        @Test func aLargeProgramThatComesFirstHoldsUpNobody() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let small = try world.install(
                    team.sign(world.program(), "org.example.small"), "small")
                let process = try world.start(small, [world.service.socketPath, "serve"])
                process.write("whoami\n")
                #expect(try process.readLine() == "S")
                _ = try process.readLine()
                let large = try team.sign(Self.enlarged(world.program()), "org.example.large")
                let (other, inspector) = try Self.stoppedAtDigest(world, large)
                defer { kill(inspector, SIGCONT) }
                for _ in 0..<5 {
                    process.write("find absent\n")
                    #expect(try process.readLine() == "failed -25300")
                }
                // And somebody whose first request this is.
                try world.act { keychain in
                    #expect(status { try keychain.find(.password("absent")) } == -25300)
                }
                #expect(!other.hasOutput, "The digest was done before anybody else could ask.")
                kill(inspector, SIGCONT)
                #expect(try other.readLine() == "S")
                #expect(try other.readLine() == "TEAMAAAAAA.org.example.large")
            }
        }

        /// A large program that asks who it is, and the inspector of it, stopped while it takes the
        /// digest. On a busy machine a digest can be over before the test looks: then a copy is tried,
        /// which has no known digest.
        private static func stoppedAtDigest(
            _ world: SignedWorld, _ program: [UInt8]
        ) throws -> (TestProcess, Int32) {
            for attempt in 0..<8 {
                let path = try world.install(program, "large-\(attempt)")
                var before: [Int32: Int] = [:]
                for inspector in try world.service.inspectors() {
                    before[inspector] = byteCountRead(inspector)
                }
                let process = try world.start(
                    path, [world.service.socketPath, "connect", "whoami"])
                #expect(try process.readLine() == "connected")
                while !process.hasOutput {
                    let reading = try world.service.inspectors().first {
                        byteCountRead($0) - before[$0, default: 0] > 8 * 1024 * 1024
                    }
                    guard let reading else { continue }
                    try world.service.halt(reading)
                    // An answer that was on its way arrives.
                    usleep(200_000)
                    if !process.hasOutput { return (process, reading) }
                    kill(reading, SIGCONT)
                }
            }
            throw TestFailure("No digest was seen.")
        }

        private static func byteCountRead(_ process: Int32) -> Int {
            let lines = (try? ProcessFile.read(process, "io"))?.split(separator: "\n") ?? []
            let line = lines.first { $0.hasPrefix("rchar: ") }
            return line.flatMap { Int($0.dropFirst(7)) } ?? 0
        }

        /// The program with 150 MB more to digest, several times.
        private static func enlarged(_ program: [UInt8]) throws -> [UInt8] {
            let file = try ELFFile(ByteSource(program))
            let notes = file.segments.indices.filter {
                file.segments[$0].type == ELFFile.SegmentType.note
            }
            guard !notes.isEmpty else { throw TestFailure("The program has no note.") }
            let extra = 150 * 1024 * 1024
            var larger = try SectionWriter.unsigned(program)
            // Notes that are read from behind everything; in memory they stay what they were.
            for note in notes {
                let place = file.segmentTableOffset + note * ELFFile.segmentHeaderByteCount
                for (offset, value) in [(8, larger.count), (32, extra)] {
                    for byte in 0..<8 {
                        larger[place + offset + byte] = UInt8(
                            truncatingIfNeeded: value >> (8 * byte))
                    }
                }
            }
            return larger + [UInt8](repeating: 0x55, count: extra)
        }
    }
}
