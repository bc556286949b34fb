// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The clients in the queue of a listening socket, while no service accepts them.
enum WaitingClients {
    /// Closes their connections, so that they learn at once that nothing serves them. Never waits:
    /// the socket doesn't block.
    static func refuse(_ listener: Int32) {
        // More than wait at once; those who come meanwhile are refused the next time.
        for _ in 0..<Supervisor.backlog {
            let client = llavero_accept(listener)
            guard client >= 0 else { return }
            close(client)
        }
    }
}
