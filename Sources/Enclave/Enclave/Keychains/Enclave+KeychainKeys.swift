// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecretBytes

/// Keys of keychains in use. Their rows are all of class dku.
extension Enclave {
    func keychain(_ number: UInt32, _ keybag: UserKeybag) throws(Refusal) -> KeychainEntry {
        try checkKeychains(keybag)
        if let entry = keybag.keychains.list[number] { return entry }
        // What is in a list that was refused isn't known.
        throw .status(
            keybag.keychains.standing == .known ? .noSuchKeychain : .stateNotWritten)
    }

    private func attributesKey(
        _ number: UInt32, _ name: TableKeyName, _ keybag: UserKeybag
    ) throws(Refusal) -> (classKey: Secret, attributesKey: Secret) {
        guard name.protectionClass == .dku else { throw .status(.malformed) }
        let entry = try keychain(number, keybag)
        let classKey = try classKey(.dku, keybag)
        guard let key = entry.attributesKey(classKey: classKey, keybag.keychainOwner) else {
            throw .status(.undecodable)
        }
        return (classKey, key)
    }

    func makeTableKey(
        _ number: UInt32, _ name: TableKeyName, _ keybag: UserKeybag
    ) throws(Refusal) -> KeychainReply {
        let keys = try attributesKey(number, name, keybag)
        guard
            let made = KeychainSealing.makeTableKey(
                name, user: keybag.user, keychain: number, classKey: keys.classKey,
                attributesKey: keys.attributesKey)
        else { throw .status(.undecodable) }
        return .madeTableKey(wrapped: made.wrapped, key: made.key)
    }

    func openTableKey(
        _ number: UInt32, _ name: TableKeyName, _ wrapped: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> KeychainReply {
        let keys = try attributesKey(number, name, keybag)
        guard
            let key = KeychainSealing.openTableKey(
                wrapped, name, user: keybag.user, keychain: number, classKey: keys.classKey,
                attributesKey: keys.attributesKey),
            key.bytes.byteCount == EnclaveReply.tableKeyByteCount
        else { throw .status(.undecodable) }
        return .openedTableKey(key)
    }

    private func secretsKey(
        _ number: UInt32, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        _ = try keychain(number, keybag)
        guard let key = keybag.keychains.secretsKey(number, now: clock()) else {
            throw .status(.keychainLocked)
        }
        return key
    }

    func seal(
        _ secret: borrowing SecretBytes, _ binding: SecretBinding, keychain number: UInt32,
        _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        guard binding.protectionClass == .dku else { throw .status(.malformed) }
        let secretsKey = try secretsKey(number, keybag)
        guard
            let sealed = KeychainSealing.seal(
                secret, binding, user: keybag.user, keychain: number,
                classKey: try classKey(.dku, keybag), secretsKey: secretsKey)
        else { throw .status(.undecodable) }
        return sealed
    }

    func open(
        _ sealed: [UInt8], _ binding: SecretBinding, keychain number: UInt32,
        _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        guard binding.protectionClass == .dku else { throw .status(.undecodable) }
        let secretsKey = try secretsKey(number, keybag)
        guard
            let secret = KeychainSealing.open(
                sealed, binding, user: keybag.user, keychain: number,
                classKey: try classKey(.dku, keybag), secretsKey: secretsKey)
        else { throw .status(.undecodable) }
        return secret
    }
}
