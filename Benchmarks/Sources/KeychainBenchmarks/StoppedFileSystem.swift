// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// Programs that were started from a file system of their user's (FUSE), which then has stopped. They
/// connect to the service again and again. Made of the attackers of the tests.
struct StoppedFileSystem {
    static let programCount = 8

    struct Failure: Error { let text: String }

    private let directory: String
    private var server: Running?
    private var programs: [Running] = []

    /// Starts all, and stops the file system.
    init() throws {
        directory = NSTemporaryDirectory() + "/llbench-\(UUID())"
        do { try start() } catch {
            end()
            throw error
        }
    }

    private mutating func start() throws {
        let place = directory + "/place"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for name in ["fileserver", "returning"] {
            let source =
                FileManager.default.currentDirectoryPath + "/Tests/Programs/Attackers/\(name).c"
            let compiler = try Running(
                "/usr/bin/env",
                [
                    "clang", "-O1", "-pthread", "-Wno-unused-result", "-o", directory + "/" + name,
                    source,
                ])
            compiler.process.waitUntilExit()
            guard compiler.process.terminationStatus == 0 else {
                throw Failure(text: "\(source) can't be compiled")
            }
        }
        let server = try Running(
            directory + "/fileserver", ["/dev/fuse", place, directory + "/returning"])
        self.server = server
        try server.expect("mounted")
        let program = "/proc/\(server.process.processIdentifier)/root\(place)/program"
        let socket = ProcessInfo.processInfo.environment["LLAVERO_SOCKET"] ?? ""
        for _ in 0..<Self.programCount { programs.append(try Running(program, [socket])) }
        for program in programs { try program.expect("asking") }
        kill(server.process.processIdentifier, SIGSTOP)
    }

    /// Makes sure that all of it was there to the end.
    func expectItRuns() throws {
        guard server?.process.isRunning == true, programs.allSatisfy(\.process.isRunning) else {
            throw Failure(text: "a program of the stopped file system has ended")
        }
    }

    /// Ends all: what waits for the file system ends with it.
    func end() {
        for running in [server].compactMap({ $0 }) + programs {
            kill(running.process.processIdentifier, SIGKILL)
            running.process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A program that says one line, and waits with its input.
    private struct Running {
        let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ path: String, _ words: [String]) throws {
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = words
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        func expect(_ line: String) throws {
            let said = String(
                decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard said == line + "\n" else { throw Failure(text: "\(line) expected: \(said)") }
        }
    }
}
