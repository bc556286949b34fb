// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// The file system of a container: the released programs, a shell, and the libraries that these need.
/// It has no users, no D-Bus and no service manager.
struct ContainerRoot {
    let path: String

    private static let tools = ["/bin/sh", "/bin/cat", "/bin/ls", "/bin/sleep", "/usr/bin/setpriv"]
    static let programs = ["securityd", "enclaved", "peerinspector", "security"]

    /// Makes one, and removes it afterwards.
    static func lend(_ body: (ContainerRoot) throws -> Void) throws {
        try #require(geteuid() == 0, "Only root can start a container: run the tests as root.")
        try TemporaryDirectory.lend { directory in
            let root = ContainerRoot(path: directory + "/root")
            try root.fill()
            try body(root)
        }
    }

    private func fill() throws {
        for name in [
            "bin", "dev", "etc", "proc", "root", "run", "sys", "tmp", "usr/local/bin", "var",
        ] {
            try FileManager.default.createDirectory(
                atPath: path + "/" + name, withIntermediateDirectories: true)
        }
        // systemd-nspawn takes a directory without this file for no system.
        try FileManager.default.createDirectory(
            atPath: path + "/usr/lib", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: path + "/usr/lib/os-release"))
        var files = Self.tools
        for tool in Self.tools { try install(tool, as: "/bin/" + Self.name(tool), mode: 0o755) }
        for program in Self.programs {
            let source = try Binaries.path(program)
            try install(source, as: "/usr/local/bin/" + program, mode: 0o755)
            files.append(source)
        }
        for library in try Self.libraries(files) { try install(library, as: library, mode: 0o755) }
        guard unsafe chmod(path, 0o755) == 0 else { throw TestFailure(path) }
    }

    private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

    /// The libraries that programs need, and the loader.
    static func libraries(_ programs: [String]) throws -> Set<String> {
        var libraries: Set<String> = []
        for program in programs {
            let words = try TestProcess.run("ldd", [program]).output
                .split(whereSeparator: { " \t\n".contains($0) })
            libraries.formUnion(words.filter { $0.hasPrefix("/") }.map(String.init))
        }
        return libraries.filter { !$0.hasSuffix(":") }
    }

    /// Puts a file of the machine into the container.
    func install(_ source: String, as target: String, mode: mode_t) throws {
        let target = path + target
        try FileManager.default.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        let original = URL(fileURLWithPath: source).resolvingSymlinksInPath().path
        try FileManager.default.copyItem(atPath: original, toPath: target)
        guard unsafe chmod(target, mode) == 0 else { throw TestFailure(target) }
    }

    /// Runs a program as a user without any capability. The file system is read-only but for /tmp, and
    /// there is no network.
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - user: The user and the group; /etc/passwd has neither.
    ///   - allowed: Calls that systemd-nspawn's filter must let through, besides its usual ones.
    ///   - environment: The whole environment of the program.
    ///   - input: Its standard input.
    /// - Returns: What it wrote, and how it ended.
    /// - Throws: when the container can't be started or doesn't end.
    func run(
        _ words: [String], as user: UInt32, allowing allowed: [String] = [],
        environment: [String: String] = [:], input: String = ""
    ) throws -> TestProcess.Result {
        var options = TestProcess.Options()
        options.environment["SYSTEMD_NSPAWN_UNIFIED_HIERARCHY"] = "1"
        var arguments = [
            "--quiet", "--pipe", "--register=no", "--keep-unit", "--private-network", "--read-only",
            "--tmpfs=/tmp:mode=1777,size=64m", "--directory=" + path, "--timezone=off",
            "--machine=lltest-\(getpid())-\(UInt32.random(in: 0 ... .max))",
            "--no-new-privileges=yes", "--resolv-conf=off",
        ]
        if !allowed.isEmpty {
            arguments.append("--system-call-filter=" + allowed.joined(separator: " "))
        }
        // No variable of systemd-nspawn's is left.
        let variables = environment.merging(["PATH": "/usr/local/bin:/bin"]) { given, _ in given }
        arguments += [
            "/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups",
            "--bounding-set=-all", "--inh-caps=-all", "--", "/bin/sh", "-c",
            "unset HOME USER LOGNAME TERM NOTIFY_SOCKET container; "
                + variables.sorted { $0.key < $1.key }.map { "export \($0.key)='\($0.value)'; " }
                .joined() + "exec \"$@\"", "sh",
        ]
        return try TestProcess.run(
            "/usr/bin/systemd-nspawn", arguments + words, options, input: input)
    }
}
