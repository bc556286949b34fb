// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Crypto
public import Foundation
package import SecretBytes
import SecurityWire

/// A cryptographic key.
///
/// Private and symmetric keys are in memory that is locked, and wiped when the last owner releases
/// it. The bytes that ``SecKeyCopyExternalRepresentation(_:_:)`` returns are in ordinary memory,
/// which is also wiped; an application's copies of them aren't.
public final class SecKey: NSObject, Sendable {
    let algorithm: KeyAlgorithm
    let keyClass: KeyClass
    /// The public half: for RSA keys in the form of PKCS #1, for others their point or 32 bytes.
    /// Nil for a symmetric key.
    let publicBytes: [UInt8]?
    /// The external representation of a key that isn't public.
    let secret: Secret?
    /// For a private key in the enclave: its sealed form.
    let enclaveKey: EnclaveKey?
    /// Whether it may be exported.
    let isExtractable: Bool

    private init(
        _ algorithm: KeyAlgorithm, _ keyClass: KeyClass, publicBytes: [UInt8]?, secret: Secret?,
        enclaveKey: EnclaveKey? = nil, isExtractable: Bool = true
    ) {
        self.isExtractable = isExtractable
        self.algorithm = algorithm
        self.keyClass = keyClass
        self.publicBytes = publicBytes
        self.secret = secret
        self.enclaveKey = enclaveKey
    }

    /// Makes the object of a key in the enclave.
    convenience init(_ key: EnclaveKey) {
        self.init(
            .ellipticCurve(.p256), .privateKey, publicBytes: key.publicKey, secret: nil,
            enclaveKey: key)
    }

    /// Makes a public key from its external representation; nil for bytes that aren't a key of the
    /// type.
    convenience init?(type: Int64, publicBytes bytes: [UInt8]) {
        let algorithm: KeyAlgorithm
        switch type {
        case KeyType.rsa:
            let bitCount = unsafe bytes.withUnsafeBytes {
                unsafe RSAKeyEncoding.modulusBitCount(ofPublicKey: $0)
            }
            guard let bitCount else { return nil }
            algorithm = .rsa(modulusBitCount: bitCount)
        case KeyType.ellipticCurve:
            guard let curve = EllipticCurve.allCases.first(where: { $0.isPoint(bytes) }) else {
                return nil
            }
            algorithm = .ellipticCurve(curve)
        case KeyType.ed25519, KeyType.x25519:
            guard bytes.count == 32 else { return nil }
            algorithm = type == KeyType.ed25519 ? .ed25519 : .x25519
        default: return nil
        }
        self.init(algorithm, .publicKey, publicBytes: bytes, secret: nil)
    }

    /// Makes a key from its external representation; nil for bytes that aren't a key of the type
    /// and class.
    convenience init?(
        type: Int64, keyClass: KeyClass, representation: Secret, isExtractable: Bool = true
    ) {
        switch keyClass {
        case .publicKey:
            guard representation.bytes.byteCount <= 1 << 16 else { return nil }
            let bytes = unsafe representation.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
            self.init(type: type, publicBytes: bytes)
        case .privateKey:
            let parts = unsafe representation.bytes.withUnsafeBytes {
                unsafe Self.parts(ofPrivateKey: $0, type: type)
            }
            guard let (algorithm, publicBytes) = parts else { return nil }
            self.init(
                algorithm, keyClass, publicBytes: publicBytes, secret: representation,
                isExtractable: isExtractable)
        case .symmetricKey:
            let byteCount = representation.bytes.byteCount
            guard byteCount > 0, type > 0, !KeyType.isOfPairs(type) else { return nil }
            self.init(
                .symmetric(type: type, byteCount: byteCount), keyClass, publicBytes: nil,
                secret: representation, isExtractable: isExtractable)
        }
    }

    /// The algorithm and the public half of a private key.
    private static func parts(
        ofPrivateKey bytes: UnsafeRawBufferPointer, type: Int64
    ) -> (KeyAlgorithm, publicBytes: [UInt8])? {
        switch type {
        case KeyType.rsa:
            return unsafe RSAKeyEncoding.publicKey(ofPrivateKey: bytes).map {
                (.rsa(modulusBitCount: $0.modulusBitCount), $0.publicKey)
            }
        case KeyType.ellipticCurve:
            let curve = EllipticCurve.allCases.first {
                $0.pointByteCount + $0.fieldByteCount == bytes.count
            }
            guard let curve else { return nil }
            let (point, scalar) = unsafe (
                bytes.prefix(curve.pointByteCount), bytes.dropFirst(curve.pointByteCount)
            )
            guard
                let computed = unsafe curve.point(
                    ofPrivateKey: UnsafeRawBufferPointer(rebasing: scalar)),
                unsafe computed.elementsEqual(point)
            else { return nil }
            return (.ellipticCurve(curve), [UInt8](computed))
        case KeyType.ed25519:
            let key = unsafe try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
            return key.map { (.ed25519, [UInt8]($0.publicKey.rawRepresentation)) }
        case KeyType.x25519:
            let key = unsafe try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            return key.map { (.x25519, [UInt8]($0.publicKey.rawRepresentation)) }
        default: return nil
        }
    }

