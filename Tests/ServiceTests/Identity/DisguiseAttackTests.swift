// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers of the victim's own user who put on its identity: with namespaces, files that aren't
    /// what they seem, libraries, and a program that copies what it is given.
    @Suite struct DisguiseAttacks {
        private static let found = "found \(Victim.secret)"
        private static let stolen = "stolen \(Victim.secret)"

        private static func expectNobody(
            _ lines: [String], _ location: SourceLocation = #_sourceLocation
        ) {
            #expect(lines.contains("grade U"), "\(lines)", sourceLocation: location)
            #expect(!lines.contains(found), "\(lines)", sourceLocation: location)
        }

        /// Whether a program gets the secret from a naive service.
        private static func isStolen(
            from socket: String, by program: String, _ world: SignedWorld
        ) throws -> Bool {
            try world.run(program, [socket, "lend", "bank"]).contains {
                $0.contains(Victim.secret)
            }
        }

        // MARK: - Namespaces

        /// A process in a user namespace of its own names the victim's file as its program.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.allModes)
        func programThatNamesAnotherFileAsItsOwnIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let attacker = try Attackers.compile("borrowedname", into: world.directory)
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                let control = try world.run(attacker, [victim.path, naive.socket, "naive"])
                #expect(control == ["exe \(victim.path)", Self.stolen])
                let lines = try world.run(
                    attacker, [victim.path, world.service.socketPath, "ask"])
                #expect(lines.first == "exe \(victim.path)")
                Self.expectNobody(lines)
                #expect(lines.contains("reason \(IdentityReason.foreignNamespace.text)"))
            }
        }

        /// A process in a user namespace of its own names a program of root's as its program.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; P.
        @Test(
            .enabled(if: geteuid() == 0, "only root can install a program of the system"),
            arguments: SignedWorld.allModes)
        func programThatNamesAProgramOfRootsAsItsOwnIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let attacker = try Attackers.compile("borrowedname", into: world.directory)
                let naive = try victim.startNaive(["naive", "/usr/bin/tail"])
                defer { naive.process.end() }
                let control = try world.run(attacker, ["/usr/bin/tail", naive.socket, "naive"])
                #expect(control == ["exe /usr/bin/tail", Self.stolen])
                let lines = try world.run(
                    attacker, ["/usr/bin/tail", world.service.socketPath, "ask"])
                #expect(lines.first == "exe /usr/bin/tail")
                Self.expectNobody(lines)
            }
        }

        /// A process in a process namespace of its own speaks under another process's number.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.allModes)
        func processThatChoosesItsNumberIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                // The control: it passes for the sender of the victim's messages.
                let naive = try victim.startNaive(["echo", victim.path])
                defer { naive.process.end() }
                let control = try Self.runHeld("chosennumber", victim, naive: naive)
                #expect(control.last == Self.stolen, "\(control)")
                let lines = try Self.runHeld("chosennumber", victim)
                Self.expectNobody(lines)
            }
        }

        /// What an administrator arranges costs a program nothing: a mount namespace as that of a
        /// systemd unit with `ProtectSystem=strict` and `PrivateTmp=`.
        @Test(
            .enabled(if: geteuid() == 0, "only root can make a mount namespace for others"),
            arguments: SignedWorld.allModes)
        func programInAMountNamespaceOfRootsKeepsItsGrade(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let user = "\(TestService.unprivilegedUser)"
                let script = """
                    mount --make-rprivate / && mount --bind /usr /usr \
                    && mount -o remount,bind,ro /usr && mount -t tmpfs -o nosuid,nodev t /var/tmp \
                    && exec setpriv --reuid=\(user) --regid=\(user) --clear-groups "$0" "$1" whoami
                    """
                let lines = try world.run(
                    "/usr/bin/unshare",
                    ["-m", "sh", "-c", script, victim.path, world.service.socketPath], flags: [])
                #expect(lines == [victim.grade, Victim.group])
            }
        }

        /// A child in a user namespace, which shares the attacker's memory, names another file as
        /// the attacker's program. The service sees what runs only when it looks. The named program
        /// need never have run.
        /// Red team: ephemeral, user; S or P.
        /// Before: worked; S or P.
        @Test(arguments: ["the victim", "/usr/bin/md5sum"], SignedWorld.modes)
        func programWhoseNameAChildSetIsNotStopped(_ name: String, _ mode: TestService.Mode) throws
        {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let program = name == "the victim" ? victim.path : name
                let attacker = try Attackers.compile("lentname", into: world.directory)
                let lines = try world.run(attacker, [program, world.service.socketPath, "ask"])
                #expect(lines.first == "exe \(program)")
                #expect(lines.contains(program == victim.path ? "grade S" : "grade P"), "\(lines)")
            }
        }

        // MARK: - Files

        /// An attacker changes a copy of the victim's program through pages that the kernel
        /// believes are already written. The file keeps its number and its times.
        /// Red team: ephemeral, user; U.
        /// Before: worked; S.
        @Test(
            arguments: zip(
                [("mapping", "ext4"), ("mapping", "tmpfs"), ("pin", "tmpfs")],
                [TestService.Mode.ephemeral, .user, .user]))
        func programThatIsChangedBehindItsTimesIsNobody(
            _ kind: (way: String, type: String), _ mode: TestService.Mode
        ) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let writer = try Attackers.compile("latewriter", into: world.directory)
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
                let (way, type) = kind
                var folder = world.directory
                if type == "tmpfs" { folder = "/dev/shm/lltest-\(UUID())" }
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true)
                try Attackers.giveAway(folder)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let copy = folder + "/copy"
                let text = "llavero test application, build "
                let process = try world.start(
                    writer, [victim.path, copy, text + "1", text + "7", way])
                defer { process.end() }
                #expect(try process.readLine() == "written")
                // Once it has settled, its digest is remembered.
                sleep(3)
                _ = try world.run(
                    victim.path, ["build"],
                    environment: [
                        "LD_PRELOAD": library, "ATTACK_PROGRAM": victim.path,
                        "ATTACK_SOCKET": world.service.socketPath, "ATTACK_HOW": "ask",
                        "ATTACK_WAY": "map", "ATTACK_FILE": copy,
                    ])
                process.write("\n")
                #expect(try process.readLine() == "changed")
                _ = try process.wait()
                // The control: it is another program.
                #expect(try world.run(copy, ["build"]) == [text + "7"])
                let lines = try world.ask(copy, "whoami")
                #expect(lines.first == "U", "\(lines)")
            }
        }

        /// A process in the service's namespaces runs a program from a mount of its child's. The
        /// child's user namespace decides the content of that mount.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: ["tmpfs", "overlay"], SignedWorld.allModes)
        func programOnAMountOfAnotherNamespaceIsNobody(_ type: String, _ mode: TestService.Mode)
            throws
        {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let (holder, program) = try Attackers.mountElsewhere(type, world, victim.path)
                defer { holder.end() }
                // The control: a service that believes the file, wherever it is.
                let naive = try victim.startNaive(["believe", Victim.teamName])
                defer { naive.process.end() }
                #expect(try Self.isStolen(from: naive.socket, by: program, world))
                let lines = try world.run(program, [world.service.socketPath, "whoami"])
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.contains(IdentityReason.unprovenFile.text))
                #expect(
                    try world.run(program, [world.service.socketPath, "find", "bank"]) == [
                        "failed -25300"
                    ])
            }
        }

        /// An attacker runs a program through a descriptor. Its mount is in another namespace, is
        /// gone from every namespace, or never was in one.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S.
        @Test(
            arguments: ["a mount of another namespace", "one that ended", "one without a place"],
            SignedWorld.allModes)
        func programByADescriptorIsNobody(_ place: String, _ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let passed = try Attackers.compile("passed", into: world.directory)
                let naive = try victim.startNaive(["believe", Victim.teamName])
                defer { naive.process.end() }
                let (holder, program) = try Attackers.mountElsewhere(
                    place == "one without a place" ? "none" : "tmpfs", world, victim.path)
                defer { holder.end() }
                let attacker = try world.start(
                    passed, [program, world.service.socketPath, "whoami"])
                // The control: a service that believes the file, wherever it is.
                let control = try world.start(passed, [program, naive.socket, "lend", "bank"])
                defer { for process in [attacker, control] { process.end() } }
                for process in [attacker, control] { #expect(try process.readLine() == "open") }
                if place == "one that ended" { holder.end() }
                control.write("\n")
                #expect(try control.readLine().contains(Victim.secret))
                attacker.write("\n")
                let lines = try attacker.readAll().split(separator: "\n")
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.contains { $0 == IdentityReason.unprovenFile.text })
            }
        }

        /// An attacker mounts a disk image, as a desktop mounts a USB stick for its user. The user
        /// chose which of its files belong to root.
        /// Red team: ephemeral, user, system; U, or S if signed.
        /// Before: worked; P.
        @Test(
            .enabled(if: geteuid() == 0, "only root can mount an image"),
            arguments: SignedWorld.allModes)
        func programOfRootsOnASticksFileSystemIsNotRoots(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let content = world.directory + "/content"
                try FileManager.default.createDirectory(
                    atPath: content, withIntermediateDirectories: false)
                _ = try world.install(world.program(), "plain", in: content, owner: 0)
                let bank = [UInt8](try Data(contentsOf: URL(fileURLWithPath: victim.path)))
                _ = try world.install(bank, "bank", in: content, owner: 0)
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let image = world.directory + "/image"
                let made = try TestProcess.run(
                    "mke2fs", ["-q", "-F", "-t", "ext4", "-d", content, image, "64M"])
                guard made.ending == .exit(0) else { throw TestFailure(made.errors) }
                // Where the service sees it, too.
                func grade(_ program: String, _ options: String) throws -> [String] {
                    let mounted = try TestProcess.run(
                        "mount", ["-o", "loop,nodev," + options, image, folder])
                    guard mounted.ending == .exit(0) else { throw TestFailure(mounted.errors) }
                    let answer = Result { try world.ask(folder + "/" + program, "whoami") }
                    _ = unsafe umount2(folder, Int32(MNT_DETACH))
                    // The service may still have the program open; until it closes it, the image
                    // can't be mounted in another way.
                    try Waiting.until("the image to be let go") {
                        try TestProcess.run("losetup", ["-j", image]).output.isEmpty
                    }
                    return try answer.get()
                }
                let plain = try grade("plain", "nosuid")
                #expect(plain.first == "U", "\(plain)")
                // A signature says the same wherever the file is, also that it demands protection.
                #expect(try grade("bank", "nosuid").first == (victim.isProtected ? "U" : "S"))
                // The control: what the administrator mounts as part of the system.
                let system = try grade("plain", "ro")
                #expect(system.first == "P", "\(system)")
            }
        }

        // MARK: - Libraries

        private static func preload(
            _ way: String, _ victim: Victim, bytes: String = "", naive socket: String? = nil
        ) throws -> [String] {
            let world = victim.world
            let library = try Attackers.compile(
                "library", into: world.directory, ["-shared", "-fPIC"])
            try Attackers.giveAway(library)
            return try world.run(
                victim.path, ["build"],
                environment: [
                    "LD_PRELOAD": library, "ATTACK_PROGRAM": victim.path,
                    "ATTACK_SOCKET": socket ?? world.service.socketPath,
                    "ATTACK_HOW": socket == nil ? "ask" : "naive",
                    "ATTACK_WAY": way, "ATTACK_FILE": library, "ATTACK_BYTES": bytes,
                ])
        }

        /// A library of the attacker's makes its code non-executable while the service looks.
        /// Red team: ephemeral, user; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.modes)
        func libraryThatHidesItsCodeTakesTheIdentityAway(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                // The control: a service that looks once at what is mapped. It sees a plain library.
                let naive = try victim.startNaive(["look", victim.path, Victim.teamName])
                defer { naive.process.end() }
                #expect(
                    try Self.preload("plain", victim, naive: naive.socket) == ["stolen denied"])
                #expect(try Self.preload("hide", victim, naive: naive.socket) == [Self.stolen])
                Self.expectNobody(try Self.preload("plain", victim))
                Self.expectNobody(try Self.preload("hide", victim))
            }
        }

        /// A library of the attacker's runs from its own pages, and overwrites its file with a
        /// library of the victim's team.
        /// Red team: ephemeral, user; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.modes)
        func libraryThatOverwritesItsFileTakesTheIdentityAway(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let signed = try Attackers.signedLibrary(world, victim)
                // The control: a service that believes the files that are mapped.
                let naive = try victim.startNaive(["look", victim.path, Victim.teamName])
                defer { naive.process.end() }
                #expect(
                    try Self.preload("copy", victim, bytes: signed, naive: naive.socket) == [
                        Self.stolen
                    ])
                Self.expectNobody(try Self.preload("copy", victim, bytes: signed))
            }
        }

        /// An attacker puts code into anonymous memory that is executable only between two looks. A
        /// program's user can always do that to a program below AT_SECURE.
        /// Red team: ephemeral, user; S.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.modes)
        func codeThatIsExecutableBetweenTwoLooksIsNotStopped(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let lines = try Self.preload("anonymous", victim)
                #expect(lines.contains("grade S"), "\(lines)")
                #expect(lines.contains(Self.found))
            }
        }

        /// The C library loads a converter from a place that the attacker chose, after the service
        /// identified the program. The attacker can use the connection until the next look, ten
        /// seconds later.
        /// Red team: ephemeral, user; closed.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.modes)
        func codeThatIsLoadedLaterIsSeenAtTheNextLook(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
                let modules =
                    "module ATTACK// INTERNAL library 1\nmodule INTERNAL ATTACK// library 1\n"
                try Data(modules.utf8).write(
                    to: URL(fileURLWithPath: world.directory + "/gconv-modules"))
                func answer(after pause: UInt32) throws -> String {
                    let program = try world.start(
                        victim.path, [world.service.socketPath, "serve"],
                        environment: [
                            "GCONV_PATH": world.directory, "ATTACK_PROGRAM": victim.path,
                            "ATTACK_SOCKET": world.service.socketPath, "ATTACK_HOW": "ask",
                            "ATTACK_WAY": "plugin",
                        ])
                    defer { program.end() }
                    program.write("find bank\n")
                    #expect(try program.readLine() == Victim.secret)
                    sleep(pause)
                    program.write("convert ATTACK\n")
                    return try program.readLine()
                }
                // The control: it is there, and what it does works.
                #expect(try answer(after: 0) == Self.found)
                let late = try answer(after: 11)
                #expect(late == "closed")
            }
        }

        // MARK: - Lending

        /// Runs an attacker that becomes the victim's program, with the service held until it has: so
        /// that is what the service finds.
        private static func runHeld(
            _ name: String, _ victim: Victim,
            naive: (process: TestProcess, socket: String)? = nil
        ) throws -> [String] {
            let world = victim.world
            let attacker = try Attackers.compile(name, into: world.directory)
            let service = try naive?.process.pid ?? world.service.worker()
            try world.service.halt(service)
            defer { kill(service, SIGCONT) }
            let process = try world.start(
                attacker,
                [
                    victim.path, naive?.socket ?? world.service.socketPath,
                    naive == nil ? "ask" : "naive",
                ])
            defer { process.end() }
            #expect(try process.readLine() == "running")
            kill(service, SIGCONT)
            // The victim's program goes on: the last line is known by what it says.
            var lines: [String] = []
            while true {
                let line = try process.readLine()
                lines.append(line)
                let ends = ["found", "refused", "closed", "failed", "stolen"]
                if ends.contains(where: line.hasPrefix) { return lines }
            }
        }

        /// An attacker runs a program that copies its input to its output, with the connection as
        /// its output.
        /// Red team: ephemeral, user; closed.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.modes)
        func programThatCopiesItsInputLendsNoIdentity(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                // The control: a service that takes its nonce back as bytes like any others.
                let naive = try victim.startNaive(["echo", victim.path])
                defer { naive.process.end() }
                let control = try Self.runHeld("filter", victim, naive: naive)
                #expect(control.last == Self.stolen, "\(control)")
                let lines = try Self.runHeld("filter", victim)
                #expect(lines.contains("closed"), "\(lines)")
                #expect(!lines.contains(Self.found))
            }
        }
    }
}
