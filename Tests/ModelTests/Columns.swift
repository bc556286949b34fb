// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// The attributes of each class, from the tables of the specification (sections 1.2 and 2).
enum Column {
    /// The type of an attribute and how it is stored.
    enum Kind: Sendable {
        /// Text, bytes or a number, stored unchanged.
        case blob
        /// Bytes; text and numbers become bytes.
        case data
        /// Only bytes.
        case pureData
        /// Text; bytes become text.
        case text
        /// A number; other text is stored as text.
        case number
        case date
        /// 0 or 16 bytes, or null.
        case uuid
        case accessControl
    }

    private static let common: [String: Kind] = [
        "pdmn": .text, "accc": .accessControl, "agrp": .text, "sync": .number, "cdat": .date,
        "mdat": .date, "labl": .blob, "alis": .blob, "tkid": .text, "vwht": .text,
        "tomb": .number, "musr": .uuid, "UUID": .text, "sha1": .data,
    ]
    private static let passwords: [String: Kind] = [
        "desc": .blob, "icmt": .blob, "crtr": .number, "type": .number, "scrp": .number,
        "invi": .number, "nega": .number, "cusi": .number, "prot": .blob, "acct": .blob,
    ]
    private static let certificates: [String: Kind] = [
        "subj": .data, "issr": .pureData, "slnr": .data, "skid": .data, "pkhh": .data,
        "ctyp": .number, "cenc": .number,
    ]
    private static let keys: [String: Kind] = [
        "kcls": .number, "klbl": .data, "atag": .blob, "crtr": .number, "type": .number,
        "bsiz": .number, "esiz": .number, "sdat": .date, "edat": .date, "perm": .number,
        "priv": .number, "modi": .number, "sens": .number, "asen": .number, "extr": .number,
        "next": .number, "encr": .number, "decr": .number, "drve": .number, "sign": .number,
        "vrfy": .number, "snrc": .number, "vyrc": .number, "wrap": .number, "unwp": .number,
    ]
    private static let tables: [ItemClass: [String: Kind]] = [
        .genericPassword: join(common, passwords, ["svce": .blob, "gena": .blob]),
        .internetPassword: join(
            common, passwords,
            [
                "sdmn": .blob, "srvr": .blob, "ptcl": .number, "atyp": .blob, "port": .number,
                "path": .blob,
            ]),
        .certificate: join(common, certificates),
        .key: join(common, keys),
        .identity: join(common, certificates, keys),
    ]

    private static func join(_ tables: [String: Kind]...) -> [String: Kind] {
        tables.reduce([:]) { $0.merging($1) { first, _ in first } }
    }

    static func all(of itemClass: ItemClass) -> [String: Kind] { tables[itemClass] ?? [:] }

    /// The names without a special meaning, in order.
    static let plainNames: [ItemClass: [String]] = tables.mapValues { table in
        let special: Set = ["accc", "agrp", "sync", "tomb", "UUID", "sha1", "cdat", "mdat"]
        return table.keys.filter { !special.contains($0) }.sorted()
    }

    static func kind(of name: String, in itemClass: ItemClass) -> Kind? {
        tables[itemClass]?[name]
    }

    /// Its type in some class.
    static func anyKind(of name: String) -> Kind? {
        tables.values.lazy.compactMap { $0[name] }.first
    }

    /// Attributes that only privileged callers may name.
    static let privileged: Set<String> = ["sysb", "dspk", "pcss", "pcsk", "pcsi", "ggrp"]
    /// The same for internet passwords.
    static let privilegedOfInternet: Set<String> = [
        "binn", "bini", "bin0", "bin1", "bin2", "bin3",
    ]

    // MARK: - Primary keys

    private static let commonPrimaryKey: [(String, Value)] = [
        ("sync", .number(0)), ("vwht", .string("")), ("tkid", .string("")), ("musr", .data(Data())),
    ]
    private static let primaryKeys: [ItemClass: [(String, Value)]] = [
        .genericPassword: [("acct", .string("")), ("svce", .string(""))],
        .internetPassword: [
            ("acct", .string("")), ("sdmn", .string("")), ("srvr", .string("")),
            ("ptcl", .number(0)), ("atyp", .string("")), ("port", .number(0)),
            ("path", .string("")),
        ],
        .certificate: [
            ("ctyp", .number(0)), ("issr", .data(Data())), ("slnr", .data(Data())),
        ],
        .key: [
            ("kcls", .number(0)), ("klbl", .data(Data())), ("atag", .string("")),
            ("crtr", .number(0)), ("type", .number(0)), ("bsiz", .number(0)), ("esiz", .number(0)),
            ("sdat", .date(0)), ("edat", .date(0)),
        ],
    ]

    private static let wholePrimaryKeys: [ItemClass: [(name: String, byDefault: Value)]] =
        primaryKeys.mapValues { own in (own + commonPrimaryKey).map { ($0.0, $0.1) } }
    private static let defaults: [ItemClass: [String: Value]] =
        wholePrimaryKeys.mapValues { columns in
            columns.reduce(into: [:]) { $0[$1.name] = $1.byDefault }
        }

    /// The columns besides `agrp` that make an item unique, with their defaults.
    static func primaryKey(of itemClass: ItemClass) -> [(name: String, byDefault: Value)] {
        wholePrimaryKeys[itemClass] ?? []
    }

    /// The default of a primary-key column.
    static func byDefault(_ name: String, of itemClass: ItemClass) -> Value? {
        defaults[itemClass]?[name]
    }

    /// An identity's attributes that refer to the certificate in a query.
    static let ofCertificateInIdentity: Set<String> = [
        "labl", "issr", "slnr", "skid", "tkid", "subj", "pkhh", "ctyp", "cenc",
    ]

    static func isOfBothHalves(_ name: String) -> Bool {
        kind(of: name, in: .certificate) != nil && kind(of: name, in: .key) != nil
    }

    // MARK: - Values

    /// The stored form of the value; nil for a wrong type.
    static func convert(_ value: Value, to kind: Kind, _ defect: Defect? = nil) -> Value? {
        switch kind {
        case .blob:
            switch value {
            case .string, .data, .number: value
            default: nil
            }
        case .data:
            switch value {
            case .data: value
            case .string(let text): .data(Data(text.utf8))
            case .number(let number):
                .data(
                    unsafe withUnsafeBytes(of: Int32(truncatingIfNeeded: number).littleEndian) {
                        unsafe Data($0)
                    })
            default: nil
            }
        case .pureData:
            if case .data = value { value } else { nil }
        case .text:
            switch value {
            case .string: value
            case .data(let data): String(validating: data, as: UTF8.self).map { .string($0) }
            default: nil
            }
        case .number:
            switch value {
            case .number: value
            case .boolean(let flag): .number(flag ? 1 : 0)
            case .string where defect == .decimalTextIsNotItsNumber: value
            case .string(let text):
                Int64(text).flatMap { "\($0)" == text ? .number($0) : nil } ?? value
            default: nil
            }
        case .date:
            if case .date = value { value } else { nil }
        case .uuid:
            switch value {
            case .data(let data): data.isEmpty || data.count == 16 ? value : nil
            case .null: .data(Data())
            default: nil
            }
        case .accessControl:
            if case .accessControl = value { value } else { nil }
        }
    }

    /// The value for comparisons: the same bytes are the same value, whatever their type.
    static func content(_ value: Value) -> Value {
        if case .string(let text) = value { .data(Data(text.utf8)) } else { value }
    }
}
