// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// Why a user's rows aren't believed. The numbers are in the log.
enum RootDefect: UInt8, Sendable {
    /// The root is of an earlier commit than one that the enclave knows of: the database was put
    /// back.
    case rolledBack = 1
    /// There is no root, though the enclave knows of one, or though there are rows.
    case missing = 2
    /// The root isn't one of ours.
    case forged = 3
    /// The rows aren't those that the root is over.
    case rows = 4
    /// What the enclave knew can't be read.
    case anchor = 5
    /// The database has nothing of the user's, though the enclave knows of commits, and no damaged
    /// one was put aside.
    case emptied = 6
}

/// What came of judging a user's rows.
enum RootVerdict: Equatable, Sendable {
    case sound
    case refused(RootDefect)
}

/// Verdicts on users' rows, for all threads. The writer judges, once for each user.
final class RootVerdicts: Sendable {
    private let verdicts = Mutex<[UInt32: RootVerdict]>([:])

    /// Nil before it has been judged.
    func verdict(_ userID: UInt32) -> RootVerdict? { verdicts.withLock { $0[userID] } }

    /// Users whose rows have been judged, and may be used.
    var soundUsers: Set<UInt32> {
        verdicts.withLock { verdicts in Set(verdicts.filter { $0.value == .sound }.keys) }
    }

    func note(_ verdict: RootVerdict, userID: UInt32) {
        verdicts.withLock { $0[userID] = verdict }
    }
}
