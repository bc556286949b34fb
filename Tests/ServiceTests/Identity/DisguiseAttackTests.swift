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

        // MARK: - Namespaces

        /// A process in a user namespace of its own names the victim's file as its program.
        /// Red team: ephemeral, user; U.
        @Test func programThatNamesAnotherFileAsItsOwnIsNobody() throws {
            try SignedWorld.run { world in
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
        /// Red team: ephemeral, user; U.
        @Test(.enabled(if: geteuid() == 0, "only root can install a program of the system"))
        func programThatNamesAProgramOfRootsAsItsOwnIsNobody() throws {
            try SignedWorld.run { world in
                let attacker = try Attackers.compile("borrowedname", into: world.directory)
                let lines = try world.run(
                    attacker, ["/usr/bin/tail", world.service.socketPath, "ask"])
                #expect(lines.first == "exe /usr/bin/tail")
                Self.expectNobody(lines)
            }
        }

        /// A process in a process namespace of its own speaks under another process's number.
        /// Red team: ephemeral, user; U.
        @Test func processThatChoosesItsNumberIsNobody() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let lines = try Self.runHeld("chosennumber", world, victim)
                Self.expectNobody(lines)
            }
        }

        /// What an administrator arranges costs a program nothing: a mount namespace as that of a
        /// systemd unit with `ProtectSystem=strict` and `PrivateTmp=`.
        @Test(.enabled(if: geteuid() == 0, "only root can make a mount namespace for others"))
        func programInAMountNamespaceOfRootsKeepsItsGrade() throws {
            try SignedWorld.run { world in
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
                #expect(lines == ["S", Victim.group])
            }
        }

        /// A child in a user namespace, which shares the attacker's memory, names another file as
        /// the attacker's program. The service sees what runs only when it looks. The named program
        /// need never have run.
        /// Red team: ephemeral, user; S or P.
        @Test(arguments: ["the victim", "/usr/bin/md5sum"])
        func programWhoseNameAChildSetIsNotStopped(_ name: String) throws {
            try SignedWorld.run { world in
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
        @Test(arguments: [("mapping", "ext4"), ("mapping", "tmpfs"), ("pin", "tmpfs")])
        func programThatIsChangedBehindItsTimesIsNobody(_ way: String, _ type: String) throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let writer = try Attackers.compile("latewriter", into: world.directory)
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
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
                #expect(try world.ask(copy, "whoami").first == "U")
            }
        }

        /// A process in the service's namespaces runs a program from a mount of its child's. The
        /// child's user namespace decides the content of that mount.
        /// Red team: ephemeral, user; U.
        @Test(arguments: ["tmpfs", "overlay"])
        func programOnAMountOfAnotherNamespaceIsNobody(_ type: String) throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let place = world.directory + "/place"
                let script = """
                    mkdir -p "$0" /tmp/upper$$ && mount -t tmpfs t "$0" \
                    && case \(type) in overlay) mkdir "$0"/l "$0"/u "$0"/w "$0"/m \
                    && mount -t overlay -o lowerdir="$0"/l,upperdir="$0"/u,workdir="$0"/w o "$0" ;;
                    esac && cp "$1" "$0"/program && rmdir /tmp/upper$$ && echo $$ && read -r line
                    """
                let holder = try world.start(
                    "/usr/bin/unshare", ["-Urm", "sh", "-c", script, place, victim.path])
                defer { holder.end() }
                let number = try holder.readLine()
                let program = "/proc/\(number)/root\(place)/program"
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
        /// Red team: ephemeral, user; U.
        @Test(arguments: ["a mount of another namespace", "one that ended", "one without a place"])
        func programByADescriptorIsNobody(_ place: String) throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let passed = try Attackers.compile("passed", into: world.directory)
                let folder = world.directory + "/place"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false)
                try Attackers.giveAway(folder)
                let holder: TestProcess
                let program: String
                if place == "one without a place" {
                    let held = try Attackers.compile("heldmount", into: world.directory)
                    holder = try world.start(held, [folder, victim.path])
                    program = "/proc/\(holder.pid)/fd/\(try holder.readLine())/program"
                } else {
                    let script = """
                        mount -t tmpfs t "$0" && cp "$1" "$0"/program && echo $$ && read -r line
                        """
                    holder = try world.start(
                        "/usr/bin/unshare", ["-Urm", "sh", "-c", script, folder, victim.path])
                    program = "/proc/\(try holder.readLine())/root\(folder)/program"
                }
                defer { holder.end() }
                let attacker = try world.start(
                    passed, [program, world.service.socketPath, "whoami"])
                defer { attacker.end() }
                #expect(try attacker.readLine() == "open")
                if place == "one that ended" { holder.end() }
                attacker.write("\n")
                #expect(try attacker.readLine() == "U")
                #expect(try attacker.readAll().contains(IdentityReason.unprovenFile.text))
            }
        }

        /// An attacker mounts a disk image, as a desktop mounts a USB stick for its user. The user
        /// chose which of its files belong to root.
        /// Red team: ephemeral, user; U, or S if signed.
        @Test(.enabled(if: geteuid() == 0, "only root can mount an image"))
        func programOfRootsOnASticksFileSystemIsNotRoots() throws {
            try SignedWorld.run { world in
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
                    defer { _ = unsafe umount2(folder, Int32(MNT_DETACH)) }
                    return try world.ask(folder + "/" + program, "whoami")
                }
                #expect(try grade("plain", "nosuid").first == "U")
                // A signature says the same wherever the file is.
                #expect(try grade("bank", "nosuid").first == "S")
                // The control: what the administrator mounts as part of the system.
                let system = try grade("plain", "ro")
                #expect(system.first == "P", "\(system)")
            }
        }

        // MARK: - Libraries

        private static func preload(
            _ way: String, _ world: SignedWorld, _ victim: Victim, bytes: String = ""
        ) throws -> [String] {
            let library = try Attackers.compile(
                "library", into: world.directory, ["-shared", "-fPIC"])
            try Attackers.giveAway(library)
            return try world.run(
                victim.path, ["build"],
                environment: [
                    "LD_PRELOAD": library, "ATTACK_PROGRAM": victim.path,
                    "ATTACK_SOCKET": world.service.socketPath, "ATTACK_HOW": "ask",
                    "ATTACK_WAY": way, "ATTACK_FILE": library, "ATTACK_BYTES": bytes,
                ])
        }

        /// A library of the attacker's makes its code non-executable while the service looks.
        /// Red team: ephemeral, user; U.
        @Test func libraryThatHidesItsCodeTakesTheIdentityAway() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                Self.expectNobody(try Self.preload("plain", world, victim))
                Self.expectNobody(try Self.preload("hide", world, victim))
            }
        }

        /// A library of the attacker's runs from its own pages, and overwrites its file with a
        /// library of the victim's team.
        /// Red team: ephemeral, user; U.
        @Test func libraryThatOverwritesItsFileTakesTheIdentityAway() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let signed = try Attackers.signedLibrary(world, victim)
                Self.expectNobody(try Self.preload("copy", world, victim, bytes: signed))
            }
        }

        /// An attacker puts code into anonymous memory that is executable only between two looks. A
        /// program's user can always do that to a program below AT_SECURE.
        /// Red team: ephemeral, user; S.
        @Test func codeThatIsExecutableBetweenTwoLooksIsNotStopped() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let lines = try Self.preload("anonymous", world, victim)
                #expect(lines.contains("grade S"), "\(lines)")
                #expect(lines.contains(Self.found))
            }
        }

        /// The C library loads a converter from a place that the attacker chose, after the service
        /// identified the program. The attacker can use the connection until the next look, ten
        /// seconds later.
        /// Red team: ephemeral, user; closed.
        @Test func codeThatIsLoadedLaterIsSeenAtTheNextLook() throws {
            try SignedWorld.run { world in
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
            _ name: String, _ world: SignedWorld, _ victim: Victim
        ) throws -> [String] {
            let attacker = try Attackers.compile(name, into: world.directory)
            let service = try world.service.worker()
            try world.service.halt(service)
            defer { kill(service, SIGCONT) }
            let process = try world.start(
                attacker, [victim.path, world.service.socketPath, "ask"])
            defer { process.end() }
            #expect(try process.readLine() == "running")
            kill(service, SIGCONT)
            // The victim's program goes on: the last line is known by what it says.
            var lines: [String] = []
            while true {
                let line = try process.readLine()
                lines.append(line)
                if ["found", "refused", "closed", "failed"].contains(where: line.hasPrefix) {
                    return lines
                }
            }
        }

        /// An attacker runs a program that copies its input to its output, with the connection as
        /// its output.
        /// Red team: ephemeral, user; closed.
        @Test func programThatCopiesItsInputLendsNoIdentity() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let lines = try Self.runHeld("filter", world, victim)
                #expect(lines.contains("closed"), "\(lines)")
                #expect(!lines.contains(Self.found))
            }
        }
    }
}
