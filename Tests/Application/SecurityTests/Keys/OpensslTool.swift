// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// The `openssl` command in a folder: other code than the one that is tested.
struct OpensslTool {
    let directory: String

    /// A file's path.
    func path(_ name: String) -> String { directory + "/" + name }

    func write(_ name: String, _ data: Data) throws {
        try data.write(to: URL(fileURLWithPath: path(name)))
    }

    func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path(name)))
    }

    /// Runs it; file names are in the folder.
    /// - Returns: What it prints.
    /// - Throws: when it fails.
    @discardableResult
    func callAsFunction(_ arguments: String...) throws -> String {
        var options = TestProcess.Options()
        options.environment = ["PATH": "/usr/bin:/bin"]
        let result = try TestProcess.run(
            "/bin/sh", ["-c", "cd \"$0\" && exec openssl \"$@\"", directory] + arguments, options)
        guard result.ending == .exit(0) else {
            throw TestFailure("\(arguments): \(result.ending) \(result.errors)")
        }
        return result.output
    }

    /// Whether it succeeds.
    func succeeds(_ arguments: [String]) throws -> Bool {
        var options = TestProcess.Options()
        options.environment = ["PATH": "/usr/bin:/bin"]
        let result = try TestProcess.run(
            "/bin/sh", ["-c", "cd \"$0\" && exec openssl \"$@\"", directory] + arguments, options)
        return result.ending == .exit(0)
    }
}
