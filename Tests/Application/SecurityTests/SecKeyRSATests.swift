// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Handmade RSA keys: their numbers only have the right sizes, which is all that the parser checks.
@Suite struct SecKeyRSATests {
    /// A number with this many bits whose first and last bit are set.
    private static func number(_ bitCount: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (bitCount + 7) / 8)
        bytes[0] = 1 << UInt8((bitCount - 1) % 8)
        bytes[bytes.count - 1] |= 1
        return bytes
    }

    /// A DER INTEGER that isn't negative.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        der(2, bytes.first.map { $0 >= 0x80 } ?? false ? [0] + bytes : bytes)
    }

    private static func publicKey(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        der(0x30, integer(modulus), integer(exponent))
    }

    private struct Numbers {
        var version: [UInt8] = [0]
        var modulus = number(1024)
        var exponent: [UInt8] = [1, 0, 1]
        var privateExponent = number(1023)
        var prime1 = number(512)
        var prime2 = number(512)
        var exponent1 = number(511)
        var exponent2 = number(510)
        var coefficient = number(500)
        var others: [UInt8] = []

        var bytes: [UInt8] {
            let numbers = [
                version, modulus, exponent, privateExponent, prime1, prime2, exponent1, exponent2,
                coefficient,
            ]
            return der(0x30, numbers.flatMap(SecKeyRSATests.integer) + others)
        }
    }

    private func isPublic(_ bytes: [UInt8]) -> Bool {
        makeKey(Data(bytes), kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic) != nil
    }

    private func isPrivate(_ change: (inout Numbers) -> Void) -> Bool {
        var numbers = Numbers()
        change(&numbers)
        return makeKey(Data(numbers.bytes), kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate) != nil
    }

    @Test(arguments: [(511, false), (512, true), (513, true), (16384, true), (16385, false)])
    func aModulusHas512To16384Bits(_ bitCount: Int, _ isTaken: Bool) {
        #expect(isPublic(Self.publicKey(Self.number(bitCount), [1, 0, 1])) == isTaken)
        let taken = isPrivate {
            $0.modulus = Self.number(bitCount)
            $0.prime1 = Self.number(bitCount / 2)
            $0.prime2 = Self.number(bitCount - bitCount / 2)
            $0.privateExponent = Self.number(bitCount - 1)
            $0.exponent1 = [1]
            $0.exponent2 = [1]
            $0.coefficient = [1]
        }
        #expect(taken == isTaken)
    }

    @Test func sizesAreOfTheModulus() throws {
        let bytes = Self.publicKey(Self.number(1021), [3])
        let key = try #require(makeKey(Data(bytes), kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic))
        #expect(SecKeyGetBlockSize(key) == 128)
        let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        #expect(attributes[kSecAttrKeySizeInBits as String] as? Int == 1021)
    }

    @Test func modulusAndExponentAreOddAndTheExponentIsThreeOrMore() {
        var even = Self.number(1024)
        even[even.count - 1] = 2
        #expect(!isPublic(Self.publicKey(even, [3])))
        for exponent: [UInt8] in [[0], [1], [2], [4], [1, 0, 0], Self.number(1025)] {
            #expect(!isPublic(Self.publicKey(Self.number(1024), exponent)))
        }
        #expect(isPublic(Self.publicKey(Self.number(1024), [3])))
        #expect(isPublic(Self.publicKey(Self.number(1024), Self.number(1024))))
    }

    @Test func onlyTheOneEncodingOfAPublicKeyIsTaken() {
        let modulus = Self.integer(Self.number(1024))
        let exponent: [UInt8] = [2, 1, 3]
        let content = modulus + exponent
        #expect(isPublic(der(0x30, content)))
        for bytes: [UInt8] in [
            der(0x31, content), der(0x30, content) + [0], der(0x30, content, [0]),
            der(0x30, content, exponent), der(0x30, modulus), der(0x30, exponent, modulus),
            der(0x30, modulus, [4, 1, 3]), der(0x30, modulus, [2, 0]),
            der(0x30, modulus, [2, 2, 0, 3]), der(0x30, modulus, [2, 0x81, 1, 3]),
            der(0x30, der(2, Self.number(1024)), exponent), der(0x30, modulus, [2, 1]),
            [0x30, 0x82, 0, UInt8(content.count)] + content,
            [0x30, 0x83, 0, 0, UInt8(content.count)] + content, [0x30, 0x80] + content + [0, 0],
            [0x30], [0x30, 0x81], [0x30, 0x82, 1], [0x30, 0],
            [0x30, 0x84, 0xff, 0xff, 0xff, 0xff] + content,
        ] {
            #expect(!isPublic(bytes), "\(hex(bytes))")
        }
    }

    @Test func aSubjectPublicKeyInfoIsNoExternalRepresentation() throws {
        let key = [UInt8](try CertificateVector.named("rsa").publicKey)
        let type: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]
        #expect(!isPublic(der(0x30, der(0x30, type, [5, 0]), der(3, [0], key))))
    }

    @Test func aPrivateKeyHasTwoPrimesThatFitItsModulus() {
        #expect(isPrivate { _ in })
        #expect(isPrivate { $0.prime1 = Self.number(513) })
        #expect(!isPrivate { $0.prime1 = Self.number(514) })
        #expect(!isPrivate { $0.prime1 = Self.number(511) })
        #expect(!isPrivate { $0.prime1 = [UInt8(0x80)] + [UInt8](repeating: 0, count: 63) })
        #expect(!isPrivate { $0.prime2 = [UInt8(0x80)] + [UInt8](repeating: 0, count: 63) })
        #expect(!isPrivate { ($0.prime1, $0.prime2) = ([0], [0]) })
        #expect(!isPrivate { $0.version = [1] })
        #expect(!isPrivate { ($0.version, $0.others) = ([1], der(0x30, der(0x30, [2, 1, 3]))) })
        #expect(!isPrivate { $0.others = [2, 1, 3] })
    }

    @Test func theOtherNumbersAreNeitherNothingNorTooLarge() {
        #expect(!isPrivate { $0.privateExponent = [0] })
        #expect(!isPrivate { $0.privateExponent = [2] })
        #expect(!isPrivate { $0.privateExponent = Self.number(1025) })
        #expect(isPrivate { $0.privateExponent = Self.number(1024) })
        #expect(!isPrivate { $0.exponent1 = [0] })
        #expect(!isPrivate { $0.exponent1 = Self.number(513) })
        #expect(!isPrivate { $0.exponent2 = [0] })
        #expect(!isPrivate { $0.exponent2 = Self.number(513) })
        #expect(!isPrivate { $0.coefficient = [0] })
        #expect(!isPrivate { $0.coefficient = Self.number(513) })
        #expect(isPrivate { $0.coefficient = [1] })
    }

    @Test func everyPrefixOfAKeyIsNone() throws {
        let vector = try CertificateVector.named("rsa-512")
        for count in 0..<vector.privateKey.count {
            let data = vector.privateKey.prefix(count)
            #expect(makeKey(data, kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate) == nil)
        }
        for count in 0..<vector.publicKey.count {
            #expect(!isPublic([UInt8](vector.publicKey.prefix(count))))
        }
    }
}
