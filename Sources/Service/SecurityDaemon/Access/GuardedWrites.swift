// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import KeychainVocabulary
import SecretBytes
import SecurityWire

extension WriteRequests {
    /// Seals a secret under an access control.
    func sealGuarded(
        _ secret: Secret?, _ control: AccessControl, _ access: ItemAccess,
        _ keyClass: ProtectionClass, into item: inout SealedItem
    ) throws(DaemonError) {
        guard control.protectionClass == keyClass.rawValue, let scope = access.scope,
            let binding = SecretBinding(
                protectionClass: keyClass, context: AssociatedData.contextForSecret(item))
        else { throw .invalidRequest }
        let new = GuardedSecret(
            binding: binding, uuid: item.uuid, control: control,
            secret: secret ?? Secret(SecretBytes(byteCount: 0)))
        do {
            item.secret = try keys.enclave.seal(new, under: scope, userID: item.userID)
        } catch { throw Self.failure(error, control, item) }
    }

    /// Seals the secret of a changed row again, where it had an access control or gets one. The old
    /// one must be satisfied first, whatever changes.
    /// - Throws: ``DaemonError/keyGone`` when the old secret can't be opened.
    func resealGuarded(
        _ old: SealedItem, _ oldSecret: SealedSecret, _ secret: Secret?,
        _ change: AccessControlChange, _ access: ItemAccess, _ keyClass: ProtectionClass,
        into item: inout SealedItem
    ) throws(DaemonError) {
        guard let scope = access.scope,
            let binding = SecretBinding(
                protectionClass: keyClass, context: AssociatedData.contextForSecret(item))
        else { throw .invalidRequest }
        if let secret {
            try keys.demandAccess(to: old, for: .decrypt, access)
            guard let control = try control(of: old, change, keyClass) else {
                return try sealSecret(secret, keyClass, into: &item)
            }
            return try sealGuarded(secret, control, access, keyClass, into: &item)
        }
        let new: NewControl
        switch change {
        case .none: new = .same
        case .removed: new = .removed
        case .replaced(let control):
            guard control.protectionClass == keyClass.rawValue else { throw .invalidRequest }
            new = .replaced(control)
        }
        do {
            item.secret = try keys.enclave.rebind(
                oldSecret, to: binding, uuid: item.uuid, new, under: scope, userID: item.userID)
        } catch {
            throw error == .undecodable ? .keyGone : ItemKeys.failure(error, old, .decrypt)
        }
    }

    /// The access control of a changed row.
    private func control(
        of old: SealedItem, _ change: AccessControlChange, _ keyClass: ProtectionClass
    ) throws(DaemonError) -> AccessControl? {
        switch change {
        case .removed: return nil
        case .replaced(let control): return control
        case .none:
            guard let encoded = old.encodedAccessControl else { return nil }
            guard var control = AccessControl(decoding: encoded) else { throw .keyGone }
            control.protectionClass = keyClass.rawValue
            return control
        }
    }

    private static func failure(
        _ error: EnclaveCallError, _ control: AccessControl, _ item: SealedItem
    ) -> DaemonError {
        switch error {
        case .passwordNeeded:
            .approvalNeeded(
                ApprovalDemand(operation: .encrypt, subjects: [], needsPerson: false, ways: []))
        case _: DaemonError(error)
        }
    }
}

extension ItemAttributes {
    /// - Throws: ``DaemonError/invalidRequest`` for an item that would synchronize with an access
    ///   control: other devices couldn't judge it.
    func checkGuarded() throws(DaemonError) {
        if isSynchronizing { throw .invalidRequest }
    }
}
