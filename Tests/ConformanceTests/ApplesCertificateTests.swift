// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The assertions of Apple's own regression tests about certificates and identities, one test for
/// each of theirs, with its name.
@Suite struct ApplesCertificateTests {
    @Test(arguments: KeychainKind.allCases)
    func si05Add(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let item: Entries = ["v_Ref": certificate]
            #expect(keychain.add(item) == errSecSuccess)
            #expect(keychain.add(item) == errSecDuplicateItem)
            #expect(keychain.delete(item) == errSecSuccess)

            let reference = keychain.added(item + ["r_Ref": true])
            #expect(reference.object is SecCertificate)
            #expect(keychain.delete(item) == errSecSuccess)

            let data = keychain.added(item + ["r_Data": true])
            #expect(data.data == CertificateSample.anna.der)
            #expect(keychain.delete(item) == errSecSuccess)

            let attributes = keychain.added(item + ["r_Attributes": true]).dictionary
            for key in ["v_Data", "v_Ref", "v_PersistentRef", "class"] {
                #expect(attributes?[key] == nil, "\(key)")
            }
            #expect(attributes?["ctyp"] as? NSNumber == 3)
            #expect(attributes?["cenc"] as? NSNumber == 3)
            #expect(keychain.delete(item) == errSecSuccess)

            let persistent = try #require(keychain.added(item + ["r_PersistentRef": true]).data)
            let byReference = keychain.copy(["v_PersistentRef": persistent, "r_Ref": true])
            #expect(ItemKind.certificate.isReference(byReference.object))
            #expect(keychain.delete(item) == errSecSuccess)

            let returns = ReturnFlags(ReturnFlag.allCases).entries
            let all = try #require(keychain.added(item + returns).dictionary)
            for key in ["v_Data", "v_Ref", "v_PersistentRef", "class", "ctyp", "agrp"] {
                #expect(all[key] != nil, "\(key)")
            }
            #expect(all["class"] as? String == "cert")
            #expect(keychain.delete(item) == errSecSuccess)

            let bogus: Entries = ["v_Ref": certificate, "acct": "x"]
            #expect(keychain.added(bogus).status == errSecNoSuchAttr)
            #expect(keychain.delete(bogus) == errSecNoSuchAttr)

            let synced = item + ["sync": true]
            #expect(keychain.add(synced) == errSecSuccess)
            #expect(keychain.find(item) == errSecItemNotFound)
            #expect(keychain.find(synced) == errSecSuccess)
            #expect(keychain.delete(synced) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func si42Identity(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.anna.reference()
            let anna = try #require(SecIdentityCreate(nil, certificate, key))
            let other = try KeySample.other.reference()
            #expect(SecIdentityCreate(nil, certificate, other) == nil)

            // Halves that are added separately form an identity.
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            let found = keychain.copy(["class": "idnt", "r_Ref": true])
            #expect(ItemKind.identity.isReference(found.object))
            #expect(keychain.added(["v_Ref": anna]).status == errSecDuplicateItem)
            #expect(keychain.delete(["v_Ref": anna]) == errSecSuccess)
            #expect(keychain.itemCount == 0)

            // By reference; returns a persistent one.
            let added = keychain.added(["v_Ref": anna, "r_PersistentRef": true, "labl": "old"])
            let persistent = try #require(added.data)
            let again = keychain.added(["v_Ref": anna, "r_PersistentRef": true])
            #expect(again.status == errSecDuplicateItem)
            #expect(try keychain.reference(["class": "idnt"]) == persistent)
            #expect(keychain.copy(["v_Ref": anna, "r_PersistentRef": true]).data == persistent)
            let byReference = keychain.copy(["v_PersistentRef": persistent, "r_Ref": true])
            #expect(ItemKind.identity.isReference(byReference.object))

            // The certificate's label is the identity's.
            let labeled: Entries = ["class": "idnt", "labl": "old"]
            #expect(keychain.update(["v_Ref": key], ["labl": "new"]) == errSecSuccess)
            #expect(keychain.find(labeled) == errSecSuccess)
            #expect(keychain.update(["v_Ref": certificate], ["labl": "new"]) == errSecSuccess)
            #expect(keychain.find(labeled) == errSecItemNotFound)
            #expect(keychain.find(["class": "idnt", "labl": "new"]) == errSecSuccess)

            // By issuer, unchanged and normalized.
            for issuer in [
                CertificateSample.anna.issuerName, CertificateSample.anna.normalizedIssuer,
            ] {
                #expect(keychain.find(["class": "idnt", "issr": issuer]) == errSecSuccess)
            }
            #expect(keychain.delete(["v_PersistentRef": persistent]) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func si68MatchIssuer(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let intermediate = try CertificateSample.intermediate.reference()
            #expect(keychain.add(["v_Ref": intermediate]) == errSecSuccess)
            let anna = try identity(.anna, .anna)
            #expect(keychain.add(["v_Ref": anna]) == errSecSuccess)
            let berta = try identity(.berta, .berta)
            #expect(keychain.add(["v_Ref": berta]) == errSecSuccess)
            let all: Entries = ["m_Limit": "m_LimitAll", "r_Ref": true]
            let filter: Entries = ["m_Issuers": [CertificateSample.root.issuerName]]
            let identities = keychain.copy(all + filter + ["class": "idnt"]).array
            #expect(identities?.count == 1)
            #expect(ItemKind.identity.isReference(identities?.firstObject))
            let certificates = keychain.copy(all + filter + ["class": "cert"]).array
            #expect(certificates?.count == 2)
            // The same name, written differently: normalization makes them equal.
            #expect(Self.respelled != CertificateSample.root.issuerName)
            let respelled: Entries = ["m_Issuers": [Self.respelled], "class": "idnt"]
            #expect(keychain.copy(all + respelled).array?.count == 1)
            let foreign: Entries = ["m_Issuers": [CertificateSample.future.issuerName]]
            let none = keychain.copy(all + foreign + ["class": "idnt"])
            #expect(none.status == errSecItemNotFound)
        }
    }

    /// The root's name with its printable text in lower case.
    private static var respelled: Data {
        var name = CertificateSample.root.issuerName
        if let range = name.range(of: bytes("test Root")) {
            name.replaceSubrange(range, with: bytes("TEST root"))
        }
        return name
    }

    @Test(arguments: KeychainKind.allCases)
    func secd83MatchPolicyTrustAndDate(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let sample = CertificateSample.expired
            #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            let query: Entries = ["class": "cert"]
            #expect(keychain.copy(query + ["m_Policy": "x"]).status == errSecParam)
            #expect(keychain.copy(query + ["m_TrustedOnly": "x"]).status == errSecParam)
            #expect(keychain.copy(query + ["m_ValidOnDate": "x"]).status == errSecParam)
            #expect(keychain.find(query + ["m_TrustedOnly": false]) == errSecSuccess)
            #expect(keychain.find(query + ["m_ValidOnDate": NSNull()]) == errSecItemNotFound)
            let then = try Date("2001-06-01T00:00:00Z", strategy: .iso8601)
            #expect(keychain.find(query + ["m_ValidOnDate": then]) == errSecSuccess)
            try ItemKind.genericPassword.put(into: keychain)
            let ignored: Entries = [
                "class": "genp", "m_TrustedOnly": true, "m_ValidOnDate": NSNull(),
            ]
            #expect(keychain.find(ignored) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func secItemTestsEMailAddresses(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in [CertificateSample.berta, .anna] {
                #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            }
            let query: Entries = ["class": "cert", "r_Data": true, "m_Limit": "m_LimitAll"]
            let match = keychain.copy(query + ["m_EmailAddressIfPresent": "anna@example.com"])
            #expect(match.object as? [Data] == [CertificateSample.anna.der])
            let none = keychain.copy(query + ["m_EmailAddressIfPresent": "berta@example.com"])
            #expect(none.status == errSecItemNotFound)
        }
    }

    // MARK: - RegressionTests/secitemfunctionality

    @Test func itemsAndIdentitiesMoveBetweenGroups() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let (first, second) = (ConformanceKeychain.groups[0], ConformanceKeychain.groups[1])
            try ItemKind.genericPassword.put(into: keychain)
            let password = ItemKind.genericPassword.query()
            #expect(keychain.update(password, ["agrp": second]) == errSecSuccess)
            #expect(keychain.find(password + ["agrp": second]) == errSecSuccess)
            let anna = try identity(.anna, .anna)
            #expect(keychain.add(["v_Ref": anna, "agrp": first]) == errSecSuccess)
            #expect(keychain.update(["v_Ref": anna], ["agrp": second]) == errSecSuccess)
            #expect(keychain.find(["class": "idnt", "agrp": first]) == errSecItemNotFound)
            let moved = keychain.copy(["class": "idnt", "agrp": second, "r_Ref": true])
            #expect(ItemKind.identity.isReference(moved.object))
        }
    }
}
