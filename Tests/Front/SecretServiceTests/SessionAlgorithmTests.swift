// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes
import SecretService
import Testing

/// Sessions against known answers. They were computed with another program, whose results agree with
/// those of the Python package SecretStorage.
@Suite struct SessionAlgorithmTests {
    private static let vector = (0..<16).map { UInt8($0) }

    private static func secret(_ bytes: some Sequence<UInt8>) -> Secret {
        unsafe Array(bytes).withUnsafeBytes { unsafe Secret(SecretBytes(copying: $0)) }
    }

    /// SHA-256 of a text as a big-endian number, plus a small one.
    private static func exponent(_ text: String, plus addend: UInt = 0) -> Secret {
        var bytes = Array(SHA256.hash(data: Array(text.utf8)))
        var carry = addend
        for index in bytes.indices.reversed() {
            let sum = UInt(bytes[index]) + carry
            bytes[index] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        return secret(bytes)
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }

    private static func hexadecimal(_ secret: Secret) -> String {
        unsafe secret.bytes.withUnsafeBytes { unsafe hexadecimal(Array($0)) }
    }

    private static func digest(_ bytes: [UInt8]) -> String { hexadecimal(SHA256.hash(data: bytes)) }

    @Test func publicKeysAreThePowersOfTwo() {
        let client = OakleyGroup.publicKey(Self.exponent("client"))
        let server = OakleyGroup.publicKey(Self.exponent("server"))
        #expect(client.count == 128 && server.count == 128)
        #expect(
            Self.digest(client)
                == "9a4e44560974562b5668f474c07acadb26aa9af4c05149f3df71600cfa105c40")
        #expect(
            Self.digest(server)
                == "32de76c87096d5111e61b3e7357b76e84c8bb571175e06af7d0e16a7ec793da1")
    }

    @Test func bothSidesGetTheKnownKeyAndCiphertexts() throws {
        let client = OakleyGroup.publicKey(Self.exponent("client"))
        let server = OakleyGroup.publicKey(Self.exponent("server"))
        let ours = try #require(
            SecretSession.agree(client, exponent: Self.exponent("server")))
        let theirs = try #require(
            SecretSession.agree(server, exponent: Self.exponent("client")))
        #expect(ours.publicKey == server && theirs.publicKey == client)
        for session in [ours.session, theirs.session] {
            guard case .encrypted(let key) = session else {
                Issue.record("The session isn't encrypted.")
                return
            }
            #expect(Self.hexadecimal(key) == "7b444dcbff7e03583e11575e3466c30a")
            let cases = [
                ("", "954360a17ba070dcd7c8fe1abe84871d"),
                ("hello", "3162aad04e3cb18fd4f4883163f981fc"),
            ]
            for (text, expected) in cases {
                let secret = Self.secret(text.utf8)
                let sealed = try #require(session.seal(secret, vector: Self.vector))
                #expect(Self.hexadecimal(sealed.value) == expected)
                #expect(sealed.parameters == Self.vector)
                let opened = try #require(session.open(sealed))
                #expect(Self.hexadecimal(opened) == Self.hexadecimal(secret))
            }
        }
    }

    /// Without the padding, the key would be b0a5fab6….
    @Test func aSharedSecretKeepsItsLeadingZeros() throws {
        let client = OakleyGroup.publicKey(Self.exponent("client"))
        let shared = try #require(
            OakleyGroup.sharedSecret(client, Self.exponent("server", plus: 71)))
        let start = unsafe shared.bytes.withUnsafeBytes { unsafe Array($0.prefix(4)) }
        #expect(Self.hexadecimal(start) == "00a8909a")
        #expect(shared.bytes.byteCount == 128)
        let (session, _) = try #require(
            SecretSession.agree(client, exponent: Self.exponent("server", plus: 71)))
        guard case .encrypted(let key) = session else {
            Issue.record("The session isn't encrypted.")
            return
        }
        #expect(Self.hexadecimal(key) == "9aeecd51946c2be2c278c9a93675dc44")
        let sealed = try #require(
            session.seal(Self.secret("hello".utf8), vector: Self.vector))
        #expect(Self.hexadecimal(sealed.value) == "2a2fa2a42e6169fb2726069cca82610f")
    }

    /// Some clients leave out leading zeros, and some send more of them.
    @Test func aPublicKeyMayHaveAnyNumberOfLeadingZeros() throws {
        let key = OakleyGroup.publicKey(Self.exponent("client", plus: 2973))
        #expect(key.first == 0)
        let short = Array(key.drop { $0 == 0 })
        #expect(short.count < 128)
        let long = [UInt8](repeating: 0, count: OakleyGroup.longestPublicKey - key.count) + key
        let expected = try #require(OakleyGroup.sharedSecret(key, Self.exponent("server")))
        for other in [short, long] {
            let shared = try #require(OakleyGroup.sharedSecret(other, Self.exponent("server")))
            #expect(Self.hexadecimal(shared) == Self.hexadecimal(expected))
        }
        #expect(OakleyGroup.sharedSecret([0] + long, Self.exponent("server")) == nil)
    }

    /// The prime minus 1, whose powers are 1 and itself, is what 2 to half of it gives.
    @Test func keysWhosePowersAnyoneKnowsAreRefused() {
        let half = Self.primeHalf
        let minusOne = OakleyGroup.publicKey(Self.secret(half))
        #expect(
            minusOne == Self.prime(minus: 1) || minusOne == [UInt8](repeating: 0, count: 127) + [1])
        let bad: [[UInt8]] = [
            [], [0], [1], [UInt8](repeating: 0, count: 128), Self.prime(minus: 1),
            Self.prime(minus: 0), [UInt8](repeating: 0xFF, count: 128), [1] + Self.prime(minus: 0),
            [UInt8](repeating: 2, count: 4096),
        ]
        for key in bad {
            #expect(OakleyGroup.sharedSecret(key, Self.exponent("server")) == nil)
            #expect(SecretSession.agree(key) == nil)
        }
        for key in [[2], Self.prime(minus: 2)] {
            #expect(OakleyGroup.sharedSecret(key, Self.exponent("server")) != nil)
        }
    }

    /// Fermat: to the power of the prime minus 1, every number is 1.
    @Test func powersWithLongExponentsAreRight() throws {
        let key = OakleyGroup.publicKey(Self.exponent("client"))
        let one = try #require(OakleyGroup.sharedSecret(key, Self.secret(Self.prime(minus: 1))))
        let expected = Self.secret([UInt8](repeating: 0, count: 127) + [1])
        #expect(Self.hexadecimal(one) == Self.hexadecimal(expected))
        let same = try #require(OakleyGroup.sharedSecret(key, Self.secret(Self.prime(minus: 0))))
        #expect(Self.hexadecimal(same) == Self.hexadecimal(key))
    }

    @Test func whatIsNoCiphertextIsRefused() throws {
        let client = OakleyGroup.publicKey(Self.exponent("client"))
        let (session, _) = try #require(
            SecretSession.agree(client, exponent: Self.exponent("server")))
        let sealed = try #require(session.seal(Self.secret("hello".utf8)))
        let bytes = unsafe sealed.value.bytes.withUnsafeBytes { unsafe Array($0) }
        let bad: [([UInt8], [UInt8])] = [
            (sealed.parameters, []), (sealed.parameters, Array(bytes.dropLast())),
            (sealed.parameters, bytes + [0]), ([], bytes), ([0] + sealed.parameters, bytes),
            (Array(sealed.parameters.dropLast()), bytes),
        ]
        for (parameters, value) in bad {
            let other = SecretSession.Sealed(
                parameters: parameters, value: Self.secret(value))
            #expect(session.open(other) == nil)
        }
        // No padding ends like this.
        let zeros = SecretSession.Sealed(
            parameters: bytes, value: Self.secret(bytes.map { $0 ^ 0xFF }))
        if let opened = session.open(zeros) { #expect(opened.bytes.byteCount < 16) }
        let plain = SecretSession.Sealed(parameters: [1], value: sealed.value)
        #expect(SecretSession.plain.open(plain) == nil)
    }

    @Test func eachTransferHasAnotherVector() throws {
        let client = OakleyGroup.publicKey(Self.exponent("client"))
        let (session, _) = try #require(SecretSession.agree(client))
        let secret = Self.secret("hello".utf8)
        let first = try #require(session.seal(secret))
        let second = try #require(session.seal(secret))
        #expect(first.parameters != second.parameters)
        #expect(Self.hexadecimal(first.value) != Self.hexadecimal(second.value))
    }

    // MARK: - The prime

    /// RFC 2409 §6.2, as text.
    private static let primeText = """
        FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A0879
        8E3404DDEF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B
        0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF
        """

    private static func prime(minus small: UInt8) -> [UInt8] {
        let digits = primeText.filter { !$0.isWhitespace }.compactMap { $0.hexDigitValue }
        var bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
        bytes[127] -= small
        return bytes
    }

    private static var primeHalf: [UInt8] {
        var carry: UInt8 = 0
        return prime(minus: 1).map { byte in
            defer { carry = byte & 1 }
            return byte >> 1 | carry << 7
        }
    }
}
