// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport

/// The installation by `make install`, as a C programmer uses it.
enum Prefix {
    /// The folder: `LLAVERO_C_PREFIX`, else the folder to which `make test` installs.
    static let path =
        ProcessInfo.processInfo.environment["LLAVERO_C_PREFIX"]
        ?? Binaries.packageRoot + "/.build/c-prefix"

    /// The library.
    static func library() throws -> String {
        let library = path + "/lib/libSecurity.so.1"
        guard FileManager.default.fileExists(atPath: library) else {
            throw TestFailure(
                "\(library) is missing. Run `make install CONFIGURATION=debug PREFIX=\(path)`.")
        }
        return library
    }

    /// The folder of the toolchain's shared libraries, as the pkg-config file says.
    static func runtime() throws -> String {
        let answer = try shell("pkg-config --variable=toolchain llavero-security")
        return answer.trimmingCharacters(in: .whitespacesAndNewlines) + "/linux"
    }

    /// Runs a line of shell.
    /// - Returns: Its output.
    @discardableResult
    static func shell(_ line: String, in directory: String = "/") throws -> String {
        _ = try library()
        var options = TestProcess.Options()
        options.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "PKG_CONFIG_PATH": path + "/lib/pkgconfig",
        ]
        let result = try TestProcess.run(
            "/bin/sh", ["-c", "cd \"$0\" && \(line)", directory], options,
            within: .seconds(120))
        guard result.ending == .exit(0) else {
            throw TestFailure("\(line): \(result.ending)\n\(result.output)\(result.errors)")
        }
        return result.output
    }
}

/// A program in C, C++ or Swift that a test compiles, in an empty folder and without a warning.
struct CProgram {
    /// Where the program is.
    let path: String

    /// Compiles a file of Tests/Programs/CInterface, or another one, as the documentation says,
    /// with the flags of one of the documented ways.
    init(_ source: String, flags: String = "", in directory: String) throws {
        let file =
            source.hasPrefix("/")
            ? source : Binaries.packageRoot + "/Tests/Programs/CInterface/" + source
        let name = (file as NSString).lastPathComponent
        path = directory + "/" + name + ".program"
        if name.hasSuffix(".swift") {
            let folder = Prefix.path + "/lib"
            try Prefix.shell(
                """
                swiftc -g -warnings-as-errors \(flags) '\(file)' -o '\(path)' \
                -L '\(folder)' -lSecurity -Xlinker -rpath -Xlinker '\(folder)'
                """, in: directory)
            return
        }
        let compiler = name.hasSuffix(".cc") ? "clang++ -std=c++17" : "clang"
        try Prefix.shell(
            """
            \(compiler) -g -Wall -Wextra -Werror \(flags) $(pkg-config --cflags llavero-security) \
            '\(file)' -o '\(path)' $(pkg-config --libs llavero-security) -lswiftCore
            """, in: directory)
    }

    /// Compiles a copy of a file with the documentation's exact command line.
    init(asDocumented source: String, in directory: String) throws {
        let name = (source as NSString).lastPathComponent
        let compiler = name.hasSuffix(".cc") ? "clang++" : "clang"
        path = directory + "/" + (name as NSString).deletingPathExtension
        try FileManager.default.copyItem(atPath: source, toPath: directory + "/" + name)
        try Prefix.shell(
            """
            \(compiler) -fblocks $(pkg-config --cflags --libs llavero-security) \(name) \
            -o \((name as NSString).deletingPathExtension)
            """, in: directory)
    }

    /// Runs the program with a service; without one it finds none.
    func run(
        _ arguments: [String] = [], service: TestService?, under words: [String] = [],
        input: String = "", within duration: Duration = .seconds(120)
    ) throws -> TestProcess.Result {
        try Self.run(
            words + [path] + arguments, socket: service?.socketPath ?? path + ".no-socket",
            input: input, within: duration)
    }

    /// Runs any program.
    static func run(
        _ words: [String], socket: String, input: String = "",
        within duration: Duration = .seconds(120)
    ) throws -> TestProcess.Result {
        var options = TestProcess.Options()
        options.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "LLAVERO_SOCKET": socket, "SWIFT_BACKTRACE": "enable=no",
            // Under valgrind a call takes thirty times as long.
            "LLAVERO_DEADLINE_MS": "60000",
        ]
        return try TestProcess.run("/usr/bin/env", words, options, input: input, within: duration)
    }
}
