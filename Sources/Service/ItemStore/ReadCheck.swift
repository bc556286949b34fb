// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// Whether the disk can read all of a database. After one failure the files aren't read through
/// again: a client that repeatedly asks for a row on a bad page must not cause that each time.
final class ReadCheck: Sendable {
    private let path: String
    private let hasFailed = Atomic(false)

    /// A check of the database at a path, and of its log.
    init(_ path: String) { self.path = path }

    /// Reads everything.
    func passes() -> Bool {
        guard !hasFailed.load(ordering: .relaxed) else { return false }
        let passes = Self.isReadable(path) && Self.isReadable(path + "-wal")
        if !passes { hasFailed.store(true, ordering: .relaxed) }
        return passes
    }

    /// Whether a file can be read from start to end; also true for a missing one.
    private static func isReadable(_ path: String) -> Bool {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        var offset = 0
        while true {
            let count = unsafe pread(file, &bytes, bytes.count, offset)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count == 0 }
            offset += count
        }
    }
}
