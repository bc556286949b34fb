// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Logging

/// The log line for an event about the root over a user's rows.
struct RootNotices {
    private let log: Logger

    init(_ log: Logger) { self.log = log }

    func note(_ notice: RootJudge.Notice, userID: UInt32) {
        let user: Logger.Metadata = ["user": "\(userID)"]
        switch notice {
        case .refused(let fault):
            log.critical(
                """
                the keychain isn't the one that was written last: \(Self.reason(fault)); nothing \
                is answered from it until its owner says `security device accept-rollback`
                """, metadata: LogMessage.rolledBack.metadata(user))
        case .ledgerMended:
            log.warning(
                "the ledger of rows was damaged; it was rebuilt from the rows",
                metadata: LogMessage.databaseDamaged.metadata(user))
        case .begunAnew:
            log.warning(
                "the database is new: the earlier one was damaged and is kept aside",
                metadata: LogMessage.databaseDamaged.metadata(user))
        case .accepted:
            log.notice(
                "the keychain's state was accepted by its owner",
                metadata: LogMessage.rollbackAccepted.metadata(user))
        }
    }

    private static func reason(_ fault: RootDefect) -> String {
        switch fault {
        case .rolledBack: "its database is older than the last commit that is remembered"
        case .missing: "its database lacks the root over its rows"
        case .forged: "the root over its rows isn't one that was written here"
        case .emptied: "its database was deleted or emptied"
        case .rows: "its rows aren't those that the root is over"
        case .anchor:
            "what was remembered of the last commit is damaged, or older than the device key's counter"
        }
    }
}
