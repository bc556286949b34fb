// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers of the victim's own user whose programs lie on a file system that they serve
    /// themselves (FUSE).
    @Suite(.enabled(if: geteuid() == 0, "only root can make the device of FUSE for others"))
    struct FileServerAttacks {
        /// A file system with a program on it.
        private final class FileServer {
            let process: TestProcess
            /// As programs outside its namespaces reach it.
            let program: String

            init(_ world: SignedWorld, serving file: String) throws {
                let attacker = try Attackers.compile("fileserver", into: world.directory)
                let device = world.directory + "/fuse"
                let place = world.directory + "/place"
                // A node of our own: that of the machine stays as it is.
                let number = dev_t(10 << 8 | 229)
                guard unsafe mknod(device, S_IFCHR | 0o666, number) == 0,
                    unsafe chmod(device, 0o666) == 0
                else { throw TestFailure("The device can't be made.") }
                try FileManager.default.createDirectory(
                    atPath: place, withIntermediateDirectories: false)
                try Attackers.giveAway(place)
                process = try world.start(attacker, [device, place, file])
                #expect(try process.readLine() == "mounted")
                program = "/proc/\(process.pid)/root\(place)/program"
            }

            /// Answers nothing any more.
            func halt() throws {
                process.signal(SIGSTOP)
                try Waiting.until("the file server to stop") {
                    try ProcessFile.read(self.process.pid, "stat").contains(") T ")
                }
            }
        }

        /// Who serves a file can show the service another one than the processor.
        /// Red team: ephemeral, user; U.
        @Test func programThatItsUserServesIsNobody() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let server = try FileServer(world, serving: victim.path)
                defer { server.process.end() }
                let lines = try world.run(
                    server.program, [world.service.socketPath, "serve"],
                    input: "whoami\nfind bank\n")
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.contains(IdentityReason.unprovenFile.text))
                #expect(lines.last == "failed -25300")
            }
        }

        /// Eight programs connect from a file system that stops answering before the service looks.
        /// Red team: ephemeral, user; U.
        @Test func stoppedFileSystemHoldsUpNobodyElse() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                let server = try FileServer(world, serving: victim.path)
                let service = try world.service.worker()
                try world.service.halt(service)
                defer { kill(service, SIGCONT) }
                var programs: [TestProcess] = []
                // What waits for the file system ends only with it.
                defer {
                    server.process.end()
                    for program in programs { program.end() }
                }
                for _ in 0..<8 {
                    let program = try world.start(
                        server.program, [world.service.socketPath, "connect", "whoami"])
                    programs.append(program)
                    #expect(try program.readLine() == "connected")
                }
                try server.halt()
                kill(service, SIGCONT)
                // A new connection of another program, and one of a program that is more than others.
                for _ in 0..<3 {
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
                let state = try ProcessFile.read(server.process.pid, "stat")
                #expect(state.contains(") T "))
            }
        }
    }
}
