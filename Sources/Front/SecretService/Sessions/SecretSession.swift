// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
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
    /// How much of the stack the cipher may have used.
    private static let usedStackByteCount = 16 * 1024
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
        guard vector.count == Self.blockByteCount else { return nil }
        let value = Self.encrypted(secret.bytes, key, vector)
        llavero_scrub_stack(Self.usedStackByteCount)
        return value.map { Sealed(parameters: vector, value: $0) }
    }

    /// Takes a secret from the bus.
    /// - Returns: Nil when it isn't what the session demands.
    package func open(_ sealed: Sealed) -> Secret? {
        guard case .encrypted(let key) = self else {
            return sealed.parameters.isEmpty ? sealed.value : nil
        }
        let count = sealed.value.bytes.byteCount
        guard sealed.parameters.count == Self.blockByteCount, count > 0,
            count % Self.blockByteCount == 0
        else { return nil }
        let text = Self.decrypted(sealed.value.bytes, key, sealed.parameters)
        llavero_scrub_stack(Self.usedStackByteCount)
        return text
    }

    // MARK: - The cipher

    // The library's own CBC copies what it is given into ordinary memory, and doesn't wipe it. So only
    // its block function is used, in place.

    private static func encrypted(
        _ text: borrowing SecretBytes, _ key: Secret, _ vector: [UInt8]
    ) -> Secret? {
        let padding = blockByteCount - text.byteCount % blockByteCount
        let cipherKey = cipherKey(key)
        var result = SecretBytes(byteCount: text.byteCount + padding)
        let isDone = unsafe result.withUnsafeMutableBytes { target in
            unsafe text.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            for index in target.count - padding..<target.count {
                unsafe target[index] = UInt8(padding)
            }
            for start in stride(from: 0, to: target.count, by: blockByteCount) {
                for index in 0..<blockByteCount {
                    let before =
                        unsafe start == 0 ? vector[index] : target[start - blockByteCount + index]
                    unsafe target[start + index] ^= before
                }
                var block = unsafe Self.block(target, start)
                guard unsafe (try? AES.permute(&block, key: cipherKey)) != nil else { return false }
            }
            return true
        }
        return isDone ? Secret(result) : nil
    }

    private static func decrypted(
        _ sealed: borrowing SecretBytes, _ key: Secret, _ vector: [UInt8]
    ) -> Secret? {
        let cipherKey = cipherKey(key)
        var text = SecretBytes(byteCount: sealed.byteCount)
        return unsafe text.withUnsafeMutableBytes { target in
            unsafe sealed.withUnsafeBytes { source in
                unsafe target.copyMemory(from: source)
                for start in stride(from: 0, to: target.count, by: blockByteCount) {
                    var block = unsafe Self.block(target, start)
                    guard unsafe (try? AES.inversePermute(&block, key: cipherKey)) != nil else {
                        return nil
                    }
                    for index in 0..<blockByteCount {
                        let before =
                            unsafe start == 0
                            ? vector[index] : source[start - blockByteCount + index]
                        unsafe target[start + index] ^= before
                    }
                }
                guard let last = unsafe target.last, (1...16).contains(last),
                    unsafe target.suffix(Int(last)).allSatisfy({ $0 == last })
                else { return nil }
                let rest = unsafe UnsafeRawBufferPointer(rebasing: target.dropLast(Int(last)))
                return unsafe Secret(SecretBytes(copying: rest))
            }
        }
    }

    private static func block(
        _ bytes: UnsafeMutableRawBufferPointer, _ start: Int
    ) -> UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + blockByteCount])
            .assumingMemoryBound(to: UInt8.self)
    }

    private static func cipherKey(_ key: Secret) -> SymmetricKey {
        unsafe key.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}
