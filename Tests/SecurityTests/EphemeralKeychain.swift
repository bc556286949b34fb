// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// A keychain service of the tests' own. It ends with the test process, whose end of the pipe its
/// command waits on.
final class EphemeralKeychain: Sendable {
    /// Why there is none: the tests that need it then fail, they aren't skipped.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The path of its socket.
    let socket: String
    private let process: Process
    private let input: Pipe

    /// The one keychain that `SecItem…` calls of this process go to.
    static let shared: Result<EphemeralKeychain, Missing> = {
        do {
            let keychain = try EphemeralKeychain()
            unsafe setenv("LLAVERO_SOCKET", keychain.socket, 1)
            return .success(keychain)
        } catch let error as Missing {
            return .failure(error)
        } catch { return .failure(Missing(description: "\(error)")) }
    }()

    /// Starts a service.
    init() throws {
        let securityd = Self.binaries.appendingPathComponent("securityd")
        guard FileManager.default.isExecutableFile(atPath: securityd.path) else {
            throw Missing(description: "there is no \(securityd.path); build it first")
        }
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = securityd
        process.arguments = ["--ephemeral", "--", "/bin/sh", "-c", "echo $LLAVERO_SOCKET; read x"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) {
            line.append(byte)
        }
        socket = String(decoding: line, as: UTF8.self)
        guard !socket.isEmpty else { throw Missing(description: "securityd gave no socket") }
    }

    deinit { try? input.fileHandleForWriting.close() }

    /// `LLAVERO_BINARIES`, else `.build/release` of this package.
    static var binaries: URL {
        if let path = ProcessInfo.processInfo.environment["LLAVERO_BINARIES"] {
            return URL(fileURLWithPath: path)
        }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(".build/release")
    }
}
