// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// The items of a ``TestKeychain``.
struct TestItems: Sendable {
    private struct Item: Sendable {
        let itemClass: ItemClass
        let uuid: [UInt8]
        var number: UInt32 = 1
        var attributes: ItemAttributes
        var secret: Secret?
        var hasKey = true
        var control: AccessControl?

        var accessibility: Accessibility { attributes.accessibility ?? .whenUnlocked }
        var generation: ItemGeneration? { ItemGeneration(uuid: uuid, number: number) }
    }

    private let accessGroups: [String]
    /// In the order in which they were added.
    private var items: [Item] = []
    private var changes: [ItemChange] = []
    /// What was approved, by context.
    private var approved: [[UInt8]: Set<[UInt8]>] = [:]
    /// What failed calls waited for, by context.
    private(set) var waiting: [[UInt8]: Set<[UInt8]>] = [:]

    init(accessGroups: [String]) { self.accessGroups = accessGroups }

    mutating func takeChanges() -> [ItemChange] {
        defer { changes = [] }
        return changes
    }

    mutating func destroyKeys(of accessibility: Accessibility) {
        for index in items.indices where items[index].accessibility == accessibility {
            items[index].hasKey = false
        }
    }

    /// The group of the query.
    func group(_ named: String?) throws(KeychainError) -> String {
        guard let group = named ?? accessGroups.first, accessGroups.contains(group) else {
            throw .notEntitled
        }
        return group
    }

    // MARK: - Persons

    /// The person has approved what the last call of a context waited for.
    mutating func approve(_ context: [UInt8]) {
        approved[context, default: []].formUnion(waiting.removeValue(forKey: context) ?? [])
    }

    /// A lock ends what was approved.
    mutating func forgetApprovals() { approved = [:] }

    /// Keeps what a call waited for, although everything else that it did is undone.
    mutating func keepWaiting(of failed: TestItems) { waiting = failed.waiting }

    /// - Throws: ``FailureReason/personNeeded`` unless the person has approved all of the items.
    private mutating func demandApproval(
        of items: [Item], _ access: ItemAccess
    ) throws(KeychainError) {
        let needed = Set(items.filter { !isApproved($0, access) }.compactMap(Self.subject))
        guard !needed.isEmpty else { return }
        if !access.context.isEmpty { waiting[access.context] = needed }
        throw .personNeeded
    }

    private func isApproved(_ item: Item, _ access: ItemAccess) -> Bool {
        guard let subject = Self.subject(item) else { return true }
        return approved[access.context]?.contains(subject) ?? false
    }

    /// What an approval names; nil for an item that demands nobody.
    private static func subject(_ item: Item) -> [UInt8]? {
        guard let control = item.control, control.constraint(of: .decrypt) != .always else {
            return nil
        }
        return item.uuid + control.encoded
    }

    // MARK: - Calls

    mutating func find(
        _ query: ItemQuery, _ usable: Set<Accessibility>
    ) throws(KeychainError) -> [FoundItem] {
        if let limit = query.limit, limit <= 0 { throw .absent }
        var all = try matches(query).map { items[$0] }
        // An item is locked if it can be opened later: as long as one matches, the query returns
        // nothing.
        guard all.allSatisfy({ !$0.hasKey || usable.contains($0.accessibility) }) else {
            throw .locked
        }
        if query.access.skipsGuarded { all.removeAll { !isApproved($0, query.access) } }
        try demandApproval(of: all, query.access)
        let sound = all.filter { $0.hasKey || query.returning.isDisjoint(with: [.data]) }
        guard !sound.isEmpty else { throw all.isEmpty ? .absent : .keyGone }
        return sound.prefix(query.limit ?? .max).map { Self.found($0, query.returning) }
    }

