// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// Collects the rows of one reply frame.
struct FoundPage {
    /// A row whose metadata is open and matches.
    struct Half {
        let item: SealedItem
        let stored: StoredAttributes
        /// The result for its secret, once that was looked at.
        var secret = OpenedSecret.none

        init(item: SealedItem, stored: StoredAttributes) {
            self.item = item
            self.stored = stored
        }

        /// What has to be done for its secret.
        enum Sealed {
            /// Nothing.
            case known(OpenedSecret)
            case plain(SealedSecret)
            /// The enclave decides whether it may be used.
            case guarded(SealedSecret)
        }

        /// What has to be done for its secret; that of a guarded item is always opened.
        func sealed(wantsData: Bool) -> Sealed {
            if item.isGuarded {
                return SealedSecret(item).map { .guarded($0) } ?? .known(.corrupt)
            }
            guard wantsData, stored.hasSecret else { return .known(.none) }
            guard item.secretHasKnownFormat else { return .known(.newerFormat) }
            return SealedSecret(item).map { .plain($0) } ?? .known(.corrupt)
        }

        fileprivate var byteCount: Int { stored.encoded.count + item.secret.count }
    }

    /// The parts of one row of the reply.
    struct Candidate {
        var half: Half
        /// For an identity; `half` is then its key.
        var certificate: Half?

        init(_ half: Half, certificate: Half? = nil) {
            self.half = half
            self.certificate = certificate
        }

        /// Whether a half can be used only under an access control.
        var isGuarded: Bool {
            half.item.isGuarded || certificate?.item.isGuarded ?? false
        }

        /// The approximate byte count in a reply.
        fileprivate var byteCount: Int { half.byteCount + (certificate?.byteCount ?? 0) }
    }

    /// The result for a row's secret.
    enum OpenedSecret {
        /// There is none, or the query didn't ask for it.
        case none
        case secret(Secret)
        case corrupt
        /// A newer version sealed it.
        case newerFormat
        /// The person would have to approve it first, and the query leaves such items out.
        case skipped
    }

    /// One half of one candidate.
    struct Place {
        fileprivate let candidate: Int
        fileprivate let isCertificate: Bool

        /// Those of all halves, in the order of the rows.
        static func all(in candidates: [Candidate]) -> [Place] {
            var places: [Place] = []
            places.reserveCapacity(candidates.count)
            for (index, candidate) in candidates.enumerated() {
                places.append(Place(candidate: index, isCertificate: false))
                if candidate.certificate != nil {
                    places.append(Place(candidate: index, isCertificate: true))
                }
            }
            return places
        }
    }

    private let query: ItemQuery
    private(set) var rows = OutgoingRows()
    /// The UUIDs of all rows that are in `rows`.
    private(set) var uuids: [[UInt8]] = []
    /// Rows that wait for their secrets, which are opened together.
    private(set) var pending: [Candidate] = []
    /// The byte count of `pending`, with sealed secrets.
    private var pendingByteCount = 0
    /// The last row that was read; for identities, the certificate's.
    var lastRowID: Int64
    /// Whether there are no rows after `lastRowID`.
    var isExhausted = false
    var corrupt: [SealedItem] = []
    /// Whether there were rows that this version, or this enclave, can't open.
    var hasUnreadableRows = false
    /// How many rows have been opened, matching or not.
    var openedRowCount: UInt64 = 0
    /// How many rows the store has returned, opened or not.
    var seenRowCount = 0
    /// Whether the earlier pages had no row.
    private let hadNothingBefore: Bool

    private let lastUsed: ([UInt8]) -> Double?
    /// Whether its rows are items of other programs.
    let isOfGranted: Bool
    /// Whether this page or an earlier one had a row that matches, or may: also one that isn't returned.
    private(set) var hasMatched: Bool

