// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks
import TrustWire

/// The trust settings of a domain, ready to be asked.
package final class SettingsSet: Sendable {
    /// Their bytes, to find out whether they have changed.
    package let encoded: [UInt8]
    private let entries: [[UInt8]: TrustSettings.Entry]
    /// Of which only the name is known.
    private let named: [[UInt8]: TrustSettings.Entry]
    /// Certificates that some rule may make an anchor.
    let anchors: CertificatePool

    /// Reads settings.
    /// - Returns: Nil for bytes that aren't settings.
    package init?(_ encoded: [UInt8]) {
        var entries: [[UInt8]: TrustSettings.Entry] = [:]
        var named: [[UInt8]: TrustSettings.Entry] = [:]
        var anchors = CertificatePool()
        if !encoded.isEmpty {
            guard let settings = try? TrustSettings(decoding: encoded) else { return nil }
            for entry in settings.entries {
                guard !entry.certificate.isEmpty else {
                    named[entry.digest] = entry
                    continue
                }
                entries[entry.certificate] = entry
                if let certificate = JudgedCertificate(entry.certificate) {
                    anchors.add(certificate)
                }
            }
        }
        self.encoded = encoded
        self.entries = entries
        self.named = named
        self.anchors = anchors
    }

    /// The settings of a certificate. Of which only the name is known, digest, issuer and serial
    /// number must be the certificate's.
    func entry(_ certificate: JudgedCertificate) -> TrustSettings.Entry? {
        if let entry = entries[certificate.der] { return entry }
        guard !named.isEmpty else { return nil }
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe llavero_sha1(certificate.der, certificate.der.count, &digest)
        guard let entry = named[digest], entry.issuer == certificate.facts.issuer,
            entry.serialNumber == certificate.facts.serialNumber
        else { return nil }
        return entry
    }
}

/// The settings of a user and of the machine, for one question.
package struct SettingsJudge {
    /// What settings say about a certificate.
    struct Verdict {
        /// The chain may end here.
        var anchor = TrustAnswer.Anchor.none
        /// The certificate must not be used.
        var isDenied = false
        /// Failures that don't count.
        var allowed: Set<TrustFault> = []
    }

    private let user: SettingsSet?
    private let machine: SettingsSet?
    private let askers: [String]
    private var policies: [TrustPolicy] = []

    /// - Parameters:
    ///   - user: The user's settings.
    ///   - machine: The machine's.
    ///   - askers: The names of the asking program.
    package init(user: SettingsSet?, machine: SettingsSet?, askers: [String]) {
        self.user = user
        self.machine = machine
        self.askers = askers
    }

    /// No settings.
    package static var none: SettingsJudge { SettingsJudge(user: nil, machine: nil, askers: []) }

    /// The same, for the policies of a question. Revocation has no settings of its own.
    func asked(_ policies: [TrustPolicy]) -> SettingsJudge {
        var judge = self
        judge.policies = policies.filter { $0.kind != .revocation }
        if judge.policies.isEmpty { judge.policies = [TrustPolicy(.basic)] }
        return judge
    }

    /// Certificates that may be anchors and that issued another, by their names.
    func issuers(of certificate: JudgedCertificate) -> [JudgedCertificate] {
        [user, machine].compactMap { $0?.anchors.issuers(of: certificate) }.flatMap { $0 }
    }

    /// What the settings say: those of the user, if there are some for the certificate, else those
    /// of the machine. A certificate is an anchor only if all policies say so; one that denies is
    /// enough.
    func verdict(_ certificate: JudgedCertificate, isLeaf: Bool) -> Verdict {
        var verdict = Verdict()
        guard let (entry, domain) = entry(certificate) else { return verdict }
        var isAnchor = true
        for policy in policies {
            let said = Self.outcome(entry, policy, isLeaf: isLeaf, askers, &verdict.allowed)
            switch said {
            case .deny: verdict.isDenied = true
            // A root by its own signature, or another certificate in the place of one.
            case .trustRoot: if !certificate.isSelfIssued { isAnchor = false }
            case .trustAsRoot: if certificate.isSelfIssued { isAnchor = false }
            case .unspecified, nil: isAnchor = false
            }
        }
        if isAnchor, !verdict.isDenied { verdict.anchor = domain }
        return verdict
    }

    private func entry(
        _ certificate: JudgedCertificate
    ) -> (TrustSettings.Entry, TrustAnswer.Anchor)? {
        if let entry = user?.entry(certificate) { return (entry, .user) }
        if let entry = machine?.entry(certificate) { return (entry, .machine) }
        return nil
    }

    /// The result of the first rule that fits; nil if none does. A rule that only accepts a failure
    /// doesn't end the search.
    private static func outcome(
        _ entry: TrustSettings.Entry, _ policy: TrustPolicy, isLeaf: Bool, _ askers: [String],
        _ allowed: inout Set<TrustFault>
    ) -> TrustSettings.Result? {
        guard !entry.rules.isEmpty else { return .trustRoot }
        for rule in entry.rules where fits(rule, policy, isLeaf: isLeaf, askers) {
            let fault = rule.acceptedError.map(fault)
            if let fault { allowed.insert(fault) }
            if fault != nil, rule.outcome == .unspecified { continue }
            return rule.outcome
        }
        return nil
    }

    private static func fits(
        _ rule: TrustSettings.Rule, _ policy: TrustPolicy, isLeaf: Bool, _ askers: [String]
    ) -> Bool {
        if let wanted = rule.policy, wanted != policy.kind.settingsIdentifier { return false }
        if let application = rule.application {
            guard askers.contains(where: { application == [UInt8]($0.utf8) }) else { return false }
        }
        if let name = rule.policyString {
            let name = plain(name)
            guard policy.names.contains(where: { plain($0) == name }) else { return false }
        }
        if let usage = rule.keyUsage {
            let uses = TrustSettings.certificateUses
            let needed = isLeaf ? ~uses : uses
            guard usage & needed != 0 else { return false }
        }
        return true
    }

    /// A name as names compare: without the dot at its end, which ``HostNames`` passes over too.
    private static func plain(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func fault(_ accepted: TrustSettings.AcceptedError) -> TrustFault {
        switch accepted {
        case .expired: .validity
        case .hostName: .hostName
        case .mailAddress: .mailAddress
        }
    }
}
