// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB

/// The result of SQLite's check of a whole file.
enum IntegrityVerdict {
    /// Nothing is wrong.
    case sound
    /// The file is damaged, although each byte could be read.
    case damaged
    /// The check can't give a result now.
    case unknown

    /// Checks a database and its log. Takes as long as reading them.
    ///
    /// SQLite reports a page that the disk can't read as damaged (it turns EIO into
    /// `SQLITE_IOERR_CORRUPTFS`, and reports `SQLITE_CORRUPT`). So a finding counts only if the
    /// check finds it again after everything was read from start to end.
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
