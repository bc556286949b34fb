// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
package import Keychain
import KeychainVocabulary
import SecurityWire

/// Makes a key pair.
/// - Parameters:
///   - parameters: `kSecAttrKeyType` (RSA, EC, Ed25519, X25519), `kSecAttrKeySizeInBits` (RSA 2048,
///     3072, 4096; EC 256, 384, 521; the others 256), and attributes of both halves; `kSecPrivateKeyAttrs` and
///     `kSecPublicKeyAttrs` contain those of each half. With `kSecAttrIsPermanent` true a half is
///     stored.
///   - error: Where to put the reason: `errSecParam` for a type or size that can't be generated,
///     `errSecUnimplemented` for a token that doesn't exist; when a half is to be stored also as
///     ``SecItemAdd(_:_:)``.
/// - Returns: The private key; nil when it wasn't made, or a half that was to be stored wasn't.
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe KeyCalls(processConnection).createRandomKey(parameters, error)
}

/// Makes a key pair, in the older form of ``SecKeyCreateRandomKey(_:_:)``.
/// - Parameters:
///   - parameters: As there.
///   - publicKey: Where to put the public key.
///   - privateKey: Where to put the private key.
/// - Returns: `errSecSuccess`, or as there.
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    do throws(KeyFailure) {
        let key = try KeyMaker(parameters, processConnection).make()
        if let publicKey = unsafe publicKey { unsafe publicKey.pointee = key.publicKey }
        if let privateKey = unsafe privateKey { unsafe privateKey.pointee = key }
        return errSecSuccess
    } catch { return error.status }
}

