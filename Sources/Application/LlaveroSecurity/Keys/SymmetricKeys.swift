// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Crypto
import CryptoExtras
public import Foundation
import Keychain
import SecretBytes

// Symmetric keys as objects. All of it is computed in the calling process, which holds the keys.

/// Makes a random symmetric key.
/// - Parameters:
///   - parameters: `kSecAttrKeyType` (AES if there is none; AES, 3DES, DES, RC2, RC4 or CAST),
///     `kSecAttrKeySizeInBits` (AES 128, 192, 256; 3DES 192; DES 64; others 40 to 256, of whole
///     bytes; without one 128, or the only size), and the attributes of an item. With
///     `kSecAttrIsPermanent` true the key is stored; without `kSecAttrApplicationLabel` under a
///     random one.
///   - error: Where to put the reason: `errSecParam` for a type or size that isn't made and for
///     attributes of a wrong type; when the key is to be stored also as ``SecItemAdd(_:_:)``.
/// - Returns: Nil when it wasn't made, or was to be stored and wasn't.
public func SecKeyGenerateSymmetric(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe computed(error) { () throws(KeyFailure) in
        try SymmetricKeyMaker(parameters).make(processConnection)
    }
}

/// Makes a symmetric key from its bytes.
/// - Parameters:
///   - parameters: `kSecAttrKeyType`; AES if there is none.
///   - keyData: The key's bytes, at least one.
///   - error: Where to put the reason: `errSecUnsupportedKeySize` for no bytes, `errSecParam` for a
///     type of key pairs.
/// - Returns: The key; it isn't stored.
public func SecKeyCreateFromData(
    _ parameters: CFDictionary, _ keyData: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe computed(error) { () throws(KeyFailure) in
        guard keyData.length > 0 else {
            throw KeyFailure(errSecUnsupportedKeySize, "A key has at least one byte.")
        }
        guard keyData.length <= 1 << 20 else {
            throw KeyFailure(errSecParam, "The key is too large.")
        }
        let bytes = unsafe keyData.lend { Secret(unsafe SecretBytes(copying: $0)) }
        return try symmetricKey(try symmetricType(parameters), bytes)
    }
}

/// Derives a symmetric key from a password, with PBKDF2 (RFC 8018 §5.2).
/// - Parameters:
///   - password: The password; its UTF-8 is used.
///   - parameters: `kSecAttrSalt`, data; `kSecAttrPRF`, HMAC with SHA-256 if there is none;
///     `kSecAttrRounds`, 33 333 if there is none or 0; `kSecAttrKeySizeInBits`, 128 if there is
///     none; `kSecAttrKeyType`, AES if there is none.
///   - error: Where to put the reason: `errSecMissingAlgorithmParms` without a salt,
///     `errSecInvalidAlgorithmParms` for another function, `errSecParam` for a size or a number of
///     rounds that is out of bounds (8 to 65 536 bits of whole bytes; at most 10 000 000 rounds).
/// - Returns: The key; it isn't stored.
public func SecKeyDeriveFromPassword(
    _ password: CFString, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe computed(error) { () throws(KeyFailure) in
        guard let salt = parameters.object(forKey: kSecAttrSalt) as? NSData else {
            throw KeyFailure(errSecMissingAlgorithmParms, "The salt is missing.")
        }
        let bitCount = try number(parameters, kSecAttrKeySizeInBits) ?? 128
        var rounds = try number(parameters, kSecAttrRounds) ?? 0
        if rounds == 0 { rounds = 33_333 }
        guard (8...65_536).contains(bitCount), bitCount.isMultiple(of: 8),
            (1...10_000_000).contains(rounds)
        else { throw KeyFailure(errSecParam, "The size or the rounds are out of bounds.") }
        var bytes = Array((password as String).utf8)
        defer { unsafe bytes.withUnsafeMutableBytes { unsafe SecretMemory.wipe($0) } }
        let derived = try? KDF.Insecure.PBKDF2.deriveKey(
            from: bytes, salt: salt.byteArray,
            using: try pseudorandomFunction(parameters.object(forKey: kSecAttrPRF)),
            outputByteCount: bitCount / 8, unsafeUncheckedRounds: rounds)
        guard let derived else {
            throw KeyFailure(errSecInvalidAlgorithmParms, "There is no such function.")
        }
        return try symmetricKey(try symmetricType(parameters), Secret.copy(of: derived))
    }
}

