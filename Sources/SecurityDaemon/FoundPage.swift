// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// The rows of one reply frame, as they come together.
struct FoundPage {
    /// A row whose metadata is open and matches.
    struct Half {
        let item: SealedItem
        let stored: StoredAttributes

        /// Whether there is a secret in a format that is known.
        var hasKnownSecret: Bool { stored.hasSecret && item.secretHasKnownFormat }

        fileprivate var byteCount: Int { stored.encoded.count + item.secret.count }
    }

    /// What one row of the reply is made of.
    struct Candidate {
        let half: Half
        /// Of an identity; `half` is then its key.
        let certificate: Half?

        init(_ half: Half, certificate: Half? = nil) {
            self.half = half
            self.certificate = certificate
        }

        /// About how many bytes it takes in a reply.
        fileprivate var byteCount: Int { half.byteCount + (certificate?.byteCount ?? 0) }
    }

    /// What became of a row's secret.
    enum OpenedSecret {
        /// There is none, or none is wanted.
        case none
        case secret(Secret)
        case corrupt
        /// A newer version sealed it.
        case newerFormat
    }

    /// The secrets of a candidate's halves.
    struct OpenedSecrets {
        var own = OpenedSecret.none
        var certificate = OpenedSecret.none
    }

    private let query: ItemQuery
    private(set) var rows = OutgoingRows()
    /// The UUIDs of all rows that are in `rows`.
    private(set) var uuids: [[UInt8]] = []
    /// What waits for its secrets, which are opened together.
    private(set) var pending: [Candidate] = []
    /// How many bytes `pending` takes, its secrets as long as they are sealed.
    private var pendingByteCount = 0
    /// The last row looked at; of identities, the certificate's.
    var lastRowID: Int64
    /// Whether there are no rows behind `lastRowID`.
    var isExhausted = false
    var corrupt: [SealedItem] = []
    /// Whether there were rows that this version, or this enclave, can't open.
    var hasUnreadableRows = false
    /// How many rows have been opened, matching or not.
    var openedRowCount: UInt64 = 0

    private let lastUsed: ([UInt8]) -> Double?

    init(query: ItemQuery, lastRowID: Int64, lastUsed: @escaping ([UInt8]) -> Double?) {
        self.query = query
        self.lastRowID = lastRowID
        self.lastUsed = lastUsed
    }

    /// The reply.
    var reply: ServiceReply {
        .found(rows, nextCursor: nextCursor, openedRowCount: openedRowCount)
    }

    /// Whether more goes in.
    var isOpen: Bool {
        rows.count + pending.count < query.limit ?? .max
            && rows.byteCount + pendingByteCount < Self.byteLimit
    }

    /// A page stays open while one more row of any size fits.
    private static let byteLimit =
        FrameHeader.replyPageByteCount
        - (ItemLimits.secretByteCount + ItemLimits.attributesByteCount + 1024)

    /// Whether rows that fell out left room that others may fill.
    var mustGoOn: Bool { !isExhausted && isOpen }

    /// Where the next page starts; 0 at the end.
    var nextCursor: UInt64 {
        let isFull = query.limit.map { rows.count >= $0 } ?? false
        return isExhausted || isFull ? 0 : UInt64(lastRowID)
    }

    // MARK: - Taking rows

    /// Takes what was found. When secrets are wanted, it waits for them in `pending`.
    mutating func take(_ candidate: Candidate) {
        guard query.returning.contains(.data) else { return add(candidate, OpenedSecrets()) }
        pendingByteCount += candidate.byteCount
        pending.append(candidate)
    }

    /// Takes a row that was found, as above.
    mutating func take(_ item: SealedItem, _ stored: StoredAttributes) {
        guard query.returning == .attributes else {
            return take(Candidate(Half(item: item, stored: stored)))
        }
        // Most lists: nothing of the row is kept but its name.
        rows.append(item.table.itemClass, attributes: stored.encoded)
        uuids.append(item.uuid)
    }

    /// Adds what waits in `pending`, with its secrets in the same order.
    mutating func complete(with secrets: [OpenedSecrets]) {
        for (candidate, secrets) in zip(pending, secrets) { add(candidate, secrets) }
        pending = []
        pendingByteCount = 0
    }

    /// Adds a row. Of identities of one certificate there may be more than the limit.
    private mutating func add(_ candidate: Candidate, _ secrets: OpenedSecrets) {
        if let limit = query.limit, rows.count >= limit { return }
        guard isSound(candidate.half, secrets.own),
            candidate.certificate.map({ isSound($0, secrets.certificate) }) ?? true
        else { return }
        rows.append(row(candidate, secrets))
        uuids.append(candidate.half.item.uuid)
        if let certificate = candidate.certificate { uuids.append(certificate.item.uuid) }
    }

    /// Whether a half can be shown; notes why it can't.
    private mutating func isSound(_ half: Half, _ secret: OpenedSecret) -> Bool {
        switch secret {
        case .none, .secret: return true
        case .corrupt: corrupt.append(half.item)
        case .newerFormat: hasUnreadableRows = true
        }
        return false
    }

    private func row(_ candidate: Candidate, _ secrets: OpenedSecrets) -> OutgoingRow {
        let wantsAttributes = query.returning.contains(.attributes)
        let own = candidate.half.item
        var row = OutgoingRow(itemClass: own.table.itemClass)
        if wantsAttributes { row.attributes = candidate.half.stored.encoded }
        if query.returning.contains(.persistentReference) || query.returning.contains(.usage) {
            row.uuid = own.uuid
        }
        if query.returning.contains(.usage) {
            row.generation = own.rowGeneration
            row.lastUsed = lastUsed(own.uuid)
        }
        if case .secret(let secret) = secrets.own { row.secret = secret }
        guard let certificate = candidate.certificate else { return row }
        row.itemClass = .identity
        row.generation = 0
        if row.uuid != nil { row.uuid = certificate.item.uuid }
        var data: Secret?
        if case .secret(let secret) = secrets.certificate { data = secret }
        row.certificate = (wantsAttributes ? certificate.stored.encoded : nil, data)
        return row
    }
}

extension SealedItem {
    /// Whether this version knows the format of the sealed secret; an empty one counts as damaged.
    var secretHasKnownFormat: Bool { secret.first ?? 0 <= Self.newestSecretFormat }

    /// The newest format of a sealed secret (STORAGE.md, "Sealed secrets").
    private static let newestSecretFormat: UInt8 = 1
}
