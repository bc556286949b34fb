// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The attributes of each class, and the values that they accept and return. Source of each claim:
/// Apple's SecItem, as observed.
@Suite struct ClassAttributeTests {
    /// The type of an attribute.
    enum Kind: Sendable {
        /// Text, data or a number, stored with its type.
        case blob
        /// Data; text and numbers become data.
        case data
        /// Only data.
        case dataOnly
        /// Text; data that is UTF-8 becomes text.
        case text
        /// A number; truth values and decimal text become numbers.
        case number
        /// A date.
        case date
        /// A value with special rules.
        case special

        /// An accepted value, and the value that is returned.
        var values: [(given: Any, returned: NSObject)] {
            switch self {
            case .blob:
                [
                    ("Grüße 👋", "Grüße 👋" as NSString), ("", "" as NSString),
                    (Data([0, 0xff]), Data([0, 0xff]) as NSData), (Data(), NSData()),
                    (42, 42 as NSNumber), (-1, -1 as NSNumber), (1.5, 1.5 as NSNumber),
                ]
            case .data:
                [
                    (Data([0, 0xff]), Data([0, 0xff]) as NSData), ("text", bytes("text") as NSData),
                    (0x0102_0304, Data([4, 3, 2, 1]) as NSData), (Data(), NSData()),
                ]
            case .dataOnly: [(Data([0, 0xff]), Data([0, 0xff]) as NSData)]
            case .text: [("x ü", "x ü" as NSString), (bytes("utf"), "utf" as NSString)]
            case .number:
                [
                    (7, 7 as NSNumber), (true, 1 as NSNumber), (false, 0 as NSNumber),
                    ("12", 12 as NSNumber), ("-3", -3 as NSNumber), ("htps", "htps" as NSString),
                    ("", "" as NSString), ("007", "007" as NSString), ("+1", "+1" as NSString),
                    (Int64.max, NSNumber(value: Int64.max)),
                ]
            case .date:
                [
                    (
                        Date(timeIntervalSinceReferenceDate: 1000.25),
                        NSDate(timeIntervalSinceReferenceDate: 1000.25)
                    )
                ]
            case .special: []
            }
        }

        /// Values that it refuses.
        var wrong: [Any] {
            switch self {
            case .blob: [true, false, NSNull(), Date(), [1], ["a": 1]]
            case .data: [true, NSNull(), Date(), [1]]
            case .dataOnly: ["text", 1, true, NSNull(), Date()]
            case .text: [1, true, NSNull(), Date(), Data([0xff])]
            case .number: [Data([1]), NSNull(), Date(), [1]]
            case .date:
                [
                    "2026", 1, true, NSNull(), Data([1]),
                    Date(timeIntervalSinceReferenceDate: .infinity),
                    Date(timeIntervalSinceReferenceDate: -.infinity),
                    Date(timeIntervalSinceReferenceDate: .nan),
                ]
            case .special: []
            }
        }
    }

    /// The table of attributes: name, classes (G I C K N as in Apple's documents), type.
    static let table: [(name: String, classes: String, kind: Kind)] = [
        ("pdmn", "GICKN", .special), ("accc", "GICKN", .special), ("agrp", "GICKN", .special),
        ("sync", "GICKN", .special), ("cdat", "GICKN", .special), ("mdat", "GICKN", .special),
        ("tomb", "GICKN", .special), ("musr", "GICKN", .special), ("sha1", "GICKN", .special),
        ("tkid", "GICKN", .text), ("vwht", "GICKN", .text), ("UUID", "GICKN", .special),
        ("labl", "GICKN", .blob), ("alis", "GICKN", .blob), ("desc", "GI", .blob),
        ("icmt", "GI", .blob), ("crtr", "GIKN", .number), ("type", "GIKN", .number),
        ("scrp", "GI", .number), ("invi", "GI", .number), ("nega", "GI", .number),
        ("cusi", "GI", .number), ("prot", "GI", .blob), ("acct", "GI", .blob),
        ("svce", "G", .blob), ("gena", "G", .blob), ("sdmn", "I", .blob), ("srvr", "I", .blob),
        ("ptcl", "I", .number), ("atyp", "I", .blob), ("port", "I", .number),
        ("path", "I", .blob), ("subj", "CN", .data), ("issr", "CN", .dataOnly),
        ("slnr", "CN", .data), ("skid", "CN", .data), ("pkhh", "CN", .data),
        ("ctyp", "CN", .number), ("cenc", "CN", .number), ("kcls", "KN", .number),
        ("klbl", "KN", .data), ("atag", "KN", .blob), ("bsiz", "KN", .number),
        ("esiz", "KN", .number), ("sdat", "KN", .date), ("edat", "KN", .date),
        ("perm", "KN", .number), ("priv", "KN", .number), ("modi", "KN", .number),
        ("sens", "KN", .number), ("asen", "KN", .number), ("extr", "KN", .number),
        ("next", "KN", .number), ("encr", "KN", .number), ("decr", "KN", .number),
        ("drve", "KN", .number), ("sign", "KN", .number), ("vrfy", "KN", .number),
        ("snrc", "KN", .number), ("vyrc", "KN", .number), ("wrap", "KN", .number),
        ("unwp", "KN", .number), ("volm", "", .special), ("addr", "", .special),
        ("afps", "", .special), ("crlt", "", .special), ("crle", "", .special),
        ("acls", "", .special), ("salt", "", .special), ("toid", "", .special),
    ]

