// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why the store failed.
package enum StoreError: Error, Equatable, Sendable {
    /// A unique column has the value already.
    case constraint
    /// The database is damaged.
    case damaged
    /// The disk is full.
    case full
    /// The database can't be written.
    case readOnly
    /// The disk, or the file system, failed.
    case inputOutput
    /// A newer version wrote the database; it was not touched.
    case newerVersion
    /// `synchronous` isn't FULL, or another setting has another value.
    case settingLost
    /// The root over the rows can't be updated now, so no row may be changed.
    case rootNotKept
    /// Another error; the SQLite code.
    case other(Int32)

    init(code: Int32) {
        switch code & 0xFF {
        case 19: self = .constraint
        case 11, 26: self = .damaged
        case 13: self = .full
        case 8: self = .readOnly
        case 10, 14: self = .inputOutput
        default: self = .other(code)
        }
    }
}

extension StoreError {
    /// Whether a file isn't what it should be, after a query that is valid for every intact file.
    /// For a damaged list of tables SQLite reports a missing column, and for a damaged row a
    /// missing value.
    var isDamage: Bool {
        self == .damaged || self == .other(Self.noSuchThing) || self == .notOfItsType
    }

    /// SQLITE_ERROR.
    private static let noSuchThing: Int32 = 1

    /// A value doesn't have its column's type.
    static let notOfItsType = StoreError.other(-1)

    /// Whether the disk or the permissions are the cause, and not the stored data: a retry may
    /// succeed.
    package var isOfTheSurroundings: Bool {
        switch self {
        case .full, .readOnly, .inputOutput: true
        case .constraint, .damaged, .newerVersion, .settingLost, .rootNotKept, .other: false
        }
    }
}
