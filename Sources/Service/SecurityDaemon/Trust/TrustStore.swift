// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import ItemStore
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TrustWire

/// What of the database takes part in judging certificates: trust settings, and certificates that may
/// be issuers. Each thread has one of its own.
final class TrustStore {
    /// Issuers of one name; more aren't sent to trustd.
    private static let issuerCount = 64
    private static let issuerByteCount = 1 << 20

    private let finds: FindRequests
    private let administration: Administration
    /// The last settings of each row, so that the enclave isn't asked again for the same ones. They
    /// are no secrets.
    private var known: [Generation: [UInt8]] = [:]
    private static let knownCount = 64

    private struct Generation: Hashable {
        let uuid: [UInt8]
        let number: UInt32
    }

    init(finds: FindRequests, administration: Administration) {
        self.finds = finds
        self.administration = administration
    }

    /// The settings of a domain as they are stored; empty when there are none.
    /// - Throws: when there are some that can't be read: then there is no verdict without them.
    func settings(
        _ domain: ReservedGroup, of identity: ClientIdentity
    ) throws(DaemonError) -> [UInt8] {
        let scope = try GroupUse.read(domain.rawValue).scope(for: identity, administration)
        var query = ItemQuery(.genericPassword)
        query.attributes[.service] = .text(TrustSettings.service)
        query.attributes[.accessGroup] = .text(domain.rawValue)
        guard let row = try finds.rows(query, scope).first else { return [] }
        let generation = Generation(uuid: row.uuid, number: row.rowGeneration)
        if let settings = known[generation] { return settings }
        guard let secret = try finds.secrets(of: [row], userID: scope.userID).first else {
            throw .trustUnavailable
        }
        let settings = unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        if known.count >= Self.knownCount { known = [:] }
        known[generation] = settings
        return settings
    }

    /// Certificates with a subject, in the asker's groups and in the System keychain. What can't be
    /// read now is left out: it isn't needed for a refusal, and never makes one a trusted chain.
    /// - Parameters:
    ///   - subject: The normalized name, as the attribute has it.
    ///   - job: Whose question it is.
    /// - Returns: Their DER.
    func issuers(named subject: [UInt8], for job: TrustJob) -> [[UInt8]] {
        var query = ItemQuery(.certificate)
        query.attributes[.subject] = .data(subject)
        query.limit = Self.issuerCount
        query.synchronizable = .any
        var found: [[UInt8]] = []
        if !job.scope.readableGroups.isEmpty { append(query, job.scope, to: &found) }
        query.attributes[.accessGroup] = .text(ReservedGroup.machineKeychain.rawValue)
        if let machine = try? GroupUse.read(ReservedGroup.machineKeychain.rawValue)
            .scope(for: job.identity, administration)
        {
            append(query, machine, to: &found)
        }
        return found
    }

    private func append(
        _ query: ItemQuery, _ scope: borrowing ItemScope, to found: inout [[UInt8]]
    ) {
        guard let rows = try? finds.rows(query, scope),
            let secrets = try? finds.secrets(of: rows, userID: scope.userID)
        else { return }
        var byteCount = found.reduce(0) { $0 + $1.count }
        for secret in secrets where found.count < Self.issuerCount {
            byteCount += secret.bytes.byteCount
            guard byteCount <= Self.issuerByteCount else { return }
            found.append(unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) })
        }
    }
}
