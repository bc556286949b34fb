// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import IPC
import TestSupport
import Testing

extension ServiceTests {
    /// The disguises before a peerinspector with a user of its own, which may look into everybody.
    @Suite(.enabled(if: geteuid() == 0, "only root can start processes of several users"))
    struct DisguisedPeers {
        /// The reasons why an attacker is nobody; the control is that the victim is more.
        private static func judge(
            _ body: (InspectorWorld, Victim) throws -> ClientIdentity
        ) throws -> [String] {
            var reasons: [String] = []
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                let control = try peers.inspect(victim.path).identity
                #expect(control.grade == .signed)
                let identity = try body(peers, victim)
                #expect(identity.grade == .unsigned)
                #expect(!identity.accessGroups.contains(Victim.group))
                reasons = identity.reasons.map(\.text)
            }
            return reasons
        }

        /// In a user namespace of its own a process names another file as its program.
        /// Red team: system; U.
        @Test(arguments: ["the victim", "/usr/bin/tail"])
        func inspectorIsNotDeceivedByABorrowedName(_ name: String) throws {
            let reasons = try Self.judge { peers, victim in
                let program = name == "the victim" ? victim.path : name
                let attacker = try Attackers.compile("borrowedname", into: peers.world.directory)
                return try peers.inspect(
                    attacker,
                    InspectorWorld.Call(
                        before: [program], after: ["connect"],
                        says: ["exe \(program)", "connected"])
                ).identity
            }
            #expect(reasons.contains(IdentityReason.foreignNamespace.text))
        }

        /// The victim's program, started in a process namespace of the attacker's, where a child of the
        /// attacker speaks under its number.
        /// Red team: system; U.
        @Test func inspectorTrustsNoNumberOfAnotherNamespace() throws {
            let reasons = try Self.judge { peers, victim in
                let attacker = try Attackers.compile("chosennumber", into: peers.world.directory)
                return try peers.inspect(
                    attacker,
                    InspectorWorld.Call(
                        before: [victim.path], after: ["connect"], says: ["running", "connected"])
                ).identity
            }
            #expect(reasons.contains(IdentityReason.foreignNamespace.text))
        }

        /// A program on a mount whose content another user namespace decides.
        /// Red team: system; U.
        @Test func inspectorTakesNoFileOfAMountThatThePeerHasNot() throws {
            let reasons = try Self.judge { peers, victim in
                let place = peers.world.directory + "/place"
                let script = """
                    mkdir "$0" && mount -t tmpfs t "$0" && cp "$1" "$0"/program && echo $$ \
                    && read -r line
                    """
                let holder = try peers.world.start(
                    "/usr/bin/unshare", ["-Urm", "sh", "-c", script, place, victim.path])
                defer { holder.end() }
                return try peers.inspect(
                    "/proc/\(try holder.readLine())/root\(place)/program"
                ).identity
            }
            #expect(reasons.contains(IdentityReason.unprovenFile.text))
        }

        /// A program on a file system of its user's.
        /// Red team: system; U.
        @Test func inspectorTakesNoFileThatItsUserServes() throws {
            let reasons = try Self.judge { peers, victim in
                let server = try FileServer(peers.world, [victim.path])
                defer { server.end() }
                return try peers.inspect(server.program).identity
            }
            #expect(reasons.contains(IdentityReason.unprovenFile.text))
        }

        /// A file system that stopped: the file isn't asked for, so that there is an answer.
        /// Red team: system; U.
        @Test func inspectorAsksNoFileSystemThatStopped() throws {
            let reasons = try Self.judge { peers, victim in
                let server = try FileServer(peers.world, [victim.path])
                defer { server.end() }
                let (program, connection) = try peers.connected(server.program)
                // What waits for the file system ends only with it.
                defer {
                    close(connection)
                    server.end()
                    program.end()
                }
                try server.halt()
                return try peers.inspector.inspect(PeerProcess(connectedTo: connection))
                    .peer.identity
            }
            #expect(reasons.contains(IdentityReason.unprovenFile.text))
        }

        /// A library in the victim, in plain sight, out of it, and with the pages of another file.
        /// Red team: system; U.
        @Test(arguments: ["plain", "hide", "copy"])
        func inspectorSeesALibraryThatIsNotTheTeams(_ way: String) throws {
            let reasons = try Self.judge { peers, victim in
                let world = peers.world
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
                let bytes = try Attackers.signedLibrary(world, victim)
                return try peers.inspect(
                    victim.path,
                    InspectorWorld.Call(
                        after: ["connect", "whoami"],
                        environment: [
                            "LD_PRELOAD": library, "ATTACK_PROGRAM": victim.path,
                            "ATTACK_SOCKET": peers.socket, "ATTACK_HOW": "connect",
                            "ATTACK_WAY": way, "ATTACK_FILE": library, "ATTACK_BYTES": bytes,
                        ])
                ).identity
            }
            #expect(!reasons.isEmpty)
        }
    }
}
