// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Synchronization

// Fields and preferences of certificates, identities of the system, symmetric keys.

extension SurfaceCalls {
    var fieldsAndSymmetricKeys: [String: () -> Bool] {
        fields.merging(preferences) { $1 }.merging(symmetricKeys) { $1 }
    }

    private var fields: [String: () -> Bool] {
        [
            "SecCertificateCopyLongDescription": {
                SecCertificateCopyLongDescription(nil, certificate, nil)
                    == SecCertificateCopySubjectSummary(certificate)
            },
            "SecCertificateCopyValues": {
                let keys = [kSecOIDX509V1SubjectName] as CFArray
                return SecCertificateCopyValues(certificate, keys, nil)?.count == 1
            },
        ]
    }

    /// Calls with the certificate and its key in the keychain.
    private func withIdentity(_ body: () -> Bool) -> Bool {
        _ = SecItemAdd([kSecValueRef: identity] as CFDictionary, nil)
        defer { _ = SecItemDelete([kSecValueRef: identity] as CFDictionary) }
        return body()
    }

    private var preferences: [String: () -> Bool] {
        let name = "\(account).example" as CFString
        func preferred() -> Bool {
            SecIdentitySetPreferred(identity, name, nil) == errSecSuccess
                && SecIdentityCopyPreferred(name, nil, nil) == identity
                && SecIdentitySetPreferred(nil, name, nil) == errSecSuccess
                && SecIdentityCopyPreferred(name, nil, nil) == nil
        }
        func preference() -> Bool {
            var found: SecIdentity?
            defer { _ = SecIdentitySetPreferred(nil, name, nil) }
            return unsafe SecIdentitySetPreference(identity, name, 4) == errSecSuccess
                && SecIdentityCopyPreference(name, 4, nil, &found) == errSecSuccess
                && found == identity
        }
        func preferredCertificate() -> Bool {
            SecCertificateSetPreferred(certificate, name, nil) == errSecSuccess
                && SecCertificateCopyPreferred(name, nil) == certificate
                && SecCertificateSetPreferred(nil, name, nil) == errSecSuccess
                && SecCertificateCopyPreferred(name, nil) == nil
        }
        func certificatePreference() -> Bool {
            var found: SecCertificate?
            defer { _ = SecCertificateSetPreferred(nil, name, nil) }
            return unsafe SecCertificateSetPreference(certificate, name, 1, nil) == errSecSuccess
                && SecCertificateCopyPreference(name, 1, &found) == errSecSuccess
                && found == certificate
        }
        func systemIdentity() -> Bool {
            let domain = "\(account).domain" as CFString
            let group = "keychain:machine"
            let halves: [CFDictionary] = [
                [kSecValueRef: certificate, kSecAttrAccessGroup: group] as CFDictionary,
                [kSecValueRef: key, kSecAttrAccessGroup: group] as CFDictionary,
            ]
            for half in halves { _ = SecItemAdd(half, nil) }
            defer { for half in halves { _ = SecItemDelete(half) } }
            var found: SecIdentity?
            var actual: CFString?
            return unsafe SecIdentitySetSystemIdentity(domain, identity) == errSecSuccess
                && SecIdentityCopySystemIdentity(domain, &found, &actual) == errSecSuccess
                && found == identity && actual == domain
                && SecIdentitySetSystemIdentity(domain, nil) == errSecSuccess
                && SecIdentityCopySystemIdentity(domain, &found, nil) == errSecItemNotFound
        }
        let identityCalls = ["SecIdentitySetPreferred", "SecIdentityCopyPreferred"]
        var calls: [String: () -> Bool] = [:]
        for name in identityCalls { calls[name] = { withIdentity(preferred) } }
        for name in ["SecIdentitySetPreference", "SecIdentityCopyPreference"] {
            calls[name] = { withIdentity(preference) }
        }
        for name in ["SecCertificateSetPreferred", "SecCertificateCopyPreferred"] {
            calls[name] = { withIdentity(preferredCertificate) }
        }
        for name in ["SecCertificateSetPreference", "SecCertificateCopyPreference"] {
            calls[name] = { withIdentity(certificatePreference) }
        }
        for name in ["SecIdentitySetSystemIdentity", "SecIdentityCopySystemIdentity"] {
            calls[name] = systemIdentity
        }
        return calls
    }

    private var symmetricKeys: [String: () -> Bool] {
        let none = [:] as CFDictionary
        let bytes = Data(repeating: 7, count: 16)
        func wraps() -> Bool {
            guard let key = SecKeyCreateFromData(none, bytes as CFData, nil),
                let wrapped = SecKeyWrapSymmetric(key, key, none, nil)
            else { return false }
            var object: Unmanaged<CFData>? = unsafe Unmanaged.passRetained(wrapped)
            defer { unsafe object?.release() }
            return unsafe SecKeyUnwrapSymmetric(&object, key, none, nil) == key
        }
        return [
            "SecKeyCreateFromData": {
                SecKeyCreateFromData(none, bytes as CFData, nil).flatMap(externalBytes) == bytes
            },
            "SecKeyGenerateSymmetric": {
                SecKeyGenerateSymmetric(none, nil).flatMap(externalBytes)?.count == 16
            },
            "SecKeyDeriveFromPassword": {
                let parameters = [kSecAttrSalt: bytes, kSecAttrRounds: 1] as CFDictionary
                let key = SecKeyDeriveFromPassword("p" as CFString, parameters, nil)
                return key.flatMap(externalBytes)?.count == 16
            },
            "SecKeyWrapSymmetric": wraps,
            "SecKeyUnwrapSymmetric": wraps,
            "SecKeyGeneratePairAsync": {
                let isPair = Mutex(false)
                let done = DispatchSemaphore(value: 0)
                let queue = DispatchQueue(label: "pairs")
                let parameters = [kSecAttrKeyType: kSecAttrKeyTypeEC] as CFDictionary
                SecKeyGeneratePairAsync(parameters, queue) { one, other, error in
                    let fits =
                        error == nil && one != nil && other.flatMap(SecKeyCopyPublicKey) == one
                    isPair.withLock { $0 = fits }
                    done.signal()
                }
                return done.wait(timeout: .now() + 60) == .success && isPair.withLock { $0 }
            },
        ]
    }
}
