// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Programs and libraries of root's that are replaced while they run, as packages do.
    @Suite(.enabled(if: geteuid() == 0, "only root can replace its own programs"))
    struct ReplacedPrograms {
        /// A directory for programs of root's.
        private static func lendFolder(_ body: (String) throws -> Void) throws {
            let folder = "/opt/lltest-\(UUID())"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755])
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try body(folder)
        }

        /// Puts a copy in a file's place, under its name.
        private static func replace(_ path: String) throws {
            try FileManager.default.copyItem(atPath: path, toPath: path + ".new")
            let isReplaced = unsafe rename(path + ".new", path) == 0
            #expect(isReplaced)
        }

        private static func library(in folder: String) throws -> String {
            let library = folder + "/library.so"
            let source = folder + "/library.c"
            try Data("int answer(void) { return 42; }\n".utf8).write(
                to: URL(fileURLWithPath: source))
            let result = try TestProcess.run("cc", ["-shared", "-fPIC", "-o", library, source])
            guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
            return library
        }

        private static func lines(_ process: TestProcess, _ count: Int) throws -> [String] {
            try (0..<count).map { _ in try process.readLine() }
        }

        @Test func programOfRootsThatIsReplacedWhileItRunsKeepsItsItems() throws {
            try SignedWorld.run { world in
                try Self.lendFolder { folder in
                    let program = try world.install(
                        world.program(), "app", in: folder, owner: 0)
                    #expect(try world.ask(program, "add", "bank", "saved") == ["ok"])
                    let running = try world.start(program, [world.service.socketPath, "serve"])
                    defer { running.end() }
                    try Self.replace(program)
                    running.write("find bank\nwhoami\n")
                    #expect(
                        try Self.lines(running, 3) == ["saved", "P", "path:\(program)"])
                    // Another user's file with such a name is nobody.
                    let own = try world.install(world.program(), "app (deleted)")
                    #expect(try world.ask(own, "whoami").first == "U")
                    #expect(try world.ask(own, "find", "bank") == ["failed -25300"])
                }
            }
        }

        /// The service has seen the library before.
        @Test func libraryOfRootsThatIsReplacedWhileItIsInUseTakesNothingAway() throws {
            try SignedWorld.run { world in
                try Self.lendFolder { folder in
                    let program = try world.install(
                        world.program(), "app", in: folder, owner: 0)
                    let preload = ["LD_PRELOAD": try Self.library(in: folder)]
                    let words = [world.service.socketPath, "add", "bank", "saved"]
                    #expect(try world.run(program, words, environment: preload) == ["ok"])
                    let running = try world.start(
                        program, [world.service.socketPath, "serve"], environment: preload)
                    defer { running.end() }
                    try Self.replace(folder + "/library.so")
                    running.write("find bank\n")
                    #expect(try running.readLine() == "saved")
                }
            }
        }

        /// What can't be told to be root's any more makes the program nobody who holds anything: in the
        /// group of all programs it would find nothing of its own, and leave there what it stores.
        @Test func programThatCanNotBeToldAnyMoreIsRefusedInsteadOfMistaken() throws {
            try SignedWorld.run { world in
                try Self.lendFolder { folder in
                    let program = try world.install(
                        world.program(), "app", in: folder, owner: 0)
                    let library = try Self.library(in: folder)
                    let running = try world.start(
                        program, [world.service.socketPath, "serve"],
                        environment: ["LD_PRELOAD": library])
                    defer { running.end() }
                    // It connects with the first request.
                    try Waiting.until("the library to be mapped") {
                        let maps = try ProcessFile.read(running.pid, "maps")
                        return maps.contains(library) && maps.contains(program)
                    }
                    try Self.replace(library)
                    running.write("add bank secret\nfind bank\nwhoami\n")
                    let seen = try Self.lines(running, 4)
                    #expect(seen.last == IdentityReason.replacedLibrary.text, "\(seen)")
                    #expect(seen.contains("U"))
                    #expect(!seen.contains("ok") && !seen.contains("secret"))
                    #expect(!seen.contains("failed -25300"), "\(seen)")
                    #expect(!seen.contains { $0.hasPrefix("unsigned.") }, "\(seen)")
                    #expect(try world.ask(program, "find", "bank") == ["failed -25300"])
                }
            }
        }

        /// Nothing is named as what is mounted there.
        @Test func mountWithoutASourceChangesNobodysGrade() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                try TemporaryDirectory.lend { directory in
                    let mounted = try TestProcess.run(
                        "mount", ["-t", "tmpfs", "", directory])
                    #expect(mounted.ending == .exit(0), "\(mounted.errors)")
                    defer { _ = try? TestProcess.run("umount", [directory]) }
                    let table = try ProcessFile.read(getpid(), "mountinfo")
                    #expect(table.contains("- tmpfs  rw"))
                    #expect(try world.ask(victim.path, "whoami").first == "S")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
            }
        }
    }
}
