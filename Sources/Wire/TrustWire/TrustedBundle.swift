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
        let servers = TrustPolicy.Kind.sslServer.settingsIdentifier
        let rules = entry.rules.filter { $0.policy == nil || $0.policy == servers }
        if rules.contains(where: { $0.outcome == .deny }) { return .denied }
        guard outline.isSelfIssued, outline.isAuthority else { return .notARoot }
        guard !entry.rules.isEmpty else { return nil }
        let isTrusted = rules.contains { rule in
            rule.outcome == .trustRoot && rule.application == nil && rule.policyString == nil
                && rule.keyUsage == nil && rule.allowedError == nil
        }
        return isTrusted ? nil : .limited
    }
}
