// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Security
import Testing

/// A message that Apple's SecKey has sealed (Tests/Vectors/seckey).
struct KnownMessage: Decodable, Sendable, CustomTestStringConvertible {
    let keyType: String
    let bits: Int
    /// The name of the constant in C.
    let algorithm: String
    let privateKey: String
    let ciphertext: String

    private struct File: Decodable { let vectors: [KnownMessage] }

    /// The 16-byte plaintext of each of them.
    static let plaintext = Data("KNOWN PLAINTEXT\0".utf8)

    static let all: [KnownMessage] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/seckey/known-messages.json")
        let data = (try? Data(contentsOf: file)) ?? Data()
        return (try? JSONDecoder().decode(File.self, from: data))?.vectors ?? []
    }()

    /// Messages that can't be opened: there are no keys on P-192.
    static let closed: Set<String> = [
        "192 kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM",
        "192 kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM",
        "192 kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM",
        "192 kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM",
        "192 kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM",
    ]

    var testDescription: String { "\(bits) \(algorithm)" }
    var isClosed: Bool { Self.closed.contains(testDescription) }

    var type: CFString {
        keyType == "kSecAttrKeyTypeRSA" ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom
    }

    /// Its private key; nil if there is no such key.
    var key: SecKey? { makeKey(unhex(privateKey), type, kSecAttrKeyClassPrivate) }

    var constant: SecKeyAlgorithm? {
        SurfaceConstants.algorithms.first { $0.0 == algorithm }?.1
    }
}

/// ECIES and RSA with AES-GCM, compared with messages of Apple's, and with the library's parts.
@Suite struct KnownMessageTests {
    @Test func thereAreTwentyMessagesAndFiveAreNamedAsClosed() {
        #expect(KnownMessage.all.count == 20)
        #expect(Set(KnownMessage.all.map(\.testDescription)).count == 20)
        #expect(KnownMessage.all.filter(\.isClosed).count == 5)
        #expect(KnownMessage.closed.count == 5)
    }

    @Test(arguments: KnownMessage.all.filter { !$0.isClosed })
    func theKnownMessageOpens(_ message: KnownMessage) throws {
        let key = try #require(message.key)
        let algorithm = try #require(message.constant)
        let sealed = unhex(message.ciphertext)
        #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
        let opened = SecKeyCreateDecryptedData(key, algorithm, sealed as CFData, nil)
        #expect(opened as Data? == KnownMessage.plaintext)
        // Flips a bit in the point or block, in the ciphertext and in the tag.
        for index in [1, sealed.count - 17, sealed.count - 1] {
            var other = sealed
            other[index] ^= 1
            #expect(SecKeyCreateDecryptedData(key, algorithm, other as CFData, nil) == nil)
        }
        for count in [0, 1, sealed.count / 2, sealed.count - 1] {
            let part = sealed.prefix(count) as CFData
            #expect(SecKeyCreateDecryptedData(key, algorithm, part, nil) == nil)
        }
    }

    /// It fails when the curve becomes supported: then remove the names from the list above.
    @Test(arguments: KnownMessage.all.filter(\.isClosed))
    func whatCannotBeOpenedHasNoKey(_ message: KnownMessage) throws {
        #expect(message.constant != nil)
        #expect(message.bits == 192 && message.key == nil)
    }

    // MARK: - The reverse direction

    /// Opens a message sealed here with the library's own agreement, derivation and cipher: a
    /// point, the ciphertext, a tag, and no associated data.
    @Test(arguments: KeyOperationTests.curveBitCounts, [false, true])
    func whatIsSealedOnACurveAuthenticatesNothingElse(
        _ bitCount: Int, _ derivesNonce: Bool
    ) throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, bitCount)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let plaintext = Data("a message".utf8)
        let made = SecKeyCreateEncryptedData(
            publicKey,
            derivesNonce
                ? .eciesEncryptionStandardVariableIVX963SHA256AESGCM
                : .eciesEncryptionStandardX963SHA256AESGCM, plaintext as CFData, nil)
        let sealed = try #require(made as Data?)
        let field = (bitCount + 7) / 8
        let (point, rest) = (Data(sealed.prefix(1 + 2 * field)), sealed.dropFirst(1 + 2 * field))
        let keyByteCount = bitCount == 256 ? 16 : 32
        let bytes = try Self.derived(
            try #require(externalBytes(key)).suffix(field), point,
            keyByteCount + (derivesNonce ? 16 : 0))
        let nonce = derivesNonce ? bytes.suffix(16) : Data(count: 16)
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: nonce), ciphertext: rest.dropLast(16),
            tag: rest.suffix(16))
        let session = SymmetricKey(data: bytes.prefix(keyByteCount))
        #expect(try AES.GCM.open(box, using: session) == plaintext)
        let own = try #require(externalBytes(publicKey))
        #expect(throws: (any Error).self) {
            try AES.GCM.open(box, using: session, authenticating: own)
        }
    }

    /// X9.63 with SHA-256 of the secret shared by a private key and a point; the point is the
    /// shared info.
    private static func derived(
        _ scalar: Data, _ point: Data, _ byteCount: Int
    ) throws -> Data {
        let secret: SharedSecret
        switch scalar.count {
        case 32:
            secret = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
                .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
        case 48:
            secret = try P384.KeyAgreement.PrivateKey(rawRepresentation: scalar)
                .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
        default:
            secret = try P521.KeyAgreement.PrivateKey(rawRepresentation: scalar)
                .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
        }
        let key = secret.x963DerivedSymmetricKey(
            using: SHA256.self, sharedInfo: point, outputByteCount: byteCount)
        return unsafe key.withUnsafeBytes { unsafe Data($0) }
    }
}
