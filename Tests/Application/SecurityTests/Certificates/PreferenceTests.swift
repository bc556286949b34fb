// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Preferred identities and certificates, and identities of the system.
@Suite(.serialized) struct PreferenceTests {
    private let identity: SecIdentity
    private let certificate: SecCertificate
    private let key: SecKey

    init() throws {
        _ = try EphemeralKeychain.shared.get()
        // Another certificate than those of tests that run beside this suite.
        certificate = try CertificateVector.certificate("p384-units")
        key = try CertificateVector.privateKey("p384-units")
        identity = try #require(SecIdentityCreate(nil, certificate, key))
    }

    private func stored(_ body: () throws -> Void) rethrows {
        _ = SecItemAdd([kSecValueRef: identity] as CFDictionary, nil)
        defer { _ = SecItemDelete([kSecValueRef: identity] as CFDictionary) }
        try body()
    }

    private func set(_ name: String, _ uses: [CFString]? = nil) -> OSStatus {
        SecIdentitySetPreferred(identity, name as CFString, uses as CFArray?)
    }

    private func clear(_ name: String) {
        #expect(SecIdentitySetPreferred(nil, name as CFString, nil) == errSecSuccess)
    }

    private func found(_ name: String, _ uses: [CFString]? = nil) -> Bool {
        SecIdentityCopyPreferred(name as CFString, uses as CFArray?, nil) == identity
    }

    private func status(_ name: String, _ use: CSSM_KEYUSE) -> OSStatus {
        var result: SecIdentity?
        return unsafe SecIdentityCopyPreference(name as CFString, use, nil, &result)
    }