    private static func letter(_ item: ItemKind) -> Character {
        switch item {
        case .genericPassword: "G"
        case .internetPassword: "I"
        case .certificate: "C"
        case .key: "K"
        case .identity: "N"
        }
    }

    /// A value that a query accepts for an attribute.
    private static func value(_ name: String, _ kind: Kind) throws -> Any {
        if let value = kind.values.first { return value.given }
        switch name {
        case "pdmn": return "ak"
        case "accc": return try accessControl("ak")
        case "agrp": return ""
        case "sync", "tomb": return 0
        case "cdat", "mdat": return Date(timeIntervalSinceReferenceDate: 0)
        case "musr": return Data()
        case "sha1": return Data(count: 20)
        default: return "x"
        }
    }

    /// Values that an attribute refuses.
    private static func wrong(_ name: String, _ kind: Kind) -> [Any] {
        switch name {
        case "pdmn": ["zz", "", "f", 6, NSNull(), Data([0xff])]
        case "accc": ["ak", 1, NSNull()]
        case "agrp": [1, true, NSNull(), Date(), Data([0xff])]
        case "sync", "tomb": ["maybe", NSNull(), Date(), Data([1])]
        case "cdat", "mdat": Kind.date.wrong
        case "UUID": Kind.text.wrong
        default: kind.wrong
        }
    }

