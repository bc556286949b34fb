// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// How many levels of issuers `kSecMatchIssuers` follows. Source of each claim: Apple's SecItem, as
/// observed.
@Suite struct IssuerChainTests {
    /// The name "CN=number", as in a certificate.
    private static func name(_ number: Int) -> Data {
        func tagged(_ tag: UInt8, _ content: Data) -> Data {
            Data([tag, UInt8(content.count)]) + content
        }
        let type = Data([0x06, 0x03, 0x55, 0x04, 0x03])
        let value = tagged(0x30, type + tagged(0x0c, bytes("number \(number)")))
        return tagged(0x30, tagged(0x31, value))
    }

    /// Stores a certificate without data: the chain uses only attributes.
    private func add(_ keychain: ConformanceKeychain, _ subject: Int, issuer: Int) {
        let item: Entries = [
            "class": "cert", "subj": Self.name(subject).dropFirst(2), "issr": Self.name(issuer),
            "slnr": Data([UInt8(subject), UInt8(issuer)]),
        ]
        #expect(keychain.add(item) == errSecSuccess)
    }

    /// Whether a certificate of a subject has an issuer, at any level.
    private func reaches(_ keychain: ConformanceKeychain, _ subject: Int, _ issuers: [Int])
        -> OSStatus
    {
        let names = issuers.map { Self.name($0) }
        return keychain.find([
            "class": "cert", "subj": Self.name(subject).dropFirst(2), "m_Issuers": names,
        ])
    }

    @Test(arguments: KeychainKind.allCases)
    func theChainIsFollowedTenLevels(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 0..<13 { add(keychain, number, issuer: number + 1) }
            // The direct issuer is level 1; with ten certificates in between, the issuer is level
            // 11.
            for issuer in 1...11 {
                #expect(reaches(keychain, 0, [issuer]) == errSecSuccess, "\(issuer)")
            }
            for issuer in [0, 12, 13, 14] {
                #expect(reaches(keychain, 0, [issuer]) == errSecItemNotFound, "\(issuer)")
            }
            #expect(reaches(keychain, 0, [12, 13, 11]) == errSecSuccess)
            #expect(reaches(keychain, 1, [12]) == errSecSuccess)
            #expect(keychain.count(["class": "cert", "m_Issuers": [Self.name(12)]]) == 11)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aLoopEnds(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            add(keychain, 1, issuer: 2)
            add(keychain, 2, issuer: 1)
            add(keychain, 3, issuer: 3)
            for subject in 1...3 {
                #expect(reaches(keychain, subject, [9]) == errSecItemNotFound, "\(subject)")
            }
            for (subject, issuer) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3)] {
                #expect(reaches(keychain, subject, [issuer]) == errSecSuccess)
            }
            #expect(reaches(keychain, 3, [1]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func everyCertificateOfANameLeadsUp(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            add(keychain, 1, issuer: 2)
            // Renewed by another issuer: both paths count.
            add(keychain, 2, issuer: 3)
            add(keychain, 2, issuer: 4)
            add(keychain, 4, issuer: 5)
            for issuer in 2...5 {
                #expect(reaches(keychain, 1, [issuer]) == errSecSuccess, "\(issuer)")
            }
            #expect(reaches(keychain, 1, [1]) == errSecItemNotFound)
        }
    }
}
