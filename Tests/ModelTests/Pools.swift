// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import FuzzEntries

/// The values for random dictionaries: few, so that they collide.
enum Pools {
    private static func text(_ texts: String...) -> [Value] { texts.map { .string($0) } }
    private static func data(_ text: String) -> Value { .data(Data(text.utf8)) }

    /// The same letter in two normal forms, text and data of the same bytes, no value in two types.
    private static let blobs: [Value] =
        text("a", "b", "", "\u{E9}", "e\u{301}") + [
            data("a"), .data(Data()), .bytes(0, 0xFF), .number(7),
        ]
    private static let numbers: [Value] =
        [.number(0), .number(1), .number(5), .boolean(true), .boolean(false)] + text("5", "x", "05")
    private static let dates: [Value] = [.date(0), .date(1000.5), .date(-86400)]
    private static let hashes = KeySample.all.map { Value.data(Derived.bytes($0.publicKeyHash)) }

    /// For attributes whose values have a meaning, or which make items unique.
    private static let special: [String: [Value]] = [
        "acct": text("a", "b", "") + [data("a"), .bytes(0, 0x61)],
        "svce": text("s", "t", "") + [data("s")],
        "srvr": text("example.com", "www.example.com", "notexample.com", "a") + [
            data("example.com")
        ],
        "sdmn": text("", "r"),
        "ptcl": text("htps", "http") + [.number(0), .number(443)] + text("443"),
        "port": [.number(8080), .number(0), .number(443)] + text("8080", ""),
        "path": text("/", "/x", ""),
        "atyp": text("dflt", "", "http"),
        "vwht": text("", "view") + [data("view")],
        "tkid": text("", "", "token"),
        "musr": [.data(Data()), .null],
        "kcls": text("0", "1", "2") + [.number(1)],
        "type": [.number(42), .number(0)] + text("42", "73"),
        "klbl": hashes + [data("k")] + text("k"),
        "pkhh": hashes + [data("p")],
        "atag": text("tag", "") + [data("tag"), data("other")],
        "bsiz": [.number(256), .number(0)] + text("256"),
        "esiz": [.number(256), .number(0)],
        "priv": [.number(1), .number(1), .boolean(true), .number(0)],
        "subj": CertificateSample.all.map { .data(Derived.bytes($0.subject)) },
        "issr": CertificateSample.all.map { .data(Derived.bytes($0.issuer)) } + [.data(Data())],
        "slnr": [.bytes(1), .bytes(0, 0x80), .bytes(3), .data(Data())] + text("\u{1}"),
        "skid": [.bytes(1), data("k")],
        "ctyp": [.number(3), .number(0)] + text("3"),
        "cenc": [.number(3)],
        "pdmn": text("ak", "ck", "dk", "aku", "cku", "dku") + [data("ck")],
    ]

    /// Valid values of an attribute.
    static func values(of name: String, _ kind: Column.Kind) -> [Value] {
        if let values = special[name] { return values }
        return switch kind {
        case .blob: blobs
        case .data, .pureData: [data("a"), .bytes(1, 2)]
        case .text: text("a", "b")
        case .number: numbers
        case .date: dates
        case .uuid: [.data(Data())]
        case .accessControl: [.accessControl("ak"), .accessControl("ck"), .accessControl("dku")]
        }
    }

    /// Values that an attribute of a type refuses.
    static func wrongValues(of name: String, _ kind: Column.Kind) -> [Value] {
        let never: [Value] = [.array([.string("a")]), .object]
        let wrong: [Value] =
            switch kind {
            case .blob: [.boolean(true), .boolean(false), .null, .date(0)]
            case .data: [.null, .date(0)]
            case .pureData: text("a") + [.number(1), .null, .date(0)]
            case .text: [.number(1), .boolean(true), .null, .date(0), .bytes(0xFF, 0xFE)]
            case .number: [data("1"), .null, .date(0)]
            case .date: text("now", "0") + [.number(0), .null, data("1")]
            case .uuid: [.bytes(1, 2, 3), .date(0), .number(16), .boolean(true)]
            case .accessControl: text("ak") + [.number(1), .boolean(true), .null, data("ak")]
            }
        let unknown = name == "pdmn" ? text("ab", "", "AK", "akk") : []
        return never + wrong + unknown
    }

    static let secrets: [Value] = [
        .data(Data()), data("secret"), .bytes(0), .data(Data(repeating: 0x5A, count: 5000)),
    ]

    /// The size limit of an item, and one byte more.
    static let largeSecrets: [Value] = [1 << 20, 1 << 20 + 1].map {
        .data(Data(repeating: 0x5A, count: $0))
    }

    /// Texts that occur in subjects, exactly or with other letters.
    static let subjects = [
        "Leaf", "leaf", "L\u{E9}af", "\u{FF2C}eaf", "\u{FF2C}E\u{301}AF", "First", "First Leaf",
        "first leaf", "Middle", "Model", "model makers", "Old", "", "Nobody",
    ]

    // MARK: - Keys of dictionaries

    /// Attributes that no class has, or that belong to another class.
    static let unknownAttributes = [
        "xyzq", "volm", "addr", "afps", "crlt", "crle", "acls", "salt", "toid", "ACCT",
    ]
    static let privilegedAttributes = ["pcss", "pcsk", "pcsi", "dspk", "sysb", "ggrp", "bin0"]
    /// Keys that are refused because of their first letter.
    static let unknownKeys = [
        "abcde", "prf", "rounds", "persistref", "private", "public", "clip", "data", "v_pk", "",
        "c", "f", "m", "v_Foo", "r_Foo", "u_Foo", "u_Keychain", "C_Data", "clazz", "zz", "acctt",
    ]
    static let ignoredKeys = ["foo", "fullname"]
    static let ignoredMatches =
        ["m_SearchList", "m_Foo"] + ModelMatchFilter.subjectKeys + ModelMatchFilter.subjectFlags
    static let returns = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]
}
