// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

/// Calls of every public function: whether it works, or returns that it isn't implemented.
///
/// A closure of `working` returns whether the call had its intended effect. One of `statuses`
/// returns the status of an unimplemented function. One of `refusals` returns whether a function
/// without a status returned nothing, and set the error code `errSecUnimplemented` if it has an
/// error parameter.
struct SurfaceCalls {
    let certificate: SecCertificate
    let key: SecKey
    let publicKey: SecKey
    let rsaKey: SecKey
    let rsaPublicKey: SecKey
    let identity: SecIdentity
    let trust: SecTrust
    let policy = SecPolicyCreateBasicX509()
    /// For the stored item.
    let account: String

    struct Missing: Error {}

    init(account: String = "calls") throws {
        self.account = account
        certificate = try CertificateVector.certificate("p256-issued")
        key = try CertificateVector.privateKey("p256-issued")
        guard let publicKey = SecKeyCopyPublicKey(key),
            let identity = SecIdentityCreate(nil, certificate, key)
        else { throw Missing() }
        self.publicKey = publicKey
        self.identity = identity
        rsaKey = try CertificateVector.privateKey("rsa")
        guard let rsaPublicKey = SecKeyCopyPublicKey(rsaKey) else { throw Missing() }
        self.rsaPublicKey = rsaPublicKey
        var trust: SecTrust?
        _ = unsafe SecTrustCreateWithCertificates(certificate, nil, &trust)
        guard let trust else { throw Missing() }
        self.trust = trust
    }

    private static var text: CFString { "text" as CFString }
    private static var data: CFData { Data("data".utf8) as CFData }
    private static var empty: CFDictionary { [:] as CFDictionary }

    // MARK: - Working

    var working: [String: () -> Bool] {
        items.merging(certificates) { $1 }.merging(keys) { $1 }.merging(olderKeys) { $1 }
            .merging(identitiesAndPolicies) { $1 }.merging(questions) { $1 }
            .merging(tasks) { $1 }.merging(judgements) { $1 }.merging(settings) { $1 }
            .merging(fieldsAndSymmetricKeys) { $1 }.merging(files) { $1 }
    }

