// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// What works against an application in its user's reach, tried against one that is out of it, with
    /// the system's service. The controls are the tests of ``Attacks`` and ``DisguiseAttacks``: the same
    /// attackers, and a victim in their reach.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct ProtectedVictims {
        private static let build = "llavero test application, build 1"

        private static func withVictim(_ body: (SignedWorld, Victim) throws -> Void) throws {
            try SignedWorld.run(.system) { world in
                let victim = try Victim(world)
                try body(world, victim)
                // Whatever was tried, the application has its secret.
                #expect(
                    try world.converse(victim.path, ["whoami", "find bank"]) == [
                        "S+", Victim.group, Victim.secret,
                    ])
            }
        }

        private static func library(_ world: SignedWorld) throws -> String {
            let library = try Attackers.compile(
                "library", into: world.directory, ["-shared", "-fPIC"])
            try Attackers.giveAway(library)
            return library
        }

        private static func lacksSecret(_ lines: [String]) -> Bool {
            !lines.contains { $0.contains(Victim.secret) }
        }

        // MARK: - Code

        /// An attacker loads libraries into the victim, which would show their code, hide it, or take
        /// the pages of another file. The dynamic loader takes no library from a user for a program
        /// that is out of the user's reach.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test(arguments: ["plain", "hide", "copy", "anonymous"], ["LD_PRELOAD", "LD_AUDIT"])
        func noLibraryOfItsUsersGetsIntoAProtectedProgram(_ way: String, _ variable: String) throws
        {
            try Self.withVictim { world, victim in
                let library = try Self.library(world)
                let signed = try Attackers.signedLibrary(world, victim)
                let lines = try world.run(
                    victim.path, ["build"],
                    environment: [
                        variable: library, "ATTACK_PROGRAM": victim.path,
                        "ATTACK_SOCKET": world.service.socketPath, "ATTACK_HOW": "ask",
                        "ATTACK_WAY": way, "ATTACK_FILE": library, "ATTACK_BYTES": signed,
                    ])
                #expect(lines == [Self.build])
            }
        }

        /// The attacker names a place of its own for the C library's converters.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func noConverterOfItsUsersGetsIntoAProtectedProgram() throws {
            try Self.withVictim { world, victim in
                _ = try Self.library(world)
                let modules =
                    "module ATTACK// INTERNAL library 1\nmodule INTERNAL ATTACK// library 1\n"
                try Data(modules.utf8).write(
                    to: URL(fileURLWithPath: world.directory + "/gconv-modules"))
                let lines = try world.run(
                    victim.path, [world.service.socketPath, "serve"],
                    environment: [
                        "GCONV_PATH": world.directory, "ATTACK_PROGRAM": victim.path,
                        "ATTACK_SOCKET": world.service.socketPath, "ATTACK_HOW": "ask",
                        "ATTACK_WAY": "plugin",
                    ], input: "find bank\nconvert ATTACK\n")
                #expect(lines == [Victim.secret, "unknown"])
            }
        }

        /// An attacker writes code into the page that the kernel maps into every process, or only
        /// starts the victim's program in a way in which it could. So started, the program gets no
        /// raised rights, and is nobody.
        /// Red team: system; U.
        /// Before: nothing.
        @Test(arguments: ["nothing", "vdso"])
        func aProtectedProgramThatADebuggerStartedIsNobody(_ place: String) throws {
            try Self.withVictim { world, victim in
                let attacker = try Attackers.compile("injected", into: world.directory)
                let lines = try world.run(
                    attacker, [place, victim.path, world.service.socketPath, "whoami"])
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.contains(IdentityReason.notProtected.text))
            }
        }

        // MARK: - The process

        /// An attacker debugs the victim while it connects.
        /// Red team: system; U.
        /// Before: nothing.
        @Test func aProtectedProgramThatIsDebuggedWhileItConnectsIsNobody() throws {
            try Self.withVictim { world, victim in
                let lines = try world.run(
                    victim.path, [world.service.socketPath, "serve"],
                    flags: ["--unprivileged", "--traced"], input: "whoami\nfind bank\n")
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.last == "failed -25300")
            }
        }

        /// A program of the same user debugs the victim after the victim has connected, and has the
        /// secret in its memory.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func aProtectedProgramIsNotDebuggedAfterItConnected() throws {
            try Self.withVictim { world, victim in
                let debugger = try Attackers.compile("debugger", into: world.directory)
                let running = try world.start(victim.path, [world.service.socketPath, "serve"])
                defer { running.end() }
                running.write("find bank\n")
                #expect(try running.readLine() == Victim.secret)
                let lines = try world.run(debugger, ["\(running.pid)", Victim.secret])
                #expect(lines == ["refused"])
            }
        }

        /// A child in a user namespace, which shares the attacker's memory, names the victim's file as
        /// the attacker's program.
        /// Red team: system; U.
        /// Before: nothing.
        @Test func aNameThatAChildSetIsNoProtectedProgram() throws {
            try Self.withVictim { world, victim in
                let attacker = try Attackers.compile("lentname", into: world.directory)
                let lines = try world.run(
                    attacker, [victim.path, world.service.socketPath, "ask"])
                #expect(lines.first == "exe \(victim.path)")
                #expect(lines.contains("grade U"), "\(lines)")
                #expect(lines.last == "refused")
            }
        }

        /// An attacker gives a program that copies its input to its output the connection as its
        /// output.
        /// Red team: system; U, or closed.
        /// Before: nothing.
        @Test func aProtectedProgramThatCopiesItsInputLendsNoIdentity() throws {
            try Self.withVictim { world, victim in
                let attacker = try Attackers.compile("filter", into: world.directory)
                let lines = try world.run(
                    attacker, [victim.path, world.service.socketPath, "ask"])
                #expect(Self.lacksSecret(lines), "\(lines)")
                #expect(lines.last == "refused" || lines.last == "closed", "\(lines)")
            }
        }

        // MARK: - Files

        /// An attacker puts another program in the victim's place, changes a byte of it, or takes it
        /// away.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test(arguments: [
            #"cp "$0" "$1""#, #"cp --remove-destination "$0" "$1""#, #"mv "$0" "$1""#,
            #"rm -f "$1""#, #"printf x >> "$1""#, #"mv "${1%/*}" "${1%/*}.old""#,
            #"chmod 777 "$1""#,
        ])
        func itsUserChangesNothingOfAProtectedProgram(_ command: String) throws {
            try Self.withVictim { world, victim in
                let other = try world.install(world.program(), "other")
                let lines = try world.run(
                    "/bin/sh", ["-c", command + " 2>&1; echo $?", other, victim.path])
                #expect(lines.last != "0", "\(lines)")
            }
        }

        /// A program of the same user writes its own root certificate into the list of trusted teams,
        /// under the victim's team identifier; and copies the keychain with its device key. Both are
        /// root's or the service's.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func neitherTeamsNorKeysOfTheSystemAreItsUsers() throws {
            try Self.withVictim { world, victim in
                let forger = try SignedWorld.Team(Victim.teamName)
                let forged = try world.install(
                    forger.sign(world.program(), "org.example.bank"), "forged")
                let list = try world.install([UInt8](repeating: 0, count: 8), "teams")
                let teams = world.service.trustDirectory + "/trusted-teams"
                for command in [
                    #"cp --remove-destination "$0" "$1""#, #"cp "$0" "$1""#, #"mv "$0" "$1""#,
                ] {
                    let lines = try world.run(
                        "/bin/sh", ["-c", command + " 2>&1; echo $?", list, teams])
                    #expect(lines.last != "0", "\(lines)")
                }
                #expect(try world.ask(forged, "find", "bank") == ["failed -25300"])
                let enclave = world.service.stateDirectory + "-enclave"
                for directory in [world.service.stateDirectory, enclave] {
                    let lines = try world.run(
                        "/bin/sh",
                        [
                            "-c", #"cp -r "$0" "$1" 2>&1; find "$1" -type f; echo end"#, directory,
                            world.directory + "/copy",
                        ])
                    // It says why not, and there is no file.
                    #expect(lines.count == 2 && lines.last == "end", "\(lines)")
                }
            }
        }
    }
}
