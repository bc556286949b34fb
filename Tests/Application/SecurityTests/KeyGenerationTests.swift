// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

@Suite(.serialized) struct KeyGenerationTests {
    init() throws { _ = try EphemeralKeychain.shared.get() }

    private func find(_ query: [CFString: Any]) -> (OSStatus, SecKey?) {
        var result: CFTypeRef?
        var query = query
        query[kSecClass] = kSecClassKey
        query[kSecReturnRef] = true
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result as? SecKey)
    }

    private func make(_ parameters: [CFString: Any]) -> (SecKey?, Int?) {
        var error: Unmanaged<CFError>?
        let key = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error)
        return unsafe (key, error?.takeRetainedValue().code)
    }

    @Test(arguments: [256, 384, 521]) func keysOnCurvesHaveTheirSize(_ bitCount: Int) throws {
        let (key, _) = make([
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: bitCount,
        ])
        let attributes = try #require(key.flatMap { SecKeyCopyAttributes($0) } as? [String: Any])
        #expect(attributes[kSecAttrKeySizeInBits as String] as? Int == bitCount)
        #expect(attributes[kSecAttrKeyClass as String] as? String == "1")
    }

    @Test func rsaKeysHaveTheirSize() throws {
        // A number as text is accepted, too.
        let (key, _) = make([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: "3072"])
        #expect(key.map { SecKeyGetBlockSize($0) } == 384)
        let data = try #require(key.flatMap(externalBytes))
        #expect(makeKey(data, kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate) == key)
    }

    @Test func aKeyThatIsntPermanentIsNotStored() {
        let tag = Data("not stored".utf8)
        let (key, _) = make([
            kSecAttrKeyType: kSecAttrKeyTypeEC,
            kSecPrivateKeyAttrs: [kSecAttrApplicationTag: tag],
        ])
        #expect(key != nil)
        #expect(find([kSecAttrApplicationTag: tag]).0 == errSecItemNotFound)
    }

    /// Whoever writes "yes" wants the key stored, and would lose it.
    @Test func whatIsNoTruthValueMakesNoKey() {
        let tag = Data("perhaps permanent".utf8)
        for value: Any in ["yes", "1", Data([1]), Date(), [true]] {
            let half: [CFString: Any] = [
                kSecAttrIsPermanent: value, kSecAttrApplicationTag: tag,
            ]
            for whole in [
                half, [kSecPrivateKeyAttrs: half], [kSecPublicKeyAttrs: half],
            ] as [[CFString: Any]] {
                let parameters = whole.merging([kSecAttrKeyType: kSecAttrKeyTypeEC]) { $1 }
                let (key, code) = make(parameters)
                #expect(key == nil && code == Int(errSecParam), "\(value)")
                var (publicKey, privateKey): (SecKey?, SecKey?)
                let status = unsafe SecKeyGeneratePair(
                    parameters as CFDictionary, &publicKey, &privateKey)
                #expect(status == errSecParam && publicKey == nil && privateKey == nil)
            }
        }
        #expect(find([kSecAttrApplicationTag: tag]).0 == errSecItemNotFound)
        // A number is a truth value.
        let stored: [CFString: Any] = [kSecAttrIsPermanent: 1, kSecAttrApplicationTag: tag]
        let (key, _) = make([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecPrivateKeyAttrs: stored])
        #expect(key != nil)
        #expect(find([kSecAttrApplicationTag: tag]).1 == key)
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag]
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    }

    @Test func eachHalfIsStoredAsItsAttributesSay() throws {
        let (privateTag, publicTag) = (Data("private half".utf8), Data("public half".utf8))
        let (key, code) = make([
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrLabel: "a pair",
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: privateTag,
            ] as [CFString: Any],
            kSecPublicKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: publicTag,
            ] as [CFString: Any],
        ])
        let made = try #require(key, "\(code ?? 0)")
        #expect(find([kSecAttrApplicationTag: privateTag]).1 == made)
        #expect(find([kSecAttrApplicationTag: publicTag]).1 == SecKeyCopyPublicKey(made))
        #expect(
            find([kSecAttrLabel: "a pair", kSecAttrKeyClass: kSecAttrKeyClassPublic]).0
                == errSecSuccess)
        for tag in [privateTag, publicTag] {
            let query = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] as CFDictionary
            #expect(SecItemDelete(query) == errSecSuccess)
        }
    }

    @Test func aPairOfWhichOneHalfCantBeStoredIsNone() throws {
        let tag = Data("half a pair".utf8)
        let (key, code) = make([
            kSecAttrKeyType: kSecAttrKeyTypeEC,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag,
            ] as [CFString: Any],
            kSecPublicKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrAccessible: "zz",
            ] as [CFString: Any],
        ])
        #expect(key == nil && code == Int(errSecParam))
        #expect(find([kSecAttrApplicationTag: tag]).0 == errSecItemNotFound)
    }

    @Test func theOlderCallGivesBothHalves() throws {
        var (publicKey, privateKey): (SecKey?, SecKey?)
        let parameters =
            [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 384] as CFDictionary
        var status = unsafe SecKeyGeneratePair(parameters, &publicKey, &privateKey)
        #expect(status == errSecSuccess)
        let key = try #require(privateKey)
        #expect(SecKeyCopyPublicKey(key) == publicKey)
        status = unsafe SecKeyGeneratePair([:] as CFDictionary, &publicKey, &privateKey)
        #expect(status == errSecParam)
    }

    @Test func aNameThatIsTakenLeavesNothingHalfStored() throws {
        let (taken, other) = (Data("taken".utf8), Data("other".utf8))
        let named: [CFString: Any] = [
            kSecAttrIsPermanent: true, kSecAttrApplicationTag: taken,
            kSecAttrApplicationLabel: Data("label".utf8),
        ]
        let unnamed: [CFString: Any] = [
            kSecAttrIsPermanent: true, kSecAttrApplicationTag: other,
        ]
        for (first, second) in [
            (kSecPrivateKeyAttrs, kSecPublicKeyAttrs), (kSecPublicKeyAttrs, kSecPrivateKeyAttrs),
        ] {
            let alone: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, first: named]
            let made = try #require(make(alone).0)
            let half = first == kSecPrivateKeyAttrs ? made : SecKeyCopyPublicKey(made)
            let (key, code) = make(alone.merging([second: unnamed]) { $1 })
            #expect(key == nil && code == Int(errSecDuplicateItem))
            #expect(find([kSecAttrApplicationTag: other]).0 == errSecItemNotFound)
            #expect(find([kSecAttrApplicationTag: taken]).1 == half)
            let query = [kSecClass: kSecClassKey, kSecAttrApplicationTag: taken] as CFDictionary
            #expect(SecItemDelete(query) == errSecSuccess)
        }
    }

    @Test func theOlderCallStoresBothHalves() throws {
        let tag = Data("older pair".utf8)
        var (publicKey, privateKey): (SecKey?, SecKey?)
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrIsPermanent: true,
            kSecAttrApplicationTag: tag,
        ]
        let status = unsafe SecKeyGeneratePair(
            parameters as CFDictionary, &publicKey, &privateKey)
        #expect(status == errSecSuccess)
        let halves = [
            (kSecAttrKeyClassPublic, publicKey), (kSecAttrKeyClassPrivate, privateKey),
        ]
        for (keyClass, key) in halves {
            let query: [CFString: Any] = [
                kSecAttrApplicationTag: tag, kSecAttrKeyClass: keyClass,
            ]
            #expect(key != nil)
            #expect(find(query).1 == key)
        }
        let all = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] as CFDictionary
        #expect(SecItemDelete(all) == errSecSuccess)
    }

    @Test func whatIsntMadeIsRefused() {
        let cases: [[CFString: Any]] = [
            [:], [kSecAttrKeyType: kSecAttrKeyTypeDSA],
            [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 192],
            [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: Data()],
            [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: -1],
            [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024],
            [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2049],
            [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: Int64.max],
            [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecPrivateKeyAttrs: "no dictionary"],
            [kSecAttrKeyType: NSNull()],
        ]
        for parameters in cases {
            let (key, code) = make(parameters)
            #expect(key == nil && code == Int(errSecParam), "\(parameters)")
        }
    }

    @Test(.usesSharedCertificate) func aStoredKeyAndItsCertificateAreAnIdentity() throws {
        let certificate = try CertificateVector.certificate("p256-issued")
        let key = try CertificateVector.privateKey("p256-issued")
        var identity: SecIdentity?
        unsafe #expect(
            SecIdentityCreateWithCertificate(nil, certificate, &identity) == errSecItemNotFound)
        let item = [kSecValueRef: key] as CFDictionary
        #expect(SecItemAdd(item, nil) == errSecSuccess)
        let status = unsafe SecIdentityCreateWithCertificate(nil, certificate, &identity)
        #expect(status == errSecSuccess)
        var found: SecKey?
        let made = try #require(identity)
        unsafe #expect(SecIdentityCopyPrivateKey(made, &found) == errSecSuccess && found == key)
        #expect(SecItemDelete(item) == errSecSuccess)
        #expect(SecCertificateAddToKeychain(certificate, nil) == errSecSuccess)
        #expect(SecCertificateAddToKeychain(certificate, nil) == errSecDuplicateItem)
        #expect(SecItemDelete([kSecValueRef: certificate] as CFDictionary) == errSecSuccess)
    }
}
