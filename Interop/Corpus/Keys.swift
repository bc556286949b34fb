// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

nonisolated(unsafe) let keysAndSignatures: [Program] = [
    (
        "make, sign, verify",
        {
            let key = try makeKey(kSecAttrKeyTypeECSECPrimeRandom, 256)
            let publicKey = try unwrap(SecKeyCopyPublicKey(key))
            let message = Data("message".utf8)
            var error: Unmanaged<CFError>?
            guard
                let signature = SecKeyCreateSignature(
                    key, .ecdsaSignatureMessageX962SHA256, message as CFData, &error) as Data?
            else { throw error!.takeRetainedValue() as Error }
            try check(
                SecKeyVerifySignature(
                    publicKey, .ecdsaSignatureMessageX962SHA256, message as CFData,
                    signature as CFData, &error))
        }
    ),
    (
        "a wrong signature",
        {
            let key = try makeKey(kSecAttrKeyTypeEC, 256)
            var error: Unmanaged<CFError>?
            let data = Data([1, 2, 3]) as CFData
            try check(
                !SecKeyVerifySignature(
                    try unwrap(SecKeyCopyPublicKey(key)), .ecdsaSignatureMessageX962SHA256, data,
                    data, &error))
            try check(CFErrorGetCode(error?.takeRetainedValue()) == Int(errSecVerifyFailed))
        }
    ),
    (
        "supported before use",
        {
            let key = try makeKey(kSecAttrKeyTypeEC, 384)
            let algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA384
            guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else {
                throw Failure(line: #line)
            }
            try check(!SecKeyIsAlgorithmSupported(key, .encrypt, .rsaEncryptionOAEPSHA256))
        }
    ),
    (
        "rsa signature",
        {
            let key = try makeKey(kSecAttrKeyTypeRSA, 2048)
            let signature = SecKeyCreateSignature(
                key, .rsaSignatureMessagePKCS1v15SHA256, Data([1]) as CFData, nil)
            try check(CFDataGetLength(signature) == SecKeyGetBlockSize(key))
        }
    ),
    (
        "rsa encryption",
        {
            let key = try makeKey(kSecAttrKeyTypeRSA, 2048)
            let publicKey = try unwrap(SecKeyCopyPublicKey(key))
            let text = Data("text".utf8)
            let sealed = try unwrap(
                SecKeyCreateEncryptedData(publicKey, .rsaEncryptionOAEPSHA256, text as CFData, nil))
            try check(
                SecKeyCreateDecryptedData(key, .rsaEncryptionOAEPSHA256, sealed, nil) as Data?
                    == text)
        }
    ),
    (
        "ecies",
        {
            let key = try makeKey(kSecAttrKeyTypeEC, 256)
            let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
            let publicKey = try unwrap(SecKeyCopyPublicKey(key))
            let sealed = try unwrap(
                SecKeyCreateEncryptedData(publicKey, algorithm, Data([1, 2]) as CFData, nil))
            try check(
                SecKeyCreateDecryptedData(key, algorithm, sealed, nil)! as Data == Data([1, 2]))
        }
    ),
    (
        "key agreement",
        {
            let (one, two) = (
                try makeKey(kSecAttrKeyTypeEC, 256), try makeKey(kSecAttrKeyTypeEC, 256)
            )
            let parameters =
                [SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32] as CFDictionary
            let algorithm = SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA256
            let mine =
                SecKeyCopyKeyExchangeResult(
                    one, algorithm, SecKeyCopyPublicKey(two)!, parameters, nil) as Data?
            let theirs =
                SecKeyCopyKeyExchangeResult(
                    two, algorithm, SecKeyCopyPublicKey(one)!, parameters, nil) as Data?
            try check(mine?.count == 32 && mine == theirs)
        }
    ),
    (
        "export and import",
        {
            let key = try makeKey(kSecAttrKeyTypeEC, 256)
            let data = try unwrap(SecKeyCopyExternalRepresentation(key, nil) as Data?)
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
                kSecAttrKeySizeInBits as String: 256,
            ]
            try check(SecKeyCreateWithData(data as CFData, attributes as CFDictionary, nil) == key)
        }
    ),
    (
        "bad key data",
        {
            var error: Unmanaged<CFError>?
            let attributes = [
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
            ]
            try check(
                SecKeyCreateWithData(Data([1]) as CFData, attributes as CFDictionary, &error) == nil
            )
            try check((error!.takeRetainedValue() as Error as NSError).code == Int(errSecParam))
        }
    ),
    (
        "attributes of a key",
        {
            let key = try makeKey(kSecAttrKeyTypeEC, 521)
            let attributes = try unwrap(SecKeyCopyAttributes(key) as? [CFString: Any])
            try check(attributes[kSecAttrKeySizeInBits] as? Int == 521)
            try check(
                attributes[kSecAttrKeyType] as? String == kSecAttrKeyTypeECSECPrimeRandom as String)
        }
    ),
    (
        "permanent key by tag",
        {
            let tag = "corpus.k11".data(using: .utf8)!
            SecItemDelete([kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] as CFDictionary)
            let parameters: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeySizeInBits as String: 256,
                kSecPrivateKeyAttrs as String: [
                    kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
                ] as [String: Any],
            ]
            let key = try unwrap(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
            var result: CFTypeRef?
            let query =
                [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag, kSecReturnRef: true]
                as CFDictionary
            try check(SecItemCopyMatching(query, &result) == errSecSuccess)
            try check((result as! SecKey) == key)
        }
    ),
    (
        "a key by its reference",
        {
            let key = try makeKey(kSecAttrKeyTypeEC, 256)
            try check(SecItemAdd([kSecValueRef: key] as CFDictionary, nil) == errSecSuccess)
            try check(
                SecItemDelete([kSecClass: kSecClassKey, kSecValueRef: key] as CFDictionary)
                    == errSecSuccess)
        }
    ),
    (
        "generate a pair",
        {
            var (publicKey, privateKey): (SecKey?, SecKey?)
            let parameters =
                [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048] as CFDictionary
            try check(SecKeyGeneratePair(parameters, &publicKey, &privateKey) == errSecSuccess)
            try check(publicKey != nil && privateKey != nil)
        }
    ),
    (
        "raw signature",
        {
            let key = try makeKey(kSecAttrKeyTypeRSA, 2048)
            let digest = [UInt8](repeating: 1, count: 32)
            var signature = [UInt8](repeating: 0, count: SecKeyGetBlockSize(key))
            var length = signature.count
            try check(
                SecKeyRawSign(key, .PKCS1SHA256, digest, digest.count, &signature, &length)
                    == errSecSuccess)
            try check(
                SecKeyRawVerify(
                    try unwrap(SecKeyCopyPublicKey(key)), .PKCS1SHA256, digest, 32, signature,
                    length) == noErr)
        }
    ),
    (
        "key in the secure enclave",
        {
            let access = try unwrap(
                SecAccessControlCreateWithFlags(
                    kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                    [.privateKeyUsage], nil))
            let attributes: NSDictionary = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecPrivateKeyAttrs: [
                    kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data("corpus.k15".utf8),
                    kSecAttrAccessControl: access,
                ] as [CFString: Any],
            ]
            SecItemDelete(
                [kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("corpus.k15".utf8)]
                    as CFDictionary)
            var error: Unmanaged<CFError>?
            guard let key = SecKeyCreateRandomKey(attributes, &error) else {
                throw error!.takeRetainedValue() as Error
            }
            let signature = SecKeyCreateSignature(
                key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, &error)
            try check(
                SecKeyVerifySignature(
                    try unwrap(SecKeyCopyPublicKey(key)), .ecdsaSignatureMessageX962SHA256,
                    Data([1]) as CFData,
                    try unwrap(signature), nil))
            try check(SecKeyCopyExternalRepresentation(key, nil) == nil)
        }
    ),
    (
        "random bytes",
        {
            var bytes = [UInt8](repeating: 0, count: 16)
            try check(SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess)
            var data = Data(count: 32)
            let status = data.withUnsafeMutableBytes {
                SecRandomCopyBytes(kSecRandomDefault, 32, $0.baseAddress!)
            }
            try check(status == errSecSuccess && Set(data).count > 1)
        }
    ),
]

func makeKey(_ type: CFString, _ bits: Int) throws -> SecKey {
    var error: Unmanaged<CFError>?
    let attributes: [String: Any] = [
        kSecAttrKeyType as String: type, kSecAttrKeySizeInBits as String: bits,
    ]
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
        throw error!.takeRetainedValue() as Error
    }
    return key
}
