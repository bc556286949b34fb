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

        /// A process in a user namespace of its own names another file as its program.
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

        /// An attacker starts the victim's program in a process namespace, where a child of the
        /// attacker speaks under the program's number.
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

        /// An attacker runs a program from a mount whose content another user namespace decides.
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

        /// An attacker runs a program from a file system that the attacker serves.
        /// Red team: system; U.
        @Test func inspectorTakesNoFileThatItsUserServes() throws {
            let reasons = try Self.judge { peers, victim in
                let server = try FileServer(peers.world, [victim.path])
                defer { server.end() }
                return try peers.inspect(server.program).identity
            }
            #expect(reasons.contains(IdentityReason.unprovenFile.text))
        }

        /// An attacker runs a program from a file system that then stops. The inspector does not
        /// ask for the file, so it still answers.
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

        /// An attacker loads a library into the victim: openly, with hidden code, or with the pages
        /// of another file.
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
