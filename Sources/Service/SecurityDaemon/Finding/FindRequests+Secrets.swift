// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// What was found on a channel.
struct FoundSecrets {
    var rows: [SecretRow] = []
    var nextCursor: UInt64 = 0

    /// The items whose secrets or attributes are told.
    var told: [[UInt8]] {
        rows.filter { $0.attributes != nil || $0.secret != nil }.map(\.reference)
    }
}

/// Finds items of the Secret Service, on an event thread. What is locked or another owner's is told as
/// such: it is never absent.
extension FindRequests {
    /// One page.
    /// - Parameters:
    ///   - query: Which items.
    ///   - cursor: Where the page starts; 0 at first.
    ///   - reach: What the channel reaches.
    ///   - userID: Whose items.
    ///   - isLocked: Whether a client has locked the secrets.
    /// - Returns: The rows in the order in which the items were added.
    /// - Throws: why nothing can be said of what there is.
    func secrets(
        _ query: SecretQuery, cursor: UInt64, _ reach: BusReach, userID: UInt32, isLocked: Bool
    ) throws(DaemonError) -> FoundSecrets {
        try roots.pass(userID)
        guard let indexer = try keys.indexer(RowOwner(userID: userID), source) else {
            return FoundSecrets()
        }
        defer { keys.endScan() }
        var page = SecretPage(
            query, BusScope(reach, indexer), isLocked: isLocked,
            after: Int64(clamping: cursor))
        if query.references.isEmpty {
            let tags = indexer.tags(of: query)
            guard let plan = TagPlan(userID: userID, tags: tags, wantsSecret: query.wantsSecrets)
            else { throw .invalidRequest }
            try collect(plan, &page)
        } else {
            try collect(query.references, userID: userID, &page)
        }
        try openSecrets(of: &page, userID: userID)
        if !page.corrupt.isEmpty { reportCorrupt(page.corrupt) }
        if page.hasLockedRows { try keys.followLock(userID: userID) }
        return page.found
    }

    private func collect(
        _ plan: TagPlan, _ page: inout SecretPage
    ) throws(DaemonError) {
        var failure: DaemonError?
        do throws(StoreError) {
            try reader.scan(plan, after: page.lastRowID) { item in
                do throws(DaemonError) { return try take(item, &page) } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            onStoreFailure(error)
            throw .store(error)
        }
        if let failure { throw failure }
    }

    private func collect(
        _ references: [[UInt8]], userID: UInt32, _ page: inout SecretPage
    ) throws(DaemonError) {
        func row(_ uuid: [UInt8], wantsSecret: Bool) throws(DaemonError) -> SealedItem? {
            do throws(StoreError) {
                return try reader.secretRow(uuid: uuid, userID: userID, wantsSecret: wantsSecret)
            } catch {
                onStoreFailure(error)
                throw .store(error)
            }
        }
        var places: [(rowID: Int64, uuid: [UInt8])] = []
        for uuid in Set(references) {
            if let item = try row(uuid, wantsSecret: false), item.rowID > page.lastRowID {
                places.append((item.rowID, uuid))
            }
        }
        places.sort { $0.rowID < $1.rowID }
        for place in places {
            guard let item = try row(place.uuid, wantsSecret: page.query.wantsSecrets) else {
                continue
            }
            guard try take(item, &page) else { return }
        }
    }

    /// Takes a row into the page.
    /// - Returns: Whether the page goes on.
    private func take(
        _ item: SealedItem, _ page: inout SecretPage
    ) throws(DaemonError) -> Bool {
        page.lastRowID = item.rowID
        page.seenRowCount += 1
        let place = page.scope.place(of: item)
        if place == .outOfReach || place == .foreign && !page.tellsForeign {
            return page.goesOn
        }
        // An item that can't be used now is told by its tags alone.
        if place == .held, page.isLocked {
            page.add(SecretRow(item.uuid, .lockedByClient))
            return page.goesOn
        }
        do throws(DaemonError) {
            switch try keys.openScanned(item, source, &page.associatedData) {
            case .attributes(let stored): page.add(item, stored, place)
            case .corrupt:
                page.corrupt.append(item)
                page.add(SecretRow(item.uuid, place == .foreign ? .foreign : .gone))
            case .keyMissing, .newerFormat:
                page.add(SecretRow(item.uuid, place == .foreign ? .foreign : .gone))
            }
        } catch {
            guard error == .locked else { throw error }
            page.hasLockedRows = true
            page.add(SecretRow(item.uuid, place == .foreign ? .foreign : .locked))
        }
        return page.goesOn
    }

    private func openSecrets(
        of page: inout SecretPage, userID: UInt32
    ) throws(DaemonError) {
        guard !page.sealed.isEmpty else { return }
        let opened = try keys.openNamed(page.sealed) { (batch) throws(EnclaveCallError) in
            try keys.enclave.open(batch, userID: userID)
        } secret: { (result) throws(DaemonError) -> Result<Secret, EnclaveCallError> in
            switch result {
            case .success, .failure(.undecodable), .failure(.classMissing), .failure(.locked):
                return result
            case .failure(let error): throw DaemonError(error)
            }
        }
        for (index, result) in opened { page.set(result, at: index) }
    }
}

/// The groups of a channel, as blind indexes.
struct BusScope {
    /// Whose an item is.
    enum Place {
        case held
        case foreign
        /// The front's own, or not of the bus.
        case outOfReach
    }