/// Wraps a symmetric key under another, as RFC 3394 does.
/// - Parameters:
///   - keyToWrap: A symmetric key of 16 bytes or more, a multiple of 8.
///   - wrappingKey: An AES key of 128, 192 or 256 bits.
///   - parameters: Empty: there is nothing to choose.
///   - error: Where to put the reason: `errSecParam` for other keys, and for a salt.
/// - Returns: Eight bytes more than the key has.
public func SecKeyWrapSymmetric(
    _ keyToWrap: SecKey, _ wrappingKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe computed(error) { () throws(KeyFailure) in
        let key = try wrapping(wrappingKey, parameters)
        guard keyToWrap.keyClass == .symmetricKey, let secret = keyToWrap.secret,
            secret.bytes.byteCount >= 16, secret.bytes.byteCount.isMultiple(of: 8)
        else { throw KeyFailure(errSecParam, "The key can't be wrapped.") }
        let content = unsafe secret.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        guard let wrapped = try? AES.KeyWrap.wrap(content, using: key) else { throw .unusable }
        return wrapped as NSData
    }
}

/// Unwraps what ``SecKeyWrapSymmetric(_:_:_:_:)`` returned.
/// - Parameters:
///   - keyToUnwrap: The wrapped key.
///   - unwrappingKey: The key that it was wrapped under.
///   - parameters: `kSecAttrKeyType` of the wrapped key; AES if there is none.
///   - error: Where to put the reason: `errSecParam`, also for bytes that weren't wrapped under this
///     key.
/// - Returns: The key; it isn't stored.
public func SecKeyUnwrapSymmetric(
    _ keyToUnwrap: UnsafeMutablePointer<Unmanaged<CFData>?>, _ unwrappingKey: SecKey,
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    let wrapped = unsafe keyToUnwrap.pointee?.takeUnretainedValue()
    return unsafe computed(error) { () throws(KeyFailure) in
        let key = try wrapping(unwrappingKey, parameters)
        let type = try symmetricType(parameters)
        guard let bytes = wrapped?.byteArray,
            let content = try? AES.KeyWrap.unwrap(bytes, using: key)
        else { throw .undecodable }
        return try symmetricKey(type, Secret.copy(of: content))
    }
}

// MARK: - Parameters

private let noSuchType = KeyFailure(errSecParam, "This isn't a type of symmetric keys.")

/// The type of a key; AES if there is none.
private func symmetricType(_ parameters: NSDictionary) throws(KeyFailure) -> Int64 {
    guard let object = parameters.object(forKey: kSecAttrKeyType) else { return KeyType.aes }
    guard let type = constantNumber(object), type > 0, !KeyType.isOfPairs(type) else {
        throw noSuchType
    }
    return type
}

private func symmetricKey(_ type: Int64, _ bytes: Secret) throws(KeyFailure) -> SecKey {
    guard let key = SecKey(type: type, keyClass: .symmetricKey, representation: bytes) else {
        throw noSuchType
    }
    return key
}

/// A parameter that is a number, or a decimal text.
private func number(_ parameters: NSDictionary, _ name: CFString) throws(KeyFailure) -> Int? {
    guard let object = parameters.object(forKey: name) else { return nil }
    guard let number = constantNumber(object) else {
        throw KeyFailure(errSecParam, "A parameter isn't a number.")
    }
    return Int(clamping: number)
}

