// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import CryptoExtras
import FoundationEssentials
import Glibc
package import SecretBytes

/// How secrets cross the bus between this process and one client.
package enum SecretSession: Sendable {
    /// As they are. Whatever listens on the bus reads them.
    case plain
    /// Under a key of 16 bytes, by AES-128-CBC with PKCS#7 padding. It protects against those who
    /// listen, not against those who change messages.
    case encrypted(Secret)

    /// The algorithm's name of sessions without encryption.
    package static let plainName = "plain"
    /// The algorithm's name of encrypted sessions.
    package static let encryptedName = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
    /// The longest secret, as securityd has it.
    package static let secretByteCountLimit = 1 << 20

    private static let blockByteCount = 16
    /// Twice what the group's strength asks for; ten times faster than an exponent of 1024 bits.
    private static let exponentByteCount = 32

    /// A secret as a message carries it.
    package struct Sealed: Sendable {
        /// The initialization vector; empty in plain sessions.
        package let parameters: [UInt8]
        /// The secret, or its ciphertext.
        package let value: Secret

        /// Parts of a message.
        package init(parameters: [UInt8], value: Secret) {
            self.parameters = parameters
            self.value = value
        }
    }

    /// Agrees on a key with a client.
    /// - Parameters:
    ///   - peerKey: The client's public key.
    ///   - exponent: Ours, big-endian; 32 random bytes unless a test knows the answer.
    /// - Returns: The session and our public key; nil if the client's key is none.
    package static func agree(
        _ peerKey: [UInt8], exponent: Secret? = nil
    ) -> (session: SecretSession, publicKey: [UInt8])? {
        let exponent = exponent ?? Secret(SecretBytes.random(byteCount: exponentByteCount))
        guard let shared = OakleyGroup.sharedSecret(peerKey, exponent) else { return nil }
        let publicKey = OakleyGroup.publicKey(exponent)
        let key = unsafe shared.bytes.withUnsafeBytes { bytes in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: unsafe SymmetricKey(data: bytes), outputByteCount: blockByteCount)
        }
        let kept = unsafe key.withUnsafeBytes { unsafe Secret(SecretBytes(copying: $0)) }
        return (.encrypted(kept), publicKey)
    }

    /// Prepares a secret for the bus.
    /// - Parameters:
    ///   - secret: The secret.
    ///   - vector: 16 bytes that no other transfer has; random unless a test knows the answer.
    /// - Returns: Nil when the cipher fails, which it doesn't.
    package func seal(_ secret: Secret, vector: [UInt8]? = nil) -> Sealed? {
        guard case .encrypted(let key) = self else { return Sealed(parameters: [], value: secret) }
        var generator = SystemRandomNumberGenerator()
        let vector =
            vector
            ?? (0..<Self.blockByteCount).map { _ in UInt8.random(in: 0 ... .max, using: &generator)
            }
        guard let start = try? AES._CBC.IV(ivBytes: vector) else { return nil }
        let ciphertext = unsafe secret.bytes.withUnsafeBytes { bytes in
            unsafe try? AES._CBC.encrypt(bytes, using: Self.cipherKey(key), iv: start)
        }
        guard let ciphertext else { return nil }
        let value = unsafe ciphertext.withUnsafeBytes { unsafe Secret(SecretBytes(copying: $0)) }
        return Sealed(parameters: vector, value: value)
    }

    /// Takes a secret from the bus.
    /// - Returns: Nil when it isn't what the session demands.
    package func open(_ sealed: Sealed) -> Secret? {
        guard case .encrypted(let key) = self else {
            return sealed.parameters.isEmpty ? sealed.value : nil
        }
        guard sealed.parameters.count == Self.blockByteCount,
            let start = try? AES._CBC.IV(ivBytes: sealed.parameters)
        else { return nil }
        let count = sealed.value.bytes.byteCount
        guard count > 0, count % Self.blockByteCount == 0 else { return nil }
        let text = unsafe sealed.value.bytes.withUnsafeBytes { bytes in
            unsafe try? AES._CBC.decrypt(bytes, using: Self.cipherKey(key), iv: start)
        }
        guard var text else { return nil }
        let opened = unsafe text.withUnsafeBytes { unsafe Secret(SecretBytes(copying: $0)) }
        unsafe text.withUnsafeMutableBytes { unsafe SecretMemory.wipe($0) }
        return opened
    }

    private static func cipherKey(_ key: Secret) -> SymmetricKey {
        unsafe key.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}