/// The calls on keys that need the service, over a connection.
package struct KeyCalls: Sendable {
    private let connection: KeychainConnection

    /// Calls over a connection.
    package init(_ connection: KeychainConnection) { self.connection = connection }

    /// Makes a key pair; see ``SecKeyCreateRandomKey(_:_:)``.
    package func createRandomKey(
        _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> SecKey? {
        unsafe computed(error) { () throws(KeyFailure) in
            try KeyMaker(parameters, connection).make()
        }
    }
}

/// Makes a key pair from parameters, and stores the halves that they name.
private struct KeyMaker {
    private let type: Int64
    private let bitCount: Int?
    private let privateAttributes: NSDictionary
    private let publicAttributes: NSDictionary
    private let connection: KeychainConnection

    init(_ parameters: NSDictionary, _ connection: KeychainConnection) throws(KeyFailure) {
        self.connection = connection
        guard let type = constantNumber(parameters.object(forKey: kSecAttrKeyType)) else {
            throw KeyFailure(errSecParam, "The key type is missing.")
        }
        self.type = type
        switch parameters.object(forKey: kSecAttrKeySizeInBits) {
        case nil: bitCount = nil
        case let size?:
            guard let number = constantNumber(size) else {
                throw KeyFailure(errSecParam, "The size isn't a number.")
            }
            bitCount = Int(clamping: number)
        }
        privateAttributes = try Self.attributes(kSecPrivateKeyAttrs, parameters)
        publicAttributes = try Self.attributes(kSecPublicKeyAttrs, parameters)
        for half in [privateAttributes, publicAttributes] {
            // A key that was to be stored, and isn't, would be lost.
            let isPermanent = half.object(forKey: kSecAttrIsPermanent)
            guard isPermanent == nil || isPermanent is NSNumber else {
                throw KeyFailure(errSecParam, "Whether the key is permanent isn't a truth value.")
            }
        }
    }

    /// The attributes of one half: its own, and those of both.
    private static func attributes(
        _ half: NSString, _ parameters: NSDictionary
    ) throws(KeyFailure) -> NSDictionary {
        let result = NSMutableDictionary()
        let apart: Set<NSString> = [
            kSecPrivateKeyAttrs, kSecPublicKeyAttrs, kSecAttrKeyType, kSecAttrKeySizeInBits,
        ]
        parameters.forEachEntry { key, value in
            guard let key = key as? NSString, !apart.contains(key) else { return }
            result.setObject(value, forKey: key as String)
        }
        guard let own = parameters.object(forKey: half) else { return result }
        guard let own = own as? NSDictionary else {
            throw KeyFailure(errSecParam, "The attributes of a half aren't a dictionary.")
        }
        own.forEachEntry { key, value in
            guard let key = key as? NSString, !apart.contains(key) else { return }
            result.setObject(value, forKey: key as String)
        }
        return result
    }

    func make() throws(KeyFailure) -> SecKey {
        let key = try madeKey()
        let isStored = try store(key, privateAttributes)
        do throws(KeyFailure) {
            if let publicKey = key.publicKey {
                _ = try store(publicKey, publicAttributes, isOfEnclave: key.enclaveKey != nil)
            }
        } catch {
            // A key pair is only complete if both halves were stored as requested.
            if isStored { _ = ItemCalls(connection).delete([kSecValueRef: key] as NSDictionary) }
            throw error
        }
        return key
    }

    private func madeKey() throws(KeyFailure) -> SecKey {
        if let token = privateAttributes.object(forKey: kSecAttrTokenID) {
            return try madeInEnclave(token)
        }
        switch type {
        case KeyType.ellipticCurve:
            let curve = EllipticCurve.allCases.first { $0.bitCount == bitCount ?? 256 }
            guard let curve else { throw Self.sizeFailure }
            let key = SecKey(
                type: type, keyClass: .privateKey, representation: curve.makePrivateKey())
            guard let key else { throw .unusable }
            return key
        case KeyType.rsa:
            guard let secret = RSAOperations.makePrivateKey(bitCount: bitCount ?? 2048) else {
                throw Self.sizeFailure
            }
            guard let key = SecKey(type: type, keyClass: .privateKey, representation: secret)
            else { throw .unusable }
            return key
        case KeyType.ed25519, KeyType.x25519:
            guard bitCount ?? 256 == 256 else { throw Self.sizeFailure }
            let key = SecKey(
                type: type, keyClass: .privateKey,
                representation: Curve25519Operations.makePrivateKey())
            guard let key else { throw .unusable }
            return key
        default: throw KeyFailure(errSecParam, "Keys of this type aren't made.")
        }
    }

    /// A key on P-256 that is made in the enclave.
    private func madeInEnclave(_ token: Any) throws(KeyFailure) -> SecKey {
        guard (token as? NSString) as String? == EnclaveKey.tokenID else {
            throw KeyFailure(errSecUnimplemented, "There is no such token.")
        }
        guard type == KeyType.ellipticCurve, bitCount ?? 256 == 256 else {
            throw Self.sizeFailure
        }
        let group = privateAttributes.object(forKey: kSecAttrAccessGroup)
        guard group == nil || group is NSString else {
            throw KeyFailure(errSecParam, "The access group isn't text.")
        }
        let (accessibility, control) = try protection()
        return SecKey(
            try EnclaveKey(
                making: accessibility, control,
                accessGroup: (group as? NSString).map { $0 as String },
                try context(), connection: connection))
    }

    /// The context in which a key is made and then used.
    private func context() throws(KeyFailure) -> AccessContext? {
        guard let object = privateAttributes.object(forKey: kSecUseAuthenticationContext) else {
            return nil
        }
        guard let context = object as? any AuthenticationContext else {
            throw KeyFailure(errSecParam, "The authentication context isn't one.")
        }
        guard !context.isInvalidated else { throw KeyFailure(errSecAuthFailed) }
        return context.accessContext
    }

    /// When a key in the enclave may be used, and what its use demands beside.
    private func protection() throws(KeyFailure) -> (Accessibility, AccessControl?) {
        let code: String?
        var demanded: AccessControl?
        switch (
            privateAttributes.object(forKey: kSecAttrAccessControl),
            privateAttributes.object(forKey: kSecAttrAccessible)
        ) {
        case (let control as SecAccessControl, nil):
            code = control.accessibilityCode
            if !control.isTrivialForKeys { demanded = control.stored }
        case (nil, let name as NSString): code = name as String
        case (nil, nil): return (.whenUnlocked, nil)
        case (_, _): code = nil
        }
        guard let accessibility = code.flatMap({ Accessibility(code: $0) }) else {
            throw KeyFailure(errSecParam, "The accessibility isn't one, or there are two.")
        }
        return (accessibility, demanded)
    }

    private static let sizeFailure = KeyFailure(
        errSecParam, "Keys of this size aren't made.")

    /// - Returns: Whether the half was to be stored, and was.
    private func store(
        _ key: SecKey, _ attributes: NSDictionary, isOfEnclave: Bool = false
    ) throws(KeyFailure) -> Bool {
        guard (attributes.object(forKey: kSecAttrIsPermanent) as? NSNumber)?.boolValue == true
        else { return false }
        let item = NSMutableDictionary()
        attributes.forEachEntry { name, value in
            guard let name = name as? NSString else { return }
            item.setObject(value, forKey: name as String)
        }
        // The private half's protection in the enclave doesn't apply to the public one.
        if isOfEnclave {
            item.removeObject(forKey: kSecAttrTokenID)
            item.removeObject(forKey: kSecAttrAccessControl)
        }
        if let enclaveKey = key.enclaveKey {
            if attributes.object(forKey: kSecAttrAccessControl) == nil {
                let code = NSString(string: try protection().0.code)
                item.setObject(code, forKey: kSecAttrAccessible as String)
            }
            item.setObject(
                NSString(string: enclaveKey.accessGroup), forKey: kSecAttrAccessGroup as String)
        }
        item.setObject(kSecClassKey, forKey: kSecClass as String)
        item.setObject(key, forKey: kSecValueRef as String)
        let status = unsafe ItemCalls(connection).add(item, nil)
        guard status == errSecSuccess else { throw KeyFailure(status) }
        return true
    }
}

/// The value of a constant that is a decimal number, as text or as a number.
func constantNumber(_ object: Any?) -> Int64? {
    switch object {
    case let text as NSString:
        let text = text as String
        return Int64(text).flatMap { String($0) == text ? $0 : nil }
    case let number as NSNumber: return number.int64Value
    default: return nil
    }
}
