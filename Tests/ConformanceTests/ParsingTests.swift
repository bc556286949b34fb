// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import LocalAuthentication
import Security
import Testing

private final class Custom: NSObject {}

/// The parsing of a dictionary, the same in all calls. Source of each claim: Apple's SecItem, as
/// observed.
@Suite struct ParsingTests {
    /// Adds each entry to a complete item. All four calls must return this status and leave the
    /// keychain unchanged.
    private func expect(
        _ status: OSStatus, _ kind: KeychainKind, _ item: ItemKind, _ entries: [Entries]
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(2, into: keychain, ["labl": "old"])
            for entry in entries {
                #expect(keychain.all(item.sample() + entry) == every(status), "\(entry)")
            }
            #expect(keychain.count(["class": item.rawValue]) == 1)
            #expect(keychain.attribute("labl", item.query(2)) as? String == "old")
        }
    }

    // MARK: - The class

    @Test(arguments: KeychainKind.allCases)
    func aClassIsNeeded(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.all([:]) == every(errSecParam))
            #expect(keychain.all(["acct": "x"]) == every(errSecParam))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func theClassIsText(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for value: Any in [1, true, bytes("genp"), NSNull(), ["genp"]] {
                #expect(keychain.all(["class": value]) == every(errSecParam), "\(value)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func theClassIsOneOfFive(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for name in ["", "apls", "genq", "GENP", "genp ", "class"] {
                #expect(keychain.all(["class": name]) == every(errSecNoSuchClass), "\(name)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theClassAloneIsLegal(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.all(["class": item.rawValue]) == every(errSecSuccess))
        }
    }

    // MARK: - Keys by length and letter

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func fourLettersAreAnAttribute(_ kind: KeychainKind, _ item: ItemKind) throws {
        let names = [
            "zzzz", "volm", "addr", "afps", "crlt", "crle", "acls", "salt", "toid", "    ",
        ]
        try expect(errSecNoSuchAttr, kind, item, names.map { [$0: "x"] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func lengthIsCountedBeforeTheFirstLetter(_ kind: KeychainKind, _ item: ItemKind) throws {
        let names = ["m_Li", "r_Da", "v_Re", "u_It", "clas", "four"]
        try expect(errSecNoSuchAttr, kind, item, names.map { [$0: "x"] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func otherFirstLettersAreRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        let names = ["abcde", "Class", "persistref", "ZZZZZ", "_____", "ééééé", "rounds"]
        try expect(errSecParam, kind, item, names.map { [$0: "x"] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func shortKeysAreRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expect(errSecParam, kind, item, ["", "a", "m", "r", "c"].map { [$0: "x"] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func returnKeysMustBeKnownAndTruthValues(_ kind: KeychainKind, _ item: ItemKind) throws {
        var entries: [Entries] = [["r_Foo": true], ["r_": true], ["r_data": true]]
        for flag in ReturnFlag.allCases {
            for value: Any in [1, 0, "true", NSNull(), Data([1])] {
                entries.append([flag.rawValue: value])
            }
        }
        try expect(errSecParam, kind, item, entries)
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func useKeysMustBeKnown(_ kind: KeychainKind, _ item: ItemKind) throws {
        let names = ["u_Foo", "u_Keychain", "u_"]
        try expect(errSecParam, kind, item, names.map { [$0: "x"] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAuthenticationContextIsTaken(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let dictionary = item.sample() + ["u_AuthCtx": LAContext()]
            #expect(keychain.all(dictionary) == every(errSecSuccess))
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anInvalidatedContextFails(_ kind: KeychainKind, _ item: ItemKind) throws {
        let context = LAContext()
        context.invalidate()
        try expect(errSecAuthFailed, kind, item, [["u_AuthCtx": context]])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aContextAndACredentialReferenceAreRefused(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        let both: Entries = ["u_AuthCtx": LAContext(), "u_CredRef": Data([1])]
        try expect(errSecParam, kind, item, [both])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func valueKeysMustBeKnown(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expect(errSecParam, kind, item, ["v_Foo", "v_data", "v_"].map { [$0: Data()] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func withTheLetterCOnlyTheClassIsKnown(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expect(errSecParam, kind, item, ["classy", "cl", "clazz"].map { [$0: "genp"] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theLetterFIsIgnored(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let ignored: Entries = ["feature": 1, "fo": "x"]
            #expect(keychain.all(item.sample() + ignored) == every(errSecSuccess))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func someColumnsAreNoKeys(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expect(errSecParam, kind, item, ["clip", "data", "v_pk"].map { [$0: "x"] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aNumberAsKeyIsAnUnknownAttribute(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let query = mutable(item.sample() as NSDictionary)
            query.setObject("x", forKey: NSNumber(value: 4))
            #expect(keychain.all(query) == every(errSecNoSuchAttr))
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aKeyOfAnyOtherTypeIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for key in [NSDate(), bytes("acct") as NSData, Custom()] as [NSObject] {
                let query = mutable(item.sample() as NSDictionary)
                query[AnyHashable(key)] = "x"
                #expect(keychain.all(query) == every(errSecParam), "\(key)")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aDictionaryHasAtMost128Keys(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            var query = item.sample()
            for number in 0..<200 where query.count < 128 { query["feature \(number)"] = 1 }
            #expect(keychain.all(query) == every(errSecSuccess))
            query["one more"] = 1
            query["feature"] = 1
            query["one more"] = nil
            #expect(query.count == 129)
            #expect(keychain.all(query) == every(errSecParam))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func allAttributesOfAClassTogetherAreTaken(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            var all = try ClassAttributeTests.everyAttribute(of: item)
            all["agrp"] = keychain.defaultGroup
            #expect(all.count >= 20)
            #expect(keychain.copy(["class": item.rawValue] + all).status == errSecItemNotFound)
            guard item != .identity else { return }
            let query = ["class": item.rawValue] + all.without("sha1")
            #expect(keychain.add(query) == errSecSuccess)
            #expect(keychain.update(["class": item.rawValue], all) == errSecSuccess)
            #expect(keychain.delete(query.without("mdat").without("cdat")) == errSecSuccess)
        }
    }

    // MARK: - Values

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aValueThatNoPropertyListHasIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        let values: [Entries] = [
            ["labl": Custom()], ["feature": Custom()], ["nleg": Custom()], ["v_Data": Custom()],
            ["u_CallerName": Custom()],
        ]
        try expect(errSecParam, kind, item, values)
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessibilityIsOneOfTheSeven(_ kind: KeychainKind, _ item: ItemKind) throws {
        let values: [Any] = ["", "zz", "AK", "ak ", 1, true, NSNull()]
        try expect(errSecParam, kind, item, values.map { ["pdmn": $0] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessControlIsAnAccessControl(_ kind: KeychainKind, _ item: ItemKind) throws {
        let values: [Any] = ["ak", 1, Data(), NSNull(), ["prot": "ak"]]
        try expect(errSecParam, kind, item, values.map { ["accc": $0] })
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessibilityAndAnAccessControlExcludeEachOther(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        let access = try accessControl("ck")
        let both: [Entries] = [
            ["pdmn": "ak", "accc": access], ["pdmn": "ck", "accc": access],
        ]
        try expect(errSecParam, kind, item, both)
    }

    @Test(arguments: KeychainKind.allCases)
    func anIssuerIsData(_ kind: KeychainKind) throws {
        try expect(errSecParam, kind, .certificate, ["text", 1, NSNull()].map { ["issr": $0] })
        try ConformanceKeychain.run(kind) { keychain in
            let query: Entries = ["class": "idnt", "issr": "text"]
            #expect(keychain.copy(query).status == errSecParam)
            #expect(keychain.update(query, ["labl": "x"]) == errSecParam)
            #expect(keychain.delete(query) == errSecParam)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAuthenticationContextIsAnAuthenticationContext(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        let entries: [Entries] = [
            ["u_AuthCtx": "x"], ["u_AuthCtx": NSObject()],
            ["u_AuthCtx": "x", "u_CredRef": Data([1])], ["u_CredRef": Data([1])],
        ]
        try expect(errSecParam, kind, item, entries)
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func someAttributesNeedAnEntitlement(_ kind: KeychainKind, _ item: ItemKind) throws {
        let names = ["pcss", "pcsk", "pcsi", "dspk", "sysb", "ggrp"]
        try expect(errSecMissingEntitlement, kind, item, names.map { [$0: "x"] })
        // The conflict of a sharing group with synchronization is reported later.
        try expect(errSecMissingEntitlement, kind, item, [["ggrp": "x", "sync": true]])
        let extras = ["binn", "bini", "bin0", "bin1", "bin2", "bin3"]
        if item == .internetPassword {
            try expect(errSecMissingEntitlement, kind, item, extras.map { [$0: Data()] })
        }
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "old"])
            for name in names + extras where name != "ggrp" {
                let status = keychain.update(item.query(), ["labl": "x", name: "x"])
                #expect(status == errSecMissingEntitlement, "\(name)")
            }
            #expect(keychain.attribute("labl", item.query()) as? String == "old")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aSharingGroupIsNoChange(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.update(item.query(), ["ggrp": "x"]) == errSecParam)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theSystemsKeychainNeedsAnEntitlement(_ kind: KeychainKind, _ item: ItemKind) throws {
        let names = ["u_SystemKeychain", "u_SystemKeychainAlways", "u_SyncBubbleKeychain"]
        for value: Any in [true, 1, 501] {
            try expect(errSecMissingEntitlement, kind, item, names.map { [$0: value] })
        }
        try ConformanceKeychain.run(kind) { keychain in
            for name in names {
                for value: Any in [false, 0] {
                    #expect(keychain.all(item.sample() + [name: value]) == every(errSecSuccess))
                }
                for value: Any in ["x", NSNull(), Data()] {
                    #expect(keychain.all(item.sample() + [name: value]) == every(errSecParam))
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAttributeOfAnotherClassIsNotThere(_ kind: KeychainKind, _ item: ItemKind) throws {
        let foreign: [ItemKind: [String]] = [
            .genericPassword: ["srvr", "ptcl", "kcls", "ctyp", "klbl", "issr"],
            .internetPassword: ["svce", "gena", "kcls", "ctyp", "klbl", "issr"],
            .certificate: ["acct", "svce", "desc", "icmt", "kcls", "klbl", "crtr", "type"],
            .key: ["acct", "svce", "desc", "icmt", "ctyp", "issr", "slnr", "invi"],
        ]
        try expect(
            errSecNoSuchAttr, kind, item, (foreign[item] ?? []).map { [$0: Data([1])] })
    }
}
