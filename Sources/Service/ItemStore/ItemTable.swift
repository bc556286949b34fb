// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A table of items: one for each stored item class.
package enum ItemTable: String, CaseIterable, Sendable {
    /// Generic passwords.
    case genericPasswords = "genp"
    /// Internet passwords.
    case internetPasswords = "inet"
    /// Certificates.
    case certificates = "cert"
    /// Keys.
    case keys = "keys"

    /// Its blind-index columns, in the order of the associated data (STORAGE.md, "Rows"). Only
    /// ever appended to.
    package var indexColumns: [IndexColumn] {
        switch self {
        case .genericPasswords: Self.genericPasswordColumns
        case .internetPasswords: Self.internetPasswordColumns
        case .certificates: Self.certificateColumns
        case .keys: Self.keyColumns
        }
    }

    /// Whether its rows can have tags.
    package var hasTags: Bool { self == .genericPasswords }

    private static let genericPasswordColumns: [IndexColumn] = [
        .primaryKey, .accessGroup, .synchronizable, .account, .service, .label, .generic, .alias,
        .description, .comment, .creator, .type,
    ]
    private static let internetPasswordColumns: [IndexColumn] = [
        .primaryKey, .accessGroup, .synchronizable, .account, .server, .securityDomain,
        .networkProtocol, .authenticationType, .port, .path, .label, .alias, .description,
        .comment, .creator, .type,
    ]
    private static let certificateColumns: [IndexColumn] = [
        .primaryKey, .accessGroup, .synchronizable, .certificateType, .issuer, .serialNumber,
        .subject, .subjectKeyID, .publicKeyHash, .certificateEncoding, .label, .alias,
    ]
    private static let keyColumns: [IndexColumn] = [
        .primaryKey, .accessGroup, .synchronizable, .keyClass, .applicationLabel, .applicationTag,
        .type, .keySizeInBits, .creator, .label, .alias,
    ]

    /// The SQL indexes by which rows are found, the most selective first: its first column and its
    /// name without the table's.
    var leads: [(column: IndexColumn, name: String)] {
        switch self {
        case .genericPasswords:
            [
                (.primaryKey, "pk"), (.service, "svce_acct"), (.account, "acct"),
                (.label, "labl"),
            ]
        case .internetPasswords:
            [(.primaryKey, "pk"), (.server, "srvr_acct"), (.account, "acct"), (.label, "labl")]
        case .certificates:
            [
                (.primaryKey, "pk"), (.publicKeyHash, "pkhh"), (.subjectKeyID, "skid"),
                (.subject, "subj"), (.issuer, "issr_slnr"), (.label, "labl"),
            ]
        case .keys:
            [
                (.primaryKey, "pk"), (.applicationLabel, "klbl"), (.applicationTag, "atag"),
                (.label, "labl"),
            ]
        }
    }
}

/// A column with a keyed digest of an attribute's value: it can be searched, but reveals nothing.
/// Raw values are the column names; apart from `pk` they are the attributes' names.
package enum IndexColumn: String, Sendable {
    /// All primary-key attributes together; unique.
    case primaryKey = "pk"
    case accessGroup = "agrp"
    case synchronizable = "sync"
    case account = "acct"
    case service = "svce"
    case label = "labl"
    case generic = "gena"
    case alias = "alis"
    case description = "desc"
    case comment = "icmt"
    case creator = "crtr"
    case type = "type"
    case server = "srvr"
    case securityDomain = "sdmn"
    case networkProtocol = "ptcl"
    case authenticationType = "atyp"
    case port = "port"
    case path = "path"
    case certificateType = "ctyp"
    case certificateEncoding = "cenc"
    case subject = "subj"
    case issuer = "issr"
    case serialNumber = "slnr"
    case subjectKeyID = "skid"
    case publicKeyHash = "pkhh"
    case keyClass = "kcls"
    case applicationLabel = "klbl"
    case applicationTag = "atag"
    case keySizeInBits = "bsiz"
}

/// The value of one blind-index column: 16 bytes.
package struct IndexValue: Hashable, Sendable {
    /// Its byte count.
    package static let byteCount = 16

    private typealias Half = UInt64

    let low: UInt64
    let high: UInt64

    /// Takes the first 16 bytes of a MAC.
    package init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount)
        low = unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        high = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// Appends values in the form for associated data: a 0, or a 1 and the value's 16 bytes.
    package static func append(_ values: [IndexValue?], to bytes: inout [UInt8]) {
        let end = bytes.count + values.reduce(0) { $0 + ($1 == nil ? 1 : 1 + byteCount) }
        var offset = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: end - offset))
        unsafe bytes.withUnsafeMutableBytes { bytes in
            for value in values {
                if let value {
                    unsafe bytes[offset] = 1
                    unsafe bytes.storeBytes(of: value.low, toByteOffset: offset + 1, as: Half.self)
                    unsafe bytes.storeBytes(
                        of: value.high, toByteOffset: offset + 9, as: Half.self)
                    offset += byteCount
                }
                offset += 1
            }
        }
    }

    /// Passes its 16 bytes to a closure.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        unsafe try withUnsafeBytes(of: (low, high)) { try unsafe body($0) }
    }
}
