// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// A keychain of a container's own: `securityd --ephemeral` in namespaces without root. What is said
    /// here of its programs' grades is what CODE-SIGNING.md says.
    @Suite(.enabled(if: geteuid() == 0, "only root can start processes of several users"))
    struct Containers {
        private static let group = "TEAMAAAAAA.org.example.app"

        /// Has a container's keychain asked by programs in it.
        private static func script(_ securityd: String, _ teams: String, _ programs: [String])
            -> String
        {
            let asking = programs.map { "echo \($0); \($0) $LLAVERO_SOCKET ask" }
            let command =
                "umask 022; cp \(teams) $(dirname $LLAVERO_SOCKET)/trusted-teams; "
                + asking.joined(separator: "; ")
            return "exec \(securityd) --ephemeral --device-key file -- sh -c '\(command)'"
        }

        /// What each of the programs was told, by its path.
        private static func answers(_ lines: [String]) -> [String: [String]] {
            var answers: [String: [String]] = [:]
            var program = ""
            for line in lines {
                if line.hasPrefix("/") {
                    program = line
                } else {
                    answers[program, default: []] += [line]
                }
            }
            return answers
        }

        private static func signed(_ path: String, _ team: SignedWorld.Team) throws -> [UInt8] {
            try team.sign(
                [UInt8](Data(contentsOf: URL(fileURLWithPath: path))), "org.example.app")
        }

        /// One user is mapped, as by `unshare -Ur`: the machine's files are nobody's inside, so that only
        /// programs without the system's libraries can be more than others.
        @Test func whereOneUserIsMappedTheSystemsLibrariesDoNotCount() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let daemons = world.directory + "/daemons"
                try FileManager.default.createDirectory(
                    atPath: daemons, withIntermediateDirectories: false)
                try Attackers.giveAway(daemons)
                let securityd = try Binaries.copyDaemons(to: daemons)
                let teams = world.directory + "/teams"
                try FileManager.default.copyItem(
                    atPath: world.service.stateDirectory + "/trusted-teams", toPath: teams)
                let shared = try Attackers.compile("asker", into: world.directory)
                let dynamic = try world.install(Self.signed(shared, team), "dynamic")
                let alone = try Attackers.compile("asker", into: world.directory, ["-static"])
                let plain = try world.install(
                    [UInt8](Data(contentsOf: URL(fileURLWithPath: alone))), "plain")
                let program = try world.install(Self.signed(alone, team), "static")
                let script = Self.script(securityd, teams, [dynamic, plain, program])
                let lines = try world.run(
                    "/usr/bin/unshare",
                    [
                        "-Urmpf", "--mount-proc", "env", "TMPDIR=" + world.directory, "sh", "-c",
                        script,
                    ])
                let answers = Self.answers(lines)
                let others = try #require(answers[dynamic], "\(lines)")
                #expect(others.contains("grade U"))
                #expect(others.contains("reason \(IdentityReason.foreignLibrary.text)"))
                #expect(answers[plain]?.first == "grade U")
                #expect(answers[program]?.prefix(2) == ["grade S", "group \(Self.group)"])
                // The service outside.
                #expect(
                    try world.run(program, [world.service.socketPath, "ask"]).first == "grade S")
                let inside = try world.run(
                    "/usr/bin/unshare",
                    ["-Urmpf", "--mount-proc", program, world.service.socketPath, "ask"])
                #expect(inside.contains("reason \(IdentityReason.foreignNamespace.text)"))
            }
        }

        /// Many users are mapped, and the files of the container's image are its root's, as with Podman: its
        /// programs have the grades that they have on a machine. Its root is the user, so that grade P
        /// stands for nothing.
        @Test func programsOfAContainersOwnImageHaveTheirGrades() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                try Attackers.inSystemFolder { image in
                    let own = image + "/sbin"
                    try FileManager.default.createDirectory(
                        atPath: own, withIntermediateDirectories: false)
                    _ = try Binaries.copyDaemons(to: own)
                    try FileManager.default.copyItem(
                        atPath: world.service.stateDirectory + "/trusted-teams",
                        toPath: own + "/teams")
                    let program = try Self.programOfItsOwn(world, own)
                    try Self.signed(program, team).write(to: own + "/signed")
                    let script = Self.script(
                        "/sbin/securityd", "/sbin/teams", ["/sbin/asker", "/sbin/signed"])
                    let lines = try Self.runIn(image, world, script)
                    let answers = Self.answers(lines)
                    #expect(
                        answers["/sbin/signed"]?.prefix(2) == ["grade S", "group \(Self.group)"],
                        "\(lines)")
                    #expect(
                        answers["/sbin/asker"]?.prefix(2) == ["grade P", "group path:/sbin/asker"])
                }
            }
        }

        /// Puts a program into the image with the libraries that it needs, and has it take those.
        private static func programOfItsOwn(
            _ world: SignedWorld, _ folder: String
        ) throws -> String {
            let usual = try Attackers.compile("asker", into: world.directory)
            let needed = try TestProcess.run("ldd", [usual]).output
                .split(whereSeparator: { " \t\n".contains($0) }).filter { $0.hasPrefix("/") }
            var options = ["-Wl,-rpath,/sbin"]
            for library in needed.map(String.init) {
                let name = (library as NSString).lastPathComponent
                try FileManager.default.copyItem(
                    atPath: URL(fileURLWithPath: library).resolvingSymlinksInPath().path,
                    toPath: folder + "/" + name)
                if name.hasPrefix("ld") { options.append("-Wl,--dynamic-linker=/sbin/" + name) }
            }
            return try Attackers.compile("asker", into: folder, options)
        }

        /// Runs a script as root of a user namespace with many users, in an image whose files are that
        /// root's. Everything that the image lacks is the machine's.
        private static func runIn(
            _ image: String, _ world: SignedWorld, _ script: String
        ) throws -> [String] {
            let root: UInt32 = 100_000
            let holder = try world.start(
                "/usr/bin/unshare", ["-U", "sh", "-c", "echo $$; read -r line"], flags: [])
            defer { holder.end() }
            let number = try holder.readLine()
            for map in ["uid_map", "gid_map"] {
                try Data("0 \(root) 65536".utf8).write(
                    to: URL(fileURLWithPath: "/proc/\(number)/\(map)"))
            }
            let outside = """
                set -e
                mount --make-rprivate /
                chown -R \(root):\(root) "$0"
                mount --bind "$0" "$0"
                for part in /*; do
                    test "$part" != /sbin || continue
                    if test -L "$part"; then cp -P "$part" "$0$part"; fi
                    if test -L "$part" || ! test -d "$part"; then continue; fi
                    mkdir "$0$part"
                    mount --rbind "$part" "$0$part"
                done
                exec nsenter -t \(number) -U -S 0 -G 0 chroot "$0" env TMPDIR=/tmp sh -c "$1"
                """
            return try world.run(
                "/usr/bin/unshare", ["-m", "sh", "-c", outside, image, script], flags: [])
        }
    }
}

extension [UInt8] {
    /// Makes a program of these bytes.
    fileprivate func write(to path: String) throws {
        try Data(self).write(to: URL(fileURLWithPath: path))
        guard unsafe chmod(path, 0o755) == 0 else { throw TestFailure(path) }
    }
}
