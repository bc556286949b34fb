// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers whose file systems never answer, so that a process that asks one can't be killed.
    @Suite(.enabled(if: geteuid() == 0, "only root can make the device of FUSE for others"))
    struct SilentFileSystems {
        /// Whether another user, this process's, is answered.
        private static func isAnswered(_ service: TestService) throws -> Bool {
            let connection = try RawConnection(service.socketPath)
            let answer = connection.exchange(try ClientRequest.deviceStatus.frameBytes())
            if case .frame = answer { return true }
            return false
        }

        /// Ten programs connect from an overlay, in a user namespace of their own, that says it is of
        /// root's directories. One of these is served by the attacker, who answers nothing any more.
        /// Red team: ephemeral; U.
        /// Before: worked; nobody is answered.
        @Test func overlayWithAFalseNameOverASilentFileSystemHoldsUpNobodyElse() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                let visitor = try Attackers.compile("visitor", into: world.directory)
                let overlay = world.directory + "/overlay"
                try FileManager.default.createDirectory(
                    atPath: overlay, withIntermediateDirectories: false)
                try Attackers.giveAway(overlay)
                let service = try world.service.worker()
                try world.service.halt(service)
                defer { kill(service, SIGCONT) }
                let server = try SilentServer.start(
                    world, visitor, ["overlay", overlay, "10", world.service.socketPath, "ask"],
                    flags: ["--unprivileged"])
                var reader: TestProcess?
                // What waits for the file system ends only with it.
                defer {
                    server.end()
                    reader?.end()
                }
                var programs: [Int32] = []
                var connectedCount = 0
                while connectedCount < 10 {
                    let line = try server.readLine()
                    if line == "connected" {
                        connectedCount += 1
                    } else {
                        programs.append(
                            try #require(Int32(line.dropFirst("started ".count)), "\(line)"))
                    }
                }
                try SilentServer.silence(server)
                kill(service, SIGCONT)
                for _ in 0..<3 {
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                    #expect(try Self.isAnswered(world.service))
                }
                // They are answered, too, as what they are.
                for _ in 0..<10 {
                    while try server.readLine() != "grade U" {}
                }
                #expect(try SilentServer.stuckInspectors(world.service) == [])
                // The control: who opens the program of one of them can't be killed.
                let naive = try TestProcess("/usr/bin/head", ["-c1", "/proc/\(programs[0])/exe"])
                reader = naive
                try Waiting.until("the reader to wait for the file system") {
                    try ProcessFile.read(naive.pid, "stack").contains("fuse_")
                }
                naive.signal(SIGKILL)
                #expect(try world.ask(bare, "whoami").first == "U")
                #expect(try SilentServer.state(naive.pid) == "D")
            }
        }

        /// Programs connect from a disk image of an ordinary type whose blocks come from a file of the
        /// attacker's file system, which never answers. Two inspectors wait for it and can't be killed;
        /// no further one asks it.
        /// Red team: ephemeral; closed.
        /// Before: worked; nobody is answered.
        @Test func programsOnASilentDiskImageHoldUpTwoInspectorsAndNobodyElse() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                let visitor = try Attackers.compile("visitor", into: world.directory)
                let image = try DiskImage(world, visitor)
                let service = try world.service.worker()
                try world.service.halt(service)
                defer { kill(service, SIGCONT) }
                var programs: [TestProcess] = []
                defer {
                    image.end()
                    for program in programs { program.end() }
                }
                func connect(_ path: String) throws {
                    let program = try world.start(path, [world.service.socketPath, "ask"])
                    programs.append(program)
                    #expect(try program.readLine() == "connected")
                }
                for _ in 0..<4 { for path in image.programs { try connect(path) } }
                try image.silence()
                kill(service, SIGCONT)
                for _ in 0..<3 {
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                    #expect(try Self.isAnswered(world.service))
                }
                for program in programs { #expect(try program.readLine() == "closed") }
                // The control: two of them were asked for, and hold those up who asked.
                let stuck = try SilentServer.stuckInspectors(world.service)
                #expect(stuck.count == 2)
                try connect(image.programs[2])
                #expect(try programs.last?.readLine() == "closed")
                #expect(try SilentServer.stuckInspectors(world.service) == stuck)
                #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                // When the file system is gone, they end.
                image.end()
                try Waiting.until("the inspectors to end") {
                    !stuck.contains { ProcessEntry.runs($0) }
                }
                #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
            }
        }
    }
}