    init(query: ItemQuery, after start: FindCursor, lastUsed: @escaping ([UInt8]) -> Double?) {
        self.query = query
        lastRowID = start.lastRowID
        hadNothingBefore = start.foundNothing
        hasUnreadableRows = start.hasUnreadableRows
        isOfGranted = start.isOfGranted
        hasMatched = start.hasMatched
        self.lastUsed = lastUsed
    }

    /// The reply.
    var reply: ServiceReply {
        .found(rows, nextCursor: nextCursor, openedRowCount: openedRowCount)
    }

    /// Whether the page has room.
    var isOpen: Bool {
        rows.count + pending.count < query.limit ?? .max
            && rows.byteCount + pendingByteCount < Self.byteLimit
    }

    /// A page stays open while one more row of any size fits.
    private static let byteLimit =
        FrameHeader.replyPageByteCount
        - (ItemLimits.secretByteCount + ItemLimits.attributesByteCount + 1024)

    /// A page that looks for few rows among many ends here, so that other programs get their turn.
    private static let openedRowLimit: UInt64 = 2000
    private static let seenRowLimit = 20_000

    /// Whether the next rows belong to the next page.
    var hasWorkedEnough: Bool {
        openedRowCount >= Self.openedRowLimit || seenRowCount >= Self.seenRowLimit
    }

    /// Whether dropped rows left room for others.
    var mustGoOn: Bool { !isExhausted && isOpen && !hasWorkedEnough }

    /// Whether no page has had a row.
    var foundNothing: Bool { rows.count == 0 && hadNothingBefore }

    /// Whether there is no next page.
    var isEnd: Bool { isExhausted || query.limit.map { rows.count >= $0 } ?? false }

    /// Where the next page starts; 0 at the end.
    var nextCursor: UInt64 {
        guard !isEnd else { return 0 }
        return FindCursor(
            lastRowID: lastRowID, foundNothing: foundNothing,
            hasUnreadableRows: hasUnreadableRows, isOfGranted: isOfGranted,
            hasMatched: hasMatched
        ).encoded
    }

    /// Takes the work of a page that was looked through for the same reply.
    mutating func count(workOf earlier: FoundPage) {
        openedRowCount = earlier.openedRowCount
        seenRowCount = earlier.seenRowCount
    }

    // MARK: - Adding rows

    /// Adds a row that was found. If the query wants secrets, it waits for them in `pending`.
    mutating func take(_ candidate: Candidate) {
        hasMatched = true
        guard query.returning.contains(.data) || candidate.isGuarded else {
            return add(candidate)
        }
        pendingByteCount += candidate.byteCount
        pending.append(candidate)
    }

    /// Adds a row that was found, as above.
    mutating func take(_ item: SealedItem, _ stored: StoredAttributes) {
        guard query.returning == .attributes, !item.isGuarded else {
            return take(Candidate(Half(item: item, stored: stored)))
        }
        hasMatched = true
        // The usual list: only the row's name is kept.
        rows.append(item.table.itemClass, attributes: stored.encoded)
        uuids.append(item.uuid)
    }

    /// The rows that wait for their secrets; they have to be added afterwards.
    mutating func takePending() -> [Candidate] {
        defer {
            pending = []
            pendingByteCount = 0
        }
        return pending
    }

    /// Adds rows with their secrets.
    mutating func add(_ candidates: [Candidate]) {
        for candidate in candidates { add(candidate) }
    }

    /// Adds a row. Identities of one certificate may exceed the limit.
    private mutating func add(_ candidate: Candidate) {
        if let limit = query.limit, rows.count >= limit { return }
        guard isSound(candidate.half), candidate.certificate.map({ isSound($0) }) ?? true else {
            return
        }
        rows.append(row(candidate))
        uuids.append(candidate.half.item.uuid)
        if let certificate = candidate.certificate { uuids.append(certificate.item.uuid) }
    }

    /// Whether a half can be returned; records why it can't.
    private mutating func isSound(_ half: Half) -> Bool {
        switch half.secret {
        case .none, .secret: return true
        case .corrupt: corrupt.append(half.item)
        case .newerFormat: hasUnreadableRows = true
        case .skipped: break
        }
        return false
    }

