// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

private final class Custom: NSObject {}
private final class Plain {}

/// What is refused before anything is sent. Source of each line: Apple's SecItem, as observed.
@Suite struct QueryErrorTests {
    private static var genp: [AnyHashable: Any] { ["class": "genp", "svce": "refused"] }
    private static let constrained = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
    private static let unconstrained = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlocked, [], nil)

    private static func with(_ more: [AnyHashable: Any]) -> CFDictionary {
        genp.merging(more) { $1 } as NSDictionary
    }

    /// The statuses of the four calls on one dictionary.
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

    @Test func aClassThatIsNotOfferedYetSaysSo() {
        for name in ["inet", "cert", "keys", "idnt"] {
            let query: NSDictionary = ["class": name, "srvr": "x", "m_Policy": 1]
            #expect(Self.all(query) == Self.every(errSecUnimplemented))
        }
        let certificate = SecCertificateCreateWithData(nil, Data([0x30, 0]) as NSData)
        #expect(
            Self.all(["v_Ref": certificate as Any] as NSDictionary)
                == Self.every(errSecUnimplemented))
        #expect(
            Self.all(["class": "genp", "v_Ref": certificate as Any] as NSDictionary)
                == Self.every(errSecNoSuchAttr))
    }

    @Test func keysGoByLengthAndFirstLetter() {
        for key in ["srvr", "zzzz", "volm", "UUID", "kcls", "crlt", "salt"] {
            #expect(Self.all(Self.with([key: "x"])) == Self.every(errSecNoSuchAttr), "\(key)")
        }
        let refused = [
            "abcde", "a", "", "m", "r_Foo", "rounds", "u_Keychain", "u_Foo", "v_Foo", "classy",
            "persistref", "clip", "data", "v_pk", "åäöüß",
        ]
        for key in refused {
            #expect(Self.all(Self.with([key: "x"])) == Self.every(errSecParam), "\(key)")
        }
    }

    @Test func keysThatAreNoTextAreRefused() {
        let number = NSMutableDictionary(dictionary: Self.genp)
        number.setObject("x", forKey: NSNumber(value: 1234))
        #expect(Self.all(number) == Self.every(errSecNoSuchAttr))
        let date = NSMutableDictionary(dictionary: Self.genp)
        date.setObject("x", forKey: NSDate())
        #expect(Self.all(date) == Self.every(errSecParam))
        let custom = NSMutableDictionary(dictionary: Self.genp)
        custom[AnyHashable(Custom())] = "x"
        #expect(Self.all(custom) == Self.every(errSecParam))
    }

    @Test func valuesOfTheWrongTypeAreRefused() {
        let wrong: [String: [Any]] = [
            "acct": [true, NSNull(), NSDate(), [1], Custom(), Plain(), UInt64.max],
            "svce": [false, ["a": 1]],
            "cdat": ["2026", 1, Date(timeIntervalSinceReferenceDate: .infinity)],
            "pdmn": ["zz", "", "f", 6, NSNull(), Data([0xff])],
            "accc": ["ak", 1], "agrp": [1, Data([0xff])], "sync": ["maybe", NSNull(), NSDate()],
            "crtr": [Data([1]), NSNull()], "musr": ["x", Data([1]), 5],
            "sha1": [Data([1]), "01234567890123456789"], "v_Data": ["text", NSNull(), 1],
            "v_PersistentRef": ["text", Data(), Data(count: 20), Data("genp".utf8)],
            "v_Ref": ["x", Custom()], "nleg": [Custom()], "foo": [Custom(), Plain()],
            "r_Data": [1, "1", NSNull()], "r_Attributes": [0], "r_Ref": [1.0],
            "r_PersistentRef": ["x"], "u_AuthCtx": [Custom()], "u_CredRef": [Data([1])],
            "u_NoAuthUI": ["x", 1],
        ]
        for (key, values) in wrong {
            for value in values {
                let statuses = Self.all(Self.with([key: value]))
                #expect(statuses == Self.every(errSecParam), "\(key): \(value)")
            }
        }
    }

    @Test func anAttributeThatNeedsAnEntitlementIsRefused() {
        for key in ["sysb", "pcss", "pcsk", "pcsi", "dspk", "ggrp"] {
            let statuses = Self.all(Self.with([key: "x"]))
            #expect(statuses == Self.every(errSecMissingEntitlement), "\(key)")
        }
        let system = Self.all(Self.with(["u_SystemKeychain": true]))
        #expect(system == Self.every(errSecMissingEntitlement))
    }

    @Test func attributesOver256KiBTogetherAreTooLarge() {
        let half = String(repeating: "x", count: 128 * 1024)
        let statuses = Self.all(Self.with(["labl": half, "icmt": half]))
        #expect(statuses == Self.every(errSecDataTooLarge))
    }

    @Test func moreThan128KeysAreRefused() {
        var keys = Self.genp
        for index in 0..<127 { keys["m_\(index)"] = 1 }
        #expect(Self.all(keys as NSDictionary) == Self.every(errSecParam))
    }

    @Test func anAccessControlAndAnAccessibilityExcludeEachOther() throws {
        let access = try #require(Self.unconstrained)
        let both = Self.with(["accc": access, "pdmn": "ak"])
        #expect(Self.all(both) == Self.every(errSecParam))
    }

    @Test func anAccessControlWithConstraintsIsNotQuietlyWeakened() throws {
        let access = try #require(Self.constrained)
        #expect(SecItemAdd(Self.with(["accc": access]), nil) == errSecUnimplemented)
        let changes: NSDictionary = ["accc": access]
        #expect(SecItemUpdate(Self.with([:]), changes) == errSecUnimplemented)
    }

    @Test func anAccessControlDoesNotGoWithSynchronization() throws {
        let access = try #require(Self.unconstrained)
        #expect(SecItemAdd(Self.with(["accc": access, "sync": true]), nil) == errSecParam)
        let changes: NSDictionary = ["accc": access, "sync": true]
        #expect(SecItemUpdate(Self.with([:]), changes) == errSecParam)
    }

    @Test func addTakesNoMatchKeyNoLimitNoReference() {
        let reference = Data("genp".utf8) + Data(count: 16)
        let refused: [[AnyHashable: Any]] = [
            ["m_Limit": "m_LimitAll"], ["m_Limit": "m_LimitOne"], ["m_CaseInsensitive": true],
            ["u_ItemList": []], ["v_PersistentRef": reference], ["u_AuthUI": "u_AuthUIS"],
        ]
        for more in refused {
            #expect(SecItemAdd(Self.with(more), nil) == errSecParam, "\(more)")
        }
    }

    @Test func copyRefusesWhatItCannotMean() {
        let reference = Data("genp".utf8) + Data(count: 16)
        let refused: [[AnyHashable: Any]] = [
            ["u_ItemList": []], ["m_Limit": "all"], ["m_Limit": true], ["m_Limit": NSNull()],
            ["v_PersistentRef": reference], ["m_Policy": 1], ["m_ValidOnDate": "now"],
            ["m_TrustedOnly": 1], ["m_EmailAddressIfPresent": 1], ["m_HostOrSubdomainOfHost": 1],
        ]
        for more in refused {
            #expect(SecItemCopyMatching(Self.with(more), nil) == errSecParam, "\(more)")
        }
        for key in ["m_Issuers", "m_HostOrSubdomainOfHost"] {
            #expect(SecItemCopyMatching(Self.with([key: "x"]), nil) == errSecUnimplemented)
        }
        let synchronized: NSDictionary = ["v_PersistentRef": reference, "sync": "syna"]
        #expect(SecItemCopyMatching(synchronized, nil) == errSecParam)
    }

    @Test func aReferenceOfAnotherClassIsTold() {
        let certificate = Data("cert".utf8) + Data(count: 16)
        let query: NSDictionary = ["class": "genp", "v_PersistentRef": certificate]
        #expect(SecItemCopyMatching(query, nil) == errSecNoSuchClass)
        let alone: NSDictionary = ["v_PersistentRef": certificate]
        #expect(SecItemCopyMatching(alone, nil) == errSecUnimplemented)
    }

    @Test func updateAndDeleteDropNoFilter() {
        let refused: [[AnyHashable: Any]] = [
            ["m_Limit": "m_LimitOne"], ["m_Limit": 2], ["m_SubjectContains": "x"],
            ["m_CaseInsensitive": true], ["u_AuthUI": "u_AuthUIS"],
        ]
        let changes: NSDictionary = ["labl": "x"]
        for more in refused {
            #expect(SecItemDelete(Self.with(more)) == errSecParam, "\(more)")
            #expect(SecItemUpdate(Self.with(more), changes) == errSecParam, "\(more)")
        }
        #expect(SecItemUpdate(Self.with(["u_ItemList": []]), changes) == errSecParam)
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
            let found = SecItemUpdate(Self.with([:]), [key: value] as NSDictionary)
            #expect(found == status, "\(key): \(value)")
        }
    }
}
