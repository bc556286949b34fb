// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

extension Sandbox {
    /// Freed memory is overwritten at once, and a crash prints no registers.
    ///
    /// The C library reads the first one before `main`, so the program must be started again.
    private static let wanted: [(name: String, value: String)] = [
        ("GLIBC_TUNABLES", "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"),
        ("SWIFT_BACKTRACE", "enable=no"),
    ]

    /// The environment that `reexecuteHardened` sets: a caller that starts the program with it
    /// avoids the second start.
    package static var hardenedEnvironment: [String: String] {
        Dictionary(wanted.map { ($0.name, $0.value) }) { $1 }
    }

    /// Executes the program again, once, with the C library configured to overwrite freed memory;
    /// returns at once when that has been done.
    ///
    /// A program with raised privileges is not restarted: the C library ignores the variables
    /// there.
    /// - Parameter names: The variables that the program needs; all others are dropped.
    /// - Throws: when the program can't be started again.
    package static func reexecuteHardened(keeping names: [String] = []) throws(SandboxError) {
        guard llavero_raised_privileges() == 0 else { return }
        guard !wanted.allSatisfy({ isSet($0.name, to: $0.value) }) else { return }
        var variables = wanted.map { "\($0.name)=\($0.value)" }
        for name in names where !wanted.contains(where: { $0.name == name }) {
            if let value = value(of: name) { variables.append("\(name)=\(value)") }
        }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe variables.map { unsafe strdup($0) }
        unsafe environment.append(nil)
        _ = unsafe llavero_execve("/proc/self/exe", CommandLine.unsafeArgv, environment)
        let failure = SandboxError("start the program again through /proc/self/exe")
        for index in unsafe environment.indices { unsafe free(environment[index]) }
        throw failure
    }

    /// Some versions of the C library split the variable in place. So the first part counts as the
    /// whole, otherwise the program would restart itself forever.
    private static func isSet(_ name: String, to wanted: String) -> Bool {
        guard let value = value(of: name) else { return false }
        return value == wanted || value == wanted.prefix { $0 != ":" }
    }

    private static func value(of name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
