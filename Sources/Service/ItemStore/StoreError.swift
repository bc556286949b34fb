// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why the store couldn't do something.
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
    /// `synchronous` isn't FULL, or another setting didn't hold.
    case settingLost
    /// The root over the rows can't be kept up now, so nothing may be changed.
    case rootNotKept
    /// Something else; the SQLite code.
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
    /// Whether a file isn't what it should be, where nothing is asked for that isn't in each of its kind:
    /// of a damaged list of tables SQLite says that there is no such column, and of a damaged row that
    /// a value is missing.
    var isDamage: Bool {
        self == .damaged || self == .other(Self.noSuchThing) || self == .notOfItsType
    }

    /// SQLITE_ERROR.
    private static let noSuchThing: Int32 = 1

    /// A value isn't of the type that its column has.
    static let notOfItsType = StoreError.other(-1)

    /// Whether the disk or the permissions are at fault, and not what is stored: it may work later.
    package var isOfTheSurroundings: Bool {
        switch self {
        case .full, .readOnly, .inputOutput: true
        case .constraint, .damaged, .newerVersion, .settingLost, .rootNotKept, .other: false
        }
    }
}
