// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// What `SecItemAdd` returns: one test for each line of the table. Source: Apple's SecItem, as
/// observed.
@Suite struct AddResultTests {
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func nothingAskedForIsNothingReturned(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let answer = keychain.added(item.sample())
            #expect(answer.status == errSecSuccess)
            #expect(answer.object == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func falseIsAsIfNotAskedFor(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let none: Entries = [
                "r_Data": false, "r_Attributes": false, "r_Ref": false, "r_PersistentRef": false,
            ]
            let answer = keychain.added(item.sample() + none)
            #expect(answer.status == errSecSuccess)
            #expect(answer.object == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func dataIsTheData(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.added(item.sample() + ["r_Data": true]).data == item.secret())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func dataOfAnItemWithoutDataIsEmpty(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.added(item.query() + ["r_Data": true]).data == Data())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aPersistentReferenceIsTwentyBytesOfItsClass(_ kind: KeychainKind, _ item: ItemKind) throws
    {
        try ConformanceKeychain.run(kind) { keychain in
            let answer = keychain.added(item.sample() + ["r_PersistentRef": true])
            let reference = try #require(answer.data)
            #expect(reference.count == 20)
            #expect(reference.prefix(4) == bytes(item.rawValue))
            #expect(try keychain.reference(item.query()) == reference)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.passwords)
    func passwordsHaveNoReferenceObject(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let answer = keychain.added(item.sample() + ["r_Ref": true])
            #expect(answer.status == errSecSuccess)
            #expect(answer.object == nil)
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.certificate, .key])
    func certificatesAndKeysHaveAReferenceObject(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let answer = keychain.added(item.sample() + ["r_Ref": true])
            #expect(item.isReference(answer.object))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aReferenceComesBackForAReference(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let added = keychain.added(["v_Ref": certificate, "r_Ref": true])
            #expect(ItemKind.certificate.isReference(added.object))
            let key = try KeySample.anna.reference()
            #expect(ItemKind.key.isReference(keychain.added(["v_Ref": key, "r_Ref": true]).object))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func attributesAreTheAttributesAlone(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let answer = keychain.added(item.sample() + ["labl": "x", "r_Attributes": true])
            let attributes = try #require(answer.dictionary)
            #expect(attributes["labl"] as? String == "x")
            #expect(attributes["agrp"] as? String == keychain.defaultGroup)
            #expect(attributes["pdmn"] as? String == (item == .certificate ? "dk" : "ak"))
            #expect(attributes["cdat"] is Date)
            #expect(attributes["mdat"] is Date)
            #expect((attributes["sha1"] as? Data)?.count == 20)
            #expect(attributes["sync"] as? Int == 0)
            let foreign = [
                "v_Data", "v_Ref", "v_PersistentRef", "class", "tomb", "musr", "UUID", "persistref",
                "accc",
            ]
            for key in foreign { #expect(attributes[key] == nil, "\(key)") }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessControlThatWasGivenComesBack(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let access = try accessControl("ck")
            let answer = keychain.added(item.sample() + ["accc": access, "r_Attributes": true])
            let attributes = try #require(answer.dictionary)
            #expect(attributes["accc"] as? SecAccessControl == access)
            #expect(attributes["pdmn"] as? String == "ck")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func severalComeInADictionary(_ kind: KeychainKind, _ item: ItemKind) throws {
        for flags in ReturnFlags.combinations where flags.count >= 2 {
            try ConformanceKeychain.run(kind) { keychain in
                let answer = keychain.added(item.sample() + flags.entries)
                let found = try #require(answer.dictionary, "\(flags)")
                #expect((found["v_Data"] as? Data == item.secret()) == flags.contains(.data))
                #expect((found["v_Data"] != nil) == flags.contains(.data))
                let reference = (found["v_PersistentRef"] as? Data)?.count
                #expect(reference == (flags.contains(.persistentReference) ? 20 : nil))
                #expect((found["class"] as? String == item.rawValue) == flags.contains(.reference))
                #expect((found["class"] != nil) == flags.contains(.reference), "\(flags)")
                let hasReference = flags.contains(.reference) && !item.isPassword
                #expect(item.isReference(found["v_Ref"]) == hasReference, "\(flags)")
                #expect((found["v_Ref"] != nil) == hasReference, "\(flags)")
                if flags.contains(.attributes) {
                    #expect(found["agrp"] as? String == keychain.defaultGroup, "\(flags)")
                    #expect(found["mdat"] is Date, "\(flags)")
                } else {
                    let others = Set(found.keys).subtracting([
                        "v_Data", "v_PersistentRef", "v_Ref", "class",
                    ])
                    #expect(others == [], "\(flags)")
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIdentityGivesAPersistentReferenceAndNothingElse(_ kind: KeychainKind) throws {
        for flags in ReturnFlags.combinations {
            try ConformanceKeychain.run(kind) { keychain in
                let item: Entries = ["v_Ref": try identity(.anna, .anna)]
                let answer = keychain.added(item + flags.entries)
                #expect(answer.status == errSecSuccess, "\(flags)")
                #expect(keychain.count(["class": "idnt"]) == 1)
                guard flags.contains(.persistentReference) else {
                    #expect(answer.object == nil, "\(flags)")
                    return
                }
                // Alone it is the result itself; with others it may be in a dictionary.
                let reference = answer.data ?? answer.dictionary?["v_PersistentRef"] as? Data
                #expect(reference?.count == 20, "\(flags)")
                #expect(reference?.prefix(4) == bytes("idnt"), "\(flags)")
                if let keys = answer.dictionary?.keys {
                    #expect(Set(keys) == ["v_PersistentRef"], "\(flags)")
                }
            }
        }
    }
}

/// The results that a call requests.
enum ReturnFlag: String, CaseIterable, Sendable {
    case data = "r_Data"
    case attributes = "r_Attributes"
    case reference = "r_Ref"
    case persistentReference = "r_PersistentRef"
}

/// Combinations of requested results.
typealias ReturnFlags = Set<ReturnFlag>

extension ReturnFlags {
    /// All sixteen.
    static let combinations: [ReturnFlags] = (0..<16).map { bits in
        Set(ReturnFlag.allCases.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element))
    }

    /// The combination as keys of a dictionary.
    var entries: Entries {
        Dictionary(uniqueKeysWithValues: map { ($0.rawValue, true as Any) })
    }
}