    let reach: BusReach
    private let held: [IndexValue]
    private let ofFront: [IndexValue]
    /// What every program may write.
    private let shared: IndexValue

    init(_ reach: BusReach, _ indexer: BlindIndexer) {
        func value(_ group: String) -> IndexValue {
            indexer.value(.genericPasswords, .accessGroup, [UInt8](group.utf8))
        }
        self.reach = reach
        held = reach.groups.map(value)
        ofFront = BusGroup.ofFront.map(value)
        shared = value(BusGroup.shared)
    }

    /// Whose an item is, by its blind index.
    func place(of item: SealedItem) -> Place {
        // Only items of the bus have tags.
        guard item.tagDigest != nil, let group = item.index(.accessGroup) else {
            return .outOfReach
        }
        // The front only adds there: what others wrote must not pass for its own records.
        if reach.isOfFront, group == shared { return .outOfReach }
        if held.contains(group) { return .held }
        if ofFront.contains(group) { return .outOfReach }
        if reach.reachesAll { return .held }
        return reach.isSandboxed || reach.isOfFront ? .outOfReach : .foreign
    }

    /// The order in which a replaced item is looked for.
    func rank(of item: SealedItem) -> Int {
        item.index(.accessGroup).flatMap { held.firstIndex(of: $0) } ?? held.count
    }

    /// Whether an opened item is where its blind index says.
    func confirms(_ place: Place, group: String?) -> Bool {
        guard let group, BusGroup.isOne(group) else { return false }
        return switch place {
        case .held: reach.holds(group)
        case .foreign: !reach.holds(group) && !BusGroup.isOfFront(group)
        case .outOfReach: false
        }
    }
}

/// Collects the rows of one reply on a channel.
private struct SecretPage {
    let query: SecretQuery
    let scope: BusScope
    let isLocked: Bool
    /// Whether other owners' items are told of.
    let tellsForeign: Bool
    var lastRowID: Int64
    var seenRowCount = 0
    var corrupt: [SealedItem] = []
    var hasLockedRows = false
    var associatedData: [UInt8] = []
    /// Secrets to be opened, by the number of their row.
    private(set) var sealed: [NamedSecret<Int>] = []
    private var rows: [SecretRow] = []
    private var byteCount = 0
    private var isFull = false

