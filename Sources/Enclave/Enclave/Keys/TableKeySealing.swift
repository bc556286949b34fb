// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// Table keys: AES-256-GCM under a key derived from the class key.
///
/// Layout: 12 nonce, 32 ciphertext, 16 tag.
enum TableKeySealing {
    private static let label = [UInt8]("llavero.tablekey.1".utf8)

    /// Makes a random table key.
    static func make(_ name: TableKeyName, user: UInt32, classKey: Secret) -> MadeTableKey? {
        let key = SecretBytes.random(byteCount: Cryptography.keyByteCount)
        guard
            let wrapped = Cryptography.seal(
                key, using: wrappingKey(classKey), authenticating: associatedData(name, user))
        else { return nil }
        return MadeTableKey(wrapped: wrapped, key: key)
    }

    /// Opens a table key.
    static func open(
        _ wrapped: [UInt8], _ name: TableKeyName, user: UInt32, classKey: Secret
    ) -> Secret? {
        Cryptography.open(
            wrapped, using: wrappingKey(classKey), authenticating: associatedData(name, user))
    }

    private static func wrappingKey(_ classKey: Secret) -> SymmetricKey {
        Cryptography.derive(from: classKey.bytes.symmetricKey(), info: label)
    }

    private static func associatedData(_ name: TableKeyName, _ user: UInt32) -> [UInt8] {
        var data = label
        data.append(name.purpose.rawValue)
        data.append(littleEndian: user)
        data.append(name.protectionClass.rawValue)
        data.append(littleEndian: name.generation)
        return data
    }
}
