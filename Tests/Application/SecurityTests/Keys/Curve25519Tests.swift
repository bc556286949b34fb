// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// Ed25519 and X25519; `KeyVectorTests` has Wycheproof's answers.
@Suite struct Curve25519Tests {
    private static let sign = SecKeyAlgorithm.eddsaSignatureMessageCurve25519SHA512

    init() throws { _ = try EphemeralKeychain.shared.get() }

    /// RFC 8032 §7.1, tests 1 and 2.
    @Test func signaturesAreThoseOfTheStandard() throws {
        let known = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e
                39701cf9b46bd25bf5f0595bbe24655141438e7a100b
                """
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f
                3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
                """
            ),
        ]
        for (secret, point, message, signature) in known {
            let key = try #require(
                makeKey(unhex(secret), kSecAttrKeyTypeEd25519, kSecAttrKeyClassPrivate))
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(externalBytes(publicKey) == unhex(point))
            let made = SecKeyCreateSignature(key, Self.sign, unhex(message) as CFData, nil)
            #expect(made as Data? == unhex(signature))
            #expect(isValid(publicKey, Self.sign, unhex(message), unhex(signature)))
            #expect(!isValid(publicKey, Self.sign, unhex(message + "00"), unhex(signature)))
        }
    }

    @Test func opensslVerifiesOurSignatures() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEd25519, 256)
        let publicKey = try #require(SecKeyCopyPublicKey(key).flatMap(externalBytes))
        let message = Data("message".utf8)
        let signature = SecKeyCreateSignature(key, Self.sign, message as CFData, nil)
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            // RFC 8410 §4.
            try openssl.write("public.der", unhex("302a300506032b6570032100") + publicKey)
            try openssl.write("message", message)
            try openssl.write("signature", try #require(signature as Data?))
            let arguments = [
                "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "public.der",
                "-rawin", "-in", "message", "-sigfile", "signature",
            ]
            #expect(try openssl.succeeds(arguments))
            try openssl.write("message", Data("massage".utf8))
            #expect(try !openssl.succeeds(arguments))
        }
    }

    @Test func opensslAgreesOnTheSameSecret() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeX25519, 256)
        let bytes = try #require(SecKeyCopyPublicKey(key).flatMap(externalBytes))
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            try openssl("genpkey", "-algorithm", "X25519", "-out", "key.pem")
            try openssl(
                "pkey", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "public.der")
            try openssl.write("ours.der", unhex("302a300506032b656e032100") + bytes)
            try openssl(
                "pkeyutl", "-derive", "-inkey", "key.pem", "-peerform", "DER", "-peerkey",
                "ours.der", "-out", "secret")
            let theirs = try #require(
                makeKey(
                    try openssl.read("public.der").suffix(32), kSecAttrKeyTypeX25519,
                    kSecAttrKeyClassPublic))
            let secret = try openssl.read("secret")
            for algorithm: SecKeyAlgorithm in [.ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor] {
                let found = SecKeyCopyKeyExchangeResult(
                    key, algorithm, theirs, [:] as CFDictionary, nil)
                #expect(found as Data? == secret)
            }
            try openssl(
                "kdf", "-keylen", "40", "-binary", "-out", "derived", "-kdfopt", "digest:SHA256",
                "-kdfopt", "hexsecret:\(hex(secret))", "-kdfopt", "hexinfo:0102", "X963KDF")
            let parameters =
                [
                    SecKeyKeyExchangeParameter.requestedSize.rawValue: 40,
                    SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data([1, 2]),
                ] as CFDictionary
            let derived = SecKeyCopyKeyExchangeResult(
                key, .ecdhKeyExchangeStandardX963SHA256, theirs, parameters, nil)
            #expect(derived as Data? == (try openssl.read("derived")))
        }
    }

    @Test func eachKindDoesItsWorkAlone() throws {
        let signing = try KeyOperationTests.made(kSecAttrKeyTypeEd25519, 256)
        let agreeing = try KeyOperationTests.made(kSecAttrKeyTypeX25519, 256)
        let halves = (
            try #require(SecKeyCopyPublicKey(signing)), try #require(SecKeyCopyPublicKey(agreeing))
        )
        #expect(SecKeyIsAlgorithmSupported(signing, .sign, Self.sign))
        #expect(SecKeyIsAlgorithmSupported(halves.0, .verify, Self.sign))
        #expect(!SecKeyIsAlgorithmSupported(halves.0, .sign, Self.sign))
        #expect(!SecKeyIsAlgorithmSupported(signing, .verify, Self.sign))
        #expect(!SecKeyIsAlgorithmSupported(agreeing, .sign, Self.sign))
        #expect(!SecKeyIsAlgorithmSupported(signing, .sign, .ecdsaSignatureMessageX962SHA256))
        let agreement = SecKeyAlgorithm.ecdhKeyExchangeStandard
        #expect(SecKeyIsAlgorithmSupported(agreeing, .keyExchange, agreement))
        #expect(!SecKeyIsAlgorithmSupported(halves.1, .keyExchange, agreement))
        #expect(!SecKeyIsAlgorithmSupported(signing, .keyExchange, agreement))
        let none = [:] as CFDictionary
        #expect(SecKeyCopyKeyExchangeResult(agreeing, agreement, halves.0, none, nil) == nil)
        #expect(SecKeyCopyKeyExchangeResult(agreeing, agreement, agreeing, none, nil) == nil)
        #expect(
            !SecKeyIsAlgorithmSupported(
                halves.1, .encrypt, .eciesEncryptionStandardX963SHA256AESGCM))
    }

    /// Points of small order give a secret that everyone knows (RFC 7748 §6.1).
    @Test func aPointOfSmallOrderIsRefused() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeX25519, 256)
        for point in [Data(count: 32), Data([1]) + Data(count: 31)] {
            let other = try #require(
                makeKey(point, kSecAttrKeyTypeX25519, kSecAttrKeyClassPublic))
            var error: Unmanaged<CFError>?
            let secret = unsafe SecKeyCopyKeyExchangeResult(
                key, .ecdhKeyExchangeStandard, other, [:] as CFDictionary, &error)
            #expect(secret == nil)
            let reason = unsafe error?.takeRetainedValue()
            #expect(reason?.code == Int(errSecParam))
        }
    }

    @Test(arguments: [false, true]) func aPermanentPairIsStoredAndFound(_ signs: Bool) throws {
        let type = signs ? kSecAttrKeyTypeEd25519 : kSecAttrKeyTypeX25519
        let tag = Data("curve 25519 \(type)".utf8)
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: type, kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag,
        ]
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag]
        defer { _ = SecItemDelete(query as CFDictionary) }
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        let key = try #require(made)
        var found: CFTypeRef?
        let stored = query.merging([
            kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecReturnRef: true,
        ]) { $1 }
        unsafe #expect(SecItemCopyMatching(stored as CFDictionary, &found) == errSecSuccess)
        #expect(found as? SecKey == key)
        #expect(try KeyOperationTests.made(type, 256) != key)
        #expect(
            SecKeyCreateRandomKey(
                [kSecAttrKeyType: type, kSecAttrKeySizeInBits: 255] as CFDictionary, nil) == nil)
    }
}
