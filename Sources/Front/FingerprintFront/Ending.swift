// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// The end of a question, which the caller says by SIGTERM. The signal stays pending and interrupts no
/// call: fprintd 1.94 itself ends when its user leaves in the middle of one. So the reader is given
/// back first.
enum Ending {
    /// From here on SIGTERM doesn't end the process.
    static func prepare() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe sigprocmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether the caller wants no more fingers.
    static var isWanted: Bool {
        var signals = sigset_t()
        return unsafe sigpending(&signals) != 0 || sigismember(&signals, SIGTERM) == 1
    }
}
