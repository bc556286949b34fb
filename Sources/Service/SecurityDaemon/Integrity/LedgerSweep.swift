// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import ItemStore
import Logging

/// Compares all rows with the ledger, slowly, after each start and once a day. Otherwise only
/// `security device check` would detect faults in rows that no client reads.
final class LedgerSweep {
    private let reader: StoreReader
    private let verdicts: RootVerdicts
    private let reportCorrupt: ([SealedItem]) -> Void
    private let log: Logger

    private static let firstPauseSeconds: UInt32 = 5
    private static let secondsBetween: UInt32 = 24 * 3600
    /// A million rows take some minutes, with a few percent of one processor.
    private static let pauseMicroseconds: UInt32 = 200_000
    private static let chunkRowCount = 512
    private static let chunkLeafCount = 16

    init(
        reader: StoreReader, verdicts: RootVerdicts,
        reportCorrupt: @escaping ([SealedItem]) -> Void, log: Logger
    ) {
        self.reader = reader
        self.verdicts = verdicts
        self.reportCorrupt = reportCorrupt
        self.log = log
    }

    /// Works until the process ends.
    func run() {
        sleep(Self.firstPauseSeconds)
        while true {
            // Nothing is compared before the keychain is first used, or while it is refused.
            let users = verdicts.soundUsers
            if !users.isEmpty { compareAll(users) }
            sleep(Self.secondsBetween)
        }
    }

    /// Compares everything once, as far as it can be read. Other code reports faults in the data;
    /// this reports only that the comparison didn't happen.
    private func compareAll(_ users: Set<UInt32>) {
        var failures: [StoreError] = []
        func attempt(_ work: () throws(StoreError) -> Void) {
            do throws(StoreError) { try work() } catch { failures.append(error) }
        }
        for table in ItemTable.allCases {
            attempt { () throws(StoreError) in try compareRows(table, users) }
        }
        for userID in users { attempt { () throws(StoreError) in try compareLeaves(userID) } }
        guard let first = failures.first else { return }
        log.error(
            "not all rows could be compared with the ledger",
            metadata: ["parts": "\(failures.count)", "error": "\(first)"])
    }

    private func compareRows(_ table: ItemTable, _ users: Set<UInt32>) throws(StoreError) {
        var last: Int64 = 0
        while true {
            let rows = try reader.allRows(table, after: last, limit: Self.chunkRowCount)
            let others = rows.filter { users.contains($0.userID) && !$0.isCurrent }
            if !others.isEmpty {
                log.error(
                    "rows aren't those that were committed last",
                    metadata: LogMessage.rowsDamaged.metadata([
                        "table": "\(table.rawValue)", "count": "\(others.count)",
                    ]))
                reportCorrupt(others)
            }
            guard rows.count == Self.chunkRowCount, let final = rows.last else { return }
            last = final.rowID
            usleep(Self.pauseMicroseconds)
        }
    }

    private func compareLeaves(_ userID: UInt32) throws(StoreError) {
        var position: Int64?
        repeat {
            let part = try reader.missingRows(
                userID: userID, after: position, limit: Self.chunkLeafCount)
            if !part.rows.isEmpty {
                log.critical(
                    "items are missing that nobody deleted; see `security device check`",
                    metadata: ["count": "\(part.rows.count)"])
            }
            position = part.position
            if position != nil { usleep(Self.pauseMicroseconds) }
        } while position != nil
    }
}
