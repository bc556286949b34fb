// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

private final class Custom: NSObject {}
private final class Plain {}

/// Queries that are refused before anything is sent. Source of each line: Apple's SecItem, as
/// observed.
@Suite struct QueryErrorTests {
    private static let classes = ["genp", "inet", "cert", "keys", "idnt"]
    private static let unconstrained = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlocked, [], nil)

    private static func item(_ name: String, _ more: [AnyHashable: Any] = [:]) -> CFDictionary {
        ["class": name, "nleg": true].merging(more) { $1 } as NSDictionary
    }

    private static func mutableItem() -> NSMutableDictionary {
        NSMutableDictionary(dictionary: ["class": "genp", "nleg": true])
    }

    /// The statuses of the four calls with one dictionary.
    private static func all(_ dictionary: CFDictionary) -> [OSStatus] {
        var result: CFTypeRef? = kSecClass
        let statuses = unsafe [
            SecItemAdd(dictionary, &result), SecItemCopyMatching(dictionary, &result),
            SecItemUpdate(dictionary, ["labl": "x"] as NSDictionary), SecItemDelete(dictionary),
        ]
        #expect(result === kSecClass, "a failed call leaves the result alone")
        return statuses
    }

    private static func every(_ status: OSStatus) -> [OSStatus] {
        [OSStatus](repeating: status, count: 4)
    }

    @Test func aClassIsNeededAndMustBeKnown() {
        #expect(Self.all([:] as NSDictionary) == Self.every(errSecParam))
        #expect(Self.all(["svce": "x"] as NSDictionary) == Self.every(errSecParam))
        #expect(Self.all(["class": 1] as NSDictionary) == Self.every(errSecParam))
        #expect(Self.all(["class": Data("genp".utf8)] as NSDictionary) == Self.every(errSecParam))
        for name in ["", "apls", "genq", "GENP"] {
            #expect(Self.all(["class": name] as NSDictionary) == Self.every(errSecNoSuchClass))
        }
    }

    @Test(arguments: classes) func keysGoByLengthAndFirstLetter(_ name: String) {
        let unknown = [
            "zzzz", "volm", "addr", "afps", "acls", "crlt", "crle", "salt", "toid", "ACCT", "åäöü",
        ]
        for key in unknown {
            #expect(Self.all(Self.item(name, [key: "x"])) == Self.every(errSecNoSuchAttr), "\(key)")
        }
        let refused = [
            "abcde", "a", "", "m", "r_Foo", "rounds", "u_Keychain", "u_Foo", "v_Foo", "classy",
            "persistref", "clip", "data", "v_pk", "åäöüß", "certdata",
        ]
        for key in refused {
            #expect(Self.all(Self.item(name, [key: "x"])) == Self.every(errSecParam), "\(key)")
        }
    }

    /// The attributes of each class, besides those of every class.
    private static let ownAttributes: [String: [String]] = [
        "genp": passwords + ["svce", "gena"],
        "inet": passwords + ["sdmn", "srvr", "ptcl", "atyp", "port", "path"],
        "cert": certificates, "keys": keys, "idnt": certificates + keys,
    ]
    private static let passwords = [
        "desc", "icmt", "crtr", "type", "scrp", "invi", "nega", "cusi", "prot", "acct",
    ]
    private static let certificates = ["ctyp", "cenc", "subj", "issr", "slnr", "skid", "pkhh"]
    private static let keys = [
        "kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat", "perm", "priv",
        "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy", "snrc",
        "vyrc", "wrap", "unwp",
    ]
    private static let common = [
        "pdmn", "agrp", "sync", "cdat", "mdat", "labl", "alis", "tkid", "vwht", "tomb", "musr",
        "sha1", "UUID",
    ]

    @Test(arguments: classes) func anAttributeOfAnotherClassIsUnknown(_ name: String) throws {
        let own = try #require(Self.ownAttributes[name])
        let foreign = Set(Self.ownAttributes.values.joined()).subtracting(own)
        #expect(!foreign.isEmpty)
        for key in foreign {
            let value: Any = key == "issr" ? Data([1]) : "x"
            let statuses = Self.all(Self.item(name, [key: value]))
            #expect(statuses == Self.every(errSecNoSuchAttr), "\(key)")
        }
    }

    @Test(arguments: classes) func everyAttributeOfAClassIsKnown(_ name: String) throws {
        // No attribute takes an array: for a known attribute the value is refused, and an unknown
        // one is refused itself.
        for key in try #require(Self.ownAttributes[name]) + Self.common {
            let statuses = Self.all(Self.item(name, [key: [1]]))
            #expect(statuses == Self.every(errSecParam), "\(key)")
        }
    }

    @Test(arguments: classes) func valuesOfTheWrongTypeAreRefused(_ name: String) throws {
        let data: [Any] = [true, NSNull(), NSDate(), 1.5, Int64.max, Custom()]
        let blob: [Any] = [true, NSNull(), NSDate(), [1], ["a": 1], Custom(), Plain(), UInt64.max]
        let number: [Any] = [Data([1]), NSNull(), NSDate(), [1], Custom(), UInt64.max]
        let date: [Any] = ["2026", 1, Data([1]), NSNull()]
        let wrong: [String: [Any]] = [
            "acct": blob, "svce": blob, "gena": blob, "sdmn": blob, "srvr": blob, "path": blob,
            "atyp": blob, "prot": blob, "desc": blob, "icmt": blob, "labl": blob, "alis": blob,
            "atag": blob, "port": number, "ptcl": number, "crtr": number, "type": number,
            "invi": number, "nega": number, "kcls": number, "bsiz": number, "perm": number,
            "ctyp": number, "cenc": number, "subj": data, "slnr": data, "skid": data, "pkhh": data,
            "klbl": data, "issr": data + ["text", 1], "sdat": date, "edat": date, "mdat": date,
            "cdat": date + [Date(timeIntervalSinceReferenceDate: .infinity)],
            "pdmn": ["zz", "", "f", 6, NSNull(), Data([0xff])], "accc": ["ak", 1, NSNull()],
            "agrp": [1, Data([0xff])], "vwht": [1, NSNull()], "tkid": [1, true], "UUID": [1],
            "sync": ["maybe", NSNull(), NSDate()], "tomb": ["maybe", NSNull()],
            "musr": ["x", Data([1]), 5], "sha1": [Data([1]), "01234567890123456789"],
        ]
        let known = try #require(Self.ownAttributes[name]) + Self.common + ["accc"]
        for (key, values) in wrong where known.contains(key) {
            for value in values {
                let statuses = Self.all(Self.item(name, [key: value]))
                #expect(statuses == Self.every(errSecParam), "\(key): \(value)")
            }
        }
    }

    @Test(arguments: classes) func keysOfOtherKindsTakeTheirTypes(_ name: String) {
        let wrong: [String: [Any]] = [
            "v_Data": ["text", NSNull(), 1], "nleg": [Custom()], "foo": [Custom(), Plain()],
            "v_PersistentRef": [
                "text", NSNull(), Data(), Data(count: 12), Data(count: 20), Data(name.utf8),
                Data(name.utf8) + Data(count: 9), Data(name.utf8) + Data(count: 15),
                Data("tkpr".utf8) + Data(count: 16), Data("apls".utf8) + Data(count: 8),
            ],
            "v_Ref": ["x", Data(), NSNull(), Custom(), Plain()],
            "r_Data": [1, "1", NSNull()], "r_Attributes": [0], "r_Ref": [1.0],
            "r_PersistentRef": ["x"], "u_AuthCtx": [Custom()], "u_CredRef": [Data([1])],
            "u_NoAuthUI": ["x", 1], "u_OpPrompt": [1], "u_Tomb": ["x", NSNull()],
        ]
        for (key, values) in wrong {
            for value in values {
                let statuses = Self.all(Self.item(name, [key: value]))
                #expect(statuses == Self.every(errSecParam), "\(key): \(value)")
            }
        }
    }

    @Test func keysThatAreNoTextAreRefused() {
        let number = Self.mutableItem()
        number.setObject("x", forKey: NSNumber(value: 1234))
        #expect(Self.all(number) == Self.every(errSecNoSuchAttr))
        let date = Self.mutableItem()
        date.setObject("x", forKey: NSDate())
        #expect(Self.all(date) == Self.every(errSecParam))
        let custom = Self.mutableItem()
        custom[AnyHashable(Custom())] = "x"
        #expect(Self.all(custom) == Self.every(errSecParam))
    }

    @Test(arguments: classes) func anAttributeThatNeedsAnEntitlementIsRefused(_ name: String) {
        let entitled = [
            "sysb", "pcss", "pcsk", "pcsi", "dspk", "ggrp", "binn", "bini", "bin0", "bin1", "bin2",
            "bin3",
        ]
        for key in entitled {
            let statuses = Self.all(Self.item(name, [key: "x"]))
            #expect(statuses == Self.every(errSecMissingEntitlement), "\(key)")
        }
        for key in ["u_SystemKeychain", "u_SystemKeychainAlways", "u_SyncBubbleKeychain"] {
            let statuses = Self.all(Self.item(name, [key: true]))
            #expect(statuses == Self.every(errSecMissingEntitlement), "\(key)")
        }
    }

    @Test func attributesOver256KiBTogetherAreTooLarge() {
        let half = String(repeating: "x", count: 128 * 1024)
        let statuses = Self.all(Self.item("genp", ["labl": half, "icmt": half]))
        #expect(statuses == Self.every(errSecDataTooLarge))
    }

    @Test func moreThan128KeysAreRefused() {
        var keys: [AnyHashable: Any] = ["class": "genp"]
        for index in 100..<228 { keys["m_\(index)"] = 1 }
        #expect(Self.all(keys as NSDictionary) == Self.every(errSecParam))
    }

    @Test func anAccessControlAndAnAccessibilityExcludeEachOther() throws {
        let access = try #require(Self.unconstrained)
        let both = Self.item("genp", ["accc": access, "pdmn": "ak"])
        #expect(Self.all(both) == Self.every(errSecParam))
    }

    @Test func aPasswordIsNoPrivateKey() throws {
        for flags: SecAccessControlCreateFlags in [
            .privateKeyUsage, [.privateKeyUsage, .userPresence],
        ] {
            let made = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
            let access = try #require(made)
            #expect(SecItemAdd(Self.item("genp", ["accc": access]), nil) == errSecAuthFailed)
            let changes: NSDictionary = ["accc": access]
            #expect(SecItemUpdate(Self.item("genp"), changes) == errSecAuthFailed)
        }
    }

    @Test func anAccessControlDoesNotGoWithSynchronization() throws {
        let access = try #require(Self.unconstrained)
        #expect(SecItemAdd(Self.item("genp", ["accc": access, "sync": true]), nil) == errSecParam)
        let changes: NSDictionary = ["accc": access, "sync": true]
        #expect(SecItemUpdate(Self.item("genp"), changes) == errSecParam)
    }

    @Test func addTakesNoMatchKeyNoLimitNoReference() {
        let reference = Data("genp".utf8) + Data(count: 16)
        let refused: [[AnyHashable: Any]] = [
            ["m_Limit": "m_LimitAll"], ["m_Limit": "m_LimitOne"], ["m_CaseInsensitive": true],
            ["u_ItemList": []], ["v_PersistentRef": reference], ["u_AuthUI": "u_AuthUIS"],
        ]
        for more in refused {
            #expect(SecItemAdd(Self.item("genp", more), nil) == errSecParam, "\(more)")
        }
    }

    @Test(arguments: classes) func copyRefusesWhatItCannotMean(_ name: String) {
        let reference = Data(name.utf8) + Data(count: 16)
        let refused: [[AnyHashable: Any]] = [
            ["u_ItemList": []], ["m_Limit": "all"], ["m_Limit": true], ["m_Limit": NSNull()],
            ["v_PersistentRef": reference, "labl": "x"],
            ["v_PersistentRef": reference, "agrp": "x"],
            ["v_PersistentRef": reference, "sync": "syna"],
            ["v_PersistentRef": Data(name.utf8) + Data(count: 8), "sync": false],
            ["m_ItemList": "x"], ["m_ItemList": ["x"]], ["m_ItemList": [Data(count: 20)]],
        ]
        for more in refused {
            let status = SecItemCopyMatching(Self.item(name, more), nil)
            #expect(status == errSecParam, "\(more)")
        }
        let synchronized: NSDictionary = ["v_PersistentRef": reference, "sync": "syna"]
        #expect(SecItemCopyMatching(synchronized, nil) == errSecParam)
    }

    @Test(arguments: classes) func aFilterHasItsTypeAndItsClass(_ name: String) {
        func status(_ key: String, _ value: Any) -> OSStatus {
            SecItemCopyMatching(Self.item(name, [key: value]), nil)
        }
        let hasCertificate = ["cert", "idnt"].contains(name)
        #expect(status("m_ValidOnDate", "now") == errSecParam)
        #expect(status("m_TrustedOnly", 1) == errSecParam)
        #expect(status("m_EmailAddressIfPresent", 1) == errSecParam)
        #expect(status("m_HostOrSubdomainOfHost", 1) == errSecParam)
        #expect(status("m_Policy", 1) == errSecParam)
        #expect(status("m_Policy", Custom()) == errSecParam)
        if hasCertificate {
            #expect(status("m_SubjectContains", 1) == errSecParam)
            #expect(status("m_CaseInsensitive", 1) == errSecParam)
        } else {
            #expect(status("m_Issuers", [Data([0x30, 0])]) == errSecUnimplemented)
        }
        if name != "inet" {
            #expect(status("m_HostOrSubdomainOfHost", "x") == errSecUnimplemented)
        }
    }

    @Test func aReferenceOfAnotherClassIsTold() {
        for name in Self.classes {
            for other in Self.classes where other != name {
                for count in [8, 16] {
                    let reference = Data(other.utf8) + Data(count: count)
                    let query = Self.item(name, ["v_PersistentRef": reference])
                    #expect(SecItemCopyMatching(query, nil) == errSecNoSuchClass)
                    #expect(SecItemDelete(query) == errSecNoSuchClass)
                    let changes: NSDictionary = ["labl": "x"]
                    #expect(SecItemUpdate(query, changes) == errSecNoSuchClass)
                    #expect(SecItemAdd(query, nil) == errSecParam)
                }
            }
        }
    }

    @Test(arguments: classes) func aRowNumberGoesWithNoAttribute(_ name: String) {
        let reference = Data(name.utf8) + Data(count: 7) + [1]
        for key in ["labl", "sync", "agrp"] {
            let query = Self.item(name, ["v_PersistentRef": reference, key: "syna"])
            #expect(SecItemDelete(query) == errSecParam, "\(key)")
            #expect(SecItemUpdate(query, ["labl": "y"] as NSDictionary) == errSecParam, "\(key)")
        }
    }

    @Test func aCertificateStandsForAttributesThatOtherClassesLack() throws {
        let certificate = try #require(
            SecCertificateCreateWithData(nil, Self.sampleCertificate as NSData))
        for name in ["genp", "inet", "keys"] {
            let query = Self.item(name, ["v_Ref": certificate])
            #expect(Self.all(query) == Self.every(errSecNoSuchAttr), "\(name)")
        }
        let asIdentity = Self.item("idnt", ["v_Ref": certificate])
        #expect(SecItemAdd(asIdentity, nil) == errSecParam)
    }

    @Test func anIdentityIsAddedByReferenceOnly() {
        #expect(SecItemAdd(Self.item("idnt"), nil) == errSecParam)
        #expect(SecItemAdd(Self.item("idnt", ["v_Data": Data([1])]), nil) == errSecParam)
    }

    @Test func changesOfIdentitiesAreChangesOfBothHalves() {
        let changes: NSDictionary = ["labl": "x"]
        for key in ["slnr", "klbl", "subj", "atag"] {
            let query = Self.item("idnt", [key: Data([1])])
            #expect(SecItemDelete(query) == errSecNoSuchAttr, "\(key)")
            #expect(SecItemUpdate(query, changes) == errSecNoSuchAttr, "\(key)")
            let change: NSDictionary = [key: Data([1])]
            #expect(SecItemUpdate(Self.item("idnt"), change) == errSecNoSuchAttr, "\(key)")
        }
        let bytes: NSDictionary = ["v_Data": Data([1])]
        #expect(SecItemUpdate(Self.item("idnt"), bytes) == errSecParam)
        let reference = Self.item("idnt", ["v_PersistentRef": Data("idnt".utf8) + Data(count: 16)])
        #expect(SecItemUpdate(reference, ["agrp": "x"] as NSDictionary) == errSecInternal)
    }

    @Test func updateAndDeleteDropNoFilter() {
        let refused: [[AnyHashable: Any]] = [
            ["m_Limit": "m_LimitOne"], ["m_Limit": 2], ["m_SubjectContains": "x"],
            ["m_CaseInsensitive": true], ["u_AuthUI": "u_AuthUIS"],
        ]
        let changes: NSDictionary = ["labl": "x"]
        for more in refused {
            #expect(SecItemDelete(Self.item("genp", more)) == errSecParam, "\(more)")
            #expect(SecItemUpdate(Self.item("genp", more), changes) == errSecParam, "\(more)")
        }
        #expect(SecItemUpdate(Self.item("genp", ["u_ItemList": []]), changes) == errSecParam)
    }

    @Test func anUpdateChangesAttributesAndTheSecretOnly() {
        let changes: [(AnyHashable, Any, OSStatus)] = [
            ("class", "genp", errSecNoSuchAttr), ("r_Data", true, errSecNoSuchAttr),
            ("m_Limit", "m_LimitAll", errSecNoSuchAttr), ("r_Foo", true, errSecNoSuchAttr),
            ("u_AuthCtx", "x", errSecNoSuchAttr), ("v_Ref", "x", errSecNoSuchAttr),
            ("v_PersistentRef", Data(), errSecNoSuchAttr), ("zzzz", 1, errSecNoSuchAttr),
            ("v_Data", "text", errSecParam), ("v_Data", NSNull(), errSecParam),
            ("ggrp", "x", errSecParam), ("abcde", 1, errSecParam), ("acct", true, errSecParam),
            ("sysb", 1, errSecMissingEntitlement),
        ]
        for (key, value, status) in changes {
            let found = SecItemUpdate(Self.item("genp"), [key: value] as NSDictionary)
            #expect(found == status, "\(key): \(value)")
        }
    }

    /// A self-signed certificate of `O=Makers, CN=Query Sample`; made with OpenSSL for this test.
    private static let sampleCertificate =
        Data(
            base64Encoded: """
                MIIBpjCCAU2gAwIBAgIUC3qxIVAxGZMXC92HaK0EMIvFONQwCgYIKoZIzj0EAwIwKDEPMA0GA1UECgwGTWFrZXJz
                MRUwEwYDVQQDDAxRdWVyeSBTYW1wbGUwIBcNMjYxMTIxMjM0NTQ5WhgPMjEyNjEwMjgyMzQ1NDlaMCgxDzANBgNV
                BAoMBk1ha2VyczEVMBMGA1UEAwwMUXVlcnkgU2FtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEFkMuZLbi
                ycrsD9dtj215en83+bqKSqxXIMcmMEkls/2qrKfQfb2Gr/SiuKEBwyVVl9mDDJ6wP4CG81HLnXsmuqNTMFEwHQYD
                VR0OBBYEFJPagFcBOYOE3Ljn8H6MEM55JYhGMB8GA1UdIwQYMBaAFJPagFcBOYOE3Ljn8H6MEM55JYhGMA8GA1Ud
                EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgClodark4t6aGYaJ6cR127zDBS0BcqJxxDCmXYD40dbgCIFcw
                t44sFmUmZ61qjcPV3dBMOB4BLkjL33TlO5o68/Jq
                """, options: .ignoreUnknownCharacters) ?? Data()
}