    mutating func add(
        _ new: NewItem, _ usable: Set<Accessibility>
    ) throws(KeychainError) -> FoundItem {
        try Self.admit(new.secret, new.attributes)
        guard new.demandedTier == .software else {
            throw KeychainError(status: SecurityStatus.unimplemented, reason: .tierNotMet)
        }
        guard new.itemClass != .identity else { throw .invalidRequest }
        let group = try group(Self.text(new.attributes[.accessGroup]))
        var item = Item(
            itemClass: new.itemClass,
            uuid: (0..<16).map { _ in UInt8.random(in: 0...255) }, attributes: new.attributes)
        item.attributes[.accessGroup] = .text(group)
        item.attributes[.creationDate] = .date(Self.now)
        item.attributes[.modificationDate] = .date(Self.now)
        if item.attributes.accessibility == nil { item.attributes.accessibility = .whenUnlocked }
        if item.attributes[.synchronizable] != .integer(1) {
            item.attributes[.synchronizable] = .integer(0)
        }
        item.secret = new.secret
        item.control = new.accessControl
        if let place = place(of: item, except: nil) {
            guard new.replacesExisting else { throw .duplicate }
            var changes = ItemChanges()
            changes.attributes = new.attributes
            changes.attributes[.creationDate] = nil
            changes.attributes[.accessGroup] = nil
            changes.secret = new.secret
            changes.accessControl = new.accessControl.map { .replaced($0) } ?? .none
            try change(place, changes, new.access, usable)
            return Self.found(items[place], new.returning)
        }
        try Self.write(item.accessibility, usable)
        items.append(item)
        note(.added, item)
        return Self.found(item, new.returning)
    }

    mutating func update(
        _ query: ItemQuery, _ changes: ItemChanges, _ usable: Set<Accessibility>
    ) throws(KeychainError) -> ItemGeneration? {
        try Self.admit(changes.secret, changes.attributes)
        if let group = Self.text(changes.attributes[.accessGroup]) { _ = try self.group(group) }
        let places = try matches(query)
        guard !places.isEmpty else { throw query.generation == nil ? .absent : .generationChanged }
        for place in places { try change(place, changes, query.access, usable) }
        return places.count == 1 ? items[places[0]].generation : nil
    }

    mutating func delete(_ query: ItemQuery) throws(KeychainError) -> UInt64 {
        let places = try matches(query)
        guard !places.isEmpty else { throw query.generation == nil ? .absent : .generationChanged }
        for place in places.reversed() { note(.deleted, items.remove(at: place)) }
        return UInt64(places.count)
    }

    private mutating func change(
        _ place: Int, _ changes: ItemChanges, _ access: ItemAccess,
        _ usable: Set<Accessibility>
    ) throws(KeychainError) {
        var item = items[place]
        guard !item.hasKey || usable.contains(item.accessibility) else { throw .locked }
        try demandApproval(of: [item], access)
        switch changes.accessControl {
        case .none: break
        case .removed: item.control = nil
        case .replaced(let control): item.control = control
        }
        guard item.hasKey || changes.secret != nil else { throw .keyGone }
        item.attributes.merge(changes.attributes)
        item.attributes[.modificationDate] = .date(Self.now)
        try Self.write(item.accessibility, usable)
        if let secret = changes.secret { item.secret = secret }
        item.hasKey = true
        item.number += 1
        guard self.place(of: item, except: place) == nil else { throw .duplicate }
        items[place] = item
        note(.updated, item)
    }

    private mutating func note(_ kind: ItemChange.Kind, _ item: Item) {
        let change = ItemChange(
            kind: kind, itemClass: item.itemClass, uuid: item.uuid, generation: item.number)
        if let change { changes.append(change) }
    }

    // MARK: - Which items

    private func matches(_ query: ItemQuery) throws(KeychainError) -> [Int] {
        if let group = Self.text(query.attributes[.accessGroup]) { _ = try self.group(group) }
        guard query.itemClass != .identity, query.rowNumber == nil else { throw .invalidRequest }
        let places = items.indices.filter { Self.matches(items[$0], query) }
        if let generation = query.generation,
            places.contains(where: { items[$0].number != generation.number })
        {
            throw .generationChanged
        }
        return places
    }

