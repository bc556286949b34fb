// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Security
import Testing

/// A private key's external representation from its number; nil for another count of bytes.
func x963PrivateKey(_ number: Data) -> Data? {
    switch number.count {
    case 32: try? P256.Signing.PrivateKey(rawRepresentation: number).x963Representation
    case 48: try? P384.Signing.PrivateKey(rawRepresentation: number).x963Representation
    case 66: try? P521.Signing.PrivateKey(rawRepresentation: number).x963Representation
    default: nil
    }
}

/// Whether a signature was made with a key.
func isValid(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ input: Data, _ signature: Data
) -> Bool {
    SecKeyVerifySignature(key, algorithm, input as CFData, signature as CFData, nil)
}

/// A key's external representation.
func externalBytes(_ key: SecKey) -> Data? {
    SecKeyCopyExternalRepresentation(key, nil) as Data?
}

@Suite struct KeyOperationTests {
    static let curveBitCounts = [256, 384, 521]
    private static let message = Data("sample".utf8)

    /// A new key that isn't stored.
    static func made(_ type: CFString, _ bitCount: Int) throws -> SecKey {
        var error: Unmanaged<CFError>?
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: type, kSecAttrKeySizeInBits: bitCount,
        ]
        let key = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error)
        let reason = unsafe error?.takeRetainedValue().localizedDescription
        return try #require(key, "\(reason ?? "")")
    }

    /// One RSA key for all tests, since making one is slow.
    private static let rsa = Result { try made(kSecAttrKeyTypeRSA, 2048) }

    private func code(_ error: Unmanaged<CFError>?) -> Int? {
        unsafe error?.takeRetainedValue().code
    }

    // MARK: - Signatures

    /// RFC 6979 A.2.5: the key, and its signature of "sample".
    @Test func signaturesOfRFC6979Verify() throws {
        let key = try #require(
            x963PrivateKey(
                unhex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
            ).flatMap { makeKey($0, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPrivate) })
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let point = try #require(externalBytes(publicKey))
        #expect(
            point
                == unhex(
                    """
                    04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
                    7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
                    """))
        let known: [(SecKeyAlgorithm, String)] = [
            (
                .ecdsaSignatureMessageRFC4754SHA1,
                """
                61340C88C3AAEBEB4F6D667F672CA9759A6CCAA9FA8811313039EE4A35471D32
                6D7F147DAC089441BB2E2FE8F7A3FA264B9C475098FDCF6E00D7C996E1B8B7EB
                """
            ),
            (
                .ecdsaSignatureMessageRFC4754SHA256,
                """
                EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
                F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
                """
            ),
        ]
        for (algorithm, signature) in known {
            let bytes = unhex(signature)
            #expect(isValid(publicKey, algorithm, Self.message, bytes))
            #expect(!isValid(publicKey, algorithm, Data(), bytes))
        }
        // A digest that the test passes in instead of computing it.
        let digest224 = unhex("9003E374BC726550C2C289447FD0533160F875709386DFA377BFD41C")
        let signature224 = unhex(
            """
            53B2FFF5D1752B2C689DF257C04C40A587FABABB3F6FC2702F1343AF7CA9AA3F
            B9AFB64FDC03DC1A131C7D2386D11E349F070AA432A4ACC918BEA988BF75C74C
            """)
        #expect(
            isValid(
                publicKey, .ecdsaSignatureDigestRFC4754SHA224, digest224, signature224))
    }

    static let ecdsa: [(SecKeyAlgorithm, Int?)] = [
        (.ecdsaSignatureMessageX962SHA1, nil), (.ecdsaSignatureMessageX962SHA256, nil),
        (.ecdsaSignatureMessageX962SHA224, nil), (.ecdsaSignatureMessageRFC4754SHA224, nil),
        (.ecdsaSignatureMessageX962SHA384, nil), (.ecdsaSignatureMessageX962SHA512, nil),
        (.ecdsaSignatureMessageRFC4754SHA1, nil), (.ecdsaSignatureMessageRFC4754SHA256, nil),
        (.ecdsaSignatureMessageRFC4754SHA384, nil), (.ecdsaSignatureMessageRFC4754SHA512, nil),
        (.ecdsaSignatureDigestX962SHA1, 20), (.ecdsaSignatureDigestX962SHA224, 28),
        (.ecdsaSignatureDigestX962SHA256, 32), (.ecdsaSignatureDigestX962SHA384, 48),
        (.ecdsaSignatureDigestX962SHA512, 64), (.ecdsaSignatureDigestRFC4754SHA1, 20),
        (.ecdsaSignatureDigestRFC4754SHA224, 28), (.ecdsaSignatureDigestRFC4754SHA256, 32),
        (.ecdsaSignatureDigestRFC4754SHA384, 48), (.ecdsaSignatureDigestRFC4754SHA512, 64),
        (.ecdsaSignatureDigestX962, 32), (.ecdsaSignatureDigestRFC4754, 48),
        (.ecdsaSignatureRFC4754, 20),
    ]
    static let rsaSignatures: [(SecKeyAlgorithm, Int?)] = [
        (.rsaSignatureMessagePKCS1v15SHA1, nil), (.rsaSignatureMessagePKCS1v15SHA256, nil),
        (.rsaSignatureMessagePKCS1v15SHA384, nil), (.rsaSignatureMessagePKCS1v15SHA512, nil),
        (.rsaSignatureMessagePSSSHA1, nil), (.rsaSignatureMessagePSSSHA256, nil),
        (.rsaSignatureMessagePSSSHA384, nil), (.rsaSignatureMessagePSSSHA512, nil),
        (.rsaSignatureDigestPKCS1v15SHA1, 20), (.rsaSignatureDigestPKCS1v15SHA256, 32),
        (.rsaSignatureDigestPKCS1v15SHA384, 48), (.rsaSignatureDigestPKCS1v15SHA512, 64),
        (.rsaSignatureDigestPSSSHA1, 20), (.rsaSignatureDigestPSSSHA256, 32),
        (.rsaSignatureDigestPSSSHA384, 48), (.rsaSignatureDigestPSSSHA512, 64),
        (.rsaSignatureMessagePKCS1v15SHA224, nil), (.rsaSignatureMessagePSSSHA224, nil),
        (.rsaSignatureDigestPKCS1v15SHA224, 28), (.rsaSignatureDigestPSSSHA224, 28),
    ]

    private func checkSignatures(
        _ key: SecKey, _ algorithms: [(SecKeyAlgorithm, Int?)]
    ) throws {
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        for (algorithm, digestByteCount) in algorithms {
            let input = digestByteCount.map { Data(repeating: 7, count: $0) } ?? Self.message
            #expect(SecKeyIsAlgorithmSupported(key, .sign, algorithm))
            #expect(SecKeyIsAlgorithmSupported(publicKey, .verify, algorithm))
            #expect(!SecKeyIsAlgorithmSupported(publicKey, .sign, algorithm))
            #expect(!SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
            var error: Unmanaged<CFError>?
            let made = unsafe SecKeyCreateSignature(key, algorithm, input as CFData, &error)
            let signature = try #require(made as Data?, "\(algorithm.rawValue)")
            #expect(isValid(publicKey, algorithm, input, signature), "\(algorithm.rawValue)")
            var other = input
            other[0] ^= 1
            #expect(!isValid(publicKey, algorithm, other, signature))
            #expect(!isValid(publicKey, algorithm, input, signature.dropLast()))
            #expect(!isValid(publicKey, algorithm, input, Data()))
            // Wrong sizes of digests and wrong halves are the caller's errors.
            if digestByteCount != nil {
                unsafe #expect(
                    SecKeyCreateSignature(key, algorithm, Data() as CFData, &error) == nil)
                unsafe #expect(code(error) == Int(errSecParam))
            }
            unsafe error = nil
            unsafe #expect(
                SecKeyCreateSignature(publicKey, algorithm, input as CFData, &error) == nil)
            unsafe #expect(code(error) == Int(errSecParam))
        }
    }

    @Test(arguments: curveBitCounts)
    func signaturesOnCurvesVerify(_ bitCount: Int) throws {
        try checkSignatures(Self.made(kSecAttrKeyTypeECSECPrimeRandom, bitCount), Self.ecdsa)
    }

    @Test func rsaSignaturesVerify() throws {
        try checkSignatures(Self.rsa.get(), Self.rsaSignatures)
    }

    /// A signature of a message and of its digest are the same for the library.
    @Test func aMessagesSignatureIsItsDigests() throws {
        let key = try Self.made(kSecAttrKeyTypeEC, 256)
        let bytes = try #require(
            SecKeyCopyPublicKey(key).flatMap(externalBytes))
        let library = try P256.Signing.PublicKey(x963Representation: bytes)
        let made = SecKeyCreateSignature(
            key, .ecdsaSignatureMessageX962SHA256, Self.message as CFData, nil)
        let signature = try P256.Signing.ECDSASignature(derRepresentation: #require(made as Data?))
        #expect(library.isValidSignature(signature, for: Self.message))
    }

    // MARK: - Agreement

    @Test(arguments: curveBitCounts) func bothSidesAgree(_ bitCount: Int) throws {
        let (mine, yours) = (
            try Self.made(kSecAttrKeyTypeEC, bitCount), try Self.made(kSecAttrKeyTypeEC, bitCount)
        )
        let halves = (
            try #require(SecKeyCopyPublicKey(mine)), try #require(SecKeyCopyPublicKey(yours))
        )
        let parameters =
            [
                SecKeyKeyExchangeParameter.requestedSize.rawValue: 45,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data("info".utf8),
            ] as CFDictionary
        for algorithm: SecKeyAlgorithm in [
            .ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor, .ecdhKeyExchangeStandardX963SHA1,
            .ecdhKeyExchangeStandardX963SHA256, .ecdhKeyExchangeCofactorX963SHA384,
            .ecdhKeyExchangeStandardX963SHA512, .ecdhKeyExchangeStandardX963SHA224,
        ] {
            let one = SecKeyCopyKeyExchangeResult(mine, algorithm, halves.1, parameters, nil)
            let other = SecKeyCopyKeyExchangeResult(yours, algorithm, halves.0, parameters, nil)
            let secret = try #require(one as Data?)
            #expect(secret == other as Data?)
            let isRaw = [.ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor].contains(algorithm)
            #expect(secret.count == (isRaw ? (bitCount + 7) / 8 : 45))
        }
    }

    /// swift-crypto's own derivation.
    @Test func derivedSecretsAreTheLibrarys() throws {
        let (mine, yours) = (
            P256.KeyAgreement.PrivateKey(), P256.KeyAgreement.PrivateKey()
        )
        let shared = try mine.sharedSecretFromKeyAgreement(with: yours.publicKey)
        let info = Data("info".utf8)
        let key = try #require(
            makeKey(mine.x963Representation, kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate))
        let other = try #require(
            makeKey(yours.publicKey.x963Representation, kSecAttrKeyTypeEC, kSecAttrKeyClassPublic))
        for byteCount in [1, 16, 32, 33, 100] {
            let expected = shared.x963DerivedSymmetricKey(
                using: SHA256.self, sharedInfo: info, outputByteCount: byteCount)
            let parameters =
                [
                    SecKeyKeyExchangeParameter.requestedSize.rawValue: byteCount,
                    SecKeyKeyExchangeParameter.sharedInfo.rawValue: info,
                ] as CFDictionary
            let found =
                SecKeyCopyKeyExchangeResult(
                    key, .ecdhKeyExchangeStandardX963SHA256, other, parameters, nil) as Data?
            let bytes = unsafe expected.withUnsafeBytes { unsafe Data($0) }
            #expect(found == bytes)
        }
    }

    @Test func agreementRefusesWhatDoesntFit() throws {
        let key = try Self.made(kSecAttrKeyTypeEC, 256)
        let other = try #require(
            SecKeyCopyPublicKey(try Self.made(kSecAttrKeyTypeEC, 384)))
        let own = try #require(SecKeyCopyPublicKey(key))
        let size = SecKeyKeyExchangeParameter.requestedSize.rawValue
        let cases: [(SecKeyAlgorithm, SecKey, [CFString: Any])] = [
            (.ecdhKeyExchangeStandard, other, [:]),
            (.ecdhKeyExchangeStandard, key, [:]),
            (.ecdhKeyExchangeStandardX963SHA256, own, [:]),
            (.ecdhKeyExchangeStandardX963SHA256, own, [size: 0]),
            (.ecdhKeyExchangeStandardX963SHA256, own, [size: -1]),
            (.ecdhKeyExchangeStandardX963SHA256, own, [size: "32"]),
            (.ecdsaSignatureDigestX962, own, [:]),
        ]
        for (algorithm, publicKey, parameters) in cases {
            var error: Unmanaged<CFError>?
            let secret = unsafe SecKeyCopyKeyExchangeResult(
                key, algorithm, publicKey, parameters as CFDictionary, &error)
            #expect(secret == nil)
            unsafe #expect(code(error) == Int(errSecParam))
        }
    }

    // MARK: - Encryption

    private func checkEncryption(
        _ key: SecKey, _ algorithms: [SecKeyAlgorithm], _ byteCounts: [Int]
    ) throws {
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        for algorithm in algorithms {
            #expect(SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm))
            #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
            #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, algorithm))
            for byteCount in byteCounts {
                let plaintext = Data(repeating: 0x5a, count: byteCount)
                let made = SecKeyCreateEncryptedData(
                    publicKey, algorithm, plaintext as CFData, nil)
                let sealed = try #require(made as Data?, "\(algorithm.rawValue)")
                let opened = SecKeyCreateDecryptedData(key, algorithm, sealed as CFData, nil)
                #expect(opened as Data? == plaintext, "\(algorithm.rawValue)")
                var error: Unmanaged<CFError>?
                for flipped in [0, sealed.count / 2, sealed.count - 1] {
                    var other = sealed
                    other[flipped] ^= 1
                    unsafe error = nil
                    let found = unsafe SecKeyCreateDecryptedData(
                        key, algorithm, other as CFData, &error)
                    #expect(found as Data? != plaintext)
                    if found == nil { unsafe #expect(code(error) == Int(errSecParam)) }
                }
                #expect(SecKeyCreateDecryptedData(key, algorithm, Data() as CFData, nil) == nil)
            }
        }
    }

    @Test func rsaBlocksComeBack() throws {
        try checkEncryption(
            Self.rsa.get(),
            [.rsaEncryptionOAEPSHA1, .rsaEncryptionOAEPSHA224, .rsaEncryptionOAEPSHA256],
            [0, 1, 190])
        try checkEncryption(
            Self.rsa.get(), [.rsaEncryptionOAEPSHA384, .rsaEncryptionOAEPSHA512], [0, 1, 126])
        try checkEncryption(Self.rsa.get(), [.rsaEncryptionPKCS1], [1, 245])
        try checkEncryption(
            Self.rsa.get(),
            [
                .rsaEncryptionOAEPSHA1AESGCM, .rsaEncryptionOAEPSHA224AESGCM,
                .rsaEncryptionOAEPSHA256AESGCM, .rsaEncryptionOAEPSHA384AESGCM,
                .rsaEncryptionOAEPSHA512AESGCM,
            ], [0, 1, 100_000])
    }

    @Test func whatDoesntFitIntoABlockIsRefused() throws {
        let publicKey = try #require(SecKeyCopyPublicKey(try Self.rsa.get()))
        for (algorithm, byteCount) in [
            (SecKeyAlgorithm.rsaEncryptionOAEPSHA256, 191), (.rsaEncryptionPKCS1, 246),
            (.rsaEncryptionOAEPSHA224, 199), (.rsaEncryptionOAEPSHA384, 159),
            (.rsaEncryptionOAEPSHA512, 127), (.rsaEncryptionRaw, 257),
        ] {
            var error: Unmanaged<CFError>?
            let data = Data(repeating: 1, count: byteCount) as CFData
            unsafe #expect(SecKeyCreateEncryptedData(publicKey, algorithm, data, &error) == nil)
            unsafe #expect(code(error) == Int(errSecParam))
        }
    }

    static let ecies: [SecKeyAlgorithm] = [
        .eciesEncryptionStandardX963SHA1AESGCM, .eciesEncryptionStandardX963SHA256AESGCM,
        .eciesEncryptionStandardX963SHA224AESGCM, .eciesEncryptionCofactorX963SHA224AESGCM,
        .eciesEncryptionCofactorVariableIVX963SHA224AESGCM,
        .eciesEncryptionCofactorX963SHA384AESGCM, .eciesEncryptionStandardX963SHA512AESGCM,
        .eciesEncryptionStandardVariableIVX963SHA256AESGCM,
        .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
        .eciesEncryptionCofactorVariableIVX963SHA384AESGCM,
        .eciesEncryptionStandardVariableIVX963SHA512AESGCM,
    ]

    @Test(arguments: curveBitCounts) func eciesComesBack(_ bitCount: Int) throws {
        try checkEncryption(
            Self.made(kSecAttrKeyTypeEC, bitCount), Self.ecies, [0, 1, 10_000])
    }

    /// The layout in the description of the algorithm, made from the library's parts: a point, the
    /// ciphertext under the derived key and nonce, a tag. Apple's messages prove that there is no
    /// associated data (KnownMessageTests).
    @Test func eciesIsWhatItsDescriptionSays() throws {
        let (mine, ephemeral) = (P256.KeyAgreement.PrivateKey(), P256.KeyAgreement.PrivateKey())
        let key = try #require(
            makeKey(mine.x963Representation, kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate))
        let shared = try ephemeral.sharedSecretFromKeyAgreement(with: mine.publicKey)
        let point = ephemeral.publicKey.x963Representation
        let plaintext = Data("a message".utf8)
        func derived(_ byteCount: Int) -> Data {
            unsafe shared.x963DerivedSymmetricKey(
                using: SHA256.self, sharedInfo: point, outputByteCount: byteCount
            ).withUnsafeBytes { unsafe Data($0) }
        }
        let both = derived(32)
        let variable = try AES.GCM.seal(
            plaintext, using: SymmetricKey(data: both.prefix(16)),
            nonce: AES.GCM.Nonce(data: both.suffix(16)))
        let fixed = try AES.GCM.seal(
            plaintext, using: SymmetricKey(data: derived(16)),
            nonce: AES.GCM.Nonce(data: Data(repeating: 0, count: 16)))
        for (box, algorithm) in [
            (variable, SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM),
            (fixed, .eciesEncryptionStandardX963SHA256AESGCM),
        ] {
            let sealed = point + box.ciphertext + box.tag
            let opened = SecKeyCreateDecryptedData(key, algorithm, sealed as CFData, nil)
            #expect(opened as Data? == plaintext)
        }
    }

    // MARK: - Unsupported algorithms

    @Test func algorithmsOfOtherKeysAndUnknownOnesAreNotSupported() throws {
        let rsa = try Self.rsa.get()
        let curve = try Self.made(kSecAttrKeyTypeEC, 256)
        let publicKey = try #require(SecKeyCopyPublicKey(rsa))
        let unknown = SecKeyAlgorithm(rawValue: "no")
        for algorithm in [.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureRFC4754, unknown] {
            #expect(!SecKeyIsAlgorithmSupported(rsa, .sign, algorithm))
        }
        for algorithm in [.eciesEncryptionStandardX963SHA256AESGCM, unknown] {
            #expect(!SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm))
        }
        for algorithm in [.rsaSignatureRaw, .rsaSignatureMessagePKCS1v15SHA224, unknown] {
            #expect(!SecKeyIsAlgorithmSupported(curve, .sign, algorithm))
        }
        var error: Unmanaged<CFError>?
        unsafe #expect(
            SecKeyCreateSignature(
                rsa, .ecdsaSignatureMessageX962SHA256, Data() as CFData, &error) == nil)
        unsafe #expect(code(error) == Int(errSecParam))
    }

    // MARK: - The older calls

    /// `errSSLCrypto`: Apple's older calls return it where the newer ones return
    /// `errSecVerifyFailed`.
    private static let signatureMismatch: OSStatus = -9809

    @Test func theOlderCallsDoTheSame() throws {
        let digest = [UInt8](repeating: 9, count: 32)
        for (key, padding) in [
            (try Self.rsa.get(), SecPadding.PKCS1SHA256),
            (try Self.made(kSecAttrKeyTypeEC, 256), .PKCS1),
            (try Self.made(kSecAttrKeyTypeEC, 256), .sigRaw),
        ] {
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            var signature = [UInt8](repeating: 0, count: 512)
            var count = 1
            unsafe #expect(
                SecKeyRawSign(key, padding, digest, 32, &signature, &count)
                    == errSecParam)
            #expect(count == 1 && signature.allSatisfy { $0 == 0 })
            count = signature.count
            unsafe #expect(
                SecKeyRawSign(key, padding, digest, 32, &signature, &count) == errSecSuccess)
            unsafe #expect(
                SecKeyRawVerify(publicKey, padding, digest, 32, signature, count)
                    == errSecSuccess)
            unsafe #expect(
                SecKeyRawVerify(publicKey, padding, digest, 32, signature, count - 1)
                    == Self.signatureMismatch)
            unsafe #expect(
                SecKeyRawVerify(publicKey, padding, digest, 32, [], 0) == Self.signatureMismatch)
            unsafe #expect(
                SecKeyRawVerify(publicKey, padding, [], 0, signature, count)
                    == Self.signatureMismatch)
            signature[10] ^= 1
            unsafe #expect(
                SecKeyRawVerify(publicKey, padding, digest, 32, signature, count)
                    == Self.signatureMismatch)
        }
        let key = try Self.rsa.get()
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        for padding in [SecPadding.PKCS1, .OAEP] {
            var (block, plain) = (
                [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0, count: 256)
            )
            var (blockCount, plainCount) = (256, 256)
            unsafe #expect(
                SecKeyEncrypt(publicKey, padding, digest, 32, &block, &blockCount)
                    == errSecSuccess)
            unsafe #expect(
                SecKeyDecrypt(key, padding, block, blockCount, &plain, &plainCount)
                    == errSecSuccess)
            #expect(plain.prefix(plainCount).elementsEqual(digest))
            // Buffers that are too small, and invalid blocks: nothing is written.
            let written = (block, plain)
            for count in [0, 1, 31] {
                plainCount = count
                unsafe #expect(
                    SecKeyDecrypt(key, padding, block, blockCount, &plain, &plainCount)
                        == errSecParam)
                #expect(plainCount == count)
            }
            var tooSmall = 255
            unsafe #expect(
                SecKeyEncrypt(publicKey, padding, digest, 32, &block, &tooSmall) == errSecParam)
            #expect(tooSmall == 255)
            plainCount = 256
            unsafe #expect(
                SecKeyDecrypt(key, padding, block, blockCount - 1, &plain, &plainCount)
                    == errSecParam)
            unsafe #expect(
                SecKeyDecrypt(key, padding, [], 0, &plain, &plainCount) == errSecParam)
            #expect(plainCount == 256 && written.0 == block && written.1 == plain)
        }
        // A signature has as many bytes as the key.
        unsafe #expect(
            SecKeyRawVerify(publicKey, [], digest, 32, digest, 32) == Self.signatureMismatch)
        // The private half of an RSA key verifies no signature.
        unsafe #expect(
            SecKeyRawVerify(key, .PKCS1SHA256, digest, 32, digest, 32) == Self.signatureMismatch)
    }
}
