// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

extension Sandbox {
    /// Freed memory is overwritten at once, and a crash prints no registers.
    ///
    /// The C library reads the first before `main`, so that it takes a new start of the program.
    private static let wanted: [(name: String, value: String)] = [
        ("GLIBC_TUNABLES", "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"),
        ("SWIFT_BACKTRACE", "enable=no"),
    ]

    /// Starts the program anew, once, with the C library told to overwrite freed memory; returns
    /// at once when it already is.
    ///
    /// A program with raised privileges is left alone: the C library ignores the variables there.
    /// - Parameter keeping: The variables that the program needs; all others are dropped.
    /// - Throws: when the program can't be started again.
    package static func reexecuteHardened(keeping names: [String] = []) throws(SandboxError) {
        guard llavero_raised_privileges() == 0 else { return }
        guard !wanted.allSatisfy({ value(of: $0.name) == $0.value }) else { return }
        var variables = wanted.map { "\($0.name)=\($0.value)" }
        for name in names where !wanted.contains(where: { $0.name == name }) {
            if let value = value(of: name) { variables.append("\(name)=\(value)") }
        }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe variables.map { unsafe strdup($0) }
        unsafe environment.append(nil)
        _ = unsafe llavero_execve("/proc/self/exe", CommandLine.unsafeArgv, environment)
        let failure = SandboxError("start the program again through /proc/self/exe")
        for unsafe variable in unsafe environment { unsafe free(variable) }
        throw failure
    }

    private static func value(of name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
