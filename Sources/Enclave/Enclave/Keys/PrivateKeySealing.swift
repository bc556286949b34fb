// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// Sealed private keys: a fresh key for each, wrapped under a class key.
///
/// Layout: u8 1, u8 class, u8 kind, u8 0, 40 bytes wrapped key, 12 nonce, 32 ciphertext, 16 tag.
/// The label isn't that of the secrets of items, so that neither opens as the other.
enum PrivateKeySealing {
    private static let format: UInt8 = 1
    /// A number on P-256.
    private static let kind: UInt8 = 1
    private static let label = [UInt8]("llavero.private-key.1".utf8)
    private static let headerByteCount = 4
    private static let prefixByteCount = headerByteCount + Cryptography.wrappedKeyByteCount
    private static let numberByteCount = 32

    static func seal(
        _ number: Secret, binding: SecretBinding, user: UInt32, classKey: Secret
    ) -> [UInt8]? {
        let key = SymmetricKey(size: .bits256)
        guard let wrapped = Cryptography.wrap(key, using: classKey.bytes.symmetricKey()),
            let box = Cryptography.seal(
                number.bytes, using: key, authenticating: associatedData(binding, user))
        else { return nil }
        return [format, binding.protectionClass.rawValue, kind, 0] + wrapped + box
    }

    /// - Returns: Nil when it is not a key that was made for this user, class and context.
    static func open(
        _ sealed: [UInt8], binding: SecretBinding, user: UInt32, classKey: Secret
    ) -> Secret? {
        guard
            sealed.count == prefixByteCount + Cryptography.sealOverhead + numberByteCount,
            sealed.prefix(headerByteCount)
                .elementsEqual([format, binding.protectionClass.rawValue, kind, 0])
        else { return nil }
        return unsafe sealed.withUnsafeBytes { bytes in
            let wrapped = unsafe UnsafeRawBufferPointer(
                rebasing: bytes[headerByteCount..<prefixByteCount])
            let box = unsafe UnsafeRawBufferPointer(rebasing: bytes[prefixByteCount...])
            guard
                let key = unsafe Cryptography.unwrap(
                    wrapped, using: classKey.bytes.symmetricKey())
            else { return nil }
            return unsafe Cryptography.open(
                box, using: key, authenticating: associatedData(binding, user)
            ) { number in Secret(unsafe SecretBytes(copying: number)) }
        }
    }

    private static func associatedData(_ binding: SecretBinding, _ user: UInt32) -> [UInt8] {
        var data = label
        data.append(littleEndian: user)
        data.append(binding.protectionClass.rawValue)
        data.append(kind)
        data += binding.context
        return data
    }
}
