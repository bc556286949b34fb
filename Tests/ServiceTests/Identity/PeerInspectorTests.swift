// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Foundation
import IPC
import TestSupport
import Testing

extension ServiceTests {
    /// The process that looks into others, as a user of its own, with programs of another user.
    @Suite(.enabled(if: geteuid() == 0, "only root can start processes of several users"))
    struct PeerInspecting {
        private static let otherUser: UInt32 = 65_531

        @Test func anotherUsersApplicationIsKnown() throws {
            try InspectorWorld.run { fixture, team in
                let world = fixture.world
                let signed = try world.install(
                    team.sign(
                        world.program(), "org.example.app", groups: ["TEAMAAAAAA.shared"]), "app")
                let first = try fixture.inspect(signed) { established in
                    #expect(established.needsProof)
                    #expect(established.isCurrent())
                }
                // Its digest had to be taken.
                #expect(!first.atOnce)
                let identity = first.identity
                #expect(identity.grade == .signed)
                #expect(identity.userID == TestService.unprivilegedUser)
                #expect(
                    identity.accessGroups == ["TEAMAAAAAA.shared", "TEAMAAAAAA.org.example.app"])
                #expect(identity.application == "TEAMAAAAAA.org.example.app")
                let bare = try world.install(world.program(), "bare")
                let other = try fixture.inspect(bare)
                #expect(other.atOnce)
                #expect(other.identity.grade == .unsigned)
                #expect(other.identity.accessGroups == ["unsigned.\(TestService.unprivilegedUser)"])
                #expect(
                    other.identity.reasons.map(\.text)
                        == [SignatureProblem.absent.rawValue, IdentityReason.notRootsPath.text])
                // Once it has settled, a digest isn't taken again.
                sleep(2)
                _ = try fixture.inspect(signed)
                #expect(try fixture.inspect(signed).atOnce)
            }
        }

        /// What no daemon of the user, nor one without the right, can look into.
        @Test func aProgramOutOfItsUsersReachIsKnownAsSuch() throws {
            try InspectorWorld.run { fixture, team in
                let world = fixture.world
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let program = try world.install(
                    team.sign(world.program(), "org.example.app"), "app", in: folder, owner: 0)
                #expect(unsafe chown(program, 0, Self.otherUser) == 0)
                #expect(unsafe chmod(program, 0o2755) == 0)
                #expect(try fixture.inspect(program).identity.grade == .signedAndProtected)
                // The controls: its own user's daemon, which the client doesn't trust, and another one
                // without the right.
                let socket = world.service.socketPath
                #expect(try world.run(program, [socket, "raw", "whoami"]).first == "U")
                #expect(try world.ask(program, "whoami") == ["failed -25291"])
                let (running, connection) = try fixture.connected(program)
                defer {
                    close(connection)
                    running.end()
                }
                let rules = InspectionRules(
                    trust: TrustFile(path: world.directory + "/state/trusted-teams"))
                let failures = OtherUser.run(Self.otherUser) {
                    let peer = try PeerProcess(connectedTo: connection)
                    guard
                        case .known(let who) = PeerInspector(rules).inspect(
                            peer, nil, InspectionOrder(.full)),
                        who.identity.reasons.map(\.text) == [IdentityReason.notInspectable.text]
                    else { throw TestFailure("It could look into the program.") }
                }
                #expect(failures == [])
            }
        }

        /// An attacker is already in the group of a setgid program, and can put code into it before
        /// the kernel raises its rights.
        /// Red team: system; S.
        /// Before: worked; S+.
        @Test func programOfAGroupThatItsUserHasIsNotProtected() throws {
            try InspectorWorld.run { fixture, team in
                let world = fixture.world
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let program = try world.install(
                    team.sign(world.program(), "org.example.app"), "app", in: folder, owner: 0)
                #expect(unsafe chown(program, 0, Self.otherUser) == 0)
                #expect(unsafe chmod(program, 0o2755) == 0)
                // The control.
                #expect(try fixture.inspect(program).identity.grade == .signedAndProtected)
                let user = "\(TestService.unprivilegedUser)"
                let grade = try fixture.inspect(
                    "/usr/bin/setpriv",
                    InspectorWorld.Call(
                        before: [
                            "--reuid=\(user)", "--regid=\(user)", "--groups=\(Self.otherUser)",
                            program,
                        ], flags: [])
                ).identity.grade
                #expect(grade == .signed)
            }
        }

        /// An attacker writes code into a program before it protects itself from its user. The
        /// program loads no library.
        /// Red team: system; U.
        /// Before: worked; S+.
        @Test func programThatWasChangedBeforeItHidIsNobody() throws {
            try InspectorWorld.run { fixture, team in
                let world = fixture.world
                let injected = try Attackers.compile("injected", into: world.directory)
                let plain = try Attackers.compile(
                    "vault", into: world.directory, ["-static", "-no-pie", "-fno-inline"])
                let symbols = try TestProcess.run("nm", [plain]).output.split(separator: "\n")
                let line = try #require(symbols.first { $0.hasSuffix(" purpose") })
                let address = String(line.prefix { $0 != " " })
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
                let vault = try world.install(
                    team.sign(bytes, "org.example.vault"), "vault", in: folder, owner: 0)
                // The control: out of reach it is signed, and no more than that.
                let honest = try fixture.inspect(
                    vault,
                    InspectorWorld.Call(after: ["connect"], says: ["honest", "connected"]))
                #expect(honest.identity.grade == .signed)
                let changed = try fixture.inspect(
                    injected,
                    InspectorWorld.Call(
                        before: [address, vault], after: ["connect"],
                        says: ["changed", "connected"]))
                #expect(changed.identity.grade == .unsigned)
                #expect(changed.identity.accessGroups == [])
                #expect(changed.identity.reasons.map(\.text) == [IdentityReason.copiedCode.text])
            }
        }

        @Test func aProcessThatHasEndedIsNoLongerCurrent() throws {
            try InspectorWorld.run { fixture, team in
                let world = fixture.world
                let signed = try world.install(
                    team.sign(world.program(), "org.example.app"), "app")
                let (running, connection) = try fixture.connected(signed)
                defer { close(connection) }
                let peer = try PeerProcess(connectedTo: connection)
                let established = try fixture.inspector.inspect(peer).peer
                #expect(established.identity.grade == .signed)
                #expect(established.isCurrent())
                running.end()
                // Each message is checked so, too.
                let isAlive = peer.isAlive()
                #expect(!isAlive)
                // Who has ended is nobody, and so is everybody when the inspector has.
                #expect(try fixture.inspector.inspect(peer).peer.identity.grade == .unsigned)
                fixture.process.end()
                #expect(throws: TestFailure.self) { try fixture.inspector.inspect(peer) }
            }
        }

        /// A program of the inspector's own user debugs it, or reads its memory.
        /// Red team: system; refused.
        /// Before: stopped; refused.
        @Test func theInspectorHasTwoRightsAndNoMore() throws {
            try InspectorWorld.run { fixture, _ in
                let status = try ProcessFile.read(fixture.process.pid, "status")
                let user = String(InspectorWorld.inspectorUser)
                let ids = [String](repeating: user, count: 4).joined(separator: "\t")
                #expect(status.contains("Uid:\t\(ids)"))
                #expect(status.contains("Gid:\t\(ids)"))
                #expect(status.contains("CapEff:\t0000000010080000"))
                #expect(status.contains("CapPrm:\t0000000010080000"))
                #expect(status.contains("NoNewPrivs:\t1"))
                for way in ["attach", "memory-file", "maps-file"] {
                    let result = try TestProcess.run(
                        Binaries.launcher(),
                        ["--user=\(user)", "attack", "\(fixture.process.pid)", way])
                    #expect(
                        ["error \(EPERM)\n", "error \(EACCES)\n"].contains(result.output), "\(way)")
                }
                #expect(ProcessEntry.runs(fixture.process.pid))
            }
        }

        /// An intruder in the inspector makes a call that inspecting doesn't need.
        /// Red team: system; ended.
        /// Before: stopped; ended.
        @Test(arguments: [
            "write", "make", "debug", "read-memory", "socket", "local-socket", "fork", "thread",
            "program", "signal", "make-executable", "dumpable",
        ])
        func forbiddenCallEndsTheInspector(attempt: String) throws {
            let result = try Self.inSandbox(attempt)
            #expect(result.output == "entered\n")
            #expect(result.ending == .signal(SIGSYS))
        }

        @Test func whatTheInspectorNeedsWorks() throws {
            #expect(try Self.inSandbox("read").output == "entered\nerror 0\n")
            #expect(try Self.inSandbox("map-memory").output == "entered\nerror 0\n")
        }

        private static func inSandbox(_ attempt: String) throws -> TestProcess.Result {
            try TemporaryDirectory.lend(owner: InspectorWorld.inspectorUser) { directory in
                let file = directory + "/inside"
                try Data("content".utf8).write(to: URL(fileURLWithPath: file))
                #expect(
                    unsafe chown(file, InspectorWorld.inspectorUser, InspectorWorld.inspectorUser)
                        == 0)
                let result = try TestProcess.run(
                    Binaries.launcher(),
                    ["--user=\(InspectorWorld.inspectorUser)", "inspecting", directory, attempt])
                #expect(!FileManager.default.fileExists(atPath: directory + "/made"))
                return result
            }
        }
    }
}
