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
        /// Before: worked; S or P.
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
        /// Before: worked; S.
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
        /// Before: worked; S.
        @Test(arguments: ["tmpfs", "overlay", "none"])
        func inspectorTakesNoFileOfAMountThatThePeerHasNot(_ type: String) throws {
            let reasons = try Self.judge { peers, victim in
                let (holder, program) = try Attackers.mountElsewhere(
                    type, peers.world, victim.path)
                defer { holder.end() }
                return try peers.inspect(program).identity
            }
            #expect(reasons.contains(IdentityReason.unprovenFile.text))
        }

        /// An attacker runs a program by a descriptor, from a mount that ends before the program
        /// starts, or that is in no namespace.
        /// Red team: system; U.
        /// Before: worked; S.
        @Test(arguments: ["tmpfs", "none"])
        func inspectorTakesNoProgramByADescriptor(_ type: String) throws {
            let reasons = try Self.judge { peers, victim in
                let passed = try Attackers.compile("passed", into: peers.world.directory)
                let (holder, program) = try Attackers.mountElsewhere(
                    type, peers.world, victim.path)
                defer { holder.end() }
                var call = InspectorWorld.Call(before: [program], says: ["open", "connected"])
                call.meanwhile = { attacker in
                    holder.end()
                    attacker.write("\n")
                }
                return try peers.inspect(passed, call).identity
            }
            #expect(reasons.contains(IdentityReason.unprovenFile.text))
        }

        /// An attacker runs a program from a file system that the attacker serves.
        /// Red team: system; U.
        /// Before: stopped; U, since it may not open the file.
        @Test func inspectorTakesNoFileThatItsUserServes() throws {
            let reasons = try Self.judge { peers, victim in
                let server = try FileServer(peers.world, [victim.path])
                defer { server.end() }
                return try peers.inspect(server.program).identity
            }
            #expect(reasons.contains(IdentityReason.unprovenFile.text))
        }

        /// A user exchanges the file that it serves for another one with the same number, length and
        /// times. The inspector remembers nothing of it.
        /// Red team: system; U.
        /// Before: stopped; U, since it may not open the file.
        @Test func inspectorRemembersNothingOfAFileThatItsUserExchanges() throws {
            _ = try Self.judge { peers, victim in
                let other = try peers.world.install(
                    victim.team.sign(peers.world.program(build: "2"), "org.example.bank"), "other")
                let server = try FileServer(peers.world, [victim.path, other])
                defer { server.end() }
                #expect(try peers.inspect(server.program).identity.grade == .unsigned)
                server.process.write("\n")
                #expect(try server.process.readLine() == "changed")
                let identity = try peers.inspect(server.program).identity
                #expect(try peers.inspect(victim.path).identity.grade == .signed)
                return identity
            }
        }

        /// A setuid helper mounts a user's file system for everybody. Its files say that they are
        /// root's.
        /// Red team: system; U.
        /// Before: stopped; U.
        @Test func inspectorTakesNoLibraryOfRootsOnAFileSystemOfTheUsers() throws {
            let reasons = try Self.judge { peers, victim in
                let library = try Attackers.compile(
                    "library", into: peers.world.directory, ["-shared", "-fPIC"])
                var reply: ClientIdentity?
                try Attackers.inSystemFolder { folder in
                    let server = try FileServer(peers.world, [library], mountedByRootIn: folder)
                    defer { server.end() }
                    reply = try peers.inspect(
                        victim.path,
                        InspectorWorld.Call(
                            environment: Self.attack(
                                "plain", server.place + "/program", peers, victim))
                    ).identity
                }
                return try #require(reply)
            }
            #expect(!reasons.isEmpty)
        }

        /// A file system that stopped: the file isn't asked for, so that there is an answer.
        /// Red team: system; U.
        /// Before: stopped; U, since it may not open the file.
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
        /// Before: worked; S with hidden code or other pages.
        @Test(arguments: ["plain", "hide", "copy"])
        func inspectorSeesALibraryThatIsNotTheTeams(_ way: String) throws {
            let reasons = try Self.judge { peers, victim in
                let library = try Attackers.compile(
                    "library", into: peers.world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
                var environment = Self.attack(way, library, peers, victim)
                environment["ATTACK_BYTES"] = try Attackers.signedLibrary(peers.world, victim)
                return try peers.inspect(
                    victim.path, InspectorWorld.Call(environment: environment)
                ).identity
            }
            #expect(!reasons.isEmpty)
        }

        /// The environment that puts the attackers' library into the victim.
        private static func attack(
            _ way: String, _ library: String, _ peers: InspectorWorld, _ victim: Victim
        ) -> [String: String] {
            [
                "LD_PRELOAD": library, "ATTACK_PROGRAM": victim.path,
                "ATTACK_SOCKET": peers.socket, "ATTACK_HOW": "connect", "ATTACK_WAY": way,
                "ATTACK_FILE": library,
            ]
        }

        /// A signed program loads a library of its user's after the first look, and can put itself out
        /// of its user's reach before that. The next look, through what the first one has opened, sees
        /// the library.
        /// Red team: system; U.
        /// Before: stopped; U, if asked a second time.
        @Test(arguments: ["in sight", "hidden"])
        func inspectorSeesCodeThatIsLoadedLater(_ how: String) throws {
            let reasons = try Self.judge { peers, victim in
                let world = peers.world
                let plain = try Attackers.compile("plugins", into: world.directory)
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
                let program = try world.install(
                    victim.team.sign(bytes, "org.example.bank"), "plugins")
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
                let (running, connection) = try peers.connected(
                    program, InspectorWorld.Call(before: [library], after: [how]))
                defer {
                    close(connection)
                    running.end()
                }
                let peer = try PeerProcess(connectedTo: connection)
                let first = try peers.inspector.inspect(peer).peer
                #expect(first.identity.grade == .signed)
                // The control.
                #expect(try peers.inspector.lookAgain(peer, first).grade == .signed)
                running.write("\n")
                #expect(try running.readLine() == "loaded")
                return try peers.inspector.lookAgain(peer, first)
            }
            #expect(reasons.contains(IdentityReason.foreignLibrary.text), "\(reasons)")
        }

        // MARK: - Standing

        /// What an administrator arranges costs a program nothing: a mount namespace as that of a
        /// systemd unit with `ProtectSystem=strict` and `PrivateTmp=`.
        @Test func programInAMountNamespaceOfRootsKeepsItsGradeWithTheInspector() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                let user = "\(TestService.unprivilegedUser)"
                let script = """
                    mount --make-rprivate / && mount --bind /usr /usr \
                    && mount -o remount,bind,ro /usr && mount -t tmpfs -o nosuid,nodev t /var/tmp \
                    && exec setpriv --reuid=\(user) --regid=\(user) --clear-groups "$0" "$@"
                    """
                func grade(_ program: String) throws -> IdentityGrade {
                    try peers.inspect(
                        "/usr/bin/unshare",
                        InspectorWorld.Call(
                            before: ["-m", "sh", "-c", script, program], flags: [])
                    ).identity.grade
                }
                #expect(try grade(victim.path) == .signed)
                try Attackers.inSystemFolder { folder in
                    let program = try world.install(world.program(), "tool", in: folder, owner: 0)
                    #expect(try grade(program) == .rootOwnedPath)
                }
            }
        }

        /// A child in a user namespace, which shares the attacker's memory, names another file as
        /// the attacker's program.
        /// Red team: system; S.
        /// Before: worked; S.
        @Test func nameThatAChildSetForTheInspectorIsNotStopped() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                let attacker = try Attackers.compile("lentname", into: world.directory)
                let identity = try peers.inspect(
                    attacker,
                    InspectorWorld.Call(
                        before: [victim.path], after: ["connect"],
                        says: ["exe \(victim.path)", "connected"])
                ).identity
                #expect(identity.grade == .signed)
            }
        }

        /// An attacker names a setgid program of root's as its program, in a namespace of its own or by
        /// a child that had one. It never has that program's grade.
        /// Red team: system; U, or S without a namespace.
        /// Before: worked; S.
        @Test(arguments: ["borrowedname", "lentname"])
        func inspectorTakesNobodyForARaisedProgramByItsName(_ name: String) throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                let attacker = try Attackers.compile(name, into: world.directory)
                try Attackers.inSystemFolder { folder in
                    let program = try world.install(
                        victim.team.sign(world.program(), "org.example.raised"), "raised",
                        in: folder, owner: 0)
                    #expect(unsafe chown(program, 0, 65_531) == 0)
                    #expect(unsafe chmod(program, 0o2755) == 0)
                    // The control.
                    #expect(try peers.inspect(program).identity.grade == .signedAndProtected)
                    let identity = try peers.inspect(
                        attacker,
                        InspectorWorld.Call(
                            before: [program], after: ["connect"],
                            says: ["exe \(program)", "connected"])
                    ).identity
                    #expect(identity.grade == (name == "lentname" ? .signed : .unsigned))
                }
            }
        }
    }
}
