// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC

/// Starts programs, and reports how they ended.
package enum ChildProcess {
    /// What a child inherits from its parent.
    package struct Options: Sendable {
        /// Descriptors that become 3, 4, … in the child; it gets no others but 0, 1, 2.
        package var descriptors: [Int32] = []
        /// The whole environment.
        package var environment: [String: String] = [:]
        /// The child gets its own session: signals from the terminal don't reach it.
        package var hasOwnSession = false
        /// Standard input is empty.
        package var hasNoInput = false
        /// Look for the program in `PATH`.
        package var searchesPath = false

        package init() {}
    }

    /// Starts a program.
    /// - Parameters:
    ///   - path: The program; the options say whether to look for it in `PATH`.
    ///   - arguments: With the program's name as the first.
    ///   - options: What it inherits.
    /// - Returns: Its process identifier; it must be waited for.
    /// - Throws: ``SupervisionError/programNotStarted(_:_:)``. Nothing else.
    package static func start(
        _ path: String, _ arguments: [String], _ options: Options
    ) throws(SupervisionError) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if options.hasNoInput {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        // First move descriptors away from the numbers that are needed, then duplicate them to
        // those.
        let base = Int32(100)
        for (offset, descriptor) in options.descriptors.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, base + Int32(offset))
        }
        for offset in 0..<Int32(options.descriptors.count) {
            unsafe posix_spawn_file_actions_adddup2(&actions, base + offset, 3 + offset)
        }
        let rest = 3 + Int32(options.descriptors.count)
        unsafe llavero_spawn_close_from(&actions, rest)

        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        if options.hasOwnSession { flags |= llavero_spawn_own_session() }
        unsafe posix_spawnattr_setflags(&attributes, flags)

        var child: pid_t = 0
        let variables = options.environment.map { "\($0.key)=\($0.value)" }
        let result = unsafe withCStrings(arguments) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe options.searchesPath
                    ? posix_spawnp(&child, path, &actions, &attributes, arguments, variables)
                    : posix_spawn(&child, path, &actions, &attributes, arguments, variables)
            }
        }
        guard result == 0 else {
            throw .programNotStarted(path, SystemError("posix_spawn", errno: result))
        }
        return child
    }

    /// The exit status that a shell would give: the program's own, or 128 and the signal.
    package static func exitStatus(_ status: Int32) -> Int32 {
        if llavero_wifexited(status) != 0 { return llavero_wexitstatus(status) }
        return 128 + llavero_wtermsig(status)
    }

    /// How it ended, for the log.
    package static func ending(_ status: Int32) -> String {
        if llavero_wifexited(status) != 0 { return "exit status \(llavero_wexitstatus(status))" }
        return "signal \(llavero_wtermsig(status))"
    }

    /// Passes strings to a closure as a vector of C strings that ends with nil.
    package static func withCStrings<R>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("never empty") }
            return unsafe body(base)
        }
    }
}
