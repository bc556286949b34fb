// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// A file that a command writes.
enum WrittenFile {
    /// Opens it. A new file is its owner's alone: it may have secrets.
    /// - Returns: Nil when that fails, which is said.
    static func open(_ path: String) -> Int32? {
        let descriptor = unsafe llavero_open(
            path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? ""
            complain("security: Error writing to file \(path): \(reason)")
            return nil
        }
        return descriptor
    }
}
