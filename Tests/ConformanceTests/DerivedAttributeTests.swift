// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The attributes that certificates and keys provide when they are added by reference. Source of
/// each claim: Apple's SecItem, as observed.
@Suite struct DerivedAttributeTests {
    private static let certificates: [CertificateSample] = [
        .root, .intermediate, .anna, .berta, .expired, .future, .versionOne,
    ]

    @Test(arguments: KeychainKind.allCases)
    func aCertificateHasItsTypeNamesNumberAndHashes(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in Self.certificates {
                #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
                let query: Entries = ["class": "cert", "slnr": sample.serialNumber]
                let found = try keychain.attributes(query)
                #expect(found["ctyp"] as? Int == sample.version, "\(sample.name)")
                #expect(found["cenc"] as? Int == 3)
                #expect(found["subj"] as? Data == sample.normalizedSubject, "\(sample.name)")
                #expect(found["issr"] as? Data == sample.normalizedIssuer, "\(sample.name)")
                #expect(found["slnr"] as? Data == sample.serialNumber)
                #expect(found["skid"] as? Data == sample.subjectKeyID, "\(sample.name)")
                #expect(found["pkhh"] as? Data == sample.publicKeyHash, "\(sample.name)")
                #expect(keychain.data(query) == sample.der)
            }
            #expect(keychain.count(["class": "cert"]) == Self.certificates.count)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aCertificatesLabelIsItsSubjectsSummary(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in [CertificateSample.anna, .berta, .versionOne] {
                #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
                let found = try keychain.attributes(["v_Ref": try sample.reference()])
                #expect(found["labl"] as? String == sample.name)
            }
            // The label isn't part of a query by reference.
            #expect(keychain.update(["class": "cert"], ["labl": "changed"]) == errSecSuccess)
            let anna = try CertificateSample.anna.reference()
            #expect(keychain.data(["v_Ref": anna]) == CertificateSample.anna.der)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func certificateNumbersAreNumbers(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let anna = try CertificateSample.anna.reference()
            let answer = keychain.added(["v_Ref": anna, "r_Attributes": true])
            let found = try #require(answer.dictionary)
            #expect(found["ctyp"] as? NSNumber == 3)
            #expect(found["cenc"] as? NSNumber == 3)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func eachDerivedAttributeOfACertificateSelects(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in Self.certificates {
                #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            }
            let anna = CertificateSample.anna
            let queries: [Entries] = [
                ["subj": anna.normalizedSubject], ["issr": anna.normalizedIssuer],
                ["slnr": anna.serialNumber], ["skid": anna.subjectKeyID ?? Data()],
                ["pkhh": anna.publicKeyHash], ["labl": anna.name],
            ]
            for query in queries {
                #expect(keychain.data(["class": "cert"] + query) == anna.der, "\(query)")
                #expect(keychain.count(["class": "cert"] + query) == 1, "\(query)")
            }
            #expect(keychain.count(["class": "cert", "ctyp": 1]) == 1)
            #expect(keychain.count(["class": "cert", "cenc": 3]) == Self.certificates.count)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIssuerIsFoundByItsWholeNameOrTheNormalizedContent(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let intermediate = CertificateSample.intermediate
            #expect(keychain.add(["v_Ref": intermediate.object]) == errSecSuccess)
            for issuer in [intermediate.issuerName, intermediate.normalizedIssuer] {
                #expect(keychain.data(["class": "cert", "issr": issuer]) == intermediate.der)
            }
            let other = CertificateSample.anna.issuerName
            #expect(keychain.find(["class": "cert", "issr": other]) == errSecItemNotFound)
            // A subject in a query is compared unchanged.
            let root = CertificateSample.root
            #expect(keychain.add(["v_Ref": root.object]) == errSecSuccess)
            let whole: Entries = ["class": "cert", "subj": root.issuerName]
            #expect(keychain.find(whole) == errSecItemNotFound)
            let normalized: Entries = ["class": "cert", "subj": root.normalizedSubject]
            #expect(keychain.data(normalized) == root.der)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIssuerThatIsAddedIsNormalized(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let sample = CertificateSample.intermediate
            let item: Entries = ["class": "cert", "v_Data": sample.der, "issr": sample.issuerName]
            #expect(keychain.add(item) == errSecSuccess)
            let found = try keychain.attributes(["class": "cert"])
            #expect(found["issr"] as? Data == sample.normalizedIssuer)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func fromACertificatesDataNothingIsDerived(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let anna: Entries = ["class": "cert", "v_Data": CertificateSample.anna.der]
            #expect(keychain.add(anna) == errSecSuccess)
            let found = try keychain.attributes(["class": "cert"])
            #expect(found["ctyp"] as? Int == 0)
            for key in ["cenc", "subj", "skid", "pkhh", "labl"] {
                #expect(found[key] == nil, "\(key)")
            }
            let berta: Entries = ["class": "cert", "v_Data": CertificateSample.berta.der]
            #expect(keychain.add(berta) == errSecDuplicateItem)
            #expect(keychain.data(["class": "cert"]) == CertificateSample.anna.der)
        }
    }

    // MARK: - Keys

    /// The required attributes of a key: all but label, type and sizes.
    private static func flags(isPrivate: Bool, isRSA: Bool) -> [String: Int] {
        let ofPublic = isPrivate ? 0 : 1
        let ofPrivate = isPrivate ? 1 : 0
        return [
            "kcls": ofPrivate, "perm": 1, "priv": 1, "modi": 1, "sens": 0, "asen": 0, "extr": 1,
            "next": 0, "encr": ofPublic, "vrfy": ofPublic, "wrap": ofPublic,
            "decr": isRSA ? 1 : ofPrivate, "sign": ofPrivate, "unwp": ofPrivate,
            "drve": isPrivate && !isRSA ? 1 : 0, "snrc": 0, "vyrc": 0,
        ]
    }

    @Test(arguments: KeychainKind.allCases)
    func aKeyHasItsClassTypeSizesLabelAndUses(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in [KeySample.anna, .berta] {
                for isPrivate in [true, false] {
                    let key = try isPrivate ? sample.reference() : sample.publicReference()
                    let answer = keychain.added(["v_Ref": key, "r_Attributes": true])
                    let name = "\(sample.type) \(isPrivate)"
                    let added = try #require(answer.dictionary, "\(name)")
                    let found = try keychain.attributes(["v_Ref": key])
                    for attributes in [added, found] {
                        #expect(attributes["klbl"] as? Data == sample.label, "\(name)")
                        #expect(attributes["type"] as? Int == sample.type, "\(name)")
                        #expect(attributes["bsiz"] as? Int == sample.bits, "\(name)")
                        #expect(attributes["esiz"] as? Int == sample.bits, "\(name)")
                        let flags = Self.flags(isPrivate: isPrivate, isRSA: sample.type == 42)
                        for (flag, value) in flags {
                            #expect(attributes[flag] as? Int == value, "\(name) \(flag)")
                        }
                    }
                    let data = isPrivate ? sample.privateKey : sample.publicKey
                    #expect(keychain.data(["v_Ref": key]) == data, "\(name)")
                }
            }
            #expect(keychain.count(["class": "keys"]) == 4)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aKeysUsesAndPermanenceAreNoFilters(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let key = try KeySample.anna.reference()
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            let changes: Entries = ["perm": 0, "sign": 0, "decr": 0, "drve": 0, "encr": 1]
            #expect(keychain.update(["class": "keys"], changes) == errSecSuccess)
            #expect(keychain.data(["v_Ref": key]) == KeySample.anna.privateKey)
            #expect(keychain.update(["class": "keys"], ["extr": 0]) == errSecSuccess)
            #expect(keychain.find(["v_Ref": key]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func fromAKeysDataNothingIsDerived(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item: Entries = [
                "class": "keys", "v_Data": KeySample.anna.privateKey, "type": 73, "kcls": 1,
                "bsiz": 256,
            ]
            #expect(keychain.add(item) == errSecSuccess)
            let found = try keychain.attributes(["class": "keys"])
            #expect(found["klbl"] as? Data == Data())
            #expect(found["esiz"] as? Int == 0)
            for key in ["perm", "priv", "sign", "extr", "labl"] {
                #expect(found[key] == nil, "\(key)")
            }
            let reference = keychain.copy(["class": "keys", "r_Ref": true])
            #expect(ItemKind.key.isReference(reference.object))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func bothHalvesOfAPairAreTwoItems(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let sample = KeySample.anna
            #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": sample.publicObject]) == errSecSuccess)
            let label: Entries = ["class": "keys", "klbl": sample.label]
            #expect(keychain.count(label) == 2)
            #expect(keychain.data(label + ["kcls": "1"]) == sample.privateKey)
            #expect(keychain.data(label + ["kcls": "0"]) == sample.publicKey)
        }
    }
}
