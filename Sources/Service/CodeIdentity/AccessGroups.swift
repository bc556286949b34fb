// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Which access groups entitlements give. Source: Apple's securityd, as observed.
package enum AccessGroups {
    /// The group of items that live in tokens: everybody who names it may read it, nobody writes it.
    package static let token = "com.apple.token"
    /// The entitlement that lists application groups.
    package static let applicationGroups = "com.apple.security.application-groups"
    /// The entitlement of a program that has an identity only where its user can't reach it (grade S+).
    /// A copy of the program has the same signature, and this with it.
    package static let requiresProtection = "llavero.requires-protection"
    /// The entitlements that list groups.
    package static let lists = [
        "keychain-access-groups", "com.apple.developer.associated-application-identifier",
        applicationGroups,
    ]

    /// The access groups of a program by their stored names, the default for what it adds first.
    ///
    /// In this order: `keychain-access-groups`, the associated application identifiers, the
    /// application identifier, the application groups; the token group comes last wherever it
    /// stands. Apple lets programs of its own hold `*`, every group; nobody holds it here.
    ///
    /// An application group is stored under its team's prefix, and no other entitlement gives a
    /// group with such a name, not even the application's own identifier.
    package static func of(_ entitlements: Entitlements) -> [String] {
        var groups = entitlements.texts("keychain-access-groups") ?? []
        groups +=
            entitlements.texts("com.apple.developer.associated-application-identifier") ?? []
        if let application = entitlements.applicationIdentifier { groups.append(application) }
        groups.removeAll { GroupNames.isShort($0) || GroupNames.isStored($0) }
        if !entitlements.isOfAppClip {
            let names = GroupNames(of: entitlements.team)
            groups += (entitlements.texts(applicationGroups) ?? []).compactMap { group in
                GroupNames.isStored(group) ? nil : names.stored(group)
            }
        }
        let holdsToken = groups.contains(token)
        var seen: Set<String> = ["", "*", token]
        // Only channels of fronts reach those.
        groups.removeAll { !seen.insert($0).inserted || BusGroup.isOne($0) }
        return holdsToken ? groups + [token] : groups
    }

    /// Whether a team may give its programs a group by one of the entitlements that list groups,
    /// whatever a profile says: an application group, by the entitlement for those; else one that
    /// begins with the team's prefix, since nothing else makes it the team's alone. The token group is
    /// everybody's to read.
    static func canBeGiven(_ group: String, by list: String, of team: TeamIdentifier) -> Bool {
        if GroupNames.isShort(group) { return list == applicationGroups }
        if GroupNames.isStored(group) { return false }
        return group == token
            || group.utf8.starts(with: team.prefix.utf8)
                && group.utf8.count > team.prefix.utf8.count
    }
}

/// What of the calls on items is closed to a program, whatever groups it has. Source: Apple's
/// securityd, as observed.
package enum ItemRestriction: Sendable {
    /// Nothing.
    case none
    /// An app clip's: nothing of it synchronizes.
    case synchronization
    /// An app clip's that has other groups than its application identifier: it has no items at all.
    case foreignGroups
    /// A program's that shall have no keychain: to it there is none.
    case everything

    /// The restriction that entitlements mean.
    package init(_ entitlements: Entitlements) {
        if entitlements.isSet("com.apple.private.keychain.deny") {
            self = .everything
        } else if entitlements.isOfAppClip {
            let groups = AccessGroups.of(entitlements).filter { $0 != AccessGroups.token }
            let own = entitlements.applicationIdentifier
            self = groups.allSatisfy { $0 == own } ? .synchronization : .foreignGroups
        } else {
            self = .none
        }
    }
}

extension Entitlements {
    /// The team of the program, as its signature says.
    package var team: TeamIdentifier? {
        text("com.apple.developer.team-identifier").flatMap(TeamIdentifier.init)
    }

    fileprivate var applicationIdentifier: String? {
        text("application-identifier") ?? text("com.apple.application-identifier")
    }

    fileprivate var isOfAppClip: Bool {
        isSet("com.apple.developer.on-demand-install-capable")
    }
}
