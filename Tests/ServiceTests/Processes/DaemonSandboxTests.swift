// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// enclaved's sandbox, tried from a user without rights: as root the tests drop to one.
    @Suite struct Sandboxing {
        // MARK: - From inside

        /// enclaved's own operations, so that the refusals below prove something.
        @Test(arguments: [
            "read-inside", "make-inside", "rename-inside", "map-memory",
        ])
        func whatTheEnclaveNeedsWorks(attempt: String) throws {
            let result = try Self.inSandbox(attempt)
            #expect(result.output == "entered\nerror 0\n")
            #expect(result.ending == .exit(0))
        }

        @Test(arguments: [
            "read-outside", "read-outside-upwards", "read-outside-by-link", "make-outside",
            "remove-outside", "list-outside",
        ])
        func fileOutsideIsRefused(attempt: String) throws {
            let result = try Self.inSandbox(attempt)
            #expect(result.output == "entered\nerror \(EACCES)\n")
        }

        @Test(arguments: [
            "socket", "local-socket", "fork", "thread", "program", "debug", "read-memory", "signal",
            "map-program", "make-executable", "dumpable",
        ])
        func forbiddenCallEndsTheProcess(attempt: String) throws {
            let result = try Self.inSandbox(attempt)
            #expect(result.output == "entered\n")
            #expect(result.ending == .signal(SIGSYS))
        }

        /// An intruder in the securityd of all users makes a process, runs a program, or signals others.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test(arguments: [
            ("fork", EPERM), ("spawn", EPERM), ("program", EPERM), ("signal", EPERM),
            ("debug", EPERM), ("read-memory", EPERM),
            // The controls.
            ("thread", 0), ("signal-itself", 0), ("map-memory", 0), ("local-socket", 0),
        ])
        func serviceOfAllUsersMakesThreadsAndNoProcess(attempt: String, error: Int32) throws {
            try TemporaryDirectory.lend { directory in
                let result = try TestProcess.run(
                    Binaries.launcher(), ["--unprivileged", "serving", directory, attempt])
                #expect(result.output == "entered\nerror \(error)\n")
                #expect(result.ending == .exit(0))
            }
        }

        private static func inSandbox(_ attempt: String) throws -> TestProcess.Result {
            let owner = geteuid() == 0 ? TestService.unprivilegedUser : nil
            return try TemporaryDirectory.lend(owner: owner) { directory in
                let inside = directory + "/state"
                try FileManager.default.createDirectory(
                    atPath: inside, withIntermediateDirectories: false)
                for path in [directory + "/outside", inside + "/inside"] {
                    try Data("content".utf8).write(to: URL(fileURLWithPath: path))
                }
                #expect(unsafe symlink(directory + "/outside", inside + "/link") == 0)
                if let owner {
                    for path in ["/state", "/state/inside", "/outside"] {
                        #expect(unsafe chown(directory + path, owner, owner) == 0)
                    }
                }
                let result = try TestProcess.run(
                    Binaries.launcher(), ["--unprivileged", "sandbox", inside, attempt])
                #expect(FileManager.default.fileExists(atPath: directory + "/outside"))
                #expect(!FileManager.default.fileExists(atPath: directory + "/made"))
                return result
            }
        }

        // MARK: - From outside

        private static let ways = [
            "attach", "read-memory", "memory-file", "maps-file", "environment-file",
            "take-descriptor",
        ]

        /// A program of the same user debugs the daemons, reads their memory, or takes a descriptor.
        /// Red team: user; refused.
        /// Before: stopped; refused.
        @Test func sameUserCannotGetAtTheDaemons() throws {
            var options = TestService.Options(.user)
            options.isUnprivileged = true
            try TestService.run(options) { service in
                let daemons = try Self.readyDaemons(service)
                for pid in daemons {
                    for way in Self.ways {
                        let error = try Self.attack(pid, way)
                        #expect(error == EPERM || error == EACCES, "\(way): error \(error)")
                    }
                }
                #expect(try service.worker() == daemons[0])
                #expect(try service.enclave() == daemons[1])
            }
        }

        /// The same attacks succeed on a program without protection.
        @Test func controlTheWaysLeadIntoAnUnprotectedProgram() throws {
            let victim = try TestProcess(
                Binaries.launcher(), ["--unprivileged", "--", "cat"])
            defer { victim.end() }
            try Waiting.until("the program") {
                ProcessEntry(running: victim.pid)?.words == ["cat"]
            }
            let maps = try ProcessFile.read(victim.pid, "maps")
            let line = try #require(maps.split(separator: "\n").first { $0.contains("[stack]") })
            let start = try #require(line.split(separator: "-").first)
            let address = try #require(Int(start, radix: 16))
            for way in Self.ways where way != "take-descriptor" {
                #expect(
                    try Self.attack(victim.pid, way, address: address + 4096 * 20) == 0, "\(way)")
            }
            // Descriptor 3 isn't open there: the attack succeeds, but finds nothing.
            #expect(try Self.attack(victim.pid, "take-descriptor") == EBADF)
        }

        @Test func daemonsGainNoRightsAndDumpNothing() throws {
            try TestService.run(.init(.user)) { service in
                let daemons = try Self.readyDaemons(service)
                for pid in daemons {
                    let status = try ProcessFile.read(pid, "status")
                    #expect(status.contains("NoNewPrivs:\t1"))
                    let limits = try? ProcessFile.read(pid, "limits")
                    if let limits {
                        let core = try #require(
                            limits.split(separator: "\n").first { $0.hasPrefix("Max core") })
                        #expect(core.split(separator: " ").prefix(6).suffix(2) == ["0", "0"])
                    }
                }
                for pid in daemons.dropFirst() {
                    let status = try ProcessFile.read(pid, "status")
                    #expect(status.contains("Seccomp:\t2"))
                    #expect(status.contains("Threads:\t1"))
                }
            }
        }

        /// The settings that the C library and the Swift runtime read when each of them started.
        @Test func daemonsOverwriteFreedMemoryAndPrintNoRegisters() throws {
            var options = TestService.Options()
            options.isInspectable = geteuid() != 0
            try TestService.run(options) { service in
                for pid in try Self.readyDaemons(service) {
                    let variables = try ProcessFile.read(pid, "environ").split(separator: "\0")
                    // Some C libraries split the value in place.
                    let malloc = variables.first { $0.hasPrefix("GLIBC_TUNABLES=") }
                    #expect(malloc?.hasPrefix("GLIBC_TUNABLES=glibc.malloc.perturb=165") == true)
                    #expect(variables.contains("SWIFT_BACKTRACE=enable=no"))
                }
            }
        }

        /// securityd, enclaved and the deriver, after they have entered their restrictions.
        private static func readyDaemons(_ service: TestService) throws -> [Int32] {
            let connection = try RawConnection(service.socketPath)
            let answer = connection.exchange(try ClientRequest.deviceStatus.frameBytes())
            guard case .deviceStatus? = answer.reply else { throw TestFailure("no status") }
            let deriver = try service.deriver()
            try Waiting.until("the deriver's sandbox") {
                try ProcessFile.read(deriver, "status").contains("Seccomp:\t2")
            }
            return [try service.worker(), try service.enclave(), deriver]
        }

        private static func attack(_ pid: Int32, _ way: String, address: Int = 4096) throws -> Int32
        {
            let result = try TestProcess.run(
                Binaries.launcher(), ["--unprivileged", "attack", "\(pid)", way, "\(address)"])
            let words = result.output.split(whereSeparator: \.isWhitespace)
            guard words.count == 2, words[0] == "error", let error = Int32(words[1]) else {
                throw TestFailure("The attack doesn't work: \(result)")
            }
            return error
        }
    }
}
