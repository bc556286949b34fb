// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers of an application's own user, against the system service.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemAttacks {
        private static let user = SystemWorld.anna
        /// A group that no other program has.
        private static let group: UInt32 = 65_531

        /// Makes the service trust a team, as an administrator does, and installs a program of it in
        /// two ways: out of its user's reach, and plain.
        private static func install(
            _ world: SystemWorld, _ folder: String
        ) throws -> (protected: String, plain: String) {
            let team = try SignedWorld.Team("TEAMAAAAAA")
            var trusted = TrustedTeams()
            try trusted.add(team.authority.rootDocument)
            let configuration = world.root + "/etc/llavero"
            try FileManager.default.createDirectory(
                atPath: configuration, withIntermediateDirectories: true)
            try DeveloperDirectory.write(
                trusted.encoded, configuration + "/trusted-teams", mode: 0o644)
            let stripped = world.root + "/application"
            _ = try TestProcess.run("strip", ["-s", "-o", stripped, Binaries.testApplication()])
            let program = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stripped)))
            let signed = try team.sign(program, "org.example.app")
            let (protected, plain) = (folder + "/protected", folder + "/plain")
            for path in [protected, plain] {
                try DeveloperDirectory.write(signed, path, mode: 0o755)
            }
            guard unsafe chown(protected, 0, group) == 0, unsafe chmod(protected, 0o2755) == 0
            else {
                throw TestFailure(protected)
            }
            return (protected, plain)
        }

        private static func start(_ world: SystemWorld, _ program: String) throws -> TestProcess {
            let words = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program]
            return try TestProcess("setpriv", words + [world.socketPath, "serve"])
        }

        private static func attack(_ process: TestProcess, _ way: String) throws -> String {
            try TestProcess.run(
                Binaries.launcher(), ["--user=\(user)", "attack", "\(process.pid)", way]
            ).output
        }

        /// A program of the application's own user debugs it and reads its memory.
        /// Red team: system; refused.
        @Test func applicationOutOfItsUsersReachKeepsItsSecretFromItsUsersPrograms() throws {
            try Attackers.inSystemFolder { folder in
                try SystemWorld.run { world in
                    let (protected, plain) = try Self.install(world, folder)
                    let running = try Self.start(world, protected)
                    defer { running.end() }
                    running.write("whoami\n")
                    #expect(try running.readLine() == "S+")
                    #expect(try running.readLine() == "TEAMAAAAAA.org.example.app")
                    running.write("add bank MANGO\nfind bank\n")
                    #expect(try running.readLine() == "ok")
                    #expect(try running.readLine() == "MANGO")
                    for way in ["attach", "memory-file", "maps-file"] {
                        let answer = try Self.attack(running, way)
                        #expect(
                            ["error \(EPERM)\n", "error \(EACCES)\n"].contains(answer), "\(way)")
                    }
                    // What the user's other programs find, and another user with the same program.
                    #expect(try world.ask(Self.user, "find", "bank") == "failed -25300")
                    #expect(
                        try world.run(
                            SystemWorld.berta, [protected, world.socketPath, "find", "bank"])
                            == "failed -25300")
                    // The control: the same application, in its user's reach.
                    let open = try Self.start(world, plain)
                    defer { open.end() }
                    open.write("whoami\n")
                    #expect(try open.readLine() == "S")
                    #expect(try Self.attack(open, "attach") == "error 0\n")
                }
            }
        }
    }
}
