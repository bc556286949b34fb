// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Identities: certificates joined with their private keys. Source of each claim: Apple's SecItem,
/// as observed.
@Suite struct IdentityTests {
    private static var all: Entries { ["class": "idnt"] }

    // MARK: - The join

    @Test(arguments: KeychainKind.allCases)
    func aCertificateAndItsPrivateKeyMakeAnIdentity(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            #expect(keychain.find(["class": "idnt"]) == errSecItemNotFound)
            let key = try KeySample.anna.reference()
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            let answer = keychain.copy(["class": "idnt", "r_Ref": true])
            #expect(ItemKind.identity.isReference(answer.object))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func halvesThatDoNotBelongTogetherMakeNone(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.other.reference()
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            #expect(keychain.find(["class": "idnt"]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aPublicKeyMakesNone(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.anna.publicReference()
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            #expect(keychain.find(["class": "idnt"]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func bothHalvesMustBeSynchronizableAlike(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.anna.reference()
            #expect(keychain.add(["v_Ref": certificate, "sync": true]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            #expect(keychain.find(["class": "idnt"]) == errSecItemNotFound)
            #expect(keychain.find(["class": "idnt", "sync": true]) == errSecItemNotFound)
            #expect(keychain.find(["class": "idnt", "sync": "syna"]) == errSecSuccess)
            #expect(keychain.update(["class": "keys"], ["sync": true]) == errSecSuccess)
            #expect(keychain.find(["class": "idnt", "sync": true]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func theReferenceOfAnAddedIdentityIsOfTheCertificateInItsWay(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate: Entries = ["v_Ref": try CertificateSample.anna.reference()]
            // The same certificate with another primary key, which isn't a duplicate.
            #expect(keychain.add(certificate + ["vwht": "view"]) == errSecSuccess)
            #expect(keychain.add(certificate) == errSecSuccess)
            let wanted = try keychain.reference(["class": "cert", "vwht": ""])
            #expect(try keychain.reference(["class": "cert", "vwht": "view"]) != wanted)
            let added = keychain.added(
                ["v_Ref": try identity(.anna, .anna), "r_PersistentRef": true])
            #expect(added.data == bytes("idnt") + wanted.dropFirst(4))
        }
    }

    @Test func bothHalvesMustBeInGroupsOfTheCaller() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.anna.reference()
            let groups = ConformanceKeychain.groups
            #expect(keychain.add(["v_Ref": certificate, "agrp": groups[0]]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": key, "agrp": groups[1]]) == errSecSuccess)
            #expect(keychain.count(["class": "idnt"]) == 1)
            for group in groups.prefix(2) {
                let other = try keychain.other(groups: [group])
                #expect(other.find(["class": "idnt"]) == errSecItemNotFound, "\(group)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func severalCertificatesOfOneKeyAreSeveralIdentities(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            let again: Entries = [
                "class": "cert", "v_Data": CertificateSample.anna.der, "slnr": Data([99]),
                "pkhh": CertificateSample.anna.publicKeyHash,
            ]
            #expect(keychain.add(again) == errSecSuccess)
            #expect(keychain.count(["class": "idnt"]) == 2)
            #expect(keychain.count(["class": "idnt", "slnr": Data([99])]) == 1)
        }
    }

    // MARK: - Queries

    @Test(arguments: KeychainKind.allCases)
    func labelIssuerNumberAndKeyIDAreTheCertificates(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for (sample, key) in [(CertificateSample.anna, KeySample.anna), (.future, .other)] {
                let certificate: Entries = ["v_Ref": try sample.reference(), "labl": sample.name]
                #expect(keychain.add(certificate) == errSecSuccess)
                let half: Entries = ["v_Ref": try key.reference(), "labl": "a key"]
                #expect(keychain.add(half) == errSecSuccess)
            }
            let anna = CertificateSample.anna
            let queries: [Entries] = [
                ["labl": anna.name], ["issr": anna.issuerName], ["issr": anna.normalizedIssuer],
                ["slnr": anna.serialNumber], ["skid": anna.subjectKeyID ?? Data()],
            ]
            for query in queries {
                let answer = keychain.copy(Self.all + query + ["r_Ref": true])
                #expect(ItemKind.identity.isReference(answer.object), "\(query)")
                #expect(keychain.count(Self.all + query) == 1, "\(query)")
            }
            #expect(keychain.count(Self.all + ["labl": "a key"]) == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func subjectHashTypeAndEncodingAreTheCertificates(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let anna = CertificateSample.anna
            let queries: [Entries] = [
                ["subj": anna.normalizedSubject], ["pkhh": anna.publicKeyHash],
                ["subj": anna.normalizedSubject, "ctyp": 3, "cenc": 3],
            ]
            for query in queries {
                let answer = keychain.copy(Self.all + query + ["r_Ref": true])
                #expect(ItemKind.identity.isReference(answer.object), "\(query)")
            }
            #expect(keychain.count(Self.all + ["ctyp": 3]) == 2)
            #expect(keychain.count(Self.all + ["ctyp": 1]) == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func everythingElseIsTheKeys(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.certificate.put(3, into: keychain)
            for (sample, key) in [(CertificateSample.anna, KeySample.anna), (.berta, .berta)] {
                _ = keychain.add(["v_Ref": try sample.reference()])
                let half: Entries = ["v_Ref": try key.reference(), "atag": "\(key.type)"]
                #expect(keychain.add(half) == errSecSuccess)
            }
            let anna = KeySample.anna
            let queries: [Entries] = [
                ["klbl": anna.label], ["atag": "73"], ["type": 73], ["bsiz": 256], ["esiz": "256"],
                ["drve": 1],
            ]
            for query in queries {
                #expect(keychain.data(Self.all + query) == anna.privateKey, "\(query)")
                #expect(keychain.count(Self.all + query) == 1, "\(query)")
            }
            #expect(keychain.count(Self.all + ["kcls": 1]) == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func theLabelThatCountsIsTheCertificates(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let both: Entries = ["v_Ref": try identity(.anna, .anna), "labl": "old"]
            #expect(keychain.add(both) == errSecSuccess)
            #expect(keychain.count(Self.all + ["labl": "old"]) == 1)
            #expect(keychain.update(["class": "keys"], ["labl": "new"]) == errSecSuccess)
            #expect(keychain.count(Self.all + ["labl": "old"]) == 1)
            #expect(keychain.count(Self.all + ["labl": "new"]) == 0)
            #expect(keychain.update(["class": "cert"], ["labl": "new"]) == errSecSuccess)
            #expect(keychain.count(Self.all + ["labl": "old"]) == 0)
            #expect(keychain.count(Self.all + ["labl": "new"]) == 1)
        }
    }

    // MARK: - Add

    @Test(arguments: KeychainKind.allCases)
    func oneHalfMayBeThereAlready(_ kind: KeychainKind) throws {
        for half in [ItemKind.certificate, .key] {
            try ConformanceKeychain.run(kind) { keychain in
                let object: Any =
                    half == .key
                    ? try KeySample.anna.reference() : try CertificateSample.anna.reference()
                #expect(keychain.add(["v_Ref": object]) == errSecSuccess)
                let both: Entries = ["v_Ref": try identity(.anna, .anna), "r_PersistentRef": true]
                let answer = keychain.added(both)
                #expect(answer.status == errSecSuccess, "\(half)")
                #expect(answer.data?.count == 20)
                #expect(keychain.itemCount == 2)
                #expect(keychain.added(both).status == errSecDuplicateItem, "\(half)")
                #expect(keychain.itemCount == 2)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anyClassBesideAnIdentityIsReplaced(_ kind: KeychainKind) throws {
        for name in ["idnt", "cert", "keys", "genp"] {
            try ConformanceKeychain.run(kind) { keychain in
                let both: Entries = ["class": name, "v_Ref": try identity(.anna, .anna)]
                #expect(keychain.add(both) == errSecSuccess, "\(name)")
                #expect(keychain.count(Self.all) == 1)
            }
        }
    }

    @Test func aCertificateAndAForeignKeyAreNoIdentity() throws {
        let certificate = try CertificateSample.anna.reference()
        let key = try KeySample.other.reference()
        #expect(SecIdentityCreate(nil, certificate, key) == nil)
        let own = try KeySample.anna.reference()
        #expect(SecIdentityCreate(nil, certificate, own) != nil)
    }

    // MARK: - Persistent references

    @Test(arguments: KeychainKind.allCases)
    func itsPersistentReferenceNamesTheCertificate(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let reference = try keychain.reference(ItemKind.identity.query(1))
            let certificate = try keychain.reference(ItemKind.certificate.query(1))
            #expect(reference.prefix(4) == bytes("idnt"))
            #expect(reference.dropFirst(4) == certificate.dropFirst(4))
            let answer = keychain.copy(["v_PersistentRef": reference, "r_Ref": true])
            #expect(ItemKind.identity.isReference(answer.object))
        }
    }

    // MARK: - Delete

    @Test(arguments: KeychainKind.allCases)
    func deletingByClassLeavesHalvesThatBelongToNone(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            let berta = try CertificateSample.berta.reference()
            let other = try KeySample.other.reference()
            #expect(keychain.add(["v_Ref": berta]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": other]) == errSecSuccess)
            #expect(keychain.delete(Self.all) == errSecSuccess)
            #expect(keychain.data(["class": "cert"]) == CertificateSample.berta.der)
            #expect(keychain.data(["class": "keys"]) == KeySample.other.privateKey)
            #expect(keychain.itemCount == 2)
            #expect(keychain.delete(Self.all) == errSecItemNotFound)
            #expect(keychain.itemCount == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func deletingByAttributesDeletesTheMatchingPairs(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let query = Self.all + ["labl": CertificateSample.anna.name]
            #expect(keychain.delete(query) == errSecSuccess)
            #expect(keychain.count(Self.all) == 1)
            #expect(keychain.data(["class": "cert"]) == CertificateSample.future.der)
            #expect(keychain.data(["class": "keys"]) == KeySample.other.privateKey)
            #expect(keychain.itemCount == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func deletingByReferenceDeletesBothHalves(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let anna = try identity(.anna, .anna)
            #expect(keychain.delete(["v_Ref": anna]) == errSecSuccess)
            #expect(keychain.find(ItemKind.certificate.query(1)) == errSecItemNotFound)
            #expect(
                keychain.find(["class": "keys", "klbl": KeySample.anna.label]) != errSecSuccess)
            #expect(keychain.count(Self.all) == 1)
            #expect(keychain.itemCount == 2)
            #expect(keychain.delete(["v_Ref": anna]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aCertificateThatIsGoneDoesNotKeepItsKey(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            #expect(keychain.delete(["class": "cert"]) == errSecSuccess)
            let anna = try identity(.anna, .anna)
            #expect(keychain.delete(["v_Ref": anna]) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aKeyThatAnotherCertificateNeedsStays(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            let again: Entries = [
                "class": "cert", "v_Data": CertificateSample.anna.der, "slnr": Data([99]),
                "pkhh": CertificateSample.anna.publicKeyHash,
            ]
            #expect(keychain.add(again) == errSecSuccess)
            let anna = try identity(.anna, .anna)
            #expect(keychain.delete(["v_Ref": anna]) == errSecSuccess)
            #expect(keychain.count(["class": "keys"]) == 1)
            #expect(keychain.count(["class": "cert"]) == 1)
            #expect(keychain.count(Self.all) == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func deletingByPersistentReferenceDeletesBothHalves(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let reference = try keychain.reference(ItemKind.identity.query(1))
            #expect(keychain.delete(["v_PersistentRef": reference]) == errSecSuccess)
            #expect(keychain.count(Self.all) == 1)
            #expect(keychain.itemCount == 2)
            #expect(keychain.delete(["v_PersistentRef": reference]) == errSecItemNotFound)
        }
    }

    // MARK: - Update

    @Test(arguments: KeychainKind.allCases)
    func anUpdateReachesBothHalves(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            let anna = try identity(.anna, .anna)
            #expect(keychain.update(["v_Ref": anna], ["labl": "new"]) == errSecSuccess)
            #expect(keychain.attribute("labl", ["class": "cert"]) as? String == "new")
            #expect(keychain.attribute("labl", ["class": "keys"]) as? String == "new")
            #expect(keychain.update(Self.all, ["labl": "newer"]) == errSecSuccess)
            #expect(keychain.attribute("labl", ["class": "cert"]) as? String == "newer")
            #expect(keychain.attribute("labl", ["class": "keys"]) as? String == "newer")
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anUpdateThatOneHalfStandsAgainstChangesNone(_ kind: KeychainKind) throws {
        let halves: [(ItemKind, Any)] = [
            (.certificate, CertificateSample.future.object), (.key, KeySample.other.object),
        ]
        for (half, object) in halves {
            try ConformanceKeychain.run(kind) { keychain in
                try ItemKind.identity.put(1, into: keychain, ["labl": "old"])
                try ItemKind.identity.put(2, into: keychain, ["labl": "old"])
                let copy: Entries = ["v_Ref": object, "sync": true, "labl": "old"]
                #expect(keychain.add(copy) == errSecSuccess)
                let changes: Entries = ["sync": true, "labl": "new"]
                #expect(keychain.update(Self.all, changes) == errSecDuplicateItem, "\(half)")
                for name in ["cert", "keys"] {
                    let any: Entries = ["class": name, "sync": "syna"]
                    #expect(keychain.count(["class": name, "labl": "old"]) == 2, "\(half)")
                    #expect(keychain.count(any + ["labl": "new"]) == 0, "\(half)")
                }
                // Without it all four are changed.
                let gone: Entries = ["class": half.rawValue, "sync": true, "u_Tomb": false]
                #expect(keychain.delete(gone) == errSecSuccess)
                #expect(keychain.update(Self.all, changes) == errSecSuccess)
                for name in ["cert", "keys"] {
                    let new: Entries = ["class": name, "sync": true, "labl": "new"]
                    #expect(keychain.count(new) == 2, "\(half)")
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anUpdateOfNoneIsNotFound(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let anna = try identity(.anna, .anna)
            #expect(keychain.update(["v_Ref": anna], ["labl": "new"]) == errSecItemNotFound)
            #expect(keychain.update(Self.all, ["labl": "new"]) == errSecItemNotFound)
        }
    }

    @Test func aPersistentReferenceCanNotMoveAnIdentity() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            let reference = try keychain.reference(Self.all)
            let changes: Entries = ["agrp": ConformanceKeychain.groups[1]]
            #expect(keychain.update(["v_PersistentRef": reference], changes) == -26276)
            let moved: Entries = ["class": "idnt", "agrp": ConformanceKeychain.groups[1]]
            #expect(keychain.find(moved) == errSecItemNotFound)
            #expect(keychain.update(Self.all, changes) == errSecSuccess)
            #expect(keychain.count(moved) == 1)
            let cert: Entries = ["class": "cert", "agrp": ConformanceKeychain.groups[1]]
            #expect(keychain.count(cert) == 1)
        }
    }
}
