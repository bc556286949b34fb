// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// Answers queries, on an event thread: nothing here waits but for the enclave.
final class FindRequests {
    private let reader: StoreReader
    private let source: ItemKeys.Source
    private let keys: ItemKeys
    /// Where rows go that turned out corrupt; the writer moves them.
    private let reportCorrupt: ([SealedItem]) -> Void

    private let onStoreFailure: (StoreError) -> Void

    init(
        reader: StoreReader, keys: ItemKeys, reportCorrupt: @escaping ([SealedItem]) -> Void,
        onStoreFailure: @escaping (StoreError) -> Void
    ) {
        self.reader = reader
        source = ItemKeys.Source(reader)
        self.keys = keys
        self.reportCorrupt = reportCorrupt
        self.onStoreFailure = onStoreFailure
    }

    /// One page of a query's result.
    /// - Throws: ``DaemonError/absent`` when nothing matches; ``DaemonError/locked`` when a row that
    ///   matches can't be opened, whatever else does.
    func page(
        _ query: ItemQuery, cursor: UInt64, request: borrowing AuthorizedRequest
    ) throws(DaemonError) -> ServiceReply {
        guard let indexer = try keys.indexer(userID: request.userID, source) else { throw .absent }
        let planned = try plan(
            query, groups: request.readableGroups, heldGroups: request.heldGroups,
            userID: request.userID, indexer: indexer, wantsSecret: query.returning.contains(.data))
        var page = FoundPage(query: query, lastRowID: Int64(clamping: cursor))
        repeat {
            let found = try scan(planned, &page)
            try page.add(found, secrets: try openSecrets(found, query, userID: request.userID))
        } while page.mustGoOn
        if !page.corrupt.isEmpty { reportCorrupt(page.corrupt) }
        if page.rows.isEmpty && cursor == 0 {
            throw page.corrupt.isEmpty && !page.hasUnreadableRows ? .absent : .keyGone
        }
        return .found(page.rows, nextCursor: page.nextCursor)
    }

    /// Reads and opens rows until the page is full or there are no more.
    private func scan(
        _ planned: PlannedQuery, _ page: inout FoundPage
    ) throws(DaemonError) -> [FoundPage.Candidate] {
        var candidates: [FoundPage.Candidate] = []
        var failure: DaemonError?
        var room = page.room
        page.isExhausted = true
        do {
            try reader.scan(planned.plan, after: page.lastRowID) { item in
                page.lastRowID = item.rowID
                guard planned.filter.admits(item) else { return true }
                let opened: MetadataSealer.Opened
                do throws(DaemonError) { opened = try keys.open(item, source) } catch {
                    failure = error
                    return false
                }
                switch opened {
                case .corrupt: page.corrupt.append(item)
                case .keyMissing, .newerFormat: page.hasUnreadableRows = true
                case .attributes(let attributes, let encoded):
                    guard planned.filter.admits(attributes) else { return true }
                    candidates.append(
                        FoundPage.Candidate(
                            item: item, encoded: encoded, hasSecret: attributes.hasSecret))
                    room.rows -= 1
                    room.bytes -= encoded.count + item.secret.count
                }
                page.isExhausted = room.rows > 0 && room.bytes > 0
                return page.isExhausted
            }
        } catch {
            onStoreFailure(error)
            throw .store(error)
        }
        if let failure { throw failure }
        return candidates
    }

    /// The secrets of rows, in their order; nil for a row whose secret will never open.
    private func openSecrets(
        _ candidates: [FoundPage.Candidate], _ query: ItemQuery, userID: UInt32
    ) throws(DaemonError) -> [FoundPage.OpenedSecret] {
        guard query.returning.contains(.data) else {
            return candidates.map { _ in .notWanted }
        }
        var sealed: [SealedSecret] = []
        for candidate in candidates {
            guard candidate.hasKnownSecret, let row = SealedSecret(candidate.item) else { continue }
            sealed.append(row)
        }
        var opened = try keys.openSecrets(sealed, userID: userID)[...]
        return candidates.map { candidate in
            guard candidate.hasSecret else { return .notWanted }
            guard candidate.hasKnownSecret else { return .newerFormat }
            guard ProtectionClass(rawValue: candidate.item.keyClass) != nil,
                let secret = opened.popFirst(), let secret
            else { return .corrupt }
            return .secret(secret)
        }
    }
}

extension SealedSecret {
    /// The sealed secret of a row with what it is tied to; nil for a class that doesn't exist.
    init?(_ item: SealedItem) {
        guard let keyClass = ProtectionClass(rawValue: item.keyClass) else { return nil }
        self.init(
            protectionClass: keyClass, context: AssociatedData.contextForSecret(item),
            sealed: item.secret)
    }
}

/// The rows of one reply frame, as they come together.
struct FoundPage {
    /// A row whose metadata is open and matches.
    struct Candidate {
        let item: SealedItem
        let encoded: Data
        let hasSecret: Bool

        /// Whether there is a secret in a format that is known; an empty half counts as damaged.
        var hasKnownSecret: Bool { hasSecret && item.secret.first ?? 0 <= Self.newestFormat }

        /// The newest format of a sealed secret (STORAGE.md, "Sealed secrets").
        private static let newestFormat: UInt8 = 1
    }

    /// What became of a row's secret.
    enum OpenedSecret {
        case notWanted
        case secret(Secret)
        case corrupt
        /// A newer version sealed it.
        case newerFormat
    }

    private let query: ItemQuery
    private(set) var rows: [OutgoingRow] = []
    private var byteCount = 0
    /// The last row looked at.
    var lastRowID: Int64
    /// Whether there are no rows behind `lastRowID`.
    var isExhausted = false
    var corrupt: [SealedItem] = []
    /// Whether there were rows that this version, or this enclave, can't open.
    var hasUnreadableRows = false

    init(query: ItemQuery, lastRowID: Int64) {
        self.query = query
        self.lastRowID = lastRowID
    }

    /// How much still goes in.
    var room: (rows: Int, bytes: Int) {
        (
            (query.limit ?? .max) - rows.count,
            FrameHeader.replyPageByteCount - Self.largestRowByteCount - byteCount
        )
    }

    /// A page stays open while one more row of any size fits.
    private static let largestRowByteCount =
        ItemLimits.secretByteCount + ItemLimits.attributesByteCount + 1024

    /// Whether rows that fell out left room that others may fill.
    var mustGoOn: Bool { !isExhausted && room.rows > 0 && room.bytes > 0 }

    /// Where the next page starts; 0 at the end.
    var nextCursor: UInt64 {
        let isFull = query.limit.map { rows.count >= $0 } ?? false
        return isExhausted || isFull ? 0 : UInt64(lastRowID)
    }

    /// Adds what was found.
    mutating func add(
        _ candidates: [Candidate], secrets: [OpenedSecret]
    ) throws(DaemonError) {
        for (candidate, secret) in zip(candidates, secrets) {
            var row = OutgoingRow(itemClass: candidate.item.table.itemClass)
            switch secret {
            case .corrupt:
                corrupt.append(candidate.item)
                continue
            case .newerFormat:
                hasUnreadableRows = true
                continue
            case .secret(let bytes): row.secret = bytes
            case .notWanted: break
            }
            if query.returning.contains(.attributes) { row.attributes = candidate.encoded }
            if query.returning.contains(.persistentReference) { row.uuid = candidate.item.uuid }
            byteCount += (row.attributes?.count ?? 0) + (row.secret?.bytes.byteCount ?? 0) + 64
            rows.append(row)
        }
    }
}