    private var items: [String: () -> Bool] {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "surface",
            kSecAttrAccount: account,
        ]
        func status(_ call: (CFDictionary) -> OSStatus, _ extra: [CFString: Any] = [:]) -> Bool {
            call(item.merging(extra) { $1 } as CFDictionary) == errSecSuccess
        }
        let add: () -> Bool = {
            _ = SecItemDelete(item as CFDictionary)
            return status({ SecItemAdd($0, nil) }, [kSecValueData: Data([1])])
        }
        return [
            "SecCopyErrorMessageString": {
                SecCopyErrorMessageString(errSecItemNotFound, nil) != nil
            },
            "SecItemAdd": { add() },
            "SecItemCopyMatching": {
                add() && status({ SecItemCopyMatching($0, nil) })
            },
            "SecItemUpdate": {
                add() && status({ SecItemUpdate($0, [kSecAttrLabel: "x"] as CFDictionary) })
            },
            "SecItemDelete": { add() && status({ SecItemDelete($0) }) },
            "SecAccessControlCreateWithFlags": {
                SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlocked, .privateKeyUsage, nil) != nil
            },
            "SecAccessControlGetTypeID": { SecAccessControlGetTypeID() != 0 },
            "SecRandomCopyBytes": {
                var bytes = [UInt8](repeating: 0, count: 32)
                let status = unsafe SecRandomCopyBytes(kSecRandomDefault, 32, &bytes)
                return status == errSecSuccess && Set(bytes).count > 1
            },
        ]
    }

    /// This program isn't signed: the result has no value, and no error.
    private var tasks: [String: () -> Bool] {
        guard let task = SecTaskCreateFromSelf(nil) else { return [:] }
        let name = "application-identifier" as CFString
        return [
            "SecTaskCreateFromSelf": { SecTaskCreateFromSelf(nil) != nil },
            "SecTaskGetTypeID": { CFGetTypeID(task) == SecTaskGetTypeID() },
            "SecTaskCopyValueForEntitlement": {
                var error: Unmanaged<CFError>?
                return unsafe SecTaskCopyValueForEntitlement(task, name, &error) == nil
                    && error == nil
            },
            "SecTaskCopyValuesForEntitlements": {
                SecTaskCopyValuesForEntitlements(task, [name] as CFArray, nil)?.count == 0
                    && SecTaskCopyValuesForEntitlements(task, [1] as CFArray, nil) == nil
            },
            "SecTaskCopySigningIdentifier": {
                var error: Unmanaged<CFError>?
                return unsafe SecTaskCopySigningIdentifier(task, &error) == nil && error == nil
            },
        ]
    }

    private var certificates: [String: () -> Bool] {
        [
            "SecCertificateCreateWithData": {
                SecCertificateCreateWithData(nil, SecCertificateCopyData(certificate)) != nil
            },
            "SecCertificateCopyData": { SecCertificateCopyData(certificate).length > 100 },
            "SecCertificateGetTypeID": { CFGetTypeID(certificate) == SecCertificateGetTypeID() },
            "SecCertificateCopySubjectSummary": {
                SecCertificateCopySubjectSummary(certificate) != nil
            },
            "SecCertificateCopyShortDescription": {
                SecCertificateCopyShortDescription(nil, certificate, nil) != nil
            },
            "SecCertificateCopyCommonName": {
                var name: CFString?
                return unsafe SecCertificateCopyCommonName(certificate, &name) == errSecSuccess
                    && name != nil
            },
            "SecCertificateCopyEmailAddresses": {
                var list: CFArray?
                return unsafe SecCertificateCopyEmailAddresses(certificate, &list)
                    == errSecSuccess && list != nil
            },
            "SecCertificateCopyKey": { SecCertificateCopyKey(certificate) == publicKey },
            "SecCertificateCopyPublicKey": {
                var found: SecKey?
                return unsafe SecCertificateCopyPublicKey(certificate, &found) == errSecSuccess
                    && found == publicKey
            },
            "SecCertificateCopyNormalizedIssuerContent": {
                SecCertificateCopyNormalizedIssuerContent(certificate, nil) != nil
            },
            "SecCertificateCopyNormalizedSubjectContent": {
                SecCertificateCopyNormalizedSubjectContent(certificate, nil) != nil
            },
            "SecCertificateCopyNormalizedIssuerSequence": {
                SecCertificateCopyNormalizedIssuerSequence(certificate) != nil
            },
            "SecCertificateCopyNormalizedSubjectSequence": {
                SecCertificateCopyNormalizedSubjectSequence(certificate) != nil
            },
            "SecCertificateCopyNotValidBeforeDate": {
                SecCertificateCopyNotValidBeforeDate(certificate) != nil
            },
            "SecCertificateCopyNotValidAfterDate": {
                SecCertificateCopyNotValidAfterDate(certificate) != nil
            },
            "SecCertificateCopySerialNumber": {
                SecCertificateCopySerialNumber(certificate, nil) != nil
            },
            "SecCertificateCopySerialNumberData": {
                SecCertificateCopySerialNumberData(certificate, nil) != nil
            },
            "SecCertificateAddToKeychain": {
                let status = SecCertificateAddToKeychain(certificate, nil)
                _ = SecItemDelete([kSecValueRef: certificate] as CFDictionary)
                return status == errSecSuccess
            },
        ]
    }

    private var keys: [String: () -> Bool] {
        let made = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256] as CFDictionary
        let ecies = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM
        func signature() -> CFData {
            SecKeyCreateSignature(
                key, .ecdsaSignatureMessageX962SHA256, Self.data, nil) ?? CFData()
        }
        return [
            "SecKeyGetTypeID": { CFGetTypeID(key) == SecKeyGetTypeID() },
            "SecKeyGetBlockSize": { SecKeyGetBlockSize(key) == 32 },
            "SecKeyCopyAttributes": { SecKeyCopyAttributes(key) != nil },
            "SecKeyCopyPublicKey": { SecKeyCopyPublicKey(key) == publicKey },
            "SecKeyCopyExternalRepresentation": { externalBytes(key) != nil },
            "SecKeyCreateWithData": {
                externalBytes(key).flatMap {
                    makeKey($0, kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate)
                } == key
            },
            "SecKeyCreateRandomKey": { SecKeyCreateRandomKey(made, nil) != nil },
            "SecKeyGeneratePair": {
                var (one, other): (SecKey?, SecKey?)
                return unsafe SecKeyGeneratePair(made, &one, &other) == errSecSuccess
                    && one != nil && other != nil
            },
            "SecKeyIsAlgorithmSupported": {
                SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256)
            },
            "SecKeyCreateSignature": { signature().length > 60 },
            "SecKeyVerifySignature": {
                SecKeyVerifySignature(
                    publicKey, .ecdsaSignatureMessageX962SHA256, Self.data, signature(), nil)
            },
            "SecKeyCreateEncryptedData": {
                SecKeyCreateEncryptedData(publicKey, ecies, Self.data, nil) != nil
            },
            "SecKeyCreateDecryptedData": {
                let box = SecKeyCreateEncryptedData(publicKey, ecies, Self.data, nil)
                return box.flatMap {
                    SecKeyCreateDecryptedData(key, ecies, $0, nil)
                } == Self.data
            },
            "SecKeyCopyKeyExchangeResult": {
                SecKeyCopyKeyExchangeResult(
                    key, .ecdhKeyExchangeStandard, publicKey, Self.empty, nil) != nil
            },
        ]
    }

    private var olderKeys: [String: () -> Bool] {
        let digest = [UInt8](repeating: 3, count: 32)
        func signed() -> [UInt8] {
            var signature = [UInt8](repeating: 0, count: 80)
            var count = 80
            _ = unsafe SecKeyRawSign(key, .PKCS1, digest, 32, &signature, &count)
            return [UInt8](signature.prefix(count))
        }
        func encrypted() -> [UInt8] {
            var block = [UInt8](repeating: 0, count: 512)
            var count = 512
            let status = unsafe SecKeyEncrypt(rsaPublicKey, .OAEP, digest, 32, &block, &count)
            return status == errSecSuccess ? [UInt8](block.prefix(count)) : []
        }
        return [
            "SecKeyRawSign": { signed().count > 60 },
            "SecKeyRawVerify": {
                let signature = signed()
                return unsafe SecKeyRawVerify(
                    publicKey, .PKCS1, digest, 32, signature, signature.count) == errSecSuccess
            },
            "SecKeyEncrypt": { !encrypted().isEmpty },
            "SecKeyDecrypt": {
                let block = encrypted()
                var plain = [UInt8](repeating: 0, count: 512)
                var count = 512
                return unsafe SecKeyDecrypt(rsaKey, .OAEP, block, block.count, &plain, &count)
                    == errSecSuccess && plain.prefix(count).elementsEqual(digest)
            },
        ]
    }

    private var identitiesAndPolicies: [String: () -> Bool] {
        [
            "SecIdentityGetTypeID": { CFGetTypeID(identity) == SecIdentityGetTypeID() },
            "SecIdentityCreate": { SecIdentityCreate(nil, certificate, key) == identity },
            "SecIdentityCopyCertificate": {
                var found: SecCertificate?
                return unsafe SecIdentityCopyCertificate(identity, &found) == errSecSuccess
                    && found == certificate
            },
            "SecIdentityCopyPrivateKey": {
                var found: SecKey?
                return unsafe SecIdentityCopyPrivateKey(identity, &found) == errSecSuccess
                    && found == key
            },
            "SecIdentityCreateWithCertificate": {
                let item = [kSecValueRef: key] as CFDictionary
                _ = SecItemAdd(item, nil)
                defer { _ = SecItemDelete(item) }
                var found: SecIdentity?
                return unsafe SecIdentityCreateWithCertificate(nil, certificate, &found)
                    == errSecSuccess && found == identity
            },
            "SecPolicyGetTypeID": { CFGetTypeID(policy) == SecPolicyGetTypeID() },
            "SecPolicyCreateBasicX509": { SecPolicyCreateBasicX509() == policy },
            "SecPolicyCreateSSL": { SecPolicyCreateSSL(true, Self.text) != policy },
            "SecPolicyCreateRevocation": {
                SecPolicyCreateRevocation(kSecRevocationOCSPMethod) != nil
                    && SecPolicyCreateRevocation(0) == nil
            },
            "SecPolicyCreateWithOID": {
                SecPolicyCreateWithOID(kSecPolicyAppleX509Basic) == policy
            },
            "SecPolicyCreateWithProperties": {
                SecPolicyCreateWithProperties(
                    kSecPolicyAppleSSL, [kSecPolicyName: "text"] as CFDictionary)
                    == SecPolicyCreateSSL(true, Self.text)
                    && SecPolicyCreateWithProperties(Self.text, nil) == nil
            },
            "SecPolicyCopyProperties": {
                let found = SecPolicyCopyProperties(policy) as? [String: Any]
                return found?[kSecPolicyOid as String] as? String
                    == kSecPolicyAppleX509Basic as String
            },
        ]
    }

    /// The parts of a trust object.
    private var questions: [String: () -> Bool] {
        [
            "SecTrustGetTypeID": { CFGetTypeID(trust) == SecTrustGetTypeID() },
            "SecTrustCreateWithCertificates": {
                var found: SecTrust?
                return unsafe SecTrustCreateWithCertificates(
                    [certificate] as CFArray, policy, &found) == errSecSuccess && found != nil
                    && SecTrustCreateWithCertificates(Self.text, nil, &found) == errSecParam
            },
            "SecTrustSetPolicies": {
                SecTrustSetPolicies(trust, [policy] as CFArray) == errSecSuccess
                    && SecTrustSetPolicies(trust, certificate) == errSecParam
            },
            "SecTrustCopyPolicies": {
                var found: CFArray?
                return unsafe SecTrustCopyPolicies(trust, &found) == errSecSuccess
                    && (found as? [SecPolicy])?.count == 1
            },
            "SecTrustSetNetworkFetchAllowed": {
                SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess
            },
            "SecTrustGetNetworkFetchAllowed": {
                var isAllowed: DarwinBoolean = true
                SecTrustSetNetworkFetchAllowed(trust, false)
                return unsafe SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess
                    && !isAllowed.boolValue
            },
            "SecTrustSetAnchorCertificates": {
                SecTrustSetAnchorCertificates(trust, [certificate] as CFArray) == errSecSuccess
            },
            "SecTrustSetAnchorCertificatesOnly": {
                SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
            },
            "SecTrustCopyCustomAnchorCertificates": {
                var found: CFArray?
                SecTrustSetAnchorCertificates(trust, [certificate] as CFArray)
                return unsafe SecTrustCopyCustomAnchorCertificates(trust, &found) == errSecSuccess
                    && (found as? [SecCertificate]) == [certificate]
            },
            "SecTrustSetVerifyDate": {
                SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: 1))
                    == errSecSuccess
            },
            "SecTrustGetVerifyTime": {
                SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: 7))
                    == errSecSuccess && SecTrustGetVerifyTime(trust) == 7
            },
            "SecTrustCopyKey": { SecTrustCopyKey(trust) == publicKey },
            "SecTrustCopyPublicKey": { SecTrustCopyPublicKey(trust) == publicKey },
        ]
    }
}
