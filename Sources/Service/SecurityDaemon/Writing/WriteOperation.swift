// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecretBytes
import SecurityWire

/// One request's part of a transaction. Each kind is declared beside the code that carries it out.
protocol WriteOperation: Sendable {
    /// By which a client asks for the outcome; nil for a write that may be repeated as it is.
    var identity: WriteIdentity? { get }
    /// The lease that it depends on, if any.
    var lease: LeaseToken? { get }
    /// What it stores, if the log of sizes is to know.
    var stored: (secret: Secret?, attributes: ItemAttributes)? { get }

    /// Whether it changes an item of the Secret Service for a caller of a front, which a client may have
    /// locked.
    var changesSecrets: Bool { get }

    /// Seals what needs no transaction.
    func prepare(
        _ requests: WriteRequests, _ scope: borrowing ItemScope, _ source: ItemKeys.Source
    ) throws(DaemonError) -> WriteRequests.PreparedItem?

    /// Carries it out; `prepared` is what ``prepare(_:_:_:)`` has returned.
    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult

    /// The reply to a repetition, when it was carried out before and its first reply was lost;
    /// `uuid` is that of the row that it made.
    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult
}

extension WriteOperation {
    var lease: LeaseToken? { nil }

    var changesSecrets: Bool { false }

    var stored: (secret: Secret?, attributes: ItemAttributes)? { nil }

    func prepare(
        _ requests: WriteRequests, _ scope: borrowing ItemScope, _ source: ItemKeys.Source
    ) throws(DaemonError) -> WriteRequests.PreparedItem? { nil }
}
