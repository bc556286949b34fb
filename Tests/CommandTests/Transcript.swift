// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// What a command said.
struct Answer: Equatable, CustomStringConvertible {
    var status: Int32
    var output: String
    var errors: String

    init(_ status: Int32, _ output: String = "", errors: String = "") {
        self.status = status
        self.output = output
        self.errors = errors
    }

    var description: String { "status \(status)\n--- output\n\(output)--- errors\n\(errors)" }
}

/// The `security` command as scripts run it, with a keychain of its own: its service ends when
/// this object goes, whose end of the pipe the service's command waits on.
final class Transcript {
    /// Why nothing can be run: the tests then fail, they aren't skipped.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private var service: (process: Process, input: Pipe)?
    private var environment = ["HOME": "/home/tester", "PATH": "/usr/bin:/bin"]

    /// Starts a keychain.
    init() throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = try Self.binary("securityd")
        process.arguments = ["--ephemeral", "--", "/bin/sh", "-c", "echo $LLAVERO_SOCKET; read x"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) {
            line.append(byte)
        }
        guard !line.isEmpty else { throw Missing(description: "securityd gave no socket") }
        environment["LLAVERO_SOCKET"] = String(decoding: line, as: UTF8.self)
        service = (process, input)
    }

    /// Runs commands without a keychain: nobody listens at `socket`.
    init(socket: String) { environment["LLAVERO_SOCKET"] = socket }

    deinit {
        try? service?.input.fileHandleForWriting.close()
        service?.process.waitUntilExit()
    }

    /// Runs `security` with words, in a session without a terminal.
    func run(_ words: String..., input: String = "") throws -> Answer {
        try run(words, input: input)
    }

    /// Runs `security` with words, in a session without a terminal.
    func run(_ words: [String], input: String = "") throws -> Answer {
        let (process, standardInput) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        process.arguments = ["--wait", try Self.binary("security").path] + words
        process.environment = environment
        process.standardInput = standardInput
        // Files and not pipes: neither stream can hold up the other.
        let directory = FileManager.default.temporaryDirectory
        let files = (0..<2).map { _ in directory.appendingPathComponent(UUID().uuidString) }
        for file in files { try Data().write(to: file) }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return Answer(process.terminationStatus, texts[0], errors: texts[1])
    }

    /// One of the built programs: in `LLAVERO_BINARIES`, else in `.build/release` of this package.
    private static func binary(_ name: String) throws -> URL {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let directory =
            ProcessInfo.processInfo.environment["LLAVERO_BINARIES"]
            .map { URL(fileURLWithPath: $0) } ?? package.appendingPathComponent(".build/release")
        let file = directory.appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: file.path) else {
            throw Missing(description: "there is no \(file.path); build it first")
        }
        return file
    }
}

/// Texts that several transcripts have.
enum Text {
    static let absent = "The specified item could not be found in the keychain."
    static let notFound = Answer(
        44, errors: "security: SecKeychainSearchCopyNext: \(absent)\n")
}
