// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// The users of a system service that a test starts: plain numbers of this run of the tests alone, since
/// the supervisor kills what else runs as securityd's user.
package enum SystemUsers {
    private static let first = 1_900_000_000 + UInt32(getpid()) % 4_000_000 * 16
    package static let securityd = first + 1
    package static let enclaved = first + 2
    package static let peerinspector = first + 3
    /// The user of llavero-session.
    package static let session = first + 6
    /// The user of trustd.
    package static let trust = first + 7
    /// Two users of the machine.
    package static let anna = first + 4
    package static let berta = first + 5

    /// The words that start the service below a directory.
    package static func words(_ root: String) -> [String] {
        [
            "--system", "--device-key", "file", "--root", root, "--users",
            "\(securityd),\(enclaved),\(peerinspector),\(session),\(trust)",
        ]
    }
}
