// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Glibc
import KeychainVocabulary
import SecretBytes
import SecurityWire
package import TrustWire

/// Whose trust settings.
package enum TrustDomain: Sendable {
    /// The user's.
    case user
    /// The machine's; root's to change, or the user's in a service of one user.
    case machine

    var group: ReservedGroup {
        switch self {
        case .user: .userTrust
        case .machine: .machineTrust
        }
    }
}

extension KeychainConnection {
    /// Another program may change the settings meanwhile; then the change is made again.
    private static let changeAttempts = 16

    /// The settings of a domain.
    /// - Returns: Without an entry when there are none.
    /// - Throws: ``FailureReason/undecodable`` for settings that a newer version wrote.
    package func trustSettings(_ domain: TrustDomain) throws(KeychainError) -> TrustSettings {
        try storedSettings(domain).settings
    }

    /// Changes the settings of a domain, whole: they are read, changed and written only if they are
    /// still the same.
    /// - Parameters:
    ///   - domain: Whose.
    ///   - change: Changes them; it may be called more than once.
    /// - Throws: What `change` throws; ``FailureReason/administratorNeeded`` for the machine's;
    ///   ``FailureReason/denied`` when a passcode is set and this connection hasn't given it;
    ///   ``FailureReason/tooLarge``.
    package func changeTrustSettings(
        _ domain: TrustDomain,
        _ change: (inout TrustSettings) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        for _ in 0..<Self.changeAttempts {
            let stored = try storedSettings(domain)
            var settings = stored.settings
            try change(&settings)
            do throws(KeychainError) {
                return try write(settings, domain, replacing: stored.generation)
            } catch {
                switch error.reason {
                case .duplicate, .generationChanged, .absent: continue
                default: throw error
                }
            }
        }
        throw .generationChanged
    }

    /// The same, for a program: where a passcode is set, the person is asked for it.
    /// - Throws: ``FailureReason/personNeeded`` where nobody can be asked;
    ///   ``FailureReason/personCanceled``; as ``changeTrustSettings(_:_:)``.
    package func changeTrustSettingsAsking(
        _ domain: TrustDomain,
        _ change: (inout TrustSettings) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try asOwner { (connection) throws(KeychainError) in
            try connection.changeTrustSettings(domain, change)
        }
    }

    /// Calls a body; if the service demands the owner, asks the person and calls it again.
    package func asOwner(
        _ body: (KeychainConnection) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        do throws(KeychainError) { return try body(self) } catch {
            guard error.reason == .denied, error.status == SecurityStatus.authFailed else {
                throw error
            }
        }
        let context = AccessContext()
        // A finger proves nothing to enclaved, and so doesn't open what is the owner's alone.
        try context.establishPresence(
            purpose: "change which certificates are trusted", by: .passcode, over: self)
        try body(context.connection(like: self))
    }

    private func storedSettings(
        _ domain: TrustDomain
    ) throws(KeychainError) -> (settings: TrustSettings, generation: ItemGeneration?) {
        var query = query(domain)
        query.returning = [.data, .usage]
        let item: FoundItem
        do throws(KeychainError) {
            item = try find(query)[0]
        } catch {
            guard error.reason == .absent else { throw error }
            return (TrustSettings(), nil)
        }
        guard let secret = item.secret, let generation = item.generation,
            let settings = try? TrustSettings(
                decoding: unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) })
        else { throw .undecodable("these trust settings can't be read by this version") }
        return (settings, generation)
    }

    private func query(_ domain: TrustDomain) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes[.accessGroup] = .text(domain.group.rawValue)
        query.attributes[.service] = .text(TrustSettings.service)
        return query
    }

    private func write(
        _ settings: TrustSettings, _ domain: TrustDomain, replacing generation: ItemGeneration?
    ) throws(KeychainError) {
        var query = query(domain)
        query.generation = generation
        guard !settings.entries.isEmpty else {
            if generation != nil { try delete(query) }
            return
        }
        let bytes = settings.encoded()
        guard bytes.count <= TrustLimits.settingsByteCount else { throw .tooLarge }
        let secret = unsafe bytes.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
        if generation != nil {
            var changes = ItemChanges()
            changes.secret = secret
            try update(query, applying: changes)
        } else {
            var item = NewItem(.genericPassword)
            item.attributes = query.attributes
            item.attributes[.label] = .text("Trust settings")
            item.secret = secret
            try add(item)
        }
    }
}

extension TrustSettings.Entry {
    /// Settings of a certificate, changed now.
    /// - Returns: Nil for bytes that aren't a certificate.
    package init?(_ certificate: [UInt8], rules: [TrustSettings.Rule]) {
        guard let outline = CertificateOutline(certificate) else { return nil }
        self.init(
            digest: Self.digest(certificate), certificate: certificate, issuer: outline.issuer,
            serialNumber: outline.serialNumber, modified: Int64(time(nil)), rules: rules)
    }

    /// The name of a certificate in settings: its SHA-1 digest.
    package static func digest(_ certificate: [UInt8]) -> [UInt8] {
        [UInt8](Insecure.SHA1.hash(data: certificate))
    }

    /// The reason why such rules aren't allowed for a certificate; nil if they are.
    package var refusal: String? {
        guard let outline = CertificateOutline(certificate) else { return "it isn't a certificate" }
        if rules.isEmpty, !outline.isSelfIssued {
            return "only a self-signed certificate can be trusted for everything"
        }
        for rule in rules {
            switch rule.outcome {
            case .trustRoot where !outline.isSelfIssued:
                return "it isn't self-signed, so it can't be trusted as a root; use trustAsRoot"
            case .trustAsRoot where outline.isSelfIssued:
                return "it is self-signed; use trustRoot"
            case .trustRoot, .trustAsRoot, .deny, .unspecified: break
            }
        }
        return nil
    }
}
