// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import Security
import SecurityWire
import TestSupport
import Testing

@Suite struct EnclaveKeyTests {
    private static var message: CFData { Data("message".utf8) as CFData }

    private func parameters(
        _ privateAttributes: [CFString: Any] = [:],
        type: CFString = kSecAttrKeyTypeECSECPrimeRandom,
        size: Int = 256
    ) -> CFDictionary {
        [
            kSecAttrKeyType: type, kSecAttrKeySizeInBits: size,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: privateAttributes,
        ] as CFDictionary
    }

    private func make(
        _ keychain: ConformanceKeychain, _ parameters: CFDictionary
    ) -> (key: SecKey?, code: Int?) {
        var error: Unmanaged<CFError>?
        let key = unsafe KeyCalls(keychain.connection).createRandomKey(parameters, &error)
        return unsafe (key, error?.takeRetainedValue().code)
    }

    private func isValid(
        _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signature: CFData
    ) -> Bool {
        SecKeyVerifySignature(key, algorithm, Self.message, signature, nil)
    }

    private func agree(_ key: SecKey, _ other: SecKey) -> CFData? {
        SecKeyCopyKeyExchangeResult(
            key, .ecdhKeyExchangeStandard, other, [:] as CFDictionary, nil)
    }

    private func makeControl(_ flags: SecAccessControlCreateFlags) -> SecAccessControl? {
        SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, nil)
    }

    private func sign(
        _ key: SecKey, _ algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256
    ) -> (signature: CFData?, code: Int?) {
        var error: Unmanaged<CFError>?
        let signature = unsafe SecKeyCreateSignature(key, algorithm, Self.message, &error)
        return unsafe (signature, error?.takeRetainedValue().code)
    }

    private func find(_ keychain: ConformanceKeychain, _ query: [CFString: Any]) -> (
        OSStatus, SecKey?
    ) {
        var result: CFTypeRef?
        var query = query
        query[kSecClass] = kSecClassKey
        query[kSecReturnRef] = true
        let status = unsafe keychain.calls.copyMatching(query as CFDictionary, &result)
        return (status, result as? SecKey)
    }

    @Test(arguments: KeychainKind.allCases)
    func aKeySignsAndAgrees(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let key = try #require(make(keychain, parameters()).key)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            for algorithm: SecKeyAlgorithm in [
                .ecdsaSignatureMessageX962SHA256, .ecdsaSignatureMessageRFC4754SHA512,
                .ecdsaSignatureMessageX962SHA1,
            ] {
                let signature = try #require(sign(key, algorithm).signature)
                #expect(isValid(publicKey, algorithm, signature))
            }
            let parameters = [kSecAttrKeyType: kSecAttrKeyTypeEC] as CFDictionary
            let other = SecKeyCreateRandomKey(parameters, nil)
            let theirs = try #require(other)
            let half = try #require(SecKeyCopyPublicKey(theirs))
            let one = agree(key, half)
            #expect(one != nil && one == agree(theirs, publicKey))
            // It also decrypts, by key agreement.
            let ecies = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
            let sealed = SecKeyCreateEncryptedData(publicKey, ecies, Self.message, nil)
            let box = try #require(sealed)
            let opened = SecKeyCreateDecryptedData(key, ecies, box, nil)
            #expect(opened == Self.message)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aKeyDoesntLeave(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let key = try #require(make(keychain, parameters()).key)
            var error: Unmanaged<CFError>?
            let bytes = unsafe SecKeyCopyExternalRepresentation(key, &error)
            #expect(bytes == nil)
            unsafe #expect(error?.takeRetainedValue().code == Int(errSecUnimplemented))
            let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            #expect(attributes[kSecValueData as String] == nil)
            #expect(
                attributes[kSecAttrTokenID as String] as? String
                    == kSecAttrTokenIDSecureEnclave as String)
            #expect(attributes[kSecAttrIsExtractable as String] as? Bool == false)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aPermanentKeyIsFoundAndIsTheSame(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let tag = Data("tag".utf8)
            let control = try #require(makeControl(.privateKeyUsage))
            let key = try #require(
                make(
                    keychain,
                    parameters([
                        kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag,
                        kSecAttrAccessControl: control,
                    ])
                ).key)
            let (status, found) = find(keychain, [kSecAttrApplicationTag: tag])
            #expect(status == errSecSuccess && found == key)
            let again = try #require(found)
            let signature = try #require(sign(again).signature)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(isValid(publicKey, .ecdsaSignatureMessageX962SHA256, signature))
            // Its item has its class, and names the token.
            var result: CFTypeRef?
            let query: [CFString: Any] = [
                kSecClass: kSecClassKey, kSecAttrApplicationTag: tag,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecReturnAttributes: true,
            ]
            let listed = unsafe keychain.calls.copyMatching(query as CFDictionary, &result)
            #expect(listed == errSecSuccess)
            let attributes = try #require(result as? [String: Any])
            #expect(attributes[kSecAttrAccessible as String] as? String == "aku")
            // One pair, one item: the public half wasn't to be stored.
            #expect(
                find(keychain, [kSecAttrKeyClass: kSecAttrKeyClassPublic]).0
                    == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aLockedKeyIsNotUsable(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind, restarts: true) { keychain in
            try keychain.setPasscode()
            let tag = Data("locking".utf8)
            let locking = try #require(
                make(
                    keychain,
                    parameters([kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag])
                ).key)
            let staying = try #require(
                make(keychain, parameters([kSecAttrAccessible: kSecAttrAccessibleAlways])).key)
            try keychain.lock()
            let (signature, code) = sign(locking)
            #expect(signature == nil && code == Int(errSecInteractionNotAllowed))
            #expect(sign(staying).signature != nil)
            let refused = make(keychain, parameters())
            #expect(refused.key == nil && refused.code == Int(errSecInteractionNotAllowed))
            #expect(
                find(keychain, [kSecAttrApplicationTag: tag]).0 == errSecInteractionNotAllowed)
            try keychain.unlock()
            #expect(sign(locking).signature != nil)
            try keychain.restart()
            try keychain.unlock()
            let found = try #require(find(keychain, [kSecAttrApplicationTag: tag]).1)
            #expect(sign(found).signature != nil)
        }
    }

    @Test func aKeyWhoseClassIsGoneIsNotFound() throws {
        try ConformanceKeychain.run(.inProcess, restarts: true) { keychain in
            try keychain.setPasscode()
            let key = try #require(
                make(
                    keychain,
                    parameters([
                        kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
                    ])
                ).key)
            #expect(sign(key).signature != nil)
            try keychain.removePasscode()
            let (signature, code) = sign(key)
            #expect(signature == nil && code != nil && code != Int(errSecSuccess))
        }
    }

    @Test func onlyHoldersOfItsGroupUseAKey() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let mine = try keychain.connection.makeKey(.whenUnlocked, accessGroup: nil)
            #expect(mine.accessGroup == ConformanceKeychain.groups[0])
            let digest = [UInt8](repeating: 1, count: 32)
            _ = try keychain.connection.sign(
                digest: digest, sealed: mine.sealed, accessGroup: mine.accessGroup)
            let other = try keychain.other(groups: ["ABCDE12345.other"])
            // Neither with the key's group, which the caller doesn't hold, nor with its own.
            for (group, reason) in [
                (mine.accessGroup, FailureReason.denied), ("ABCDE12345.other", .keyGone),
            ] {
                do throws(KeychainError) {
                    _ = try other.connection.sign(
                        digest: digest, sealed: mine.sealed, accessGroup: group)
                    Issue.record("Another program used the key.")
                } catch { #expect(error.reason == reason) }
            }
            let user = try keychain.ofAnotherUser()
            do throws(KeychainError) {
                _ = try user.connection.sign(
                    digest: digest, sealed: mine.sealed, accessGroup: mine.accessGroup)
                Issue.record("Another user used the key.")
            } catch { #expect(error.reason == .keyGone) }
        }
    }

    @Test func whatCantBeMadeIsRefused() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let biometry = try #require(makeControl([.privateKeyUsage, .biometryAny]))
            let cases: [(CFDictionary, OSStatus)] = [
                (parameters(size: 384), errSecParam),
                (parameters(type: kSecAttrKeyTypeRSA, size: 2048), errSecParam),
                (parameters([kSecAttrTokenID: "another.token"]), errSecUnimplemented),
                (parameters([kSecAttrAccessible: "zz"]), errSecParam),
                (parameters([kSecAttrAccessGroup: 7]), errSecParam),
                (parameters([kSecAttrAccessGroup: "ABCDE12345.foreign"]), errSecMissingEntitlement),
                (parameters([kSecAttrAccessControl: biometry]), errSecAuthFailed),
                ([kSecAttrKeySizeInBits: 256] as CFDictionary, errSecParam),
            ]
            for (parameters, status) in cases {
                let (key, code) = make(keychain, parameters)
                #expect(key == nil && code == Int(status), "\(parameters)")
            }
        }
    }

    @Test func aKeyThatIsStoredTwiceIsADuplicate() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let key = try #require(make(keychain, parameters([kSecAttrIsPermanent: true])).key)
            let item = [kSecValueRef: key] as CFDictionary
            let added = unsafe keychain.calls.add(item, nil)
            #expect(added == errSecDuplicateItem)
            #expect(keychain.calls.delete(item) == errSecSuccess)
            #expect(keychain.calls.delete(item) == errSecItemNotFound)
        }
    }

    /// The key is bound to the group that it was made for: it couldn't be used in another one.
    @Test func aKeyOfTheEnclaveStaysInItsGroup() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let tag = Data("tag".utf8)
            let own: [CFString: Any] = [kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag]
            let key = try #require(make(keychain, parameters(own)).key)
            let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag]
            func move(to group: String) -> OSStatus {
                keychain.calls.update(
                    query as CFDictionary, [kSecAttrAccessGroup: group] as CFDictionary)
            }
            #expect(move(to: ConformanceKeychain.groups[1]) == errSecUnimplemented)
            #expect(move(to: ConformanceKeychain.groups[0]) == errSecSuccess)
            do throws(KeychainError) {
                try keychain.connection.moveItems(
                    from: ConformanceKeychain.groups[0], to: ConformanceKeychain.groups[1])
                Issue.record("The key was moved.")
            } catch { #expect(error.reason == .unimplemented) }
            #expect(sign(key).signature != nil)
            let (status, found) = find(keychain, query)
            #expect(status == errSecSuccess)
            #expect(try sign(#require(found)).signature != nil)
        }
    }
}
