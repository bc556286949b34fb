// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import ItemStore

/// How much of the database each account may fill, so that one can't fill the disk for all.
///
/// As long as the whole database is smaller than a share, nothing is counted. From then on the rows
/// are counted once, and what is written is added. Before a write is refused, they are counted again:
/// rows may have been deleted.
package final class DiskShares {
    /// A share for everybody.
    package struct Setting: Sendable {
        /// Where none is set.
        package static let standardByteCount: Int64 = 4 << 30

        let byteCount: Int64
        let accounts: Accounts

        /// - Parameters:
        ///   - byteCount: Of one account.
        ///   - accounts: Which user numbers are one account's.
        package init(byteCount: Int64 = standardByteCount, accounts: Accounts) {
            self.byteCount = byteCount
            self.accounts = accounts
        }

        /// Reads root's file: a number of bytes, or one with `M` or `G` behind it.
        /// - Returns: Nil when there is no file of root's that says it.
        package static func byteCount(file path: String) -> Int64? {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == 0, status.st_mode & 0o022 == 0, status.st_size <= 64,
                let data = FileManager.default.contents(atPath: path)
            else { return nil }
            let text = String(decoding: data, as: UTF8.self).trimmingCharacters(
                in: .whitespacesAndNewlines)
            let shift = text.hasSuffix("G") ? 30 : text.hasSuffix("M") ? 20 : 0
            guard let number = Int64(shift > 0 ? text.dropLast() : text[...]), number > 0,
                number <= Int64.max >> shift
            else { return nil }
            return number << shift
        }
    }

    private static let countInterval = Duration.seconds(10)

    private let setting: Setting?
    private var used: [UInt32: Int64] = [:]
    private var counted: ContinuousClock.Instant?

    /// - Parameter setting: Nil where there is one user: then nothing is refused.
    package init(_ setting: Setting?) { self.setting = setting }

    /// Takes room for what a user is about to write; less than nothing gives room back.
    /// - Throws: ``DaemonError/shareUsed`` when the share is used up; what the store throws.
    func take(
        _ byteCount: Int64, userID: UInt32, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        guard let setting else { return }
        if counted == nil {
            let total: Int64
            do { total = try transaction.databaseByteCount() } catch { throw .store(error) }
            guard total >= setting.byteCount else { return }
        }
        let account = setting.accounts.account(of: userID)
        if counted == nil { try count(transaction) }
        if isOver(account, byteCount), counted.map({ $0 + Self.countInterval < .now }) ?? true {
            try count(transaction)
        }
        guard byteCount <= 0 || !isOver(account, byteCount) else { throw .shareUsed }
        used[account, default: 0] += byteCount
    }

    private func isOver(_ account: UInt32, _ byteCount: Int64) -> Bool {
        used[account, default: 0] + byteCount > setting?.byteCount ?? .max
    }

    private func count(_ transaction: StoreTransaction) throws(DaemonError) {
        do {
            used = [:]
            for (userID, byteCount) in try transaction.usedByteCounts() {
                used[setting?.accounts.account(of: userID) ?? userID, default: 0] += byteCount
            }
        } catch { throw .store(error) }
        counted = .now
    }
}
