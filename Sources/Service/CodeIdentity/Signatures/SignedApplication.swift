// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// An application whose signature counts, and what it is entitled to.
package struct SignedApplication: Sendable {
    package let team: TeamIdentifier
    /// With the team's prefix.
    package let applicationIdentifier: String
    /// What it asks for, as far as its profile allows.
    package let entitlements: Entitlements
    package let flags: CodeSignature.Flags
    /// Why its profile allows nothing, if it has one that doesn't count.
    package let profileProblem: SignatureProblem?

    /// Entitlements that only take away: they count without a profile.
    private static let restrictions = [
        "com.apple.private.keychain.deny", "com.apple.developer.on-demand-install-capable",
        AccessGroups.requiresProtection,
    ]

    private static let applicationIdentifiers = [
        "application-identifier", "com.apple.application-identifier",
    ]
    private static let teamIdentifier = "com.apple.developer.team-identifier"
    /// What begins like this is for the system's own programs.
    private static let privatePrefix = "com.apple.private."

    /// Whether an entitlement is one that nothing here goes by: it is told to who asks.
    private static func isOpen(_ name: String) -> Bool {
        !name.hasPrefix(privatePrefix) && !restrictions.contains(name)
            && !AccessGroups.lists.contains(name) && !applicationIdentifiers.contains(name)
            && name != teamIdentifier
    }

    /// What of a value a profile allows; nil if nothing.
    private static func granted(
        _ asked: Entitlements.Value, _ allowed: Entitlements.Value?
    ) -> Entitlements.Value? {
        switch (asked, allowed) {
        case (.flag(false), _), (.flag(true), .flag(true)): return asked
        case (.text(let text), .text(let pattern)):
            return Pattern(pattern).matches(text) ? asked : nil
        case (.list(let list), .list(let patterns)):
            return .list(
                list.filter { element in
                    patterns.contains { granted(element, $0) != nil }
                })
        default: return nil
        }
    }

    init(_ verified: VerifiedSignature, now: Int64, device: [UInt8]?) {
        team = verified.signature.team
        applicationIdentifier = verified.applicationIdentifier
        flags = verified.signature.flags
        var profile = verified.profile
        var problem = verified.profileProblem
        do throws(SignatureProblem) {
            try profile?.check(
                applicationIdentifier: applicationIdentifier, device: device, now: now)
        } catch {
            profile = nil
            problem = error
        }
        profileProblem = problem
        entitlements = Self.effective(
            verified.requested, profile, team, application: verified.applicationIdentifier)
    }

    /// The entitlements that count.
    private static func effective(
        _ requested: Entitlements, _ profile: ProvisioningProfile?, _ team: TeamIdentifier,
        application: String
    ) -> Entitlements {
        var values: [String: Entitlements.Value] = [:]
        for name in restrictions where requested.isSet(name) { values[name] = .flag(true) }
        // By which of its two names the application goes doesn't matter: the value is the signed one.
        for name in applicationIdentifiers { values[name] = .text(application) }
        values[teamIdentifier] = .text(team.text)
        guard let profile else { return Entitlements(values) }
        for name in requested.names where isOpen(name) {
            guard let asked = requested.value(name),
                let granted = granted(asked, profile.entitlements.value(name))
            else { continue }
            values[name] = granted
        }
        for name in AccessGroups.lists {
            guard let asked = requested.texts(name), profile.entitlements.texts(name) != nil
            else { continue }
            let granted = asked.filter { profile.allows($0, by: name) }
            values[name] = .list(granted.map { .text($0) })
        }
        return Entitlements(values)
    }
}
