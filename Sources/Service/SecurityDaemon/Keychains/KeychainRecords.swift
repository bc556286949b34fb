// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import KeychainVocabulary
import SecurityWire

/// What the database says of a user's keychains.
extension FindRequests {
    /// The items of the reserved group that have these attributes.
    func ofKeychains(
        _ attributes: ItemAttributes, of identity: ClientIdentity, _ administration: Administration
    ) throws(DaemonError) -> [ItemAttributes] {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes
        query.synchronizable = .any
        query.limit = nil
        let scope = try GroupUse.read(ReservedGroup.keychains.rawValue)
            .scope(for: identity, administration)
        return try self.attributes(query, scope)
    }

    /// The records of all keychains, in any state.
    func keychains(
        of identity: ClientIdentity, _ administration: Administration
    ) throws(DaemonError) -> [KeychainRecord] {
        try ofKeychains(KeychainRecord.common, of: identity, administration)
            .compactMap { KeychainRecord($0) }
    }

    /// A keychain that is there.
    /// - Throws: `noSuchKeychain` of the enclave.
    func keychain(
        _ id: KeychainID, of identity: ClientIdentity, _ administration: Administration
    ) throws(DaemonError) -> KeychainRecord {
        let records = try ofKeychains(KeychainRecord.named(id.uuid), of: identity, administration)
            .compactMap { KeychainRecord($0) }
        let record = records.first { $0.uuid == id.uuid && $0.state == .live }
        guard let record else { throw .enclave(.noSuchKeychain) }
        return record
    }
}
