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

    /// A process in a user and a mount namespace of its own, with a copy of a program on a mount that
    /// only it has.
    /// - Parameters:
    ///   - type: `tmpfs`; `overlay`, made of three directories of one; or `none`, a `tmpfs` that is
    ///     at no place any more.
    ///   - world: In whose directory it is.
    ///   - program: What is copied.
    /// - Returns: The process, and the copy as programs outside reach it.
    /// - Throws: what can't be made or started.
    static func mountElsewhere(
        _ type: String, _ world: SignedWorld, _ program: String
    ) throws -> (holder: TestProcess, program: String) {
        let place = world.directory + "/place"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try giveAway(place)
        if type == "none" {
            let held = try compile("heldmount", into: world.directory)
            let holder = try world.start(held, [place, program])
            return (holder, "/proc/\(holder.pid)/fd/\(try holder.readLine())/program")
        }
        let overlay = """
            && mkdir "$0"/l "$0"/u "$0"/w \
            && mount -t overlay -o lowerdir="$0"/l,upperdir="$0"/u,workdir="$0"/w o "$0"
            """
        let script = """
            mount -t tmpfs t "$0" \(type == "overlay" ? overlay : "") \
            && cp "$1" "$0"/program && echo $$ && read -r line
            """
        let holder = try world.start(
            "/usr/bin/unshare", ["-Urm", "sh", "-c", script, place, program])
        return (holder, "/proc/\(try holder.readLine())/root\(place)/program")
    }

    /// Lends a directory in which only root can put programs.
    static func inSystemFolder(_ body: (String) throws -> Void) throws {
        let folder = "/opt/lltest-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
