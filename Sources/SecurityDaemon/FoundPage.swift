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
        let attributes: ItemAttributes
        /// The attributes as they go into the reply.
        let encoded: Data

        /// Whether there is a secret in a format that is known; an empty half counts as damaged.
        var hasKnownSecret: Bool {
            attributes.hasSecret && item.secret.first ?? 0 <= Self.newestFormat
        }

        /// The newest format of a sealed secret (STORAGE.md, "Sealed secrets").
        private static let newestFormat: UInt8 = 1
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

    /// How much still goes into a page.
    struct Room {
        fileprivate var rows: Int
        fileprivate var bytes: Int

        var isOpen: Bool { rows > 0 && bytes > 0 }

        /// Counts a candidate, its secrets as long as they are sealed.
        mutating func take(_ candidate: Candidate) {
            rows -= 1
            bytes -= candidate.half.encoded.count + candidate.half.item.secret.count
            guard let certificate = candidate.certificate else { return }
            bytes -= certificate.encoded.count + certificate.item.secret.count
        }
    }

    private let query: ItemQuery
    private(set) var rows: [OutgoingRow] = []
    /// The UUIDs of all rows that are in `rows`.
    private(set) var uuids: [[UInt8]] = []
    private var byteCount = 0
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

    /// How much still goes in.
    var room: Room {
        Room(
            rows: (query.limit ?? .max) - rows.count,
            bytes: FrameHeader.replyPageByteCount - Self.largestRowByteCount - byteCount)
    }

    /// A page stays open while one more row of any size fits.
    private static let largestRowByteCount =
        ItemLimits.secretByteCount + ItemLimits.attributesByteCount + 1024

    /// Whether rows that fell out left room that others may fill.
    var mustGoOn: Bool { !isExhausted && room.isOpen }

    /// Where the next page starts; 0 at the end.
    var nextCursor: UInt64 {
        let isFull = query.limit.map { rows.count >= $0 } ?? false
        return isExhausted || isFull ? 0 : UInt64(lastRowID)
    }

    /// Adds what was found. Of identities of one certificate there may be more than the limit.
    mutating func add(
        _ candidates: [Candidate], secrets: [OpenedSecrets]
    ) throws(DaemonError) {
        for (candidate, secrets) in zip(candidates, secrets) {
            if let limit = query.limit, rows.count >= limit { return }
            guard isSound(candidate.half, secrets.own),
                candidate.certificate.map({ isSound($0, secrets.certificate) }) ?? true
            else { continue }
            let row = self.row(candidate, secrets)
            byteCount += (row.attributes?.count ?? 0) + (row.secret?.bytes.byteCount ?? 0) + 64
            byteCount += row.certificate?.attributes?.count ?? 0
            byteCount += row.certificate?.data?.bytes.byteCount ?? 0
            rows.append(row)
            uuids.append(candidate.half.item.uuid)
            if let certificate = candidate.certificate { uuids.append(certificate.item.uuid) }
        }
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
        if wantsAttributes { row.attributes = candidate.half.encoded }
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
        row.certificate = (wantsAttributes ? certificate.encoded : nil, data)
        return row
    }
}