    private static func matches(_ item: Item, _ query: ItemQuery) -> Bool {
        if let itemClass = query.itemClass, itemClass != item.itemClass { return false }
        if let reference = query.persistentReference, reference.uuid != item.uuid { return false }
        if let generation = query.generation, generation.uuid != item.uuid { return false }
        let isReferred = query.persistentReference != nil || query.generation != nil
        switch query.synchronizable ?? (isReferred ? .any : .no) {
        case .any: break
        case .no where item.attributes[.synchronizable] == .integer(1): return false
        case .yes where item.attributes[.synchronizable] != .integer(1): return false
        case .no, .yes: break
        }
        return query.attributes.entries.allSatisfy { entry in
            query.attributes.indexedContent(entry.attribute)
                == item.attributes.indexedContent(entry.attribute)
        }
    }

    /// The index of the item that has the same primary key.
    private func place(of item: Item, except own: Int?) -> Int? {
        items.indices.first { place in
            place != own && items[place].itemClass == item.itemClass
                && Self.primaryKey(of: item.itemClass).allSatisfy { attribute in
                    items[place].attributes.indexedContent(attribute) ?? []
                        == item.attributes.indexedContent(attribute) ?? []
                }
        }
    }

    /// Source: Apple's SecItem, as observed.
    private static func primaryKey(of itemClass: ItemClass) -> [Attribute] {
        let all: [Attribute] = [.accessGroup, .synchronizable, .syncViewHint, .tokenID]
        switch itemClass {
        case .genericPassword: return all + [.account, .service]
        case .internetPassword:
            return all + [
                .account, .securityDomain, .server, .networkProtocol, .authenticationType, .port,
                .path,
            ]
        case .certificate: return all + [.certificateType, .issuer, .serialNumber]
        case .key, .identity:
            return all + [
                .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits,
                .effectiveKeySize, .startDate, .endDate,
            ]
        }
    }

    // MARK: - Rules

    private static func admit(
        _ secret: Secret?, _ attributes: ItemAttributes
    ) throws(KeychainError) {
        guard (secret?.bytes.byteCount ?? 0) <= ItemLimits.secretByteCount,
            attributes.serialized().count <= ItemLimits.attributesByteCount
        else { throw .tooLarge }
    }

    /// A secret can be sealed for a class whose key can be used now.
    private static func write(
        _ accessibility: Accessibility, _ usable: Set<Accessibility>
    ) throws(KeychainError) {
        guard !usable.contains(accessibility) else { return }
        // Without a passcode this class doesn't exist.
        guard usable.contains(.whenUnlocked) else { throw .locked }
        throw KeychainError(status: SecurityStatus.notAvailable, reason: .keyGone)
    }

    private static func found(_ item: Item, _ returning: ReturnFields) -> FoundItem {
        var found = FoundItem(item.itemClass)
        if returning.contains(.data) { found.secret = item.secret }
        if returning.contains(.attributes) { found.attributes = item.attributes }
        if returning.contains(.persistentReference) {
            found.persistentReference = PersistentReference(
                itemClass: item.itemClass, uuid: item.uuid)
        }
        if returning.contains(.usage) { found.generation = item.generation }
        return found
    }

    private static func text(_ value: AttributeValue?) -> String? {
        guard case .text(let text)? = value else { return nil }
        return text
    }

    private static var now: Double { Date().timeIntervalSinceReferenceDate }
}

extension KeychainError {
    /// The error for an access group that the program doesn't hold.
    fileprivate static let notEntitled = KeychainError(
        status: SecurityStatus.missingEntitlement, reason: .denied)
    fileprivate static let keyGone = KeychainError(
        status: SecurityStatus.itemNotFound, reason: .keyGone)
}
