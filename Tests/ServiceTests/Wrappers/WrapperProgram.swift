// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport

/// An application that uses the wrappers (Tests/Programs/TestWrappers), in a separate process.
final class WrapperProgram {
    private let process: TestProcess

    /// Starts it.
    /// - Parameters:
    ///   - socketPath: Where it finds the service.
    ///   - words: Its arguments; by default it answers the lines of ``ask(_:)``.
    ///   - deadline: For each of its calls, in milliseconds.
    /// - Throws: when it is missing or can't be started.
    init(_ socketPath: String, _ words: [String] = ["serve"], deadline: Int? = nil) throws {
        var options = TestProcess.Options()
        options.environment = ["LLAVERO_SOCKET": socketPath]
        if let deadline { options.environment["LLAVERO_DEADLINE_MS"] = String(deadline) }
        process = try TestProcess(Binaries.testWrappers(), words, options)
    }

    /// Sends a line and waits for its answer.
    func ask(_ line: String) throws -> String {
        process.write(line + "\n")
        return try process.readLine()
    }

    /// Sends a line, whose answer is read later.
    func send(_ line: String) { process.write(line + "\n") }

    /// The next line that it prints without a request.
    func line() throws -> String { try process.readLine() }

    /// Kills it, whatever it does.
    /// - Returns: The lines that it has printed.
    func kill() throws -> [Substring] {
        process.signal(9)
        let rest = try process.readAll()
        guard try process.wait() == .signal(9) else {
            throw TestFailure("The program had ended before: \(process.errorText)")
        }
        return rest.split(separator: "\n")
    }

    deinit { process.end() }
}