    /// The bytes from which the key can be made again: the data of an item that is this key. For a
    /// key in the enclave they are sealed.
    package var externalRepresentation: Secret {
        if let secret { return secret }
        let bytes = enclaveKey?.data ?? publicBytes ?? []
        return Secret(
            unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
    }

    /// The public half; the key itself if it is public; nil for a symmetric key.
    var publicKey: SecKey? {
        if keyClass == .publicKey { return self }
        return publicBytes.map {
            SecKey(algorithm, .publicKey, publicBytes: $0, secret: nil)
        }
    }

    /// Whether both are the same key of the same class; takes time that doesn't depend on secret
    /// bytes.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        guard algorithm == other.algorithm, keyClass == other.keyClass,
            publicBytes == other.publicBytes, enclaveKey == other.enclaveKey
        else { return false }
        guard let secret, let otherSecret = other.secret else {
            return secret == nil && other.secret == nil
        }
        return secret.bytes.isEqual(to: otherSecret.bytes)
    }

    /// A hash value of the public parts.
    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(algorithm)
        hasher.combine(keyClass)
        hasher.combine(publicBytes)
        return hasher.finalize()
    }
}

/// The type of keys.
public func SecKeyGetTypeID() -> CFTypeID { TypeID.key }

/// Makes a key from its external representation.
/// - Parameters:
///   - keyData: For RSA the PKCS #1 form (a modulus of 512 to 16 384 bits); for the curves P-256,
///     P-384 and P-521 the bytes 04 ‖ X ‖ Y, followed by K for a private key; for Ed25519 and
///     X25519 32 bytes; any bytes for a symmetric key.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`. Others, including the size, are
///     ignored: the data determines them. A key in a token (`kSecAttrTokenID`) can't be made this
///     way.
///   - error: Where to put the reason: `errSecParam`, or `errSecUnimplemented` for a token.
/// - Returns: Nil for data that isn't a key of that type and class.
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    func refuse(_ status: OSStatus, _ reason: String) -> SecKey? {
        unsafe refused(error, status, reason)
    }
    guard attributes.object(forKey: kSecAttrTokenID) == nil else {
        return refuse(errSecUnimplemented, "Keys in tokens can't be made from data.")
    }
    guard let type = constantNumber(attributes.object(forKey: kSecAttrKeyType)) else {
        return refuse(errSecParam, "The key type is missing or isn't one of kSecAttrKeyType….")
    }
    guard
        let keyClass = constantNumber(attributes.object(forKey: kSecAttrKeyClass))
            .flatMap(KeyClass.init)
    else {
        return refuse(errSecParam, "The key class is missing or isn't one of kSecAttrKeyClass….")
    }
    guard keyData.length <= 1 << 20 else { return refuse(errSecParam, "The key is too large.") }
    let bytes = unsafe UnsafeRawBufferPointer(
        start: keyData.length > 0 ? keyData.bytes : nil, count: keyData.length)
    let secret = Secret(unsafe SecretBytes(copying: bytes))
    return SecKey(type: type, keyClass: keyClass, representation: secret)
        ?? refuse(errSecParam, "The data isn't a key of this type and class.")
}

/// The bytes of a key.
/// - Parameters:
///   - key: The key.
///   - error: Where to put the reason: `errSecUnimplemented` for a private key in the enclave,
///     which never leaves it.
/// - Returns: Bytes from which ``SecKeyCreateWithData(_:_:_:)`` makes the key again.
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard key.enclaveKey == nil else {
        return unsafe refused(error, errSecUnimplemented, "The key doesn't leave the enclave.")
    }
    return WipedData(key.externalRepresentation)
}

/// The attributes of an item that is this key, and its data.
///
/// Type and class are the texts of their constants, sizes numbers, flags truth values (in the
/// attributes of a stored key all of these are numbers). A private key's dictionary contains the
/// private key, unless that is in the enclave.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    let result = NSMutableDictionary()
    let attributes = key.itemAttributes(forQuery: false)
    for entry in attributes.entries {
        let key = entry.attribute.rawValue
        switch (entry.attribute, entry.value) {
        case (.type, .integer(let number)), (.keyClass, .integer(let number)):
            result.setObject(NSString(string: String(number)), forKey: key)
        case (.keySizeInBits, _), (.effectiveKeySize, _):
            result.setObject(entry.value.object, forKey: key)
        case (_, .integer(let flag)):
            result.setObject(NSNumber(value: flag != 0), forKey: key)
        default: result.setObject(entry.value.object, forKey: key)
        }
    }
    result.setObject(kSecClassKey, forKey: kSecClass as String)
    if key.enclaveKey == nil {
        result.setObject(WipedData(key.externalRepresentation), forKey: kSecValueData as String)
    }
    return result
}

/// The public half of a key pair.
/// - Returns: The key itself if it is public; nil for a symmetric key.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { key.publicKey }

/// The block size of an operation with the key in bytes: an RSA key's modulus, a coordinate of a
/// curve's points, a cipher's block.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.algorithm.blockByteCount }
