// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Names of groups that only channels of fronts reach. They are frozen.
package enum BusGroup {
    /// What all of them begin with. No program's own group does.
    package static let prefix = "secrets:"
    /// What nobody stored, and what was imported.
    package static let shared = "secrets:shared"
    /// Application keys of the portal.
    package static let portal = "secrets:portal"
    /// Records of collections.
    package static let collections = "secrets:collections"
    private static let ownPrefix = "secrets:own:"
    private static let familyPrefix = "secrets:family:"

    /// Whether a name is one of them.
    package static func isOne(_ group: String) -> Bool { group.utf8.starts(with: prefix.utf8) }

    /// The group of what an owner stores; that of nobody is shared.
    package static func own(_ owner: BusOwner) -> String {
        owner == .nobody ? shared : ownPrefix + owner.text
    }

    /// The group of a family.
    package static func family(_ name: String) -> String { familyPrefix + name }

    /// Those that only the front itself reaches.
    package static let ofFront = [portal, collections]

    /// Whether only the front itself reaches a group.
    package static func isOfFront(_ group: String) -> Bool { ofFront.contains(group) }
}