private func pseudorandomFunction(
    _ object: Any?
) throws(KeyFailure) -> KDF.Insecure.PBKDF2.HashFunction {
    guard let object else { return .sha256 }
    let functions: [String: KDF.Insecure.PBKDF2.HashFunction] = [
        kSecAttrPRFHmacAlgSHA1 as String: .insecureSHA1,
        kSecAttrPRFHmacAlgSHA224 as String: .insecureSHA224,
        kSecAttrPRFHmacAlgSHA256 as String: .sha256,
        kSecAttrPRFHmacAlgSHA384 as String: .sha384,
        kSecAttrPRFHmacAlgSHA512 as String: .sha512,
    ]
    guard let function = (object as? NSString).flatMap({ functions[$0 as String] }) else {
        throw KeyFailure(errSecInvalidAlgorithmParms, "There is no such function.")
    }
    return function
}

/// The key that wraps others.
private func wrapping(
    _ key: SecKey, _ parameters: NSDictionary
) throws(KeyFailure) -> SymmetricKey {
    guard parameters.object(forKey: kSecAttrSalt) == nil else {
        throw KeyFailure(errSecParam, "A wrapped key has no salt.")
    }
    guard case .symmetric(KeyType.aes, let byteCount) = key.algorithm,
        [16, 24, 32].contains(byteCount), let secret = key.secret
    else { throw KeyFailure(errSecParam, "Only an AES key wraps.") }
    return unsafe secret.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
}

extension Secret {
    /// A copy of the library's key, which wipes its own.
    fileprivate static func copy(of key: SymmetricKey) -> Secret {
        unsafe key.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }
}

/// Makes a random key, and stores it if the parameters say so.
private struct SymmetricKeyMaker {
    private let type: Int64
    private let byteCount: Int
    private let attributes: NSDictionary

    init(_ parameters: NSDictionary) throws(KeyFailure) {
        type = try symmetricType(parameters)
        let sizes = try Self.sizes(type)
        let size =
            try number(parameters, kSecAttrKeySizeInBits)
            ?? (sizes.contains(128) ? 128 : sizes.lowerBound)
        let fits =
            type == KeyType.aes ? [128, 192, 256].contains(size) : sizes.contains(size)
        guard fits, size.isMultiple(of: 8) else {
            throw KeyFailure(errSecParam, "Keys of this size aren't made.")
        }
        byteCount = size / 8
        attributes = parameters
        let isPermanent = parameters.object(forKey: kSecAttrIsPermanent)
        guard isPermanent == nil || isPermanent is NSNumber else {
            throw KeyFailure(errSecParam, "Whether the key is permanent isn't a truth value.")
        }
    }

    /// Sizes of keys in bits. Source of the types: `CSSM_ALGID_…`.
    private static func sizes(_ type: Int64) throws(KeyFailure) -> ClosedRange<Int> {
        switch type {
        case KeyType.aes: 128...256
        case 14: 64...64
        case 17: 192...192
        case 23, 25, 56: 40...256
        default: throw noSuchType
        }
    }

    func make(_ connection: KeychainConnection) throws(KeyFailure) -> SecKey {
        let key = try symmetricKey(type, Secret(SecretBytes.random(byteCount: byteCount)))
        guard (attributes.object(forKey: kSecAttrIsPermanent) as? NSNumber)?.boolValue == true
        else { return key }
        let item = NSMutableDictionary()
        let apart: Set<NSString> = [kSecAttrKeyType, kSecAttrKeySizeInBits]
        attributes.forEachEntry { name, value in
            guard let name = name as? NSString, !apart.contains(name) else { return }
            item.setObject(value, forKey: name as String)
        }
        if item.object(forKey: kSecAttrApplicationLabel) == nil {
            // Two keys of one type and size would be the same item.
            let label = SecretBytes.random(byteCount: 20)
            item.setObject(
                unsafe label.withUnsafeBytes { unsafe Data($0) as NSData },
                forKey: kSecAttrApplicationLabel as String)
        }
        item.setObject(kSecClassKey, forKey: kSecClass as String)
        item.setObject(key, forKey: kSecValueRef as String)
        let status = unsafe ItemCalls(connection).add(item, nil)
        guard status == errSecSuccess else { throw KeyFailure(status) }
        return key
    }
}
