// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation

/// The kind of a key. The raw values are those of `kSecAttrKeyClass…`.
enum KeyClass: Int64, Sendable {
    case publicKey = 0
    case privateKey = 1
    case symmetricKey = 2
}

/// The numbers of `kSecAttrKeyType…`.
enum KeyType {
    static let rsa: Int64 = 42
    static let ellipticCurve: Int64 = 73
    static let ed25519: Int64 = 105
    static let x25519: Int64 = 106
    static let aes: Int64 = 0x8000_0001

    /// Algorithms of key pairs, supported or not: no symmetric key has one of these types.
    static func isOfPairs(_ type: Int64) -> Bool {
        [rsa, 43, ellipticCurve].contains(type) || (105...111).contains(type)
            || (0x8000_001e...0x8000_0020).contains(type)
    }
}

/// The algorithm of a key, and its size.
enum KeyAlgorithm: Hashable, Sendable {
    case rsa(modulusBitCount: Int)
    case ellipticCurve(EllipticCurve)
    case ed25519
    case x25519
    /// Any cipher: the bytes are stored and not interpreted.
    case symmetric(type: Int64, byteCount: Int)

    /// The number of the type, in attributes.
    var type: Int64 {
        switch self {
        case .rsa: KeyType.rsa
        case .ellipticCurve: KeyType.ellipticCurve
        case .ed25519: KeyType.ed25519
        case .x25519: KeyType.x25519
        case .symmetric(let type, _): type
        }
    }

    /// The size in bits, in attributes.
    var bitCount: Int {
        switch self {
        case .rsa(let modulusBitCount): modulusBitCount
        case .ellipticCurve(let curve): curve.bitCount
        case .ed25519, .x25519: 256
        case .symmetric(_, let byteCount): byteCount * 8
        }
    }

    /// The block size of an operation in bytes: the modulus, a coordinate, a cipher's block; 1 for
    /// an unknown cipher.
    var blockByteCount: Int {
        switch self {
        case .rsa, .ellipticCurve, .ed25519, .x25519: (bitCount + 7) / 8
        case .symmetric(KeyType.aes, _): 16
        // DES, 3DES, RC2, CAST.
        case .symmetric(14, _), .symmetric(17, _), .symmetric(23, _), .symmetric(56, _): 8
        case .symmetric: 1
        }
    }
}

/// NIST's curves over prime fields.
enum EllipticCurve: CaseIterable, Sendable {
    case p256
    case p384
    case p521

    var bitCount: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// Byte count of a coordinate and of a private key.
    var fieldByteCount: Int { (bitCount + 7) / 8 }

    /// Byte count of a point as 04 ‖ X ‖ Y.
    var pointByteCount: Int { 1 + 2 * fieldByteCount }

    /// Whether bytes are 04 ‖ X ‖ Y of a point on the curve other than infinity.
    func isPoint(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == pointByteCount, bytes.first == 0x04 else { return false }
        switch self {
        case .p256: return (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
        case .p384: return (try? P384.Signing.PublicKey(x963Representation: bytes)) != nil
        case .p521: return (try? P521.Signing.PublicKey(x963Representation: bytes)) != nil
        }
    }

    /// The point of a private key, as 04 ‖ X ‖ Y; nil unless the key is from 1 to the order - 1.
    func point(ofPrivateKey scalar: UnsafeRawBufferPointer) -> Data? {
        switch self {
        case .p256:
            unsafe (try? P256.Signing.PrivateKey(rawRepresentation: scalar))?
                .publicKey.x963Representation
        case .p384:
            unsafe (try? P384.Signing.PrivateKey(rawRepresentation: scalar))?
                .publicKey.x963Representation
        case .p521:
            unsafe (try? P521.Signing.PrivateKey(rawRepresentation: scalar))?
                .publicKey.x963Representation
        }
    }
}
