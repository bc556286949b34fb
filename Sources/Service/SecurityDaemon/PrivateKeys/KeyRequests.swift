// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// Private keys that enclaved makes and uses. Only a program with the key's access group may use
/// it. The group is part of the key's associated data, so that the key can't be used with another
/// group's name.
struct KeyRequests {
    private let keys: ItemKeys

    init(_ keys: ItemKeys) { self.keys = keys }

    func reply(
        to request: KeyRequest, _ scope: borrowing ItemScope
    ) throws(DaemonError) -> KeyReply {
        let group = scope.defaultGroup
        let user = scope.userID
        guard let access = request.access.scope else { throw .invalidRequest }
        switch request.operation {
        case .make(let accessibility):
            let made = try make(accessibility, request.accessControl, group, access, user)
            return .made(
                MadeKey(publicKey: made.publicKey, sealed: made.sealed, accessGroup: group))
        case .sign(let digest, let sealed):
            return .computed(try sign(digest, sealed, group, access, user))
        case .agree(let publicKey, let sealed):
            return .computed(try agree(publicKey, sealed, group, access, user))
        }
    }

    private func make(
        _ accessibility: Accessibility, _ control: AccessControl?, _ group: String,
        _ access: AccessScope, _ user: UInt32
    ) throws(DaemonError) -> (publicKey: [UInt8], sealed: [UInt8]) {
        let binding = ProtectionClass(rawValue: accessibility.rawValue).flatMap {
            SecretBinding(protectionClass: $0, context: Self.context(group))
        }
        guard let binding else { throw DaemonError(EnclaveCallError.malformed) }
        do throws(EnclaveCallError) {
            guard let control else {
                return try keys.enclave.makePrivateKey(binding, userID: user)
            }
            guard control.protectionClass == accessibility.rawValue else { throw .malformed }
            return try keys.enclave.makePrivateKey(
                binding, control, under: access, userID: user)
        } catch { throw ItemKeys.failure(error, nil, .encrypt) }
    }

    private func sign(
        _ digest: [UInt8], _ sealed: [UInt8], _ group: String, _ access: AccessScope,
        _ user: UInt32
    ) throws(DaemonError) -> Secret {
        do throws(EnclaveCallError) {
            let key = try Self.key(sealed, group)
            guard !GuardedFields.isGuarded(sealed) else {
                return try keys.enclave.sign(
                    digest: digest, key: key, under: access, userID: user)
            }
            let signature = try keys.enclave.sign(digest: digest, key: key, userID: user)
            return Secret(
                unsafe SecretBytes(byteCount: signature.count) {
                    unsafe $0.copyBytes(from: signature)
                })
        } catch { throw ItemKeys.failure(error, GuardedFields(sealed), .sign) }
    }

    private func agree(
        _ publicKey: [UInt8], _ sealed: [UInt8], _ group: String, _ access: AccessScope,
        _ user: UInt32
    ) throws(DaemonError) -> Secret {
        do throws(EnclaveCallError) {
            let key = try Self.key(sealed, group)
            guard !GuardedFields.isGuarded(sealed) else {
                return try keys.enclave.agree(
                    publicKey: publicKey, key: key, under: access, userID: user)
            }
            return Secret(
                try keys.enclave.agree(publicKey: publicKey, key: key, userID: user))
        } catch { throw ItemKeys.failure(error, GuardedFields(sealed), .computeKey) }
    }

    /// A sealed key with its associated data. Its second byte is the class; with a wrong class it
    /// can't be opened.
    private static func key(
        _ sealed: [UInt8], _ group: String
    ) throws(EnclaveCallError) -> SealedSecret {
        guard sealed.count > 1, let keyClass = ProtectionClass(rawValue: sealed[1]),
            let key = SealedSecret(
                protectionClass: keyClass, context: context(group), sealed: sealed)
        else { throw .undecodable }
        return key
    }

    /// SHA-256 of a label and the group.
    private static func context(_ group: String) -> [UInt8] {
        [UInt8](SHA256.hash(data: [UInt8](("llavero.key-group.1\0" + group).utf8)))
    }
}
