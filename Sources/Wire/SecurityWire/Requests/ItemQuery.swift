// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// The items to find, and the results to return.
public struct ItemQuery: Sendable {
    /// The class; may be omitted with a persistent reference.
    public var itemClass: ItemClass?
    /// Values that an item must have.
    public var attributes = ItemAttributes()
    /// By default local items; with a reference, the item that it names.
    public var synchronizable: SynchronizableFilter?
    /// Only this item.
    public var persistentReference: PersistentReference?
    /// Only the item in this row: the number in a 12-byte persistent reference.
    public var rowNumber: Int64?
    /// For an update or delete: only this item, and only in this state; another state is
    /// ``FailureReason/generationChanged``.
    public var generation: ItemGeneration?
    /// The mark that remains after an update or delete.
    public var tombstones = TombstonePolicy.ofSynchronizable
    /// For an update or delete: nothing is done unless the program still has this lease.
    package var lease: LeaseToken?
    /// For an update or delete: more items, changed or deleted in the same transaction. They are
    /// limited to the groups of this query, and their own ``lease`` is ignored.
    package var besides: [ItemQuery] = []
    /// The maximum number of items; nil is all.
    public var limit: Int? = 1
    /// The results for each item.
    public var returning: ReturnFields = []
    /// For items with an access control.
    package var access = ItemAccess()
    /// The keychain whose items; nil is login.
    package var keychain: KeychainID?
    /// Where the program's own groups have none: also items of other programs that grant it their
    /// secrets. Only for a find, and only without a group in ``attributes``.
    package var seeksGranted = false

    /// A query for items of a class, or (with nil) for one item by its reference.
    public init(_ itemClass: ItemClass?) { self.itemClass = itemClass }
}

/// The results that a call requests for each item.
public struct ReturnFields: OptionSet, Hashable, Sendable {
    /// One bit for each field, as on the wire.
    public let rawValue: UInt32

    /// The fields with these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The secret.
    public static let data = ReturnFields(rawValue: 1)
    /// All other attributes.
    public static let attributes = ReturnFields(rawValue: 2)
    /// The persistent reference.
    public static let persistentReference = ReturnFields(rawValue: 4)
    /// The state on which an update can be made conditional, and when the item was last read.
    public static let usage = ReturnFields(rawValue: 8)

    static let all: ReturnFields = [.data, .attributes, .persistentReference, .usage]
}

/// One state of one item: every write of the item makes a new one.
public struct ItemGeneration: Hashable, Sendable {
    /// The row's UUID, 16 bytes.
    package let uuid: [UInt8]
    /// How often the row has been written, from 1.
    package let number: UInt32

    package init?(uuid: [UInt8], number: UInt32) {
        guard uuid.count == 16, number > 0 else { return nil }
        self.uuid = uuid
        self.number = number
    }
}

/// The items of a query with respect to synchronization.
public enum SynchronizableFilter: UInt32, Sendable {
    /// Only items that stay on this device.
    case no = 0
    /// Only items that synchronize.
    case yes = 1
    /// Both.
    case any = 2
}

/// The mark that remains after a delete, or after an update that moves a synchronizable item.
public enum TombstonePolicy: UInt32, Sendable {
    /// A tombstone of items that synchronize.
    case ofSynchronizable = 0
    /// A tombstone of every item.
    case always = 1
    /// Nothing.
    case never = 2
}

// MARK: - Coding

extension ItemQuery {
    /// Bits of a message.
    private enum Option {
        static let skipsGuarded: UInt32 = 1
        static let seeksGranted: UInt32 = 2
        static let all = skipsGuarded | seeksGranted
    }

    /// The queries of a write: its own, and the additional ones.
    init(_ message: WireQuery, besides: [WireQuery]) throws(WireError) {
        try self.init(message)
        for other in besides {
            let query = try ItemQuery(other)
            guard query.keychain == keychain else { throw .malformed }
            self.besides.append(query)
        }
    }

    init(_ message: WireQuery) throws(WireError) {
        if message.itemClass != 0 {
            guard let itemClass = ItemClass(wireValue: message.itemClass) else { throw .malformed }
            self.init(itemClass)
        } else {
            self.init(nil)
        }
        attributes = try ItemAttributes(checking: message.filter)
        guard attributes.grants == nil else { throw .malformed }
        guard let filter = SynchronizableFilter(rawValue: message.synchronizable),
            message.limit <= UInt64(Int32.max)
        else { throw .malformed }
        synchronizable = filter
        limit = message.limit == 0 ? nil : Int(message.limit)
        returning = try ReturnFields(checking: message.returning)
        if !message.persistentUuid.isEmpty {
            persistentReference = PersistentReference(
                itemClass: itemClass ?? .genericPassword, uuid: [UInt8](message.persistentUuid))
            guard persistentReference != nil else { throw .malformed }
        }
        guard itemClass != nil || persistentReference != nil else { throw .malformed }
        rowNumber = message.hasRowNumber ? message.rowNumber : nil
        guard let policy = TombstonePolicy(rawValue: message.tombstones) else { throw .malformed }
        tombstones = policy
        lease = LeaseToken(message.lease)
        access = try ItemAccess(
            context: message.accessContext, purpose: message.accessPurpose,
            skipsGuarded: message.options & Option.skipsGuarded != 0)
        guard message.options <= Option.all else { throw .malformed }
        keychain = try KeychainID(other: message.keychain)
        seeksGranted = message.options & Option.seeksGranted != 0
        if !message.generationUuid.isEmpty {
            generation = ItemGeneration(
                uuid: [UInt8](message.generationUuid), number: message.generation)
            guard generation != nil else { throw .malformed }
        }
    }
}

extension ItemQuery {
    var message: WireQuery {
        var message = WireQuery()
        if let itemClass { message.itemClass = itemClass.wireValue }
        message.filter = attributes.serialized()
        let isReferred = persistentReference != nil || rowNumber != nil || generation != nil
        let defaultFilter = isReferred ? SynchronizableFilter.any : .no
        message.synchronizable = (synchronizable ?? defaultFilter).rawValue
        if let persistentReference { message.persistentUuid = Data(persistentReference.uuid) }
        if let limit { message.limit = UInt64(max(limit, 0)) }
        message.returning = returning.rawValue
        if let rowNumber { message.rowNumber = rowNumber }
        if let generation {
            message.generationUuid = Data(generation.uuid)
            message.generation = generation.number
        }
        message.tombstones = tombstones.rawValue
        message.lease = lease?.number ?? 0
        message.accessContext = Data(access.context)
        message.accessPurpose = access.purpose
        if let keychain, !keychain.isLogin { message.keychain = Data(keychain.uuid) }
        message.options =
            (access.skipsGuarded ? Option.skipsGuarded : 0)
            | (seeksGranted ? Option.seeksGranted : 0)
        return message
    }
}

extension ReturnFields {
    init(checking rawValue: UInt32) throws(WireError) {
        self.init(rawValue: rawValue)
        guard isSubset(of: .all) else { throw .malformed }
    }
}

extension ItemQuery {
    /// The same query with other names of access groups; nil when a name isn't a group.
    func namingGroups(_ name: (String) -> String?) -> ItemQuery? {
        var query = self
        guard query.attributes.nameGroup(name) else { return nil }
        for index in query.besides.indices {
            guard query.besides[index].attributes.nameGroup(name) else { return nil }
        }
        return query
    }
}
