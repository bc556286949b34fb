// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// One thing that a check found, or that a recovery did or couldn't do.
public struct MaintenanceFinding: Hashable, Sendable {
    /// What it is. The numbers are on the wire: only ever added.
    public enum Kind: UInt32, CaseIterable, Sendable {
        /// SQLite finds the file damaged; the place is what it says.
        case pages = 1
        /// A field of a row that lies in clear has a value that none has.
        case fields = 2
        /// The row's metadata doesn't open.
        case metadata = 3
        /// The row's metadata opens and says something else than the row.
        case attributes = 4
        /// The row's secret doesn't open.
        case secret = 5
        /// The key that a row needs isn't there, or doesn't open.
        case keyMissing = 6
        /// A row of a user who isn't served here.
        case foreignUser = 7
        /// A wrapped metadata key doesn't open.
        case metadataKey = 8
        /// A user's wrapped index key is missing or doesn't open.
        case indexKey = 9
        /// A newer version wrote the row; this one can't judge it.
        case newerFormat = 10
        /// The copies of wrapped keys beside the database are damaged or not complete.
        case keyCopies = 11
        /// The row isn't what was committed last: an older state of it, or one that never was.
        case notCurrent = 12
        /// A row is missing that nobody deleted; the place is its table, the number its row's.
        case missingRow = 13
        /// The rows aren't those that were committed last, as the root over them tells.
        case root = 14
        /// Rows in the quarantine; the number says how many.
        case quarantined = 32
        /// A damaged file that is kept; the place is its name.
        case keptFile = 33
        /// Rows whose keys were destroyed when everything was erased; the number says how many.
        case erased = 34
        /// The row was brought back; the place is where it was.
        case restored = 64
        /// The row wasn't brought back: another item has its name now.
        case nameTaken = 65
        /// A kept file can't be read at all, or not to its end.
        case unreadableFile = 66
        /// An index that didn't fit its table was built anew; the place is its name.
        case reindexed = 67
    }

    /// What it is.
    public var kind: Kind
    /// The class of the item; nil where it isn't about one.
    public var itemClass: ItemClass?
    /// The row's UUID as it lies in the row, in general 16 bytes; empty where it isn't about a row.
    public var uuid: [UInt8] = []
    /// The identifier of the row's protection class as it lies in the row; 0 where there is none.
    public var protectionClass: UInt32 = 0
    /// A file's name, or what SQLite says.
    public var place = ""
    /// How many.
    public var number: UInt64 = 0

    /// A finding that isn't about a row.
    package init(_ kind: Kind, place: String = "", number: UInt64 = 0) {
        self.kind = kind
        self.place = place
        self.number = number
    }

    /// Whether something is wrong with the keychain that is in use.
    public var isDamage: Bool { kind.rawValue < Kind.quarantined.rawValue && kind != .newerFormat }
}

/// How many rows a check or a recovery has looked at.
public struct MaintenanceCounts: Hashable, Sendable {
    /// All of them.
    public var examined: UInt64 = 0
    /// Nothing is wrong with them.
    public var sound: UInt64 = 0
    /// Nobody can open them now.
    public var locked: UInt64 = 0
    /// They were brought back.
    public var restored: UInt64 = 0
    /// They are there, or were brought back before.
    public var present: UInt64 = 0

    /// None.
    public init() {}

    /// Adds those of another part.
    package static func += (counts: inout MaintenanceCounts, others: MaintenanceCounts) {
        counts.examined &+= others.examined
        counts.sound &+= others.sound
        counts.locked &+= others.locked
        counts.restored &+= others.restored
        counts.present &+= others.present
    }
}

/// A part of a check or of a recovery.
package struct MaintenancePage: Equatable, Sendable {
    package var findings: [MaintenanceFinding] = []
    package var counts = MaintenanceCounts()
    /// Where to go on; empty at the end.
    package var nextCursor: [UInt8] = []

    package init() {}

    /// The most bytes of a cursor.
    package static let cursorByteCount = 128
}
