// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes

/// What a call wants back about each item.
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
    /// The state that an update can be made conditional on, and when the item was last read.
    public static let usage = ReturnFields(rawValue: 8)

    static let all: ReturnFields = [.data, .attributes, .persistentReference, .usage]
}

/// One state of one item: every write of the item makes another.
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

/// What an update that moves a synchronizable item, or a delete, leaves in its place.
public enum TombstonePolicy: UInt32, Sendable {
    /// A tombstone of items that synchronize.
    case ofSynchronizable = 0
    /// A tombstone of every item.
    case always = 1
    /// Nothing.
    case never = 2
}

/// Which items a query means with respect to synchronization.
public enum SynchronizableFilter: UInt32, Sendable {
    /// Only items that stay on this device.
    case no = 0
    /// Only items that synchronize.
    case yes = 1
    /// Both.
    case any = 2
}

/// Which items are meant, and what is wanted of them.
public struct ItemQuery: Sendable {
    /// The class; may be left out with a persistent reference.
    public var itemClass: ItemClass?
    /// Values that an item must have.
    public var attributes = ItemAttributes()
    /// By default local items, and with a reference the item that it means.
    public var synchronizable: SynchronizableFilter?
    /// Means just this item.
    public var persistentReference: PersistentReference?
    /// Means just the item of this row: the number in a 12-byte persistent reference.
    public var rowNumber: Int64?
    /// Of an update or delete: means just this item, and only in this state; another state is
    /// ``FailureReason/generationChanged``.
    public var generation: ItemGeneration?
    /// What an update or delete leaves behind.
    public var tombstones = TombstonePolicy.ofSynchronizable
    /// Of an update or delete: nothing is done unless the program still has this lease.
    package var lease: LeaseToken?
    /// Of an update or delete: more items, changed or deleted in the same transaction. They reach no
    /// further than the groups of this query do, and their own ``lease`` doesn't count.
    package var besides: [ItemQuery] = []
    /// How many items at most; nil is all.
    public var limit: Int? = 1
    /// What to return of each.
    public var returning: ReturnFields = []

    /// A query for items of a class, or (with nil) for one item by its reference.
    public init(_ itemClass: ItemClass?) { self.itemClass = itemClass }
}

/// An item to be stored.
public struct NewItem: Sendable {
    /// The class.
    public var itemClass: ItemClass
    /// Its attributes; missing ones get their defaults.
    public var attributes = ItemAttributes()
    /// Its secret; nil is an item without one.
    public var secret: Secret?
    /// What to return of the stored item.
    public var returning: ReturnFields = []
    /// Whether an item with the same primary key gets these attributes and this secret, instead
    /// of standing in the way. Its other attributes, and its persistent reference, stay.
    public var replacesExisting = false
    /// The least tier that the keychain must have; if it has less, nothing is stored.
    public var demandedTier = StorageTier.software
    /// Nothing is stored unless the program still has this lease.
    package var lease: LeaseToken?
    /// What is changed instead, if it is there.
    public var replacement: ItemReplacement?

    /// An item of a class, without attributes.
    public init(_ itemClass: ItemClass) { self.itemClass = itemClass }
}

/// An item that may be there already, under whatever primary key.
public struct ItemReplacement: Equatable, Sendable {
    /// What it has: of several items with these attributes the oldest is meant.
    public var filter: ItemAttributes
    /// What it gets, beside the secret of the new item, if that has one; the rest stays.
    public var changes: ItemAttributes

    /// The item with some attributes gets others.
    public init(of filter: ItemAttributes, changes: ItemAttributes) {
        self.filter = filter
        self.changes = changes
    }
}

/// What an update changes in each item that it matches.
public struct ItemChanges: Sendable {
    /// Attributes to set; the others stay.
    public var attributes = ItemAttributes()
    /// The new secret; nil leaves the old one.
    public var secret: Secret?

    /// No changes (an update then moves the modification date alone).
    public init() {}
}

/// What moves from one access group to another.
package struct ItemMove: Equatable, Sendable {
    /// The group that the items are in.
    package var source: String
    /// The group that they go to.
    package var target: String
    /// The classes of items; none of them twice, and not identities.
    package var itemClasses: [ItemClass]

    package init(from source: String, to target: String, itemClasses: [ItemClass]) {
        self.source = source
        self.target = target
        self.itemClasses = itemClasses
    }
}

/// Names one write, so that its outcome can be asked for after a lost answer.
package struct WriteIdentity: Sendable {
    /// 16 random bytes.
    package let requestID: [UInt8]
    /// This write has been sent before without an answer.
    package var isRepeated: Bool

    package init(requestID: [UInt8], isRepeated: Bool) {
        self.requestID = requestID
        self.isRepeated = isRepeated
    }
}

/// A request as securityd sees it: decoded, bounded, not yet authorized.
package enum ClientRequest: Sendable {
    case find(ItemQuery, cursor: UInt64)
    case add(NewItem, WriteIdentity)
    case update(ItemQuery, ItemChanges, WriteIdentity)
    case delete(ItemQuery, WriteIdentity)
    case deviceStatus
    case challenge
    case passcode(operation: UInt8, sealed: [UInt8])
    /// With ``DeviceLockMode/now``, `waits` until the keys are gone.
    case lock(DeviceLockMode, waits: Bool)
    case watch
    case auditPage(AuditQuery)
    case assertion(seconds: UInt16)
    case check(cursor: [UInt8])
    case recover(cursor: [UInt8])
    case key(KeyRequest)
    /// The nonce of a ``ServiceReply/prove(_:)``, back from the program itself.
    case prove([UInt8])
    case identity
    /// Which of these entitlements the caller has.
    case entitlements([String])
    case move(ItemMove, WriteIdentity)
    /// A group that isn't the caller's is opened to the rest of the connection, by the passcode.
    case openGroup(String, sealed: [UInt8])
    case lease(LeaseRequest)
    /// What became of the write with this identifier; if it hasn't been carried out, it never is.
    case revoke(requestID: [UInt8])
}