    private func row(_ candidate: Candidate) -> OutgoingRow {
        let wantsAttributes = query.returning.contains(.attributes)
        let own = candidate.half.item
        var row = OutgoingRow(itemClass: own.table.itemClass)
        if wantsAttributes {
            row.attributes = candidate.half.stored.encoded
            row.accessControl = own.encodedAccessControl
        }
        if query.returning.contains(.persistentReference) || query.returning.contains(.usage) {
            row.uuid = own.uuid
        }
        if query.returning.contains(.usage) {
            row.generation = own.rowGeneration
            row.lastUsed = lastUsed(own.uuid)
        }
        let wantsData = query.returning.contains(.data)
        if wantsData, case .secret(let secret) = candidate.half.secret { row.secret = secret }
        guard let certificate = candidate.certificate else { return row }
        row.itemClass = .identity
        row.generation = 0
        if row.uuid != nil { row.uuid = certificate.item.uuid }
        var data: Secret?
        if wantsData, case .secret(let secret) = certificate.secret { data = secret }
        row.certificate = (wantsAttributes ? certificate.stored.encoded : nil, data)
        return row
    }
}

extension [FoundPage.Candidate] {
    /// A half of a row.
    subscript(place: FoundPage.Place) -> FoundPage.Half {
        let candidate = self[place.candidate]
        return place.isCertificate ? candidate.certificate ?? candidate.half : candidate.half
    }

    /// Notes the result for a half's secret.
    mutating func set(_ secret: FoundPage.OpenedSecret, at place: FoundPage.Place) {
        if place.isCertificate {
            self[place.candidate].certificate?.secret = secret
        } else {
            self[place.candidate].half.secret = secret
        }
    }
}

/// The start of a page of a find, as the client sends it back.
struct FindCursor {
    /// The row after which to continue.
    let lastRowID: Int64
    /// Whether the earlier pages had no row.
    let foundNothing: Bool
    /// Whether the earlier pages left out rows that can't be opened.
    let hasUnreadableRows: Bool
    /// Whether it is among the items of other programs.
    let isOfGranted: Bool
    /// Whether the earlier pages had a row that matches, returned or not.
    let hasMatched: Bool

    private static let matchedBit: UInt64 = 1 << 60
    private static let grantedBit: UInt64 = 1 << 61
    private static let foundNothingBit: UInt64 = 1 << 62
    private static let unreadableBit: UInt64 = 1 << 63

    init(
        lastRowID: Int64, foundNothing: Bool, hasUnreadableRows: Bool, isOfGranted: Bool,
        hasMatched: Bool
    ) {
        self.hasMatched = hasMatched
        self.isOfGranted = isOfGranted
        self.lastRowID = lastRowID
        self.foundNothing = foundNothing
        self.hasUnreadableRows = hasUnreadableRows
    }

    /// Parses a client's number: 0 is the start, and any number is a valid position.
    init(_ encoded: UInt64) {
        lastRowID = Int64(encoded & (Self.matchedBit - 1))
        hasMatched = encoded & Self.matchedBit != 0
        isOfGranted = encoded & Self.grantedBit != 0
        foundNothing = encoded == 0 || encoded & Self.foundNothingBit != 0
        hasUnreadableRows = encoded & Self.unreadableBit != 0
    }

    /// Never 0.
    var encoded: UInt64 {
        UInt64(lastRowID) | (hasMatched ? Self.matchedBit : 0)
            | (isOfGranted ? Self.grantedBit : 0)
            | (foundNothing ? Self.foundNothingBit : 0)
            | (hasUnreadableRows ? Self.unreadableBit : 0)
    }
}

extension SealedItem {
    /// Whether this version knows the format of the sealed secret; an empty one counts as damaged.
    var secretHasKnownFormat: Bool { secret.first ?? 0 <= Self.newestSecretFormat }

    /// The newest format of a sealed secret (STORAGE.md, "Sealed secrets").
    private static let newestSecretFormat: UInt8 = 4
}
