// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import Glibc

/// What SQLite's check of a whole file proves.
enum IntegrityVerdict {
    /// Nothing is wrong.
    case sound
    /// Something is, in a file of which each byte could be read.
    case damaged
    /// It can't be told now.
    case unknown

    /// Checks a database and its log. Takes as long as reading them does.
    ///
    /// The check puts a page that the disk didn't give among what is wrong with the file, as if it had
    /// been read and were damaged (SQLite 3.40 to 3.46, `checkTreePage`). So what it finds counts only
    /// when it finds it again after everything was read from end to end.
    init(of database: Database, at path: String) {
        self = Self.check(database)
        guard self == .damaged else { return }
        guard Self.isReadable(path), Self.isReadable(path + "-wal") else {
            self = .unknown
            return
        }
        self = Self.check(database)
    }

    private static func check(_ database: Database) -> IntegrityVerdict {
        do {
            let line = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
            return line == "ok" ? .sound : .damaged
        } catch {
            return StoreError(error) == .damaged ? .damaged : .unknown
        }
    }

    /// Whether a file can be read from end to end; also one that isn't there.
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