    @Test func anItemHasApplesAttributes() throws {
        try stored {
            let name = "https://attributes.example/"
            defer { clear(name) }
            #expect(set(name, [kSecAttrCanSign, kSecAttrCanEncrypt]) == errSecSuccess)
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: name,
                kSecReturnAttributes: true,
            ]
            var result: CFTypeRef?
            unsafe #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            let item = try #require(result as? [String: Any])
            // `iprf`, `aapl`; sign and encrypt.
            #expect(item["type"] as? Int == 0x6970_7266)
            #expect(item["crtr"] as? Int == 0x6161_706c)
            #expect(item["scrp"] as? Int == 5)
            #expect(item["labl"] as? String == name)
            let summary = try #require(SecCertificateCopySubjectSummary(certificate)) as String
            #expect(item["acct"] as? String == "\(summary) [key usage 0x5] ")
            let reference = try #require(item["gena"] as? Data)
            let byReference: [CFString: Any] = [
                kSecValuePersistentRef: reference, kSecReturnRef: true,
            ]
            unsafe #expect(
                SecItemCopyMatching(byReference as CFDictionary, &result) == errSecSuccess)
            #expect(result as? SecCertificate == certificate)
        }
    }

    @Test func theUseIsTakenFirstThenAnyThenNone() {
        stored {
            let name = "uses.example"
            defer { clear(name) }
            #expect(!found(name) && !found(name, [kSecAttrCanSign]))
            #expect(set(name, [kSecAttrCanSign]) == errSecSuccess)
            // The last attempt is without a constraint, and then each preference fits.
            #expect(found(name, [kSecAttrCanSign]) && found(name, [kSecAttrCanDecrypt]))
            #expect(found(name))
            #expect(status(name, 4) == errSecSuccess)
            #expect(status(name, 2) == errSecItemNotFound)
            #expect(set(name) == errSecSuccess)
            #expect(found(name, [kSecAttrCanDecrypt]))
            #expect(status(name, 2) == errSecItemNotFound)
            #expect(
                SecIdentitySetPreferred(nil, name as CFString, [kSecAttrCanSign] as CFArray)
                    == errSecSuccess)
            #expect(status(name, 4) == errSecItemNotFound)
        }
    }

    /// Source: the man page of `security set-identity-preference` and Apple's SecIdentity.
    @Test func aURLMatchesFoldersHostsAndDomains() {
        stored {
            let url = "https://www.sub.urls.example:8443/one/two?query=/"
            let names = [
                "https://www.sub.urls.example:8443/one/two",
                "https://www.sub.urls.example:8443/one/", "https://www.sub.urls.example:8443/",
                "www.sub.urls.example", "*.sub.urls.example", "*.urls.example", "*.example",
            ]
            for name in names {
                #expect(!found(url))
                #expect(set(name) == errSecSuccess)
                #expect(found(url), "\(name)")
                clear(name)
            }
            for name in [
                "https://www.sub.urls.example:8443/one", "https://www.sub.urls.example:8443/two/",
                "*.www.sub.urls.example", "urls.example", "http://www.sub.urls.example:8443/",
            ] {
                #expect(set(name) == errSecSuccess)
                #expect(!found(url), "\(name)")
                clear(name)
            }
            // What is no URL matches exactly.
            #expect(set("*.example") == errSecSuccess)
            #expect(!found("www.urls.example") && !found("user@mail.example"))
            clear("*.example")
        }
    }

    @Test func aPreferenceOfADeletedIdentityIsNotFound() {
        let name = "deleted.example"
        defer { clear(name) }
        #expect(set(name) == errSecInvalidItemRef)
        stored {
            #expect(set(name) == errSecSuccess)
            #expect(found(name))
        }
        #expect(!found(name))
        #expect(status(name, 0) == errSecItemNotFound)
        // Another one takes its place.
        stored {
            #expect(set(name) == errSecSuccess)
            #expect(found(name))
        }
    }

    @Test func settingAgainUpdatesTheItem() {
        stored {
            let name = "again.example"
            defer { clear(name) }
            for _ in 0..<3 { #expect(set(name) == errSecSuccess) }
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: name,
                kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
            ]
            var result: CFTypeRef?
            unsafe #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            #expect((result as? [Any])?.count == 1)
            // A certificate's preference is another item, and not the identity's.
            let cfName = name as CFString
            #expect(SecCertificateSetPreferred(certificate, cfName, nil) == errSecSuccess)
            #expect(SecCertificateCopyPreferred(cfName, nil) == certificate)
            clear(name)
            #expect(!found(name))
            #expect(SecCertificateCopyPreferred(cfName, nil) == certificate)
            #expect(SecCertificateSetPreferred(nil, cfName, nil) == errSecSuccess)
            #expect(SecCertificateCopyPreferred(cfName, nil) == nil)
        }
    }

    @Test func anEmptyNameIsRefused() {
        #expect(set("") == errSecParam)
        #expect(status("", 0) == errSecParam)
        #expect(SecIdentityCopyPreferred("" as CFString, nil, nil) == nil)
        #expect(SecCertificateSetPreference(certificate, "" as CFString, 0, nil) == errSecParam)
    }

    // MARK: - The system

    private static let group = "keychain:machine"

    private func inSystemKeychain(_ body: () -> Void) {
        let halves: [CFDictionary] = [
            [kSecValueRef: certificate, kSecAttrAccessGroup: Self.group] as CFDictionary,
            [kSecValueRef: key, kSecAttrAccessGroup: Self.group] as CFDictionary,
        ]
        for half in halves { #expect(SecItemAdd(half, nil) == errSecSuccess) }
        defer { for half in halves { #expect(SecItemDelete(half) == errSecSuccess) } }
        body()
    }

    private func system(_ domain: CFString) -> (OSStatus, SecIdentity?, String?) {
        var (found, actual): (SecIdentity?, CFString?)
        let status = unsafe SecIdentityCopySystemIdentity(domain, &found, &actual)
        return (status, found, actual as String?)
    }

    @Test func aDomainHasItsIdentityOrTheDefaultOnes() {
        let domain = "com.example.domain" as CFString
        #expect(system(domain).0 == errSecItemNotFound)
        inSystemKeychain {
            #expect(SecIdentitySetSystemIdentity(domain, identity) == errSecSuccess)
            let own = system(domain)
            #expect(own == (errSecSuccess, identity, domain as String))
            #expect(system(kSecIdentityDomainKerberosKDC).0 == errSecItemNotFound)
            #expect(
                SecIdentitySetSystemIdentity(kSecIdentityDomainDefault, identity) == errSecSuccess)
            let other = system(kSecIdentityDomainKerberosKDC)
            #expect(other == (errSecSuccess, identity, kSecIdentityDomainDefault as String))
            for domain in [domain, kSecIdentityDomainDefault, domain] {
                #expect(SecIdentitySetSystemIdentity(domain, nil) == errSecSuccess)
            }
            #expect(system(domain).0 == errSecItemNotFound)
        }
    }

    @Test func anIdentityThatIsNotInTheSystemKeychainIsNotFound() {
        let domain = "com.example.elsewhere" as CFString
        stored {
            #expect(SecIdentitySetSystemIdentity(domain, identity) == errSecSuccess)
            #expect(system(domain).0 == errSecItemNotFound)
            #expect(SecIdentitySetSystemIdentity(domain, nil) == errSecSuccess)
        }
    }

    /// Source: Apple's SecIdentity.h.
    @Test func theDomainsHaveApplesNames() {
        #expect(kSecIdentityDomainDefault as String == "com.apple.systemdefault")
        #expect(kSecIdentityDomainKerberosKDC as String == "com.apple.kerberos.kdc")
    }
}
