// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
import SecretBytes

// Private keys with an access control: made and used only here, like those without. A key has a
// random number in place of a row's UUID, so that an approval names one key.
extension Enclave {
    /// Making a key demands nothing but the application's password: nobody knows the key yet.
    mutating func makeKey(
        _ scope: AccessScope, _ binding: SecretBinding, _ control: AccessControl,
        _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        let context = try contexts.context(scope, user: keybag.user)
        try admit(control, keybag)
        let request = AccessRequest.key(scope, .make(binding, control))
        if let job = try derivation(for: control, context, request, keybag) {
            return .deferred(job)
        }
        let classKey = try classKey(binding.protectionClass, keybag)
        let passwordKey = try passwordKey(control, context)
        let made = try Self.newPrivateKey()
        let uuid = Array(Self.randomSalt().prefix(AccessSubject.uuidByteCount))
        let sealed = GuardedSealing.seal(
            .privateKey, made.number.bytes, control, uuid: uuid, binding: binding,
            user: keybag.user, classKey: classKey, passwordKey: passwordKey)
        guard let sealed, sealed.count <= PrivateKeyLayout.sealedByteCountLimit else {
            throw .status(.malformed)
        }
        return .reply(.access(.madeKey(publicKey: made.publicKey, sealed: sealed)))
    }

    /// Uses a key, once the operation is allowed and a password of the application is derived.
    mutating func use(
        _ key: SealedSecret, for operation: AccessControl.Operation, _ request: AccessRequest,
        _ scope: AccessScope, _ keybag: UserKeybag,
        _ compute: (Secret) throws(Refusal) -> Secret
    ) throws(Refusal) -> EnclaveAnswer {
        let context = try contexts.context(scope, user: keybag.user)
        guard GuardedSealing.isGuarded(key.sealed),
            let header = GuardedSealing.header(key.sealed, key.binding)
        else { throw .status(.undecodable) }
        if verdict(operation, header, context, keybag) == .allowed,
            let job = try derivation(for: header.control, context, request, keybag)
        {
            return .deferred(job)
        }
        let number = try open(.privateKey, key, context, operation, keybag)
        return .reply(.access(.computed(try compute(number))))
    }
}
