// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The results of `SecKeyIsAlgorithmSupported` for either half of a key pair.
///
/// Source: Apple's published SecKey, which reduces an algorithm to the operation of the key itself.
/// RSA keys of both halves raise to their exponent. A signature is verified by that ("decrypting"
/// it) and a look at the padding. So for a private RSA key the function returns that it verifies
/// (Apple's test si-40-seckey asserts it). For a public one it returns that it decrypts PKCS #1 and
/// OAEP (the same test in its version for iOS, and `kSecAttrCanDecrypt` of the key's attributes).
/// RSA with AES-GCM and ECIES check the half first (si-44-seckey-ies), and keys on curves don't
/// support the other half's operation (si-41-sececkey).
@Suite struct AlgorithmSupportTests {
    private struct Row {
        let algorithms: [SecKeyAlgorithm]
        let operation: SecKeyOperationType
        let ofPrivate: Bool
        let ofPublic: Bool
    }

    private static let signaturesByRSA =
        KeyOperationTests.rsaSignatures.map(\.0) + [
            .rsaSignatureRaw, .rsaSignatureDigestPKCS1v15Raw,
        ]
    private static let signaturesOnCurves = KeyOperationTests.ecdsa.map(\.0)
    private static let blocks: [SecKeyAlgorithm] = [
        .rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA1, .rsaEncryptionOAEPSHA224,
        .rsaEncryptionOAEPSHA256, .rsaEncryptionOAEPSHA384, .rsaEncryptionOAEPSHA512,
        .rsaEncryptionRaw,
    ]
    private static let blocksAndText: [SecKeyAlgorithm] = [
        .rsaEncryptionOAEPSHA1AESGCM, .rsaEncryptionOAEPSHA224AESGCM,
        .rsaEncryptionOAEPSHA256AESGCM, .rsaEncryptionOAEPSHA384AESGCM,
        .rsaEncryptionOAEPSHA512AESGCM,
    ]
    private static let agreements: [SecKeyAlgorithm] = [
        .ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor, .ecdhKeyExchangeStandardX963SHA1,
        .ecdhKeyExchangeCofactorX963SHA224, .ecdhKeyExchangeCofactorX963SHA256,
        .ecdhKeyExchangeStandardX963SHA512,
    ]

    private static func row(
        _ algorithms: [SecKeyAlgorithm], _ operation: SecKeyOperationType, ofPrivate: Bool,
        ofPublic: Bool
    ) -> Row {
        Row(
            algorithms: algorithms, operation: operation, ofPrivate: ofPrivate, ofPublic: ofPublic)
    }

    private static let ofRSA: [Row] = [
        row(signaturesByRSA, .sign, ofPrivate: true, ofPublic: false),
        row(signaturesByRSA, .verify, ofPrivate: true, ofPublic: true),
        row(blocks, .encrypt, ofPrivate: false, ofPublic: true),
        row(blocks, .decrypt, ofPrivate: true, ofPublic: true),
        row(blocksAndText, .encrypt, ofPrivate: false, ofPublic: true),
        row(blocksAndText, .decrypt, ofPrivate: true, ofPublic: false),
    ]
    private static let onCurves: [Row] = [
        row(signaturesOnCurves, .sign, ofPrivate: true, ofPublic: false),
        row(signaturesOnCurves, .verify, ofPrivate: false, ofPublic: true),
        row(KeyOperationTests.ecies, .encrypt, ofPrivate: false, ofPublic: true),
        row(KeyOperationTests.ecies, .decrypt, ofPrivate: true, ofPublic: false),
        row(agreements, .keyExchange, ofPrivate: true, ofPublic: false),
    ]
    private static let operations: [SecKeyOperationType] = [
        .sign, .verify, .encrypt, .decrypt, .keyExchange,
    ]

    private func check(_ key: SecKey, _ rows: [Row], _ others: [Row]) throws {
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        for row in rows {
            for algorithm in row.algorithms {
                let name = Comment("\(row.operation) \(algorithm.rawValue)")
                #expect(
                    SecKeyIsAlgorithmSupported(key, row.operation, algorithm) == row.ofPrivate, name
                )
                #expect(
                    SecKeyIsAlgorithmSupported(publicKey, row.operation, algorithm)
                        == row.ofPublic, name)
            }
        }
        // Only the operations in the table, and none of the other kind of key.
        let known = Set(rows.flatMap { row in row.algorithms.map { [row.operation.rawValue: $0] } })
        for algorithm in Set((rows + others).flatMap(\.algorithms)) {
            for operation in Self.operations where !known.contains([operation.rawValue: algorithm])
            {
                for half in [key, publicKey] {
                    #expect(!SecKeyIsAlgorithmSupported(half, operation, algorithm))
                }
            }
        }
    }

    @Test func anRSAKeyAnswersAsApples() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeRSA, 2048)
        try check(key, Self.ofRSA, Self.onCurves)
    }

    @Test(arguments: KeyOperationTests.curveBitCounts)
    func aKeyOnACurveAnswersAsApples(_ bitCount: Int) throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, bitCount)
        try check(key, Self.onCurves, Self.ofRSA)
    }

    /// A key of 1024 bits has no room for two digests of 64 bytes and two bytes, so it can't sign
    /// with them. For verification the size isn't checked.
    @Test func theSmallestKeyDoesNotSignWithTheLargestPadding() throws {
        let message = try #require(KnownMessage.all.first { $0.bits == 1024 })
        let key = try #require(message.key)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let algorithm = SecKeyAlgorithm.rsaSignatureMessagePSSSHA512
        #expect(!SecKeyIsAlgorithmSupported(key, .sign, algorithm))
        #expect(SecKeyIsAlgorithmSupported(key, .sign, .rsaSignatureMessagePSSSHA384))
        #expect(SecKeyIsAlgorithmSupported(publicKey, .verify, algorithm))
        var error: Unmanaged<CFError>?
        unsafe #expect(
            !SecKeyVerifySignature(
                publicKey, algorithm, Data() as CFData, Data(count: 128) as CFData, &error))
        unsafe #expect(error?.takeRetainedValue().code == Int(errSecVerifyFailed))
    }

    /// The reported support isn't the ability: a private RSA key verifies no signature, neither its
    /// own nor one made with the public half, and a public one decrypts nothing.
    @Test func theWrongHalfOfAnRSAKeyVerifiesAndOpensNothing() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeRSA, 2048)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let message = Data("message".utf8)
        let algorithm = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256
        let signature = try #require(
            SecKeyCreateSignature(key, algorithm, message as CFData, nil) as Data?)
        let block = try #require(
            SecKeyCreateEncryptedData(publicKey, .rsaEncryptionPKCS1, message as CFData, nil)
                as Data?)
        #expect(isValid(publicKey, algorithm, message, signature))
        for bytes in [signature, block, Data(), Data(count: 256)] {
            var error: Unmanaged<CFError>?
            unsafe #expect(
                !SecKeyVerifySignature(key, algorithm, message as CFData, bytes as CFData, &error))
            unsafe #expect(error?.takeRetainedValue().code == Int(errSecVerifyFailed))
            for padding in Self.blocks {
                unsafe error = nil
                unsafe #expect(
                    SecKeyCreateDecryptedData(publicKey, padding, bytes as CFData, &error) == nil)
                unsafe #expect(error?.takeRetainedValue().code == Int(errSecParam))
            }
        }
    }
}
