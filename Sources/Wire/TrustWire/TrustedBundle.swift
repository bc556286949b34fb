// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The certificates that programs should trust for TLS servers that know only a list of roots.
package struct TrustedBundle: Sendable {
    /// Why a certificate with settings isn't in the list.
    package enum Omission: Sendable {
        /// Its settings say deny, or don't trust it.
        case denied
        /// Its settings are limited to a host, a program, a use of the key, or another policy.
        case limited
        /// It isn't a self-signed authority.
        case notARoot
        /// Only its name is known.
        case unknown
    }

    /// Certificates that settings trust, DER.
    package private(set) var trusted: [[UInt8]] = []
    /// Those with settings that aren't in the list.
    package private(set) var omitted: [(entry: TrustSettings.Entry, reason: Omission)] = []
    /// The whole list: roots of the system without denied ones, and what settings trust.
    package private(set) var certificates: [[UInt8]] = []

    /// Collects a list.
    /// - Parameters:
    ///   - user: The user's settings, which come before the machine's.
    ///   - machine: The machine's settings.
    ///   - roots: The system's roots, DER.
    package init(user: TrustSettings, machine: TrustSettings, roots: [[UInt8]]) {
        let known = Set(user.entries.map(\.digest))
        let entries = user.entries + machine.entries.filter { !known.contains($0.digest) }
        var refused: Set<[UInt8]> = []
        for entry in entries {
            guard let reason = Self.omission(entry) else {
                trusted.append(entry.certificate)
                continue
            }
            omitted.append((entry, reason))
            if reason == .denied { refused.insert(entry.certificate) }
        }
        certificates = roots.filter { !refused.contains($0) }
        certificates += trusted.filter { !roots.contains($0) }
    }

    private static func omission(_ entry: TrustSettings.Entry) -> Omission? {
        guard let outline = CertificateOutline(entry.certificate) else { return .unknown }
        let said = outcome(entry, isAuthority: outline.isAuthority)
        if said == .deny { return .denied }
        guard outline.isSelfIssued, outline.isAuthority else { return .notARoot }
        return said == .trustRoot ? nil : .limited
    }

    /// The result of the first rule that fits each program and each server; nil if none does. Before
    /// it, a rule for some of them counts if it trusts less: a list can't make their exception.
    private static func outcome(
        _ entry: TrustSettings.Entry, isAuthority: Bool
    ) -> TrustSettings.Result? {
        guard !entry.rules.isEmpty else { return .trustRoot }
        let servers = TrustPolicy.Kind.sslServer.settingsIdentifier
        let uses = isAuthority ? TrustSettings.certificateUses : ~TrustSettings.certificateUses
        var isLimited = false
        for rule in entry.rules {
            if let policy = rule.policy, policy != servers { continue }
            if let usage = rule.keyUsage, usage & uses == 0 { continue }
            let isOfAll = rule.application == nil && rule.policyString == nil
            switch rule.outcome {
            case .deny: return .deny
            case .trustRoot: if isOfAll { return isLimited ? nil : .trustRoot }
            // A rule that only accepts a failure doesn't end the search.
            case .unspecified where rule.acceptedError != nil: continue
            case .unspecified, .trustAsRoot:
                if isOfAll { return nil }
                isLimited = true
            }
        }
        return nil
    }
}
