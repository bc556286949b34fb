// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB

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
    /// SQLite takes a page that the disk doesn't give for a damaged one (an EIO is `SQLITE_IOERR_CORRUPTFS`
    /// to it, and `SQLITE_CORRUPT` to whoever asks). So what the check finds counts only when it finds it
    /// again after everything was read from end to end.
    init(of database: Database, at path: String) {
        self = Self.check(database)
        guard self == .damaged else { return }
        guard ReadCheck(path).passes() else {
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
}
