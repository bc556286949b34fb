// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecretBytes
import Security
import SecurityWire
import Testing

@Suite struct SecKeyTests {
    /// Vectors with a key of a supported type.
    private static let names = CertificateVector.names.filter {
        CertificateVector.keyType($0) != nil
    }

    private static func publicKey(_ name: String) throws -> SecKey {
        let type = try #require(CertificateVector.keyType(name))
        let data = try CertificateVector.named(name).publicKey
        return try #require(makeKey(data, type, kSecAttrKeyClassPublic))
    }

    private static func data(_ key: SecKey) -> Data? {
        SecKeyCopyExternalRepresentation(key, nil) as Data?
    }

    private static func secret(_ data: Data) -> Secret {
        Secret(unsafe SecretBytes(byteCount: data.count) { unsafe $0.copyBytes(from: data) })
    }

    private static func flags(
        _ key: SecKey, _ attributes: [Attribute], forQuery: Bool = false
    ) -> [AttributeValue?] {
        let all = key.itemAttributes(forQuery: forQuery)
        return attributes.map { all[$0] }
    }

    // MARK: - Making

    @Test(arguments: names) func opensslsKeysComeBackAsTheyAre(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let privateKey = try CertificateVector.privateKey(name)
        let publicKey = try Self.publicKey(name)
        #expect(Self.data(privateKey) == vector.privateKey)
        #expect(Self.data(publicKey) == vector.publicKey)
        #expect(CFGetTypeID(privateKey) == SecKeyGetTypeID())
    }

    @Test(arguments: names) func thePublicHalfOfAPrivateKeyIsOpenssls(_ name: String) throws {
        let half = try #require(SecKeyCopyPublicKey(try CertificateVector.privateKey(name)))
        let publicKey = try Self.publicKey(name)
        #expect(half == publicKey && half.hash == publicKey.hash)
        #expect(SecKeyCopyPublicKey(publicKey) === publicKey)
    }

    @Test(arguments: names) func equalKeysAreEqualAndHalvesAreNot(_ name: String) throws {
        let key = try CertificateVector.privateKey(name)
        let again = try CertificateVector.privateKey(name)
        #expect(key == again && key.hash == again.hash && CFEqual(key, again))
        #expect(try key != Self.publicKey(name))
        #expect(try Self.publicKey(name) != key)
    }

    @Test func differentKeysDiffer() throws {
        let keys = try Self.names.map { try CertificateVector.privateKey($0) }
        #expect(Set(keys).count == keys.count)
        let one = try #require(makeKey(Data([1]), kSecAttrKeyTypeAES, kSecAttrKeyClassSymmetric))
        let other = try #require(makeKey(Data([2]), kSecAttrKeyTypeAES, kSecAttrKeyClassSymmetric))
        let third = try #require(makeKey(Data([2]), kSecAttrKeyTypeRC4, kSecAttrKeyClassSymmetric))
        #expect(one != other && other != third)
    }

    @Test func typeAndClassMayBeNumbers() throws {
        let vector = try CertificateVector.named("p256-issued")
        let attributes: [CFString: Any] = [kSecAttrKeyType: 73, kSecAttrKeyClass: 1]
        let key = SecKeyCreateWithData(
            vector.privateKey as CFData, attributes as CFDictionary, nil)
        #expect(try key == CertificateVector.privateKey("p256-issued"))
    }

