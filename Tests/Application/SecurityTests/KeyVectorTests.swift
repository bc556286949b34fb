// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// A known answer of Project Wycheproof (Tests/Vectors/wycheproof/generate).
struct KnownAnswer: Decodable, Sendable, CustomTestStringConvertible {
    let kind: String
    let name: String
    let valid: Bool
    let key: String
    var hash: String?
    var message: String?
    var signature: String?
    var ciphertext: String?
    var peer: String?
    var shared: String?
    var curve: String?

    var testDescription: String { name }

    static let all: [KnownAnswer] = ["keys", "more-keys"].flatMap { name in
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/wycheproof/\(name).json")
        let data = (try? Data(contentsOf: file)) ?? Data()
        return (try? JSONDecoder().decode([KnownAnswer].self, from: data)) ?? []
    }

    static func of(_ kind: String) -> [KnownAnswer] { all.filter { $0.kind == kind } }
}

/// The bytes of hexadecimal digits.
func unhex(_ text: String) -> Data {
    var digits = text.filter { !$0.isWhitespace }[...]
    var bytes = Data()
    while let byte = UInt8(digits.prefix(2), radix: 16) {
        bytes.append(byte)
        digits = digits.dropFirst(2)
    }
    return bytes
}

@Suite struct KeyVectorTests {
    @Test func thereAreAnswersOfEachKind() {
        for kind in [
            "ecdsa-der", "ecdsa-raw", "ecdh", "rsa-pkcs1", "rsa-pss", "rsa-oaep", "ed25519",
        ] {
            #expect(KnownAnswer.of(kind).contains { $0.valid }, "\(kind)")
            #expect(KnownAnswer.of(kind).contains { !$0.valid }, "\(kind)")
        }
        #expect(KnownAnswer.of("x25519").count == 12)
        let digests = Set(KnownAnswer.all.compactMap(\.hash))
        #expect(digests.isSuperset(of: ["SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"]))
    }

    @Test func ed25519SignaturesAreJudgedRight() throws {
        for answer in KnownAnswer.of("ed25519") {
            let isValid = try verifies(
                answer, kSecAttrKeyTypeEd25519, .eddsaSignatureMessageCurve25519SHA512)
            #expect(isValid == answer.valid, "\(answer.name)")
        }
    }

