// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

@Suite struct SymmetricKeyTests {
    init() throws { _ = try EphemeralKeychain.shared.get() }

    private static var none: CFDictionary { [:] as CFDictionary }

    private func key(_ bytes: Data, _ type: CFString = kSecAttrKeyTypeAES) throws -> SecKey {
        let parameters = [kSecAttrKeyType: type] as CFDictionary
        let key = SecKeyCreateFromData(parameters, bytes as CFData, nil)
        return try #require(key)
    }

    private func generated(_ parameters: [CFString: Any]) throws -> SecKey {
        let key = SecKeyGenerateSymmetric(parameters as CFDictionary, nil)
        return try #require(key)
    }

    /// The code of the error that a call sets.
    private func code(_ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> AnyObject?) -> Int? {
        var error: Unmanaged<CFError>?
        let result = unsafe call(&error)
        #expect(result == nil)
        return unsafe error?.takeRetainedValue().code
    }

    // MARK: - Making

    @Test func randomKeysHaveTheirSizes() throws {
        let kinds: [(CFString, Int?, Int)] = [
            (kSecAttrKeyTypeAES, nil, 128), (kSecAttrKeyTypeAES, 128, 128),
            (kSecAttrKeyTypeAES, 192, 192), (kSecAttrKeyTypeAES, 256, 256),
            (kSecAttrKeyType3DES, nil, 192), (kSecAttrKeyType3DES, 192, 192),
            (kSecAttrKeyTypeDES, nil, 64), (kSecAttrKeyTypeRC4, nil, 128),
            (kSecAttrKeyTypeRC2, 40, 40), (kSecAttrKeyTypeCAST, 80, 80),
        ]
        for (type, size, bits) in kinds {
            var parameters: [CFString: Any] = [kSecAttrKeyType: type]
            parameters[kSecAttrKeySizeInBits] = size
            let one = try generated(parameters)
            let other = try generated(parameters)
            #expect(externalBytes(one)?.count == bits / 8)
            #expect(one != other)
            let attributes = SecKeyCopyAttributes(one) as? [String: Any]
            #expect(attributes?[kSecAttrKeyType as String] as? String == type as String)
            #expect(attributes?[kSecAttrKeySizeInBits as String] as? Int == bits)
            #expect(
                attributes?[kSecAttrKeyClass as String] as? String
                    == kSecAttrKeyClassSymmetric as String)
        }
    }

    @Test func whatIsNotMadeIsRefused() throws {
        let wrong: [[CFString: Any]] = [
            [kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeySizeInBits: 136],
            [kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeySizeInBits: 0],
            [kSecAttrKeyType: kSecAttrKeyType3DES, kSecAttrKeySizeInBits: 128],
            [kSecAttrKeyType: kSecAttrKeyTypeRC4, kSecAttrKeySizeInBits: 41],
            [kSecAttrKeyType: kSecAttrKeyTypeRSA], [kSecAttrKeyType: kSecAttrKeyTypeEC],
            [kSecAttrKeyType: "x"], [kSecAttrKeySizeInBits: "x"],
            [kSecAttrIsPermanent: "yes"],
        ]
        for parameters in wrong {
            unsafe #expect(
                code { unsafe SecKeyGenerateSymmetric(parameters as CFDictionary, $0) }
                    == Int(errSecParam))
        }
        let data = Data([1]) as CFData
        unsafe #expect(
            code {
                unsafe SecKeyCreateFromData(
                    [kSecAttrKeyType: kSecAttrKeyTypeRSA] as CFDictionary, data, $0)
            } == Int(errSecParam))
        unsafe #expect(
            code { unsafe SecKeyCreateFromData(Self.none, Data() as CFData, $0) }
                == Int(errSecUnsupportedKeySize))
    }

    @Test func aPermanentKeyIsStored() throws {
        let parameters: [CFString: Any] = [
            kSecAttrKeySizeInBits: 256, kSecAttrIsPermanent: true,
            kSecAttrLabel: "symmetric key test",
        ]
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrLabel: "symmetric key test",
        ]
        defer { _ = SecItemDelete(query as CFDictionary) }
        let one = try generated(parameters)
        // A second one of the same type and size is another item.
        let other = try generated(parameters)
        var found: CFTypeRef?
        let all = query.merging([kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 }
        unsafe #expect(SecItemCopyMatching(all as CFDictionary, &found) == errSecSuccess)
        #expect(found as? [SecKey] == [one, other])
        // The same label of an application is the same item.
        let named = parameters.merging([kSecAttrApplicationLabel: Data("label".utf8)]) { $1 }
        #expect(SecKeyGenerateSymmetric(named as CFDictionary, nil) != nil)
        unsafe #expect(
            code { unsafe SecKeyGenerateSymmetric(named as CFDictionary, $0) }
                == Int(errSecDuplicateItem))
    }

    // MARK: - Wrapping

    /// RFC 3394 §4.1, §4.3, §4.6.
    @Test func wrappedKeysAreThoseOfTheStandard() throws {
        let half = "00112233445566778899AABBCCDDEEFF"
        let known = [
            (
                "000102030405060708090A0B0C0D0E0F", half,
                "1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5"
            ),
            (
                "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F", half,
                "64E8C3F9CE0F5BA263E9777905818A2A93C8191E7D6E8AE7"
            ),
            (
                "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
                half + "000102030405060708090A0B0C0D0E0F",
                "28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21"
            ),
        ]
        for (wrapping, content, expected) in known {
            let (wrapping, content) = (try key(unhex(wrapping)), try key(unhex(content)))
            let wrapped = SecKeyWrapSymmetric(content, wrapping, Self.none, nil)
            #expect(wrapped as Data? == unhex(expected))
            #expect(unwrapped(unhex(expected), wrapping) == content)
            for index in [0, 8, unhex(expected).count - 1] {
                var other = unhex(expected)
                other[index] ^= 1
                #expect(unwrapped(other, wrapping) == nil)
            }
        }
    }

    private func unwrapped(
        _ wrapped: Data, _ key: SecKey, _ parameters: CFDictionary = [:] as CFDictionary
    ) -> SecKey? {
        var object: Unmanaged<CFData>? = unsafe Unmanaged.passRetained(wrapped as CFData)
        defer { unsafe object?.release() }
        return unsafe SecKeyUnwrapSymmetric(&object, key, parameters, nil)
    }

    @Test func anUnwrappedKeyHasTheTypeThatIsAskedFor() throws {
        let wrapping = try key(Data(repeating: 1, count: 32))
        let content = try key(Data(repeating: 2, count: 24), kSecAttrKeyType3DES)
        let made = SecKeyWrapSymmetric(content, wrapping, Self.none, nil)
        let wrapped = try #require(made as Data?)
        #expect(wrapped.count == 32)
        let parameters = [kSecAttrKeyType: kSecAttrKeyType3DES] as CFDictionary
        #expect(unwrapped(wrapped, wrapping, parameters) == content)
        #expect(unwrapped(wrapped, wrapping) != content)
        let other = try key(Data(repeating: 3, count: 32))
        #expect(unwrapped(wrapped, other) == nil)
    }

    @Test func otherKeysDoNotWrap() throws {
        let aes = try key(Data(repeating: 1, count: 16))
        let pair = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        let wrong: [(SecKey, SecKey, CFDictionary)] = [
            (aes, try key(Data(repeating: 1, count: 24), kSecAttrKeyType3DES), Self.none),
            (aes, try key(Data(repeating: 1, count: 20)), Self.none),
            (aes, pair, Self.none), (pair, aes, Self.none),
            (try key(Data(repeating: 1, count: 8)), aes, Self.none),
            (try key(Data(repeating: 1, count: 17)), aes, Self.none),
            (aes, aes, [kSecAttrSalt: Data([1])] as CFDictionary),
        ]
        for (content, wrapping, parameters) in wrong {
            unsafe #expect(
                code { unsafe SecKeyWrapSymmetric(content, wrapping, parameters, $0) }
                    == Int(errSecParam))
        }
        var nothing: Unmanaged<CFData>?
        unsafe #expect(
            code { unsafe SecKeyUnwrapSymmetric(&nothing, aes, Self.none, $0) }
                == Int(errSecParam))
    }

    // MARK: - Passwords

    private func derived(_ password: String, _ parameters: [CFString: Any]) throws -> Data {
        let key = SecKeyDeriveFromPassword(
            password as CFString, parameters as CFDictionary, nil)
        return try #require(key.flatMap(externalBytes))
    }

    /// RFC 6070.
    @Test func derivedKeysAreThoseOfTheStandard() throws {
        let known = [
            (1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            (4096, "4b007901b765489abead49d926f721d065a429c1"),
        ]
        for (rounds, expected) in known {
            let bytes = try derived(
                "password",
                [
                    kSecAttrSalt: Data("salt".utf8), kSecAttrRounds: rounds,
                    kSecAttrPRF: kSecAttrPRFHmacAlgSHA1, kSecAttrKeySizeInBits: 160,
                ])
            #expect(bytes == unhex(expected))
        }
    }

    @Test func derivedKeysAreOpensslsWithEachDigest() throws {
        let digests: [(CFString?, String)] = [
            (kSecAttrPRFHmacAlgSHA1, "SHA1"), (kSecAttrPRFHmacAlgSHA224, "SHA224"),
            (kSecAttrPRFHmacAlgSHA256, "SHA256"), (kSecAttrPRFHmacAlgSHA384, "SHA384"),
            (kSecAttrPRFHmacAlgSHA512, "SHA512"), (nil, "SHA256"),
        ]
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            for (function, digest) in digests {
                // 33 333 rounds, 128 bits: what Apple's function takes when nothing is said.
                try openssl(
                    "kdf", "-keylen", "16", "-binary", "-out", "key", "-kdfopt",
                    "digest:\(digest)", "-kdfopt", "pass:päss", "-kdfopt", "hexsalt:0102",
                    "-kdfopt",
                    "iter:33333", "PBKDF2")
                var parameters: [CFString: Any] = [kSecAttrSalt: Data([1, 2])]
                parameters[kSecAttrPRF] = function
                #expect(try derived("päss", parameters) == openssl.read("key"), "\(digest)")
                parameters[kSecAttrRounds] = 0
                #expect(try derived("päss", parameters) == openssl.read("key"))
            }
        }
    }

    @Test func wrongParametersOfADerivationAreRefused() throws {
        let salt = Data([1])
        let wrong: [([CFString: Any], OSStatus)] = [
            ([:], errSecMissingAlgorithmParms),
            ([kSecAttrSalt: "text"], errSecMissingAlgorithmParms),
            ([kSecAttrSalt: salt, kSecAttrPRF: "md5"], errSecInvalidAlgorithmParms),
            ([kSecAttrSalt: salt, kSecAttrPRF: 1], errSecInvalidAlgorithmParms),
            ([kSecAttrSalt: salt, kSecAttrRounds: -1], errSecParam),
            ([kSecAttrSalt: salt, kSecAttrRounds: 10_000_001], errSecParam),
            ([kSecAttrSalt: salt, kSecAttrRounds: 1, kSecAttrKeySizeInBits: 12], errSecParam),
            ([kSecAttrSalt: salt, kSecAttrRounds: 1, kSecAttrKeySizeInBits: 0], errSecParam),
            (
                [kSecAttrSalt: salt, kSecAttrRounds: 1, kSecAttrKeyType: kSecAttrKeyTypeRSA],
                errSecParam
            ),
        ]
        for (parameters, status) in wrong {
            unsafe #expect(
                code {
                    unsafe SecKeyDeriveFromPassword("p" as CFString, parameters as CFDictionary, $0)
                } == Int(status), "\(parameters)")
        }
    }
}
