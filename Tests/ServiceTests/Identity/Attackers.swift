// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// The programs of Tests/Attackers.
enum Attackers {
    /// Compiles one into a directory.
    /// - Parameters:
    ///   - name: The source without its ending.
    ///   - directory: Where to.
    ///   - options: Further words for the compiler.
    /// - Returns: The program's path.
    /// - Throws: what the compiler says.
    static func compile(
        _ name: String, into directory: String, _ options: [String] = []
    ) throws -> String {
        let source = Binaries.packageRoot + "/Tests/Attackers/\(name).c"
        let target = directory + "/" + name + (options.contains("-shared") ? ".so" : "")
        let result = try TestProcess.run(
            "cc", ["-O1", "-pthread", "-Wno-unused-result", "-o", target, source] + options)
        guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
        return target
    }

    /// Gives a file to the unprivileged user: root's would be the system's.
    static func giveAway(_ path: String) throws {
        guard geteuid() == 0 else { return }
        let user = TestService.unprivilegedUser
        guard unsafe chown(path, user, user) == 0 else {
            throw TestFailure("\(path) can't be given away.")
        }
    }
}
