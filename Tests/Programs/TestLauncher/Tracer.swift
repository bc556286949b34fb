// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// A debugger that lets its program run, which is enough to count as one.
enum Tracer {
    private static let beTraced = 0
    private static let goOn = 7

    /// Forks.
    /// - Returns: In the parent, after the end, the exit status; nil in the child, which is traced
    ///   from here on.
    static func run() -> Int32? {
        let call = SystemCall()
        let child = llavero_fork()
        guard child != 0 else {
            guard call(SystemCall.ptrace, beTraced, 0, 0, 0) == 0 else { _exit(125) }
            return nil
        }
        guard child > 0 else { return 125 }
        while true {
            var status: Int32 = 0
            guard unsafe waitpid(child, &status, 0) == child else { return 125 }
            if llavero_wifexited(status) != 0 { return llavero_wexitstatus(status) }
            guard status & 0xFF == 0x7F else { return 128 + llavero_wtermsig(status) }
            let signal = status >> 8 & 0xFF
            let passedOn = signal == SIGTRAP ? 0 : signal
            _ = call(SystemCall.ptrace, goOn, Int(child), 0, Int(passedOn))
        }
    }
}
