// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SwiftASN1

/// A public key with its algorithm, in the form of certificates (RFC 5280 §4.1.2.7).
struct SubjectPublicKeyInfo: Sendable {
    /// The whole encoding.
    let der: [UInt8]
    private let algorithm: ASN1ObjectIdentifier
    /// The parameters as they are encoded.
    private let parameters: [UInt8]?
    /// The content of the BIT STRING: for an RSA key its PKCS #1 form, for one on a curve its
    /// point.
    let bits: [UInt8]

    /// Reads one; nil when it is malformed.
    init?(_ node: ASN1Node) {
        guard let parts = node.elements(.sequence), parts.count == 2,
            parts[0].isAlgorithmIdentifier, let identifier = parts[0].elements(.sequence),
            let algorithm = identifier[0].objectIdentifier,
            let bits = parts[1].wholeBitString
        else { return nil }
        der = [UInt8](node.encodedBytes)
        self.algorithm = algorithm
        parameters = identifier.count == 2 ? [UInt8](identifier[1].encodedBytes) : nil
        self.bits = [UInt8](bits)
    }

    /// The key; nil when its algorithm is unknown or it isn't a key of that algorithm.
    var key: SecKey? {
        switch algorithm {
        case .AlgorithmIdentifier.rsaEncryption:
            // RFC 3279 §2.3.1 requires NULL; some certificates omit it.
            guard parameters == nil || parameters == [0x05, 0x00] else { return nil }
            return SecKey(type: KeyType.rsa, publicBytes: bits)
        case .AlgorithmIdentifier.idEcPublicKey:
            guard let parameters, let node = try? DER.parse(parameters),
                let curve = node.objectIdentifier.flatMap(EllipticCurve.init),
                let key = SecKey(type: KeyType.ellipticCurve, publicBytes: bits),
                key.algorithm == .ellipticCurve(curve)
            else { return nil }
            return key
        case .ed25519 where parameters == nil:
            return SecKey(type: KeyType.ed25519, publicBytes: bits)
        case .x25519 where parameters == nil:
            return SecKey(type: KeyType.x25519, publicBytes: bits)
        default: return nil
        }
    }
}

extension EllipticCurve {
    /// The curve of a name (RFC 5480 §2.1.1.1).
    fileprivate init?(_ name: ASN1ObjectIdentifier) {
        switch name {
        case .NamedCurves.secp256r1: self = .p256
        case .NamedCurves.secp384r1: self = .p384
        case .NamedCurves.secp521r1: self = .p521
        default: return nil
        }
    }
}

extension ASN1ObjectIdentifier {
    // RFC 8410 §3.
    fileprivate static let x25519: Self = [1, 3, 101, 110]
    fileprivate static let ed25519: Self = [1, 3, 101, 112]
}
