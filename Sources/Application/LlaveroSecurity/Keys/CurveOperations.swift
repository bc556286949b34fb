// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecretBytes

// Operations on curves, on top of swift-crypto. A private key is passed as the bytes of its number.

extension EllipticCurve {
    /// Makes a private key.
    /// - Returns: 04 ‖ X ‖ Y ‖ K.
    func makePrivateKey() -> Secret {
        switch self {
        case .p256: Secret.wiping(P256.Signing.PrivateKey().x963Representation)
        case .p384: Secret.wiping(P384.Signing.PrivateKey().x963Representation)
        case .p521: Secret.wiping(P521.Signing.PrivateKey().x963Representation)
        }
    }

    /// Signs a digest.
    /// - Returns: Nil for an invalid private key.
    func sign(
        _ digest: GivenDigest, privateKey: UnsafeRawBufferPointer,
        _ form: AlgorithmMeaning.SignatureForm
    ) -> Data? {
        switch self {
        case .p256:
            let key = unsafe try? P256.Signing.PrivateKey(rawRepresentation: privateKey)
            guard let signature = try? key?.signature(for: digest) else { return nil }
            return form == .der ? signature.derRepresentation : signature.rawRepresentation
        case .p384:
            let key = unsafe try? P384.Signing.PrivateKey(rawRepresentation: privateKey)
            guard let signature = try? key?.signature(for: digest) else { return nil }
            return form == .der ? signature.derRepresentation : signature.rawRepresentation
        case .p521:
            let key = unsafe try? P521.Signing.PrivateKey(rawRepresentation: privateKey)
            guard let signature = try? key?.signature(for: digest) else { return nil }
            return form == .der ? signature.derRepresentation : signature.rawRepresentation
        }
    }

    /// Whether a signature of a digest was made with this key.
    func verify(
        _ signature: Data, of digest: GivenDigest, publicKey point: [UInt8],
        _ form: AlgorithmMeaning.SignatureForm
    ) -> Bool {
        switch self {
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: point),
                let signature = form == .der
                    ? try? P256.Signing.ECDSASignature(derRepresentation: signature)
                    : try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: point),
                let signature = form == .der
                    ? try? P384.Signing.ECDSASignature(derRepresentation: signature)
                    : try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p521:
            guard let key = try? P521.Signing.PublicKey(x963Representation: point),
                let signature = form == .der
                    ? try? P521.Signing.ECDSASignature(derRepresentation: signature)
                    : try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }

    /// The x coordinate that both sides compute.
    /// - Returns: Nil for an invalid private key, or a point that isn't on the curve.
    func agree(privateKey: UnsafeRawBufferPointer, with point: [UInt8]) -> Secret? {
        let secret: SharedSecret?
        switch self {
        case .p256:
            let key = unsafe try? P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
            guard let other = try? P256.KeyAgreement.PublicKey(x963Representation: point) else {
                return nil
            }
            secret = try? key?.sharedSecretFromKeyAgreement(with: other)
        case .p384:
            let key = unsafe try? P384.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
            guard let other = try? P384.KeyAgreement.PublicKey(x963Representation: point) else {
                return nil
            }
            secret = try? key?.sharedSecretFromKeyAgreement(with: other)
        case .p521:
            let key = unsafe try? P521.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
            guard let other = try? P521.KeyAgreement.PublicKey(x963Representation: point) else {
                return nil
            }
            secret = try? key?.sharedSecretFromKeyAgreement(with: other)
        }
        return secret.map { secret in
            unsafe secret.withUnsafeBytes { bytes in Secret(unsafe SecretBytes(copying: bytes)) }
        }
    }
}

/// Ed25519 and X25519 (RFC 8032, RFC 7748), on top of swift-crypto. Keys are their 32 bytes.
enum Curve25519Operations {
    /// Makes a private key of either kind: 32 random bytes (RFC 8032 §5.1.5, RFC 7748 §5).
    static func makePrivateKey() -> Secret { Secret(SecretBytes.random(byteCount: 32)) }

    /// Signs a message.
    /// - Returns: 64 bytes; nil for an invalid private key.
    static func sign(_ message: Data, privateKey: UnsafeRawBufferPointer) -> Data? {
        let key = unsafe try? Curve25519.Signing.PrivateKey(rawRepresentation: privateKey)
        return try? key?.signature(for: message)
    }

    /// Whether a signature of a message was made with this key.
    static func verify(_ signature: Data, of message: Data, publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else {
            return false
        }
        return key.isValidSignature(signature, for: message)
    }

    /// The secret that both sides compute.
    /// - Returns: Nil for a public key of small order, whose secret everyone knows.
    static func agree(privateKey: UnsafeRawBufferPointer, with publicKey: [UInt8]) -> Secret? {
        let key = unsafe try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
        guard
            let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
            let secret = try? key?.sharedSecretFromKeyAgreement(with: other)
        else { return nil }
        return unsafe secret.withUnsafeBytes { bytes -> Secret? in
            var sum: UInt8 = 0
            for index in bytes.indices { sum |= unsafe bytes[index] }
            return sum == 0 ? nil : Secret(unsafe SecretBytes(copying: bytes))
        }
    }
}

extension Secret {
    /// Copies bytes into secret memory, and overwrites the source.
    static func wiping(_ data: consuming Data) -> Secret {
        unsafe data.withUnsafeMutableBytes { bytes in
            defer { unsafe SecretMemory.wipe(bytes) }
            return Secret(unsafe SecretBytes(copying: UnsafeRawBufferPointer(bytes)))
        }
    }
}

/// Derives a key from an agreed secret.
/// - Parameters:
///   - digest: The digest of the derivation.
///   - secret: The secret that both sides computed.
///   - sharedInfo: Other data that both sides know.
///   - byteCount: 1 to 65 536.
/// - Returns: This many bytes; nil for another count.
/// Source: ANSI X9.63 §3.6.1, as in SEC 1 §3.6.1.
func deriveX963(
    _ digest: DigestName, _ secret: Secret, sharedInfo: [UInt8], byteCount: Int
) -> Secret? {
    guard (1...65_536).contains(byteCount) else { return nil }
    let secretByteCount = secret.bytes.byteCount
    var input = SecretBytes(byteCount: secretByteCount + 4 + sharedInfo.count)
    unsafe input.withUnsafeMutableBytes { target in
        unsafe secret.bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[(secretByteCount + 4)...])
            .copyBytes(from: sharedInfo)
    }
    var output = SecretBytes(byteCount: byteCount)
    for (counter, start) in stride(from: 0, to: byteCount, by: digest.byteCount).enumerated() {
        unsafe input.withUnsafeMutableBytes { target in
            unsafe target.storeBytes(
                of: UInt32(counter + 1).bigEndian, toByteOffset: secretByteCount, as: UInt32.self)
        }
        let block = unsafe input.withUnsafeBytes { unsafe digest.digest(of: $0) }
        unsafe output.withUnsafeMutableBytes { target in
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[start...])
            unsafe rest.copyBytes(from: block.prefix(rest.count))
        }
    }
    return Secret(output)
}
