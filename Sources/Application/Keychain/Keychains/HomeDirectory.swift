// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The user's home directory.
package enum HomeDirectory {
    /// From `HOME`, else from the user database; empty for the root directory. With raised privileges
    /// it is always from the user database.
    package static var path: String {
        if llavero_raised_privileges() == 0, let value = unsafe getenv("HOME") {
            let text = unsafe String(cString: value)
            if text.hasPrefix("/") { return text == "/" ? "" : text }
        }
        return listed
    }

    /// The file is read once.
    private static let listed = UserEntry.homeDirectory(of: getuid()) ?? ""
}
