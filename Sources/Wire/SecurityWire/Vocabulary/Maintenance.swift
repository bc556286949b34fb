// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// One finding of a check, or one result of a recovery.
public struct MaintenanceFinding: Hashable, Sendable {
    /// The kind. The numbers are on the wire: only ever added.
    public enum Kind: UInt32, CaseIterable, Sendable {
        /// SQLite reports damage of the file; the place is its message.
        case pages = 1
        /// A clear field of a row has an invalid value.
        case fields = 2
        /// The row's metadata can't be opened.
        case metadata = 3
        /// The row's metadata can be opened, but contradicts the row.
        case attributes = 4
        /// The row's secret can't be opened.
        case secret = 5
        /// A row's key is missing, or can't be opened.
        case keyMissing = 6
        /// A row of a user whom this service doesn't serve.
        case foreignUser = 7
        /// A wrapped metadata key can't be opened.
        case metadataKey = 8
        /// A user's wrapped index key is missing or can't be opened.
        case indexKey = 9
        /// A newer version wrote the row; this version can't check it.
        case newerFormat = 10
        /// The copies of wrapped keys beside the database are damaged or incomplete.
        case keyCopies = 11
        /// The row isn't the last committed one: an older state of it, or one that was never
        /// committed.
        case notCurrent = 12
        /// A row is missing that was never deleted; the place is its table, the number its row's.
        case missingRow = 13
        /// The rows aren't the last committed ones, according to the root over them.
        case root = 14
        /// Rows in the quarantine; the number says how many.
        case quarantined = 32
        /// A damaged file that is kept; the place is its name.
        case keptFile = 33
        /// Rows whose keys were destroyed when everything was erased; the number says how many.
        case erased = 34
        /// The row was restored; the place is its source.
        case restored = 64
        /// The row wasn't restored: another item has its name now.
        case nameTaken = 65
        /// A kept file can't be read at all, or not completely.
        case unreadableFile = 66
        /// An index that didn't match its table was rebuilt; the place is its name.
        case reindexed = 67
    }

    /// The kind.
    public var kind: Kind
    /// The class of the item; nil if the finding has none.
    public var itemClass: ItemClass?
    /// The UUID that the row contains, usually 16 bytes; empty if the finding is not about a row.
    public var uuid: [UInt8] = []
    /// The identifier of the protection class that the row contains; 0 if there is none.
    public var protectionClass: UInt32 = 0
    /// A file's name, or SQLite's message.
    public var place = ""
    /// How many.
    public var number: UInt64 = 0

    /// A finding that isn't about a row.
    package init(_ kind: Kind, place: String = "", number: UInt64 = 0) {
        self.kind = kind
        self.place = place
        self.number = number
    }

    /// Whether it is a fault of the keychain that is in use.
    public var isDamage: Bool { kind.rawValue < Kind.quarantined.rawValue && kind != .newerFormat }
}

/// How many rows a check or a recovery has read.
public struct MaintenanceCounts: Hashable, Sendable {
    /// All of them.
    public var examined: UInt64 = 0
    /// Rows without a fault.
    public var sound: UInt64 = 0
    /// Rows that can't be opened now.
    public var locked: UInt64 = 0
    /// Rows that were restored.
    public var restored: UInt64 = 0
    /// Rows that exist, or were restored before.
    public var present: UInt64 = 0

    /// None.
    public init() {}

    /// Adds the counts of another part.
    package static func += (counts: inout MaintenanceCounts, others: MaintenanceCounts) {
        counts.examined &+= others.examined
        counts.sound &+= others.sound
        counts.locked &+= others.locked
        counts.restored &+= others.restored
        counts.present &+= others.present
    }
}
