// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// A time on a clock that can't be set: seconds since the machine started, and an identifier of
/// that start.
package struct BootMoment: Equatable, Sendable {
    /// Seconds since the start, sleep included.
    package let seconds: Int64
    /// 16 random bytes that identify the start.
    package let bootID: [UInt8]

    /// Makes a time.
    package init(seconds: Int64, bootID: [UInt8]) {
        self.seconds = seconds
        self.bootID = bootID
    }
}

// Outcomes of writes, for clients whose reply was lost.
extension StoreTransaction {
    /// Records that a write was carried out, in the same transaction as the write. `uuid` is the
    /// row's that an add made, and empty otherwise.
    package func recordOutcome(
        requestID: [UInt8], userID: UInt32, uuid: [UInt8], now: BootMoment
    ) throws(StoreError) {
        let statement = try statements.statement("outcome insert", database) {
            """
            INSERT INTO writeoutcomes (requestid, userid, finishedat, bootid, uuid)
            VALUES (?, ?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(requestID)
        statement.bind(Int64(userID))
        statement.bind(now.seconds)
        statement.bind(now.bootID)
        statement.bind(uuid)
        try statement.run()
    }

    /// The row that a write of this name made: nil when none is known, empty when it made no row.
    package func outcome(requestID: [UInt8], userID: UInt32) throws(StoreError) -> [UInt8]? {
        let statement = try statements.statement("outcome find", database) {
            "SELECT uuid FROM writeoutcomes WHERE requestid = ? AND userid = ?"
        }
        statement.start()
        defer { statement.end() }
        statement.bind(requestID)
        statement.bind(Int64(userID))
        return try statement.step() ? statement.bytes(0) : nil
    }

    /// Deletes outcomes older than a given time, and those from before the machine's start: their
    /// clients ended with it.
    package func forgetOutcomes(before moment: BootMoment) throws(StoreError) {
        let statement = try statements.statement("outcome trim", database) {
            "DELETE FROM writeoutcomes WHERE finishedat < ? OR bootid <> ?"
        }
        statement.start()
        statement.bind(moment.seconds)
        statement.bind(moment.bootID)
        try statement.run()
    }
}
