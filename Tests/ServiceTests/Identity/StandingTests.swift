// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// What a process holds, and what its program is mounted from: which of it costs a grade, and
    /// which doesn't.
    @Suite(.enabled(if: geteuid() == 0, "only root can give rights and mount for others"))
    struct Standing {
        private static let group: UInt32 = 65_531

        /// The words for `setpriv` that start a program as the unprivileged user with one right.
        private static func words(holding right: String) -> [String] {
            let user = "\(TestService.unprivilegedUser)"
            return [
                "--reuid=\(user)", "--regid=\(user)", "--clear-groups",
                "--inh-caps=-all,+\(right)", "--ambient-caps=-all,+\(right)",
            ]
        }

        // MARK: - Rights

        /// The rights that make a program U, as far as root may give them here: a container's root may
        /// lack some, and then no program has them.
        private static let rights: [String] = {
            let all = ["sys_ptrace": 19, "sys_admin": 21, "sys_resource": 24, "cap_40": 40]
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("CapBnd:") } ?? ""
            let bounding = UInt64(line.drop { $0 != "\t" }.dropFirst(), radix: 16) ?? 0
            return all.filter { bounding >> UInt64($0.value) & 1 == 1 }.keys.sorted()
        }()

        @Test func mostRightsCanBeGivenHere() { #expect(Self.rights.count >= 3) }

        /// An administrator gave the victim's program a right over other processes. Any library in it
        /// could use the right to name another file as its program.
        /// Red team: ephemeral, user; U.
        /// Before: stopped; U.
        @Test(arguments: rights, SignedWorld.modes)
        func programThatHoldsARightOverOthersIsNobody(
            _ right: String, _ mode: TestService.Mode
        ) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let lines = try world.run(
                    "/usr/bin/setpriv",
                    Self.words(holding: right) + [
                        victim.path, world.service.socketPath, "serve",
                    ], flags: [], input: "whoami\nfind bank\n")
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.last == "failed -25300")
            }
        }

        /// The same before an inspector that may look into such a program (cap_40 is
        /// CAP_CHECKPOINT_RESTORE).
        /// Red team: system; U.
        /// Before: worked; S.
        @Test(arguments: rights)
        func inspectorTakesNobodyWhoHoldsARightOverOthers(_ right: String) throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                func inspect(_ right: String) throws -> ClientIdentity {
                    try peers.inspect(
                        "/usr/bin/setpriv",
                        InspectorWorld.Call(
                            before: Self.words(holding: right) + [victim.path], flags: [])
                    ).identity
                }
                // The control: a right over nothing of others.
                #expect(try inspect("net_bind_service").grade == .signed)
                let identity = try inspect(right)
                #expect(identity.grade == .unsigned)
                #expect(identity.reasons.map(\.text) == [IdentityReason.holdsRights.text])
            }
        }

        // MARK: - Mounts

        // Lends a directory that root has mounted an overlay on, for all to see; `owner` is whose one
        // of its directories is: `upper` takes the changes, `lower` shows where there are none.
        private static func lendOverlay(
            owner: UInt32, of part: String = "upper", _ body: (String) throws -> Void
        ) throws {
            try Attackers.inSystemFolder { folder in
                for part in ["lower", "upper", "work", "place"] {
                    try FileManager.default.createDirectory(
                        atPath: folder + "/" + part, withIntermediateDirectories: false,
                        attributes: [.posixPermissions: 0o755])
                }
                let place = folder + "/place"
                let parts = "lowerdir=\(folder)/lower,upperdir=\(folder)/upper"
                let mounted = try TestProcess.run(
                    "mount",
                    ["-t", "overlay", "-o", parts + ",workdir=\(folder)/work", "o", place])
                guard mounted.ending == .exit(0) else { throw TestFailure(mounted.errors) }
                defer { _ = unsafe umount2(place, Int32(MNT_DETACH)) }
                guard unsafe chown(folder + "/" + part, owner, owner) == 0 else {
                    throw TestFailure(folder)
                }
                try body(place)
            }
        }

        @Test(arguments: SignedWorld.modes)
        func programOnAnOverlayOfRootsKeepsItsGrade(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                let bank = [UInt8](try Data(contentsOf: URL(fileURLWithPath: victim.path)))
                try Self.lendOverlay(owner: 0) { folder in
                    let tool = try world.install(world.program(), "tool", in: folder, owner: 0)
                    let signed = try world.install(bank, "bank", in: folder)
                    #expect(try world.ask(tool, "whoami").first == "P")
                    #expect(try world.ask(signed, "find", "bank") == [Victim.secret])
                    #expect(try peers.inspect(tool).identity.grade == .rootOwnedPath)
                    #expect(try peers.inspect(signed).identity.grade == .signed)
                }
            }
        }

        /// Root mounted an overlay, and a user owns its directory of changes or the one below. The user
        /// can change its files under a program that runs.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S.
        @Test(arguments: SignedWorld.modes, ["upper", "lower"])
        func programOnAnOverlayThatItsUserCanChangeIsNobody(
            _ mode: TestService.Mode, _ part: String
        ) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let peers = try InspectorWorld(world)
                let bank = [UInt8](try Data(contentsOf: URL(fileURLWithPath: victim.path)))
                try Self.lendOverlay(owner: TestService.unprivilegedUser, of: part) { folder in
                    let signed = try world.install(bank, "bank", in: folder)
                    // The control: a service that believes the file, wherever it is.
                    let naive = try victim.startNaive(["believe", Victim.teamName])
                    defer { naive.process.end() }
                    let stolen = try world.run(signed, [naive.socket, "lend", "bank"])
                    #expect(stolen.first?.contains(Victim.secret) == true)
                    let lines = try world.ask(signed, "whoami")
                    #expect(lines.first == "U", "\(lines)")
                    #expect(lines.contains(IdentityReason.unprovenFile.text))
                    let identity = try peers.inspect(signed).identity
                    #expect(identity.reasons.map(\.text) == [IdentityReason.unprovenFile.text])
                }
            }
        }

        /// A container of root's: its root directory is an overlay whose parts only the machine
        /// outside can tell.
        @Test func programOnAContainersOverlayCountsInThatContainerAlone() throws {
            try SignedWorld.run { world in
                let daemons = world.directory + "/daemons"
                try FileManager.default.createDirectory(
                    atPath: daemons, withIntermediateDirectories: false)
                try Attackers.giveAway(daemons)
                let securityd = try Binaries.copyDaemons(to: daemons)
                let tool = try world.install(world.program(), "tool", owner: 0)
                let user = "\(TestService.unprivilegedUser)"
                // Its parts lie where everybody may put something, so that they say nothing outside.
                let parts = "/dev/shm/lltest-\(UUID())"
                let script = """
                    set -e
                    mount --make-rprivate /
                    mkdir -p \(parts)/u \(parts)/w \(parts)/m
                    mount -t overlay -o lowerdir=/,upperdir=\(parts)/u,workdir=\(parts)/w o \(parts)/m
                    for part in proc dev tmp; do mount --rbind /$part \(parts)/m/$part; done
                    mkdir -p \(parts)/m/opt
                    cp \(tool) \(parts)/m/opt/lltest-tool
                    exec chroot \(parts)/m setpriv --reuid=\(user) --regid=\(user) --clear-groups "$@"
                    """
                defer { try? FileManager.default.removeItem(atPath: parts) }
                func inside(_ words: [String]) throws -> [String] {
                    try world.run(
                        "/usr/bin/unshare", ["-m", "sh", "-c", script, "sh"] + words, flags: [])
                }
                let own = try inside([
                    "env", "TMPDIR=" + world.directory, securityd, "--ephemeral", "--device-key",
                    "file", "--", "sh", "-c", "/opt/lltest-tool $LLAVERO_SOCKET whoami",
                ])
                #expect(own.prefix(2) == ["P", "path:/opt/lltest-tool"], "\(own)")
                let outside = try inside(["/opt/lltest-tool", world.service.socketPath, "whoami"])
                #expect(outside.first == "U", "\(outside)")
                #expect(outside.contains(IdentityReason.unprovenFile.text))
            }
        }

        /// A setgid program on a mount without setgid rights. Its process has the group by another way.
        /// Red team: system; S.
        /// Before: worked; S+.
        @Test func programOnAMountWithoutRaisedRightsIsNotProtected() throws {
            try InspectorWorld.run { fixture, team in
                let world = fixture.world
                try Attackers.inSystemFolder { folder in
                    let program = try world.install(
                        team.sign(world.program(), "org.example.app"), "app", in: folder, owner: 0)
                    #expect(unsafe chown(program, 0, Self.group) == 0)
                    #expect(unsafe chmod(program, 0o2755) == 0)
                    let user = "\(TestService.unprivilegedUser)"
                    let words = [
                        "--reuid=\(user)", "--rgid=\(user)", "--egid=\(Self.group)",
                        "--clear-groups", program,
                    ]
                    func grades() throws -> [IdentityGrade] {
                        [
                            try fixture.inspect(program).identity.grade,
                            try fixture.inspect(
                                "/usr/bin/setpriv", InspectorWorld.Call(before: words, flags: [])
                            ).identity.grade,
                        ]
                    }
                    // The control.
                    #expect(try grades() == [.signedAndProtected, .signedAndProtected])
                    for words in [
                        ["--bind", folder, folder], ["-o", "remount,bind,nosuid", folder],
                    ] {
                        let mounted = try TestProcess.run("mount", words)
                        guard mounted.ending == .exit(0) else { throw TestFailure(mounted.errors) }
                    }
                    defer { _ = unsafe umount2(folder, Int32(MNT_DETACH)) }
                    #expect(try grades() == [.signed, .signed])
                }
            }
        }
    }
}
