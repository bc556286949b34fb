// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// The programs of Tests/Programs/Attackers.
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
        let source = Binaries.packageRoot + "/Tests/Programs/Attackers/\(name).c"
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

    /// A library of the victim's team, longer than the attacker's: cutting a file takes the copies of
    /// its pages away.
    /// - Returns: Its path.
    static func signedLibrary(_ world: SignedWorld, _ victim: Victim) throws -> String {
        let source = world.directory + "/plain.c"
        let text = "const char room[200000] = {1}; int answer(void) { return room[0]; }\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: source))
        let plain = world.directory + "/plain.so"
        let result = try TestProcess.run("cc", ["-shared", "-fPIC", "-s", "-o", plain, source])
        guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
        return try world.install(victim.team.sign(bytes, "org.example.library"), "signed.so")
    }
}