    /// All attributes of a class, each with an accepted value.
    static func everyAttribute(of item: ItemKind) throws -> Entries {
        var all: Entries = [:]
        for (name, classes, kind) in table where classes.contains(letter(item)) && name != "accc" {
            all[name] = try value(name, kind)
        }
        return all
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func eachAttributeIsKnownToItsClassesAlone(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for (name, classes, type) in Self.table {
                var value = try Self.value(name, type)
                if name == "agrp" { value = keychain.defaultGroup }
                let query: Entries = ["class": item.rawValue, name: value]
                let isKnown = classes.contains(Self.letter(item))
                let status = isKnown ? errSecItemNotFound : errSecNoSuchAttr
                #expect(keychain.copy(query).status == status, "\(name)")
                // A change of an identity applies to both halves, so both must have the attribute.
                let isChangeable = item != .identity || ["C", "K"].allSatisfy(classes.contains)
                let changed = isChangeable ? status : errSecNoSuchAttr
                #expect(keychain.update(query, ["labl": "x"]) == changed, "\(name)")
                #expect(keychain.delete(query) == changed, "\(name)")
                if !isKnown, item != .identity {
                    #expect(keychain.added(query).status == errSecNoSuchAttr, "\(name)")
                }
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func eachAttributeComesBackAsItWasGiven(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for (name, classes, type) in Self.table where classes.contains(Self.letter(item)) {
                for (given, returned) in type.values {
                    let new: Entries = ["class": item.rawValue, name: given]
                    #expect(keychain.add(new) == errSecSuccess, "\(name): \(given)")
                    let found = keychain.copy(["class": item.rawValue, "r_Attributes": true])
                    let value = found.dictionary?[name] as? NSObject
                    #expect(value == returned, "\(name): \(given)")
                    #expect(Self.kind(of: value) == Self.kind(of: returned), "\(name): \(given)")
                    #expect(keychain.find(new) == errSecSuccess, "\(name): \(given)")
                    #expect(keychain.delete(["class": item.rawValue]) == errSecSuccess)
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func eachAttributeCanBeUpdated(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(["class": item.rawValue]) == errSecSuccess)
            for (name, classes, type) in Self.table where classes.contains(Self.letter(item)) {
                for (given, returned) in type.values {
                    let status = keychain.update(["class": item.rawValue], [name: given])
                    #expect(status == errSecSuccess, "\(name): \(given)")
                    let found = try keychain.attributes(["class": item.rawValue])
                    #expect(found[name] as? NSObject == returned, "\(name): \(given)")
                    let query: Entries = ["class": item.rawValue, name: given]
                    #expect(keychain.find(query) == errSecSuccess, "\(name): \(given)")
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aValueOfAnotherTypeIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for (name, classes, type) in Self.table where classes.contains(Self.letter(item)) {
                for value in Self.wrong(name, type) {
                    let query: Entries = ["class": item.rawValue, name: value]
                    #expect(keychain.copy(query).status == errSecParam, "\(name): \(value)")
                    if item != .identity {
                        #expect(keychain.all(query) == every(errSecParam), "\(name): \(value)")
                        let changes: Entries = [name: value]
                        let status = keychain.update(["class": item.rawValue], changes)
                        #expect(status == errSecParam, "\(name): \(value)")
                    }
                }
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func truthValuesAndNumbersAreSynchronizable(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let values: [(Any, Int)] = [(true, 1), (false, 0), (1, 1), (0, 0), ("1", 1), ("0", 0)]
            for (given, stored) in values {
                #expect(keychain.add(item.query() + ["sync": given]) == errSecSuccess, "\(given)")
                let query = item.query() + ["sync": "syna"]
                #expect(keychain.attribute("sync", query) as? Int == stored, "\(given)")
                #expect(keychain.delete(query) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theUserIsSixteenBytesOrNone(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for value: Any in ["x", 5, Data([1]), Data(count: 15), Data(count: 17)] {
                let query: Entries = ["class": item.rawValue, "musr": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
            for value: Any in [Data(), NSNull()] {
                try item.put(into: keychain)
                let query: Entries = ["class": item.rawValue, "musr": value]
                #expect(keychain.find(query) == errSecSuccess, "\(value)")
                #expect(keychain.delete(query) == errSecSuccess)
            }
            for value: Any in [Data(repeating: 1, count: 16), UUID()] {
                let query: Entries = ["class": item.rawValue, "musr": value]
                #expect(keychain.find(query) == errSecItemNotFound, "\(value)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theDigestHasTwentyBytesAndSelects(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            for value: Any in [Data(count: 19), "x", 1] {
                let query: Entries = ["class": item.rawValue, "sha1": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
            let digests = try (1...2).map {
                try #require(try keychain.attributes(item.query($0))["sha1"] as? Data)
            }
            #expect(digests[0] != digests[1])
            let query: Entries = ["class": item.rawValue, "sha1": digests[1]]
            #expect(keychain.data(query) == item.secret(2))
            #expect(keychain.count(query) == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func keyTypesAndClassesGivenAsConstantsComeBackAsNumbers(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let given: Entries = [
                "class": kSecClassKey, "type": kSecAttrKeyTypeRSA, "kcls": kSecAttrKeyClassPublic,
                "bsiz": "2048",
            ]
            #expect(keychain.add(given) == errSecSuccess)
            let found = try keychain.attributes(["class": "keys"])
            #expect(found["type"] as? NSNumber == 42)
            #expect(found["kcls"] as? NSNumber == 0)
            #expect(found["bsiz"] as? NSNumber == 2048)
            #expect(keychain.find(["class": "keys", "type": 42, "kcls": 0]) == errSecSuccess)
            #expect(keychain.find(["class": "keys", "kcls": "1"]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func everyProtocolComesBackAsText(_ kind: KeychainKind) throws {
        let protocols = [
            "ftp ", "ftpa", "http", "irc ", "nntp", "pop3", "smtp", "sox ", "imap", "ldap", "atlk",
            "afp ", "teln", "ssh ", "ftps", "htps", "htpx", "htsx", "ftpx", "smb ", "rtsp", "rtsx",
            "daap", "eppc", "ipp ", "ntps", "ldps", "tels", "imps", "ircs", "pops",
        ]
        try ConformanceKeychain.run(kind) { keychain in
            for name in protocols {
                let item: Entries = ["class": "inet", "srvr": "s", "ptcl": name]
                #expect(keychain.add(item) == errSecSuccess, "\(name)")
                #expect(keychain.attribute("ptcl", item) as? String == name)
                #expect(keychain.count(item) == 1, "\(name)")
            }
            #expect(keychain.count(["class": "inet"]) == protocols.count)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func everyAuthenticationTypeComesBackAsText(_ kind: KeychainKind) throws {
        let types = ["ntlm", "msna", "dpaa", "rpaa", "http", "httd", "form", "dflt"]
        try ConformanceKeychain.run(kind) { keychain in
            for name in types {
                let item: Entries = ["class": "inet", "srvr": "s", "atyp": name]
                #expect(keychain.add(item) == errSecSuccess, "\(name)")
                #expect(keychain.attribute("atyp", item) as? String == name)
            }
            #expect(keychain.count(["class": "inet"]) == types.count)
        }
    }

    /// The type of a value, as far as property lists distinguish types.
    private static func kind(of object: NSObject?) -> String {
        switch object {
        case is NSString: "text"
        case is NSData: "data"
        case is NSDate: "date"
        case let number as NSNumber:
            CFGetTypeID(number) == CFBooleanGetTypeID() ? "truth" : "number"
        default: "none"
        }
    }
}
