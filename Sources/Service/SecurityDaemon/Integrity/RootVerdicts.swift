// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// Why a user's rows are refused. The log has the numbers.
enum RootDefect: UInt8, Sendable {
    /// The root is of an earlier commit than the enclave's: the database was rolled back.
    case rolledBack = 1
    /// There is no root, although the enclave knows of one, or although there are rows.
    case missing = 2
    /// The root isn't one of ours.
    case forged = 3
    /// The root doesn't match the rows.
    case rows = 4
    /// The enclave's record can't be read.
    case anchor = 5
    /// The database has no data of the user, although the enclave knows of commits, and no damaged
    /// one was quarantined.
    case emptied = 6
}

/// The verdict on a user's rows.
enum RootVerdict: Equatable, Sendable {
    case sound
    case refused(RootDefect)
}

/// Verdicts on users' rows, for all threads. The writer judges once for each user.
final class RootVerdicts: Sendable {
    private let verdicts = Mutex<[UInt32: RootVerdict]>([:])

    /// Nil before the judgment.
    func verdict(_ userID: UInt32) -> RootVerdict? { verdicts.withLock { $0[userID] } }

    /// Users whose rows have been judged, and may be used.
    var soundUsers: Set<UInt32> {
        verdicts.withLock { verdicts in Set(verdicts.filter { $0.value == .sound }.keys) }
    }

    func note(_ verdict: RootVerdict, userID: UInt32) {
        verdicts.withLock { $0[userID] = verdict }
    }
}
