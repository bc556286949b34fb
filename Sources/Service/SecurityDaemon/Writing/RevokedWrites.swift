// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

/// The end of a write that its sender no longer wants.
struct RevokeWrite: WriteOperation {
    let requestID: [UInt8]

    var identity: WriteIdentity? { nil }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        try requests.revoke(requestID, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        // Without an identity none is known to be a repetition.
        throw .invalidRequest
    }
}

/// Writes that must not be carried out any more if they still arrive: their bytes may be unread in
/// a connection's socket. The connections end with the process, so this isn't stored on disk.
struct RevokedWrites {
    private struct Name: Hashable {
        let requestID: [UInt8]
        let userID: UInt32
    }

    private var ends: [Name: ContinuousClock.Instant] = [:]

    /// Bytes are read within milliseconds, unless the process is stopped; after it continues, it
    /// reads the earliest bytes first.
    private static let lifetime = Duration.seconds(120)
    private static let capacity = 16_384

    /// Records a revoked write.
    /// - Throws: ``DaemonError/overloaded`` when the table is full.
    mutating func add(_ requestID: [UInt8], userID: UInt32) throws(DaemonError) {
        let now = ContinuousClock.now
        if ends.count >= Self.capacity { ends = ends.filter { $0.value > now } }
        guard ends.count < Self.capacity else { throw .overloaded }
        ends[Name(requestID: requestID, userID: userID)] = now + Self.lifetime
    }

    /// Whether a write was revoked.
    func has(_ requestID: [UInt8], userID: UInt32) -> Bool {
        !ends.isEmpty && ends[Name(requestID: requestID, userID: userID)] != nil
    }
}