    @Test func x25519AgreementsAreTheKnownOnes() throws {
        for answer in KnownAnswer.of("x25519") {
            let key = try #require(
                makeKey(unhex(answer.key), kSecAttrKeyTypeX25519, kSecAttrKeyClassPrivate))
            let peer = try #require(
                makeKey(
                    unhex(answer.peer ?? ""), kSecAttrKeyTypeX25519, kSecAttrKeyClassPublic))
            let found = SecKeyCopyKeyExchangeResult(
                key, .ecdhKeyExchangeStandard, peer, [:] as CFDictionary, nil)
            #expect(found as Data? == unhex(answer.shared ?? ""), "\(answer.name)")
        }
    }

    private static func algorithm(
        _ answer: KnownAnswer, _ byHash: [String: SecKeyAlgorithm]
    ) throws -> SecKeyAlgorithm {
        try #require(byHash[answer.hash ?? ""])
    }

    private func verifies(
        _ answer: KnownAnswer, _ type: CFString, _ algorithm: SecKeyAlgorithm
    ) throws -> Bool {
        let key = try #require(makeKey(unhex(answer.key), type, kSecAttrKeyClassPublic))
        let message = unhex(try #require(answer.message))
        let signature = unhex(try #require(answer.signature))
        var error: Unmanaged<CFError>?
        let isValid = unsafe SecKeyVerifySignature(
            key, algorithm, message as CFData, signature as CFData, &error)
        if !isValid {
            let code = unsafe error?.takeRetainedValue().code
            #expect(code == Int(errSecVerifyFailed))
        }
        return isValid
    }

    @Test func ecdsaSignaturesInDERAreJudgedRight() throws {
        for answer in KnownAnswer.of("ecdsa-der") {
            let algorithm = try Self.algorithm(
                answer,
                [
                    "SHA-256": .ecdsaSignatureMessageX962SHA256,
                    "SHA-384": .ecdsaSignatureMessageX962SHA384,
                    "SHA-512": .ecdsaSignatureMessageX962SHA512,
                ])
            let isValid = try verifies(answer, kSecAttrKeyTypeECSECPrimeRandom, algorithm)
            #expect(isValid == answer.valid, "\(answer.name)")
        }
    }

    @Test func ecdsaSignaturesAsTwoNumbersAreJudgedRight() throws {
        for answer in KnownAnswer.of("ecdsa-raw") {
            let algorithm = try Self.algorithm(
                answer,
                [
                    "SHA-256": .ecdsaSignatureMessageRFC4754SHA256,
                    "SHA-384": .ecdsaSignatureMessageRFC4754SHA384,
                    "SHA-512": .ecdsaSignatureMessageRFC4754SHA512,
                ])
            let isValid = try verifies(answer, kSecAttrKeyTypeECSECPrimeRandom, algorithm)
            #expect(isValid == answer.valid, "\(answer.name)")
        }
    }

    @Test func rsaSignaturesAreJudgedRight() throws {
        for answer in KnownAnswer.of("rsa-pkcs1") {
            let algorithm = try Self.algorithm(
                answer,
                [
                    "SHA-224": .rsaSignatureMessagePKCS1v15SHA224,
                    "SHA-256": .rsaSignatureMessagePKCS1v15SHA256,
                    "SHA-512": .rsaSignatureMessagePKCS1v15SHA512,
                ])
            let isValid = try verifies(answer, kSecAttrKeyTypeRSA, algorithm)
            #expect(isValid == answer.valid, "\(answer.name)")
        }
    }

    @Test func pssSignaturesAreJudgedRight() throws {
        for answer in KnownAnswer.of("rsa-pss") {
            let algorithm = try Self.algorithm(
                answer,
                [
                    "SHA-1": .rsaSignatureMessagePSSSHA1,
                    "SHA-256": .rsaSignatureMessagePSSSHA256,
                ])
            let isValid = try verifies(answer, kSecAttrKeyTypeRSA, algorithm)
            #expect(isValid == answer.valid, "\(answer.name)")
        }
    }

    @Test func oaepBlocksAreDecryptedOrRefused() throws {
        for answer in KnownAnswer.of("rsa-oaep") {
            let algorithm = try Self.algorithm(
                answer,
                [
                    "SHA-1": .rsaEncryptionOAEPSHA1, "SHA-224": .rsaEncryptionOAEPSHA224,
                    "SHA-256": .rsaEncryptionOAEPSHA256, "SHA-512": .rsaEncryptionOAEPSHA512,
                ])
            let key = try #require(
                makeKey(unhex(answer.key), kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate))
            let block = unhex(try #require(answer.ciphertext))
            var error: Unmanaged<CFError>?
            let found =
                unsafe SecKeyCreateDecryptedData(key, algorithm, block as CFData, &error) as Data?
            #expect((found == unhex(answer.message ?? "")) == answer.valid, "\(answer.name)")
            if found == nil {
                let reason = unsafe error?.takeRetainedValue()
                #expect(reason?.domain == NSOSStatusErrorDomain)
                #expect(reason?.code == Int(errSecParam))
            }
        }
    }

    @Test func agreementsAreTheKnownOnes() throws {
        for answer in KnownAnswer.of("ecdh") {
            let peer = makeKey(
                unhex(answer.peer ?? ""), kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPublic)
            guard answer.valid else {
                // Points off the curve and of other curves aren't keys of this one.
                let size = peer.map { SecKeyGetBlockSize($0) }
                let expected = ["secp256r1": 32, "secp384r1": 48, "secp521r1": 66]
                #expect(peer == nil || size != expected[answer.curve ?? ""], "\(answer.name)")
                continue
            }
            let other = try #require(peer)
            let key = try #require(privateKey(unhex(answer.key), like: other))
            let found =
                SecKeyCopyKeyExchangeResult(
                    key, .ecdhKeyExchangeStandard, other, [:] as CFDictionary, nil) as Data?
            #expect(found == unhex(answer.shared ?? ""), "\(answer.name)")
        }
    }

    /// The private key with this number on another key's curve. Its point is the product with the
    /// curve's generator; since an agreement with the generator would give only half of the point,
    /// swift-crypto computes it.
    private func privateKey(_ number: Data, like other: SecKey) -> SecKey? {
        let size = SecKeyGetBlockSize(other)
        let scalar = Data(repeating: 0, count: max(0, size - number.count)) + number.suffix(size)
        return x963PrivateKey(scalar).flatMap {
            makeKey($0, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPrivate)
        }
    }
}
