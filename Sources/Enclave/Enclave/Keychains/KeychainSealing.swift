// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// Secrets and table keys of keychains with a password of their own: under the class key and a key of
/// the keychain, so that neither alone opens them.
///
/// A sealed secret: u8 3, u8 class, u16 0, u32 keychain, 40 bytes wrapped row key, 12 nonce, ciphertext,
/// 16 tag. The plaintext is that of ``SecretSealing``; a table key is as ``TableKeySealing`` has it.
enum KeychainSealing {
    private static let format: UInt8 = 3
    private static let label = [UInt8]("llavero.keychain-secret.1".utf8)
    private static let tableLabel = [UInt8]("llavero.keychain-tablekey.1".utf8)
    private static let headerByteCount = 8
    private static let prefixByteCount = headerByteCount + Cryptography.wrappedKeyByteCount

    /// The keychain that a sealed secret names; nil for one of login.
    static func keychain(_ sealed: [UInt8]) -> UInt32? {
        guard sealed.count >= headerByteCount, sealed[0] == format else { return nil }
        return UInt32(littleEndianBytes: sealed[4..<headerByteCount])
    }

    /// Both keys: neither is of use without the other.
    private static func key(_ classKey: Secret, _ other: Secret, _ label: [UInt8]) -> SymmetricKey {
        let both = Cryptography.deriveByAuthenticating(
            other.bytes, using: classKey.bytes.symmetricKey())
        return Cryptography.derive(from: both.bytes.symmetricKey(), info: label)
    }

    // MARK: - Secrets

    /// Seals a secret under a fresh row key.
    static func seal(
        _ secret: borrowing SecretBytes, _ binding: SecretBinding, user: UInt32, keychain: UInt32,
        classKey: Secret, secretsKey: Secret
    ) -> [UInt8]? {
        let rowKey = SymmetricKey(size: .bits256)
        guard let count = UInt32(exactly: secret.byteCount),
            let wrapped = Cryptography.wrap(rowKey, using: key(classKey, secretsKey, label)),
            let box = Cryptography.seal(
                SecretSealing.padded(secret, count: count), using: rowKey,
                authenticating: associatedData(binding, user, keychain))
        else { return nil }
        var sealed: [UInt8] = [format, binding.protectionClass.rawValue, 0, 0]
        sealed.reserveCapacity(prefixByteCount + box.count)
        sealed.append(littleEndian: keychain)
        sealed += wrapped
        sealed += box
        return sealed
    }

    /// Opens a sealed secret.
    /// - Returns: Nil when it was not sealed for this user, class, context and keychain.
    static func open(
        _ sealed: [UInt8], _ binding: SecretBinding, user: UInt32, keychain: UInt32,
        classKey: Secret, secretsKey: Secret
    ) -> Secret? {
        guard sealed.count >= prefixByteCount + Cryptography.sealOverhead,
            self.keychain(sealed) == keychain, sealed[1] == binding.protectionClass.rawValue,
            sealed[2] == 0, sealed[3] == 0
        else { return nil }
        return unsafe sealed.withUnsafeBytes { bytes in
            let wrapped = unsafe UnsafeRawBufferPointer(
                rebasing: bytes[headerByteCount..<prefixByteCount])
            let box = unsafe UnsafeRawBufferPointer(rebasing: bytes[prefixByteCount...])
            guard
                let rowKey = unsafe Cryptography.unwrap(
                    wrapped, using: key(classKey, secretsKey, label))
            else { return nil }
            return unsafe Cryptography.open(
                box, using: rowKey, authenticating: associatedData(binding, user, keychain),
                SecretSealing.secret(inPlaintext:))
        }
    }

    private static func associatedData(
        _ binding: SecretBinding, _ user: UInt32, _ keychain: UInt32
    ) -> [UInt8] {
        var data = label
        data.append(littleEndian: user)
        data.append(binding.protectionClass.rawValue)
        data.append(littleEndian: keychain)
        return data + binding.context
    }

    // MARK: - Table keys

    /// Makes a random table key.
    static func makeTableKey(
        _ name: TableKeyName, user: UInt32, keychain: UInt32, classKey: Secret,
        attributesKey: Secret
    ) -> (wrapped: [UInt8], key: Secret)? {
        let made = Secret(.random(byteCount: Cryptography.keyByteCount))
        let wrapped = Cryptography.seal(
            made.bytes, using: key(classKey, attributesKey, tableLabel),
            authenticating: tableData(name, user, keychain))
        return wrapped.map { ($0, made) }
    }

    /// Opens a table key.
    static func openTableKey(
        _ wrapped: [UInt8], _ name: TableKeyName, user: UInt32, keychain: UInt32,
        classKey: Secret, attributesKey: Secret
    ) -> Secret? {
        Cryptography.open(
            wrapped, using: key(classKey, attributesKey, tableLabel),
            authenticating: tableData(name, user, keychain))
    }

    private static func tableData(
        _ name: TableKeyName, _ user: UInt32, _ keychain: UInt32
    ) -> [UInt8] {
        var data = tableLabel
        data.append(name.purpose.rawValue)
        data.append(littleEndian: user)
        data.append(name.protectionClass.rawValue)
        data.append(littleEndian: name.generation)
        data.append(littleEndian: keychain)
        return data
    }
}
