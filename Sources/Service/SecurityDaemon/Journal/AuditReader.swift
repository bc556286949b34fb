// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes
import SecurityWire

/// Reads audit logs, which the journal's thread writes. It takes long for a long log, so the
/// maintenance thread does it, and no refusal waits for it.
final class AuditReader {
    private let directory: String
    private let keys: ItemKeys

    init(directory: String, keys: ItemKeys) {
        self.directory = directory
        self.keys = keys
    }

    /// Reads a part of a user's own log, up to what the journal's thread has written.
    func page(
        _ query: AuditQuery, userID: UInt32, upTo extent: AuditExtent?
    ) throws(DaemonError) -> AuditPage {
        guard let extent else { return AuditPage() }
        var isGone = false
        let log = AuditLog(
            directory: directory, userID: userID,
            keys: AuditKeys(
                make: { (_) throws(AuditFailure) in throw .keyUnavailable },
                open: { [keys] (wrapped, number) throws(AuditFailure) in
                    do throws(EnclaveCallError) {
                        return .key(
                            AuditKeys.key(
                                try keys.enclave.openTableKey(
                                    purpose: .audit, class: AuditKeys.protectionClass,
                                    generation: number, wrapped: wrapped, userID: userID)))
                    } catch {
                        if error == .undecodable || error == .classMissing { return .gone }
                        isGone = error == .gone
                        throw .keyUnavailable
                    }
                }),
            now: { 0 })
        do throws(AuditFailure) { return try log.page(query, upTo: extent) } catch {
            if isGone { throw .enclave(.gone) }
            throw DaemonError(error)
        }
    }
}
