// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The match keys that have an effect, each with each class. Source of each claim: Apple's SecItem,
/// as observed; for the subject and item-list filters: Apple's public documentation.
@Suite struct MatchFilterTests {
    private static let samples: [CertificateSample] = [
        .root, .intermediate, .anna, .berta, .expired, .future, .versionOne,
    ]

    /// Runs with all sample certificates, and identities of Anna and Berta, in the keychain.
    private func run(_ kind: KeychainKind, _ body: (ConformanceKeychain) throws -> Void) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in Self.samples {
                #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            }
            for key in [KeySample.anna, .berta] {
                #expect(keychain.add(["v_Ref": key.object]) == errSecSuccess)
            }
            try body(keychain)
        }
    }

    /// The names of the certificates that pass a filter.
    private func certificates(_ keychain: ConformanceKeychain, _ filter: Entries) -> Set<String> {
        let all: Entries = ["class": "cert", "m_Limit": "m_LimitAll", "r_Data": true]
        let answer = keychain.copy(all + filter)
        if answer.status == errSecItemNotFound { return [] }
        #expect(answer.status == errSecSuccess)
        let found = answer.object as? [Data] ?? []
        return Set(Self.samples.filter { found.contains($0.der) }.map(\.name))
    }

    /// The names of the identities' certificates that pass a filter.
    private func identities(_ keychain: ConformanceKeychain, _ filter: Entries) -> Set<String> {
        let all: Entries = ["class": "idnt", "m_Limit": "m_LimitAll", "r_Attributes": true]
        let answer = keychain.copy(all + filter)
        if answer.status == errSecItemNotFound { return [] }
        #expect(answer.status == errSecSuccess)
        let found = (answer.dictionaries ?? []).compactMap { $0["certdata"] as? Data }
        return Set(Self.samples.filter { found.contains($0.der) }.map(\.name))
    }

    private static func names(_ samples: [CertificateSample]) -> Set<String> {
        Set(samples.map(\.name))
    }

    private static func date(_ year: Int, _ month: Int = 1, _ day: Int = 1) throws -> Date {
        try Date("\(year)-0\(month)-0\(day)T00:00:00Z", strategy: .iso8601)
    }

    // MARK: - Issuers

    @Test(arguments: KeychainKind.allCases)
    func issuersAreSoughtUpTheChainInTheKeychain(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let ofRoot: Entries = ["m_Issuers": [CertificateSample.root.issuerName]]
            let chain = Self.names([.root, .intermediate, .anna])
            #expect(certificates(keychain, ofRoot) == chain)
            #expect(identities(keychain, ofRoot) == Self.names([.anna]))
            let direct: Entries = ["m_Issuers": [CertificateSample.anna.issuerName]]
            #expect(certificates(keychain, direct) == Self.names([.anna]))
            let several: Entries = [
                "m_Issuers": [
                    CertificateSample.anna.issuerName, CertificateSample.berta.issuerName,
                ]
            ]
            #expect(certificates(keychain, several) == Self.names([.anna, .berta]))
            #expect(identities(keychain, several) == Self.names([.anna, .berta]))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aChainThatIsBrokenEnds(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let intermediate = CertificateSample.intermediate
            let query: Entries = ["class": "cert", "slnr": intermediate.serialNumber]
            #expect(keychain.delete(query) == errSecSuccess)
            let ofRoot: Entries = ["m_Issuers": [CertificateSample.root.issuerName]]
            #expect(certificates(keychain, ofRoot) == Self.names([.root]))
            #expect(identities(keychain, ofRoot) == [])
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func issuersThatCanNotBeReadAreIgnored(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let values: [Any] = [
                "text", 1, [Any](), ["text"], [Data()], [Data([1, 2, 3])],
                [CertificateSample.root.normalizedIssuer], CertificateSample.root.issuerName,
            ]
            for value in values {
                let found = certificates(keychain, ["m_Issuers": value])
                #expect(found == Self.names(Self.samples), "\(value)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func issuersNobodyHasFindNothing(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            // The name "CN=x".
            let name = Data([
                0x30, 0x0c, 0x31, 0x0a, 0x30, 0x08, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0c, 0x01, 0x78,
            ])
            #expect(certificates(keychain, ["m_Issuers": [name]]) == [])
        }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.genericPassword, .internetPassword, .key])
    func issuersAreOfCertificates(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let filter: Entries = ["m_Issuers": [CertificateSample.root.issuerName]]
            #expect(keychain.copy(item.query() + filter).status == errSecUnimplemented)
        }
    }

    // MARK: - E-mail

    @Test(arguments: KeychainKind.allCases)
    func anAddressIsComparedWithoutCaseAndMustBeThere(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let anna = Self.names([.anna])
            for address in ["anna@example.com", "ANNA@EXAMPLE.COM", "Anna@Work.Example"] {
                let filter: Entries = ["m_EmailAddressIfPresent": address]
                #expect(certificates(keychain, filter) == anna, "\(address)")
                #expect(identities(keychain, filter) == anna, "\(address)")
            }
            for address in ["example.com", "anna", "", "hannah@example.com"] {
                let filter: Entries = ["m_EmailAddressIfPresent": address]
                #expect(certificates(keychain, filter) == [], "\(address)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func anAddressIsText(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for value: Any in [1, Data(), NSNull()] {
                let query = item.query() + ["m_EmailAddressIfPresent": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.genericPassword, .internetPassword, .key])
    func anAddressHasNoEffectOnOtherClasses(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let query = item.query() + ["m_EmailAddressIfPresent": "nobody@example.com"]
            #expect(keychain.data(query) == item.secret())
        }
    }

    // MARK: - Validity

    @Test(arguments: KeychainKind.allCases)
    func aDateIsWithinTheValidityOrNot(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let old: Entries = ["m_ValidOnDate": try Self.date(2001, 6)]
            #expect(certificates(keychain, old) == Self.names([.expired]))
            #expect(identities(keychain, old) == [])
            let late: Entries = ["m_ValidOnDate": try Self.date(2090, 6)]
            #expect(certificates(keychain, late) == Self.names([.future]))
            let middle: Entries = ["m_ValidOnDate": try Self.date(2021)]
            let valid = Self.names([.root, .intermediate, .anna, .berta])
            #expect(certificates(keychain, middle) == valid)
            #expect(identities(keychain, middle) == Self.names([.anna, .berta]))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func bothEndsOfTheValidityCount(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let (start, end) = (try Self.date(2001), try Self.date(2002))
            let expired = Self.names([.expired])
            for date in [start, end] {
                #expect(certificates(keychain, ["m_ValidOnDate": date]) == expired, "\(date)")
            }
            for date in [start.addingTimeInterval(-1), end.addingTimeInterval(1)] {
                #expect(certificates(keychain, ["m_ValidOnDate": date]) == [], "\(date)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func nullIsNow(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let found = certificates(keychain, ["m_ValidOnDate": NSNull()])
            #expect(found.isSuperset(of: Self.names([.root, .anna, .berta])))
            #expect(!found.contains(CertificateSample.expired.name))
            #expect(!found.contains(CertificateSample.future.name))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aDateIsADateOrNull(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let never = Date(timeIntervalSinceReferenceDate: .nan)
            for value: Any in ["now", 1, Data(), true, never] {
                let query = item.query() + ["m_ValidOnDate": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.genericPassword, .internetPassword, .key])
    func aDateHasNoEffectOnOtherClasses(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for value: Any in [NSNull(), Date(timeIntervalSinceReferenceDate: 0)] {
                #expect(keychain.data(item.query() + ["m_ValidOnDate": value]) == item.secret())
            }
        }
    }

    // MARK: - Trust

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func notTrustedOnlyIsNoFilter(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.find(item.query() + ["m_TrustedOnly": false]) == errSecSuccess)
            for value: Any in [1, "true", NSNull()] {
                let query = item.query() + ["m_TrustedOnly": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
        }
    }

    /// In the process of a test nothing judges certificates, so that there is no answer.
    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func onlyTrustedCertificatesAreFound(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let status = keychain.copy(item.query() + ["m_TrustedOnly": true]).status
            let isCertificates = item == .certificate || item == .identity
            let untrusted = kind == .daemons ? errSecItemNotFound : errSecNotAvailable
            #expect(status == (isCertificates ? untrusted : errSecSuccess))
        }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.certificate, .identity])
    func aPolicyIsAPolicy(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for value: Any in ["policy", 1, NSNull(), Data()] {
                let query = item.query() + ["m_Policy": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func onlyCertificatesHaveAPolicy(_ kind: KeychainKind, _ item: ItemKind) throws {
        guard item != .certificate, item != .identity else { return }
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let query = item.query() + ["m_Policy": SecPolicyCreateBasicX509()]
            for limit in ["m_LimitOne", "m_LimitAll"] {
                let answer = keychain.copy(query + ["m_Limit": limit, "r_Data": true])
                #expect(answer.status == errSecUnimplemented, "\(limit)")
            }
        }
    }

    /// That nobody vouches for a certificate is no matter of the policy.
    @Test func aPolicyJudgesACertificateForADate() throws {
        try ConformanceKeychain.run(.daemons) { keychain in
            let sample = CertificateSample.expired
            #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            let basic: Entries = ["class": "cert", "m_Policy": SecPolicyCreateBasicX509()]
            #expect(keychain.find(basic) == errSecItemNotFound)
            let then = try Date("2001-06-01T00:00:00Z", strategy: .iso8601)
            #expect(keychain.find(basic + ["m_ValidOnDate": then]) == errSecSuccess)
            let host = SecPolicyCreateSSL(true, "other.example" as CFString)
            let server: Entries = ["class": "cert", "m_Policy": host, "m_ValidOnDate": then]
            #expect(keychain.find(server) == errSecItemNotFound)
        }
    }

    // MARK: - Hosts

    @Test(arguments: KeychainKind.allCases)
    func aHostIsTheServerOrADomainAboveIt(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let servers = [
                "example.com", "www.example.com", "a.b.example.com", "notexample.com",
                "example.org", "example.com.evil", "",
            ]
            for server in servers {
                #expect(keychain.add(["class": "inet", "srvr": server]) == errSecSuccess)
            }
            let data: Entries = ["class": "inet", "srvr": bytes("data.example.com")]
            #expect(keychain.add(data) == errSecSuccess)
            func found(_ host: String) -> Set<String> {
                let query: Entries = [
                    "class": "inet", "m_HostOrSubdomainOfHost": host, "r_Attributes": true,
                    "m_Limit": "m_LimitAll",
                ]
                return Set(
                    (keychain.copy(query).dictionaries ?? []).compactMap { $0["srvr"] as? String })
            }
            let below: Set = ["example.com", "www.example.com", "a.b.example.com"]
            #expect(found("example.com") == below)
            #expect(found("b.example.com") == ["a.b.example.com"])
            #expect(found("www.example.com") == ["www.example.com"])
            #expect(found("ample.com") == [])
            #expect(found("evil") == ["example.com.evil"])
            #expect(found("nowhere") == [])
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aHostThatOnlyLooksTheSameIsAnother(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let composed = "caf\u{e9}.example"
            let decomposed = "cafe\u{301}.example"
            for (number, host) in [composed, decomposed].enumerated() {
                let other = number == 0 ? decomposed : composed
                for server in [host, "www." + host] {
                    let item: Entries = ["class": "inet", "srvr": server]
                    #expect(keychain.add(item) == errSecSuccess)
                    let filter: Entries = ["m_HostOrSubdomainOfHost": host]
                    #expect(keychain.find(item + filter) == errSecSuccess, "\(number)")
                    let foreign: Entries = ["m_HostOrSubdomainOfHost": other]
                    #expect(keychain.find(item + foreign) == errSecItemNotFound, "\(number)")
                }
            }
            // A combining mark isn't part of the letter before it, either.
            let item: Entries = ["class": "inet", "srvr": "www.\u{301}example"]
            #expect(keychain.add(item) == errSecSuccess)
            let below: Entries = ["m_HostOrSubdomainOfHost": "\u{301}example"]
            #expect(keychain.find(item + below) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func hostsAreOfInternetPasswords(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let query = item.query() + ["m_HostOrSubdomainOfHost": "server.example"]
            let expected = item == .internetPassword ? errSecSuccess : errSecUnimplemented
            #expect(keychain.copy(query).status == expected)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aHostIsText(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for value: Any in [1, Data(), NSNull(), true] {
                let query: Entries = ["class": "inet", "m_HostOrSubdomainOfHost": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - Limits

    @Test(arguments: KeychainKind.allCases)
    func theLimitCountsWhatPasses(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let filter: Entries = ["m_EmailAddressIfPresent": "anna@example.com", "r_Data": true]
            let one = keychain.copy(["class": "cert"] + filter)
            #expect(one.data == CertificateSample.anna.der)
            for number in 0..<300 {
                let item: Entries = ["class": "inet", "srvr": "no.example", "port": number]
                #expect(keychain.add(item) == errSecSuccess)
            }
            for number in 0..<3 {
                let item: Entries = ["class": "inet", "srvr": "host.yes.example", "port": number]
                #expect(keychain.add(item + ["v_Data": Data([1])]) == errSecSuccess)
            }
            let hosts: Entries = ["class": "inet", "m_HostOrSubdomainOfHost": "yes.example"]
            #expect(keychain.data(hosts) == Data([1]))
            let two = keychain.copy(hosts + ["m_Limit": 2, "r_Attributes": true])
            #expect(two.dictionaries?.count == 2)
            #expect(keychain.count(hosts) == 3)
        }
    }

    // MARK: - Subjects and lists of items

    @Test(arguments: KeychainKind.allCases)
    func aSubjectContainsText(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let example: Entries = ["m_SubjectContains": "Example"]
            #expect(certificates(keychain, example) == Self.names([.anna, .berta]))
            #expect(identities(keychain, ["m_SubjectContains": "Anna"]) == Self.names([.anna]))
            #expect(certificates(keychain, ["m_SubjectContains": "anna"]) == [])
            let anyCase: Entries = ["m_SubjectContains": "anna", "m_CaseInsensitive": true]
            #expect(certificates(keychain, anyCase) == Self.names([.anna]))
            let exact: Entries = ["m_SubjectContains": "anna", "m_CaseInsensitive": false]
            #expect(certificates(keychain, exact) == [])
            #expect(certificates(keychain, ["m_SubjectContains": "Nobody"]) == [])
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aListOfItemsSelectsAmongThem(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 1...3 { try item.put(number, into: keychain) }
            let references = try (1...3).map { try keychain.reference(item.query($0)) }
            let all: Entries = [
                "class": item.rawValue, "m_Limit": "m_LimitAll", "r_Data": true,
            ]
            let list: Entries = ["m_ItemList": [references[0], references[2]]]
            #expect(
                keychain.copy(all + list).object as? [Data] == [item.secret(1), item.secret(3)])
            let narrowed = keychain.copy(item.query(3) + list + ["r_Data": true])
            #expect(narrowed.data == item.secret(3))
            #expect(keychain.find(item.query(2) + list) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aListOfReferencesSelectsAmongThem(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let list: Entries = [
                "m_ItemList": [
                    try CertificateSample.anna.reference(), try CertificateSample.root.reference(),
                ]
            ]
            #expect(certificates(keychain, list) == Self.names([.anna, .root]))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aListHasKeysAndIdentities(_ kind: KeychainKind) throws {
        try run(kind) { keychain in
            let keys: Entries = ["class": "keys", "m_Limit": "m_LimitAll", "r_Data": true]
            let anna = try KeySample.anna.reference()
            let one = keychain.copy(keys + ["m_ItemList": [anna]])
            #expect(one.object as? [Data] == [KeySample.anna.privateKey])
            let both = keychain.copy(keys + ["m_ItemList": [anna, KeySample.berta.object]])
            #expect((both.object as? [Data])?.count == 2)
            let absent = try KeySample.other.reference()
            #expect(keychain.find(keys + ["m_ItemList": [absent]]) == errSecItemNotFound)
            let pair = try identity(.anna, .anna)
            #expect(identities(keychain, ["m_ItemList": [pair]]) == Self.names([.anna]))
            let mixed: Entries = ["m_ItemList": [pair, try identity(.berta, .berta), anna]]
            #expect(identities(keychain, mixed) == Self.names([.anna, .berta]))
            #expect(keychain.copy(keys + mixed).array?.count == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aListHasTheOlderReferences(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 1...3 { try item.put(number, into: keychain) }
            // An identity's row is its certificate's.
            let older = try (1...3).map { number in
                let half = item == .identity ? ItemKind.certificate.query(number) : nil
                let row = try keychain.row(half ?? item.query(number)).number
                return PersistentReferenceTests.older(item, row)
            }
            let all: Entries = ["class": item.rawValue, "m_Limit": "m_LimitAll", "r_Data": true]
            let newer = try keychain.reference(item.query(2))
            let nothing = PersistentReferenceTests.older(item, 0)
            let list: Entries = ["m_ItemList": [older[2], newer, nothing]]
            #expect(
                keychain.copy(all + list).object as? [Data] == [item.secret(2), item.secret(3)])
            #expect(keychain.find(item.query(1) + list) == errSecItemNotFound)
            let alone: Entries = ["m_ItemList": [older[0]]]
            #expect(keychain.copy(all + alone).object as? [Data] == [item.secret(1)])
            #expect(keychain.find(all + ["m_ItemList": [nothing]]) == errSecItemNotFound)
        }
    }
}