    @Test func theSizeThatTheCallerNamesIsNotLookedAt() throws {
        let vector = try CertificateVector.named("p256-issued")
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPublic,
            kSecAttrKeySizeInBits: 384,
        ]
        let key = SecKeyCreateWithData(
            vector.publicKey as CFData, attributes as CFDictionary, nil)
        #expect(try key == Self.publicKey("p256-issued"))
    }

    @Test(arguments: [
        [:], ["type": "42"], ["kcls": "1"], ["type": "RSA", "kcls": "1"],
        ["type": "042", "kcls": "1"], ["type": "42", "kcls": "3"], ["type": "42", "kcls": "-1"],
        ["type": "73", "kcls": "1"], ["type": "42", "kcls": "0"], ["type": "42", "kcls": "2"],
        ["type": "43", "kcls": "1"], ["type": "1", "kcls": "1"],
    ])
    func attributesThatDoNotFitAreAParameterError(_ attributes: [String: String]) throws {
        var error: Unmanaged<CFError>?
        let data = try CertificateVector.named("rsa").privateKey
        let key = unsafe SecKeyCreateWithData(data as CFData, attributes as CFDictionary, &error)
        #expect(key == nil)
        let found = unsafe try #require(unsafe error)
        #expect(CFErrorGetCode(unsafe found.takeRetainedValue()) == Int(errSecParam))
    }

    @Test func aKeyInATokenIsNotMadeFromData() throws {
        var error: Unmanaged<CFError>?
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ]
        let data = try CertificateVector.named("p256-issued").privateKey
        let key = unsafe SecKeyCreateWithData(data as CFData, attributes as CFDictionary, &error)
        #expect(key == nil)
        let found = unsafe try #require(unsafe error)
        #expect(CFErrorGetCode(unsafe found.takeRetainedValue()) == Int(errSecUnimplemented))
    }

    @Test(arguments: names) func aByteMoreOrLessIsNoKey(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let type = try #require(CertificateVector.keyType(name))
        for (data, keyClass) in [
            (vector.publicKey, kSecAttrKeyClassPublic),
            (vector.privateKey, kSecAttrKeyClassPrivate),
        ] {
            #expect(makeKey(data + [0], type, keyClass) == nil)
            #expect(makeKey(data.dropLast(), type, keyClass) == nil)
            #expect(makeKey(Data(), type, keyClass) == nil)
        }
        if type != kSecAttrKeyTypeEd25519 {
            #expect(makeKey(vector.publicKey, type, kSecAttrKeyClassPrivate) == nil)
            #expect(makeKey(vector.privateKey, type, kSecAttrKeyClassPublic) == nil)
        }
    }

    // MARK: - Curves

    @Test(arguments: ["p256-issued", "p384-units", "p521-described"])
    func aPointMustBeOnTheCurve(_ name: String) throws {
        let good = [UInt8](try CertificateVector.named(name).publicKey)
        let field = (good.count - 1) / 2
        let infinity = [UInt8](repeating: 0, count: good.count)
        let off: [UInt8] = good.dropLast() + [good[good.count - 1] ^ 1]
        let large: [UInt8] = [4] + [UInt8](repeating: 0xff, count: 2 * field)
        let sign = good[good.count - 1] & 1
        let compressed: [UInt8] = [2 | sign] + good[1...field]
        let hybrid: [UInt8] = [6 | sign] + good[1...]
        let zero: [UInt8] = [4] + infinity[1...]
        for bytes: [UInt8] in [infinity, [0], off, large, compressed, hybrid, zero] {
            #expect(makeKey(Data(bytes), kSecAttrKeyTypeEC, kSecAttrKeyClassPublic) == nil)
        }
    }

    @Test(arguments: ["p256-issued", "p384-units", "p521-described"])
    func aPrivateKeyMustBelongToItsPoint(_ name: String) throws {
        let good = [UInt8](try CertificateVector.named(name).privateKey)
        let point = [UInt8](try CertificateVector.named(name).publicKey)
        let size = good.count - point.count
        let zero = point + [UInt8](repeating: 0, count: size)
        let large = point + [UInt8](repeating: 0xff, count: size)
        let other = Array(good.dropLast()) + [good[good.count - 1] ^ 1]
        let off: [UInt8] = [4, good[1] ^ 1] + good[2...]
        let scalar: [UInt8] = Array(good[point.count...])
        for bytes: [UInt8] in [zero, large, other, off, scalar] {
            #expect(makeKey(Data(bytes), kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate) == nil)
        }
    }

    @Test func theOrderOfP256IsNoKeyAndOneLessIs() throws {
        let order =
            Data(repeating: 0xff, count: 4) + Data(repeating: 0, count: 4)
            + Data(repeating: 0xff, count: 8)
            + Data([
                0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63,
                0x25, 0x51,
            ])
        let less = order.dropLast() + [0x50]
        let point = try P256.Signing.PrivateKey(rawRepresentation: less).publicKey
            .x963Representation
        #expect(makeKey(point + less, kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate) != nil)
        #expect(makeKey(point + order, kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate) == nil)
    }

    @Test func curve25519KeysAre32Bytes() throws {
        let agreement = Curve25519.KeyAgreement.PrivateKey()
        let key = try #require(
            makeKey(agreement.rawRepresentation, kSecAttrKeyTypeX25519, kSecAttrKeyClassPrivate))
        let half = try #require(SecKeyCopyPublicKey(key))
        #expect(Self.data(half) == agreement.publicKey.rawRepresentation)
        for count in [0, 31, 33] {
            for type in [kSecAttrKeyTypeX25519, kSecAttrKeyTypeEd25519] {
                let data = Data(repeating: 1, count: count)
                #expect(makeKey(data, type, kSecAttrKeyClassPublic) == nil)
                #expect(makeKey(data, type, kSecAttrKeyClassPrivate) == nil)
            }
        }
    }

    // MARK: - Attributes

    @Test(arguments: names)
    func theApplicationLabelIsTheCertificatesKeyHash(_ name: String) throws {
        let expected = try CertificateVector.named(name).publicKeyHash
        for key in [try CertificateVector.privateKey(name), try Self.publicKey(name)] {
            for forQuery in [true, false] {
                let label = key.itemAttributes(forQuery: forQuery)[.applicationLabel]
                guard case .data(let bytes)? = label else {
                    Issue.record("no label")
                    continue
                }
                #expect(hex(bytes) == expected)
            }
        }
    }

    @Test(arguments: [
        ("rsa", 42, 2048, 256), ("rsa-512", 42, 512, 64), ("p256-issued", 73, 256, 32),
        ("p384-units", 73, 384, 48), ("p521-described", 73, 521, 66),
        ("ed25519-teletex", 105, 256, 32),
    ])
    func typeAndSizesAreThoseOfTheKey(
        _ name: String, _ type: Int64, _ bitCount: Int64, _ blockByteCount: Int
    ) throws {
        for (key, keyClass) in [
            (try CertificateVector.privateKey(name), Int64(1)), (try Self.publicKey(name), 0),
        ] {
            let names: [Attribute] = [.keyClass, .type, .keySizeInBits, .effectiveKeySize]
            let expected = [keyClass, type, bitCount, bitCount].map { AttributeValue.integer($0) }
            #expect(Self.flags(key, names) == expected)
            #expect(Self.flags(key, names, forQuery: true) == expected)
            #expect(SecKeyGetBlockSize(key) == blockByteCount)
        }
    }

    private static let standing: [Attribute] = [
        .isPrivate, .isModifiable, .isSensitive, .wasAlwaysSensitive, .isExtractable,
        .wasNeverExtractable,
    ]
    private static let uses: [Attribute] = [
        .isPermanent, .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canSignRecover,
        .canVerifyRecover, .canWrap, .canUnwrap,
    ]

    @Test(arguments: [
        // perm encr decr drve sign vrfy snrc vyrc wrap unwp
        ("rsa", true, [1, 0, 1, 0, 1, 0, 0, 0, 0, 1]),
        ("rsa", false, [1, 1, 1, 0, 0, 1, 0, 0, 1, 0]),
        ("p256-issued", true, [1, 0, 1, 1, 1, 0, 0, 0, 0, 1]),
        ("p256-issued", false, [1, 1, 0, 0, 0, 1, 0, 0, 1, 0]),
        ("ed25519-teletex", true, [1, 0, 1, 1, 1, 0, 0, 0, 0, 1]),
        ("ed25519-teletex", false, [1, 1, 0, 0, 0, 1, 0, 0, 1, 0]),
    ])
    func flagsAreApplesAndAQueryLeavesUsesOut(
        _ name: String, _ isPrivate: Bool, _ expected: [Int64]
    ) throws {
        let key = try isPrivate ? CertificateVector.privateKey(name) : Self.publicKey(name)
        #expect(Self.flags(key, Self.uses) == expected.map { .integer($0) })
        let fixed: [AttributeValue] = [1, 1, 0, 0, 1, 0].map { .integer($0) }
        #expect(Self.flags(key, Self.standing) == fixed)
        #expect(Self.flags(key, Self.standing, forQuery: true) == fixed)
        #expect(Self.flags(key, Self.uses, forQuery: true).allSatisfy { $0 == nil })
        // No other attributes: 5 of the key itself, 6 fixed ones, 10 for its uses.
        var count = 0
        let attributes = key.itemAttributes(forQuery: false)
        count += attributes.entries.count
        #expect(count == 21)
    }

    @Test func symmetricKeysAreKeptAndHaveNoLabel() throws {
        let data = Data(0..<32)
        let key = try #require(makeKey(data, kSecAttrKeyTypeAES, kSecAttrKeyClassSymmetric))
        #expect(Self.data(key) == data)
        #expect(SecKeyCopyPublicKey(key) == nil)
        #expect(SecKeyGetBlockSize(key) == 16)
        let attributes = key.itemAttributes(forQuery: false)
        #expect(attributes[.applicationLabel] == nil)
        #expect(attributes[.keyClass] == .integer(2))
        #expect(attributes[.type] == .integer(2_147_483_649))
        #expect(attributes[.keySizeInBits] == .integer(256))
        #expect(
            Self.flags(key, Self.uses)
                == [1, 1, 1, 1, 0, 0, 0, 0, 1, 1].map { .integer($0) })
        #expect(makeKey(Data(), kSecAttrKeyTypeAES, kSecAttrKeyClassSymmetric) == nil)
        for type in [kSecAttrKeyTypeRSA, kSecAttrKeyTypeEC, kSecAttrKeyTypeEd25519] {
            #expect(makeKey(data, type, kSecAttrKeyClassSymmetric) == nil)
        }
    }

    @Test func theDictionaryOfAttributesHasTextsNumbersFlagsAndTheData() throws {
        let key = try CertificateVector.privateKey("p256-issued")
        let found = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        #expect(found[kSecClass as String] as? String == kSecClassKey as String)
        #expect(found[kSecAttrKeyType as String] as? String == "73")
        #expect(found[kSecAttrKeyClass as String] as? String == "1")
        #expect(found[kSecAttrKeySizeInBits as String] as? Int == 256)
        #expect(found[kSecAttrCanSign as String] as? Bool == true)
        #expect(found[kSecAttrCanVerify as String] as? Bool == false)
        #expect(found[kSecAttrIsPermanent as String] as? Bool == true)
        let vector = try CertificateVector.named("p256-issued")
        #expect((found[kSecAttrApplicationLabel as String] as? Data)?.count == 20)
        #expect(found[kSecValueData as String] as? Data == vector.privateKey)
        #expect(found.count == 23)
        // It describes the key well enough to make it again.
        let again = SecKeyCreateWithData(
            vector.privateKey as CFData, found as CFDictionary, nil)
        #expect(again == key)
    }

    // MARK: - Stored

    @Test(arguments: names) func aStoredKeyIsTheKeyAgain(_ name: String) throws {
        for key in [try CertificateVector.privateKey(name), try Self.publicKey(name)] {
            let stored = key.itemAttributes(forQuery: false)
            #expect(SecKey(stored: stored, data: key.externalRepresentation) == key)
        }
    }

    @Test func aStoredKeyNeedsTypeClassAndDataThatFit() throws {
        let data = try CertificateVector.named("rsa").privateKey
        var attributes = ItemAttributes()
        #expect(SecKey(stored: attributes, data: Self.secret(data)) == nil)
        attributes[.type] = .integer(42)
        #expect(SecKey(stored: attributes, data: Self.secret(data)) == nil)
        attributes[.keyClass] = .integer(1)
        #expect(SecKey(stored: attributes, data: Self.secret(data)) != nil)
        #expect(SecKey(stored: attributes, data: Self.secret(Data())) == nil)
        // Text is the type of the constants.
        attributes[.keyClass] = .text("1")
        attributes[.type] = .text("42")
        #expect(SecKey(stored: attributes, data: Self.secret(data)) != nil)
        for other in [AttributeValue.integer(0), .integer(2), .integer(7), .text("01")] {
            attributes[.keyClass] = other
            #expect(SecKey(stored: attributes, data: Self.secret(data)) == nil)
        }
        attributes[.keyClass] = nil
        attributes[.type] = .integer(42)
        #expect(SecKey(stored: attributes, data: Self.secret(data)) == nil)
    }

    // MARK: - Any bytes

    @Test func randomMutationsNeverCrashAndNeverChangeWhatIsCopied() throws {
        let seed = Mutator.seed
        print("Mutations of keys: LLAVERO_MUTATION_SEED=\(seed)")
        var mutator = Mutator(seed: seed)
        let types = [
            kSecAttrKeyTypeRSA, kSecAttrKeyTypeEC, kSecAttrKeyTypeEd25519, kSecAttrKeyTypeX25519,
        ]
        let classes = [kSecAttrKeyClassPrivate, kSecAttrKeyClassPublic]
        let originals = Self.names.compactMap { CertificateVector.all[$0] }
            .flatMap { [[UInt8]($0.privateKey), [UInt8]($0.publicKey)] }
        var takenCount = 0
        for number in 0..<Mutator.count {
            let bytes = mutator.mutate(originals[number % originals.count], others: originals)
            for type in types {
                for keyClass in classes {
                    guard let key = makeKey(Data(bytes), type, keyClass) else { continue }
                    takenCount += 1
                    try #require(Self.data(key) == Data(bytes), "seed \(seed): \(hex(bytes))")
                    _ = (SecKeyCopyAttributes(key), SecKeyCopyPublicKey(key))
                }
            }
        }
        #expect(takenCount > 0)
    }
}