    /// A page stays open while one more row of any size fits.
    private static let byteLimit =
        FrameHeader.replyPageByteCount
        - (ItemLimits.secretByteCount + ItemLimits.attributesByteCount + 1024)
    /// Then other programs get their turn.
    private static let seenRowLimit = 2000

    init(_ query: SecretQuery, _ scope: BusScope, isLocked: Bool, after rowID: Int64) {
        self.query = query
        self.scope = scope
        self.isLocked = isLocked
        lastRowID = rowID
        tellsForeign = query.seeksForeign && query.namesMoreThanSchema
    }

    /// Whether more rows are read.
    var goesOn: Bool { !isFull }

    /// The reply.
    var found: FoundSecrets {
        let isOver = !isFull || query.limit.map { rows.count >= $0 } ?? false
        return FoundSecrets(rows: rows, nextCursor: isOver ? 0 : UInt64(lastRowID))
    }

    mutating func add(_ row: SecretRow) {
        rows.append(row)
        byteCount += row.byteCount
        note()
    }

    /// Adds an item that opened, if it is what the query asks for.
    mutating func add(_ item: SealedItem, _ stored: StoredAttributes, _ place: BusScope.Place) {
        defer { note() }
        guard scope.confirms(place, group: stored.accessGroup), let fields = stored.secrets,
            query.collection.isEmpty || fields.collection.utf8.elementsEqual(query.collection.utf8),
            fields.pairs.contains(query.pairs)
        else { return }
        guard place == .held else { return add(SecretRow(item.uuid, .foreign)) }
        var row = SecretRow(item.uuid)
        if query.wantsAttributes { row.attributes = SecretRow.Attributes(stored, fields) }
        if query.wantsSecrets {
            if item.secretHasKnownFormat, let secret = SealedSecret(item) {
                sealed.append(NamedSecret(name: rows.count, sealed: secret))
                byteCount += item.secret.count
            } else {
                row.state = .gone
            }
        }
        add(row)
    }

    mutating func set(_ result: Result<Secret, EnclaveCallError>, at index: Int) {
        switch result {
        case .success(let secret): rows[index].secret = secret
        case .failure(.locked):
            hasLockedRows = true
            rows[index] = SecretRow(rows[index].reference, .locked)
        case .failure: rows[index].state = .gone
        }
    }

    private mutating func note() {
        isFull =
            rows.count >= query.limit ?? .max || byteCount >= Self.byteLimit
            || seenRowCount >= Self.seenRowLimit
    }
}

extension SecretRow {
    /// A row without anything but its state.
    init(_ reference: [UInt8], _ state: State) {
        self.init(reference)
        self.state = state
    }
}

extension SecretRow.Attributes {
    /// What is told of an item.
    init?(_ stored: StoredAttributes, _ fields: SecretFields) {
        guard let attributes = try? stored.decoded() else { return nil }
        self.init(attributes, fields)
    }

    init(_ attributes: ItemAttributes, _ fields: SecretFields) {
        self.init(fields)
        group = attributes.accessGroup ?? ""
        if case .text(let text)? = attributes[.label] { label = text }
        accessibility = attributes.accessibility ?? .afterFirstUnlock
        if case .date(let moment)? = attributes[.creationDate] { created = moment }
        if case .date(let moment)? = attributes[.modificationDate] { modified = moment }
    }
}

extension SecretQuery {
    /// Whether it is about certain items. Other owners' items aren't told to a search for a whole
    /// schema.
    fileprivate var namesMoreThanSchema: Bool {
        !references.isEmpty
            || pairs.pairs.contains { !$0.name.elementsEqual(SecretPairs.schemaName.utf8) }
    }
}

extension BlindIndexer {
    /// The tags of the items that a query is about.
    fileprivate func tags(of query: SecretQuery) -> [IndexValue] {
        var tags = query.pairs.pairs.map { tag($0) }
        if !query.collection.isEmpty { tags.append(tag(collection: query.collection)) }
        return tags.isEmpty ? [tagOfEveryItem] : tags
    }
}
