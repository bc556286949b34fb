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
        /// - Parameters:
        ///   - world: The service.
        ///   - folder: Root's, for both.
        ///   - demands: Whether its signature says that it is nobody in its user's reach.
        /// - Returns: The paths of both.
        /// - Throws: what can't be made.
        private static func install(
            _ world: SystemWorld, _ folder: String, demands: Bool = false
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
            let demand = Array(
                """
                <plist version="1.0"><dict><key>\(AccessGroups.requiresProtection)</key><true/>\
                </dict></plist>
                """.utf8)
            let signed = try team.sign(
                program, "org.example.app", demands ? demand : nil,
                allowing: SignedWorld.Team.groupList(["*"]))
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
        /// Before: nothing.
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

        /// An application that is out of its user's reach, and whose signature demands that, has stored
        /// a secret. Programs of its own user debug it, take its socket, load libraries into it, borrow
        /// its name, and run copies of it; another user runs it.
        /// Red team: system; refused, or U.
        /// Before: nothing.
        @Test func nothingThatItsUserRunsGetsTheSecretOfAnApplicationThatDemandsProtection() throws
        {
            try Attackers.inSystemFolder { folder in
                try SystemWorld.run { world in
                    let (protected, plain) = try Self.install(world, folder, demands: true)
                    let running = try Self.start(world, protected)
                    defer { running.end() }
                    running.write("whoami\nadd bank MANGO\nfind bank\n")
                    let said = try (0..<4).map { _ in try running.readLine() }
                    #expect(said == ["S+", "TEAMAAAAAA.org.example.app", "ok", "MANGO"])

                    // Its process.
                    let ways = [
                        "attach", "read-memory", "memory-file", "maps-file", "environment-file",
                        "take-descriptor",
                    ]
                    for way in ways {
                        let answer = try Self.attack(running, way)
                        #expect(
                            ["error \(EPERM)\n", "error \(EACCES)\n"].contains(answer), "\(way)")
                    }

                    // Copies of it: the same signature, in the user's reach.
                    let place = world.root + "/attackers"
                    try FileManager.default.createDirectory(
                        atPath: place, withIntermediateDirectories: false)
                    guard unsafe chmod(place, 0o755) == 0 else { throw TestFailure(place) }
                    let copy = place + "/copy"
                    try FileManager.default.copyItem(atPath: plain, toPath: copy)
                    guard unsafe chown(copy, Self.user, Self.user) == 0 else {
                        throw TestFailure(copy)
                    }
                    for program in [plain, copy] {
                        let answer = try world.run(
                            Self.user, [program, world.socketPath, "whoami"])
                        #expect(answer.hasPrefix("U "), "\(answer)")
                        #expect(answer.contains(IdentityReason.notProtected.text))
                        #expect(
                            try world.run(Self.user, [program, world.socketPath, "find", "bank"])
                                == "failed -25300")
                    }

                    // Libraries, and its name.
                    let library = try Attackers.compile(
                        "library", into: place, ["-shared", "-fPIC"])
                    let borrower = try Attackers.compile("borrowedname", into: place)
                    let environment = [
                        "ATTACK_PROGRAM=\(protected)", "ATTACK_SOCKET=\(world.socketPath)",
                        "ATTACK_HOW=ask", "ATTACK_WAY=plain",
                    ]
                    for variable in ["LD_PRELOAD", "LD_AUDIT"] {
                        let answer = try world.run(
                            Self.user,
                            ["env", "\(variable)=\(library)"] + environment + [
                                protected, world.socketPath, "whoami",
                            ])
                        #expect(!answer.contains("MANGO"), "\(answer)")
                        #expect(!answer.contains("found"), "\(answer)")
                    }
                    let borrowed = try world.run(
                        Self.user, [borrower, protected, world.socketPath, "ask"])
                    #expect(!borrowed.contains("MANGO"), "\(borrowed)")

                    // Files, and another user.
                    for directory in ["/var/lib/llavero", "/var/lib/llavero-enclave"] {
                        let files = try world.run(
                            Self.user, ["find", world.root + directory, "-type", "f"])
                        #expect(files.contains("Permission denied"), "\(files)")
                    }
                    #expect(try world.ask(Self.user, "find", "bank") == "failed -25300")
                    #expect(
                        try world.run(
                            SystemWorld.berta, [protected, world.socketPath, "find", "bank"])
                            == "failed -25300")
                    running.write("find bank\n")
                    #expect(try running.readLine() == "MANGO")
                }
            }
        }
    }
}
