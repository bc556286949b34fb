// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes

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

/// The mark that remains after a delete, or after an update that moves a synchronizable item.
public enum TombstonePolicy: UInt32, Sendable {
    /// A tombstone of items that synchronize.
    case ofSynchronizable = 0
    /// A tombstone of every item.
    case always = 1
    /// Nothing.
    case never = 2
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

    /// A query for items of a class, or (with nil) for one item by its reference.
    public init(_ itemClass: ItemClass?) { self.itemClass = itemClass }
}

/// An item to store.
public struct NewItem: Sendable {
    /// The class.
    public var itemClass: ItemClass
    /// Its attributes; missing ones get their defaults.
    public var attributes = ItemAttributes()
    /// Its secret; nil for an item without one.
    public var secret: Secret?
    /// The results for the stored item.
    public var returning: ReturnFields = []
    /// Whether an existing item with the same primary key gets these attributes and this secret,
    /// instead of being a duplicate. Its other attributes, and its persistent reference, stay.
    public var replacesExisting = false
    /// The minimum tier of the keychain; if it is lower, nothing is stored.
    public var demandedTier = StorageTier.software
    /// The item is stored only if the program still has this lease.
    package var lease: LeaseToken?
    /// The existing item to change instead, if there is one.
    public var replacement: ItemReplacement?

    /// An item of a class, without attributes.
    public init(_ itemClass: ItemClass) { self.itemClass = itemClass }
}

/// An item that may exist already, with any primary key.
public struct ItemReplacement: Equatable, Sendable {
    /// The attributes by which it is found; of several items the oldest is chosen.
    public var filter: ItemAttributes
    /// Its new attributes, in addition to the new item's secret, if that has one; the rest stays.
    public var changes: ItemAttributes

    /// Changes an item that has some attributes.
    public init(of filter: ItemAttributes, changes: ItemAttributes) {
        self.filter = filter
        self.changes = changes
    }
}

/// The changes that an update makes to each matching item.
public struct ItemChanges: Sendable {
    /// Attributes to set; the others stay.
    public var attributes = ItemAttributes()
    /// The new secret; nil leaves the old one.
    public var secret: Secret?

    /// No changes (an update then sets only the modification date).
    public init() {}
}

/// A move from one access group to another.
package struct ItemMove: Equatable, Sendable {
    /// The current group of the items.
    package var source: String
    /// Their new group.
    package var target: String
    /// The classes of items; none of them twice, and not identities.
    package var itemClasses: [ItemClass]

    package init(from source: String, to target: String, itemClasses: [ItemClass]) {
        self.source = source
        self.target = target
        self.itemClasses = itemClasses
    }
}

/// Identifies one write, so that the client can ask for its outcome after a lost reply.
package struct WriteIdentity: Sendable {
    /// 16 random bytes.
    package let requestID: [UInt8]
    /// This write has been sent before without a reply.
    package var isRepeated: Bool

    package init(requestID: [UInt8], isRepeated: Bool) {
        self.requestID = requestID
        self.isRepeated = isRepeated
    }
}

/// A request in securityd: decoded, with checked limits, not yet authorized.
package enum ClientRequest: Sendable {
    case find(ItemQuery, cursor: UInt64)
    case add(NewItem, WriteIdentity)
    case update(ItemQuery, ItemChanges, WriteIdentity)
    case delete(ItemQuery, WriteIdentity)
    case deviceStatus
    case challenge
    /// The permit is the text of a ``PermitCode``, or empty.
    case passcode(operation: UInt8, sealed: [UInt8], permit: String = "")
    /// With ``DeviceLockMode/now``, `waits` until the keys are gone.
    case lock(DeviceLockMode, waits: Bool, of: LockSubject = .caller)
    case watch
    case auditPage(AuditQuery)
    case assertion(seconds: UInt16)
    case check(cursor: [UInt8])
    case recover(cursor: [UInt8])
    case key(KeyRequest)
    /// The nonce of a ``ServiceReply/prove(_:)``, sent back by the program itself.
    case prove([UInt8])
    case identity
    /// The values of these entitlements.
    case entitlements([String])
    case move(ItemMove, WriteIdentity)
    /// Opens a group that the caller doesn't hold until the connection ends, with the passcode.
    case openGroup(String, sealed: [UInt8])
    case lease(LeaseRequest)
    /// The outcome of the write with this identifier; if it hasn't been carried out, it never will
    /// be.
    case revoke(requestID: [UInt8])
    /// About protectors.
    case protectors(ProtectorRequest)
}
