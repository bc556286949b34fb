// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecretBytes

/// Keys in use: each call asks only for the class key, and does so first.
extension Enclave {
    func classKey(
        _ protectionClass: ProtectionClass, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        switch keybag.availability(protectionClass) {
        case .usable(let key): return key
        case .locked: throw .status(.locked)
        case .missing: throw .status(.classMissing)
        }
    }

    func makeTableKey(
        _ name: TableKeyName, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveReply {
        let classKey = try classKey(name.protectionClass, keybag)
        guard
            let made = TableKeySealing.make(name, user: keybag.user, classKey: classKey)
        else { throw .status(.undecodable) }
        return .madeTableKey(made)
    }

    func openTableKey(
        _ name: TableKeyName, _ wrapped: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveReply {
        let classKey = try classKey(name.protectionClass, keybag)
        guard
            let key = TableKeySealing.open(wrapped, name, user: keybag.user, classKey: classKey),
            key.bytes.byteCount == EnclaveReply.tableKeyByteCount
        else { throw .status(.undecodable) }
        return .openedTableKey(key.copy())
    }

    func seal(
        _ secret: borrowing SecretBytes, _ binding: SecretBinding, _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        let classKey = try classKey(binding.protectionClass, keybag)
        let sealed = try SecretSealing.seal(
            secret, binding: binding, user: keybag.user, classKey: classKey
        ) { (head, rowKey) throws(Refusal) in
            try attachment(to: head, rowKey, binding.protectionClass, keybag)
        }
        guard let sealed else { throw .status(.undecodable) }
        return sealed
    }

    func open(
        _ sealed: [UInt8], _ binding: SecretBinding, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        // Only a request with a context can open one with an access control.
        if GuardedSealing.isGuarded(sealed) {
            let isWhole = GuardedSealing.header(sealed, binding) != nil
            throw .status(isWhole ? .personNeeded : .undecodable)
        }
        if let number = KeychainSealing.keychain(sealed) {
            return try open(sealed, binding, keychain: number, keybag)
        }
        let classKey = try classKey(binding.protectionClass, keybag)
        guard
            let secret = SecretSealing.open(
                sealed, binding: binding, user: keybag.user, classKey: classKey)
        else { throw .status(.undecodable) }
        return secret
    }

    func open(_ row: SealedSecret, _ keybag: UserKeybag) -> OpenedRow {
        do throws(Refusal) {
            return .secret(try open(row.sealed, row.binding, keybag))
        } catch {
            guard error.statusCode != .locked else { return .locked(lockCount: keybag.lockCount) }
            return .failure(error.statusCode)
        }
    }

    func rebind(
        _ sealed: [UInt8], from source: SecretBinding, to target: SecretBinding,
        _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        // The target class first: an item must not be opened if it can't be sealed for the target
        // class.
        _ = try classKey(target.protectionClass, keybag)
        let secret = try open(sealed, source, keybag)
        if let number = KeychainSealing.keychain(sealed) {
            return try seal(secret.bytes, target, keychain: number, keybag)
        }
        return try seal(secret.bytes, target, keybag)
    }
}

extension OpenedRow {
    /// Whether there is a secret, or the status that explains why not.
    var statusCode: EnclaveStatusCode {
        switch self {
        case .secret: .success
        case .failure(let code): code
        case .locked: .locked
        }
    }
}
