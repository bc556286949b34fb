// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import EnclaveWire
import IPC
package import SecretBytes

/// Sealed secrets: a fresh row key for each, wrapped under a class key.
///
/// Layout: u8 1, u8 class, u16 0, 40 bytes wrapped row key, 12 nonce, ciphertext, 16 tag. While a backup
/// password is set: u8 4 in the place of the 1, and 104 bytes behind the wrapped row key, which make the
/// row key portable.
/// Plaintext: u32 byte count, secret, zeros up to a multiple of 24, so that the size reveals
/// little.
package enum SecretSealing {
    static let format: UInt8 = 1
    private static let attachedFormat: UInt8 = 4
    private static let label = [UInt8]("llavero.secret.1".utf8)
    private static let paddingUnit = 24
    private static let countByteCount = 4
    private static let headerByteCount = 4
    private static let prefixByteCount = headerByteCount + Cryptography.wrappedKeyByteCount

    /// Seals a secret under a fresh row key. `attachment` is called with the head and the row key, and
    /// gives what goes behind the head.
    static func seal(
        _ secret: borrowing SecretBytes, binding: SecretBinding, user: UInt32, classKey: Secret,
        attachment: (_ head: [UInt8], _ rowKey: SymmetricKey) throws(Refusal) -> [UInt8] = {
            (_, _) throws(Refusal) in []
        }
    ) throws(Refusal) -> [UInt8]? {
        let rowKey = SymmetricKey(size: .bits256)
        guard let count = UInt32(exactly: secret.byteCount),
            let wrapped = Cryptography.wrap(rowKey, using: classKey.bytes.symmetricKey())
        else { return nil }
        let plaintext = padded(secret, count: count)
        guard
            let box = Cryptography.seal(
                plaintext, using: rowKey, authenticating: associatedData(binding, user))
        else { return nil }
        var sealed: [UInt8] = [format, binding.protectionClass.rawValue, 0, 0]
        sealed.reserveCapacity(prefixByteCount + BackupLayout.attachmentByteCount + box.count)
        sealed += wrapped
        let attached = try attachment(sealed, rowKey)
        if !attached.isEmpty { sealed[0] = attachedFormat }
        sealed += attached
        sealed += box
        return sealed
    }

    /// Whether a head has a row key that class keys wrap alone.
    static func hasWrappedKey(_ head: [UInt8]) -> Bool {
        head.count >= prefixByteCount && [format, attachedFormat].contains(head[0])
            && head[2] == 0 && head[3] == 0
    }

    /// Where the sealed secret begins.
    private static func boxOffset(_ sealed: [UInt8]) -> Int {
        sealed[0] == attachedFormat
            ? prefixByteCount + BackupLayout.attachmentByteCount : prefixByteCount
    }

    /// Opens a sealed secret whose row key came another way.
    static func open(
        _ sealed: [UInt8], binding: SecretBinding, user: UInt32, rowKey: SymmetricKey
    ) -> Secret? {
        guard hasWrappedKey(sealed), sealed[1] == binding.protectionClass.rawValue,
            sealed.count >= boxOffset(sealed) + Cryptography.sealOverhead
        else { return nil }
        return unsafe sealed.withUnsafeBytes { bytes in
            unsafe Cryptography.open(
                UnsafeRawBufferPointer(rebasing: bytes[boxOffset(sealed)...]), using: rowKey,
                authenticating: associatedData(binding, user), secret(inPlaintext:))
        }
    }

    /// Opens a sealed secret.
    /// - Returns: Nil when it was not sealed for this user, class and context.
    package static func open(
        _ sealed: [UInt8], binding: SecretBinding, user: UInt32, classKey: Secret
    ) -> Secret? {
        guard hasWrappedKey(sealed) else { return nil }
        let rowKey = unsafe sealed.withUnsafeBytes { bytes in
            unsafe Cryptography.unwrap(
                UnsafeRawBufferPointer(rebasing: bytes[headerByteCount..<prefixByteCount]),
                using: classKey.bytes.symmetricKey())
        }
        return rowKey.flatMap { open(sealed, binding: binding, user: user, rowKey: $0) }
    }

    static func padded(_ secret: borrowing SecretBytes, count: UInt32) -> SecretBytes {
        var plaintext = SecretBytes(byteCount: paddedByteCount(secret.byteCount))
        unsafe secret.withUnsafeBytes { source in
            unsafe plaintext.withUnsafeMutableBytes { target in
                unsafe target.storeBytes(of: count.littleEndian, as: UInt32.self)
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: target[countByteCount...])
                unsafe room.copyMemory(from: source)
            }
        }
        return plaintext
    }

    /// The secret in an opened plaintext.
    /// - Returns: Nil when the padding is wrong.
    package static func secret(inPlaintext plaintext: UnsafeRawBufferPointer) -> Secret? {
        guard plaintext.count >= paddingUnit else { return nil }
        let count = unsafe Int(UInt32(littleEndian: plaintext.loadUnaligned(as: UInt32.self)))
        guard paddedByteCount(count) == plaintext.count else { return nil }
        let secret = unsafe UnsafeRawBufferPointer(
            rebasing: plaintext[countByteCount..<countByteCount + count])
        return Secret(unsafe SecretBytes(copying: secret))
    }

    private static func paddedByteCount(_ byteCount: Int) -> Int {
        (countByteCount + byteCount + paddingUnit - 1) / paddingUnit * paddingUnit
    }

    private static func associatedData(_ binding: SecretBinding, _ user: UInt32) -> [UInt8] {
        var data = label
        data.reserveCapacity(label.count + 5 + binding.context.count)
        data.append(littleEndian: user)
        data.append(binding.protectionClass.rawValue)
        data += binding.context
        return data
    }
}
