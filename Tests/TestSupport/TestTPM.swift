// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import IPC

/// A test's software TPM (swtpm), in a private directory; it serves one client at a time.
package final class TestTPM {
    /// The directory of its state and its sockets.
    package let directory: String
    private var process: TestProcess?

    /// The socket of its commands.
    package var socketPath: String { directory + "/tpm" }
    /// The option with which securityd finds it.
    package var deviceKeyArgument: String { "unix:" + socketPath }
    private var controlPath: String { socketPath + ".ctrl" }

    /// Starts a new TPM, passes it to a closure, ends it and removes its directory, also after an
    /// error.
    package static func run<R>(_ body: (TestTPM) throws -> R) throws -> R {
        try TemporaryDirectory.lend { directory in
            let tpm = TestTPM(directory)
            try tpm.start()
            defer { tpm.stop() }
            return try body(tpm)
        }
    }

    private init(_ directory: String) { self.directory = directory }

    deinit { stop() }

    // MARK: - The process

    /// Starts it, with the existing state.
    package func start() throws {
        for path in [socketPath, controlPath] { _ = unsafe unlink(path) }
        let started = try TestProcess(
            "swtpm",
            [
                "socket", "--tpm2", "--tpmstate", "dir=\(directory)",
                "--server", "type=unixio,path=\(socketPath)",
                "--ctrl", "type=unixio,path=\(controlPath)",
                "--flags", "not-need-init,startup-clear",
            ])
        process = started
        try Waiting.until("swtpm to listen") {
            guard ProcessEntry.runs(started.pid) else {
                throw TestFailure("swtpm ended: \(started.errorText)")
            }
            // Its files exist before it listens.
            let sockets = [socketPath, controlPath].compactMap { path in
                (try? UnixSocket.connect(to: path, timeout: .seconds(1)))?.rawValue
            }
            return sockets.count == 2
        }
    }

    /// Ends it as a power cut would.
    package func stop() {
        process?.end()
        process = nil
    }

    /// Stops or continues it without ending it.
    package func signal(_ number: Int32) { if let process { kill(process.pid, number) } }

    /// Its process.
    package var pid: Int32? { process?.pid }

    /// A connection whose calls don't block.
    /// - Returns: A descriptor, which the caller owns.
    package func connect() throws -> Int32 {
        let socket = try UnixSocket.connect(to: socketPath, timeout: Waiting.patience)
        let copy = fcntl(socket.rawValue, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0, fcntl(copy, F_SETFL, O_NONBLOCK) == 0 else {
            throw TestFailure("The TPM's socket can't be used.")
        }
        return copy
    }

    // MARK: - Its state

    /// Copies its state; call this while it doesn't run.
    package func saveState(to path: String) throws {
        for name in try stateFiles(directory) {
            try FileManager.default.copyItem(
                atPath: directory + "/" + name, toPath: path + "/" + name)
        }
    }

    /// Restores a copy; call this while it doesn't run.
    package func restoreState(from path: String) throws {
        for name in try stateFiles(directory) {
            try FileManager.default.removeItem(atPath: directory + "/" + name)
        }
        for name in try stateFiles(path) {
            try FileManager.default.copyItem(
                atPath: path + "/" + name, toPath: directory + "/" + name)
        }
    }

    private func stateFiles(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("tpm2-") }
    }

    // MARK: - Tools

    /// Runs one of tpm2-tools on it, as an attacker with all rights on the machine; no other client
    /// may be connected.
    /// - Returns: Its output, and how it ended.
    package func tool(_ name: String, _ words: String...) throws -> TestProcess.Result {
        try tool(name, words)
    }

    /// The same.
    package func tool(_ name: String, _ words: [String]) throws -> TestProcess.Result {
        var options = TestProcess.Options()
        options.environment = [
            "TPM2TOOLS_TCTI": "swtpm:path=\(socketPath)", "TSS2_LOG": "all+none",
        ]
        // The last command doesn't flush its objects, and there is space for three.
        _ = try TestProcess.run("tpm2_flushcontext", ["-t"], options)
        return try TestProcess.run("tpm2_" + name, words, options)
    }

    /// The same, for commands that must succeed.
    @discardableResult
    package func mustRun(_ name: String, _ words: String...) throws -> String {
        let result = try tool(name, words)
        guard result.ending == .exit(0) else {
            throw TestFailure("tpm2_\(name) \(words): \(result.output) \(result.errors)")
        }
        return result.output
    }

    /// The numbers of its NV indexes.
    package func indexes() throws -> [String] {
        try mustRun("getcap", "handles-nv-index").split(separator: "\n").map {
            $0.trimmingCharacters(in: CharacterSet(charactersIn: "- "))
        }
    }
}
