// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The two names of an application group (CODE-SIGNING.md, "Application groups"): a program of a
/// team says `group.x`, and what is stored is `<team>.group.x`, so that two teams' `group.x` are two
/// groups. Every other group has one name.
///
/// All knowledge of the two forms is here. A stored name is one name of one group, and within a team
/// a program's name is, too: neither can be read as the other.
package struct GroupNames: Sendable {
    /// How a program's name of an application group begins.
    private static let prefix = "group."

    private let team: TeamIdentifier?

    /// The names as programs of a team use them; nil is a program without a team, to which no
    /// application group has a short name.
    package init(of team: TeamIdentifier?) { self.team = team }

    /// The stored name of the group that a program names.
    /// - Returns: Nil for what is no name: `group.x` without a team, and the stored form of a group
    ///   of the program's own team, which it knows by the short name alone.
    package func stored(_ name: String) -> String? {
        if Self.isBegunLikeShort(name) {
            guard let team, Self.isShort(name) else { return nil }
            return team.prefix + name
        }
        if let team, Self.isStored(name), name.utf8.starts(with: team.prefix.utf8) { return nil }
        return name
    }

    /// How a program names the group with a stored name. Another team's application group, which
    /// only the passcode opens to it, keeps its stored name.
    package func told(_ stored: String) -> String {
        guard let team, stored.utf8.starts(with: team.prefix.utf8) else { return stored }
        return Self.short(ofStored: stored) ?? stored
    }

    /// The name that programs of its own team have for a stored group; nil unless it is an
    /// application group.
    package static func short(ofStored name: String) -> String? {
        guard isStored(name) else { return nil }
        return String(decoding: name.utf8.dropFirst(TeamIdentifier.byteCount + 1), as: UTF8.self)
    }

    /// Whether a name is a program's of an application group: `group.` and something behind it.
    package static func isShort(_ name: String) -> Bool {
        isBegunLikeShort(name) && name.utf8.count > prefix.utf8.count
    }

    /// Whether a name is that of a stored application group of any team, or begins like all of a
    /// team's. Nothing but an application group is ever granted under such a name.
    package static func isStored(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let team = String(bytes.prefix(TeamIdentifier.byteCount)),
            let identifier = TeamIdentifier(team), bytes.starts(with: identifier.prefix.utf8)
        else { return false }
        return bytes.dropFirst(TeamIdentifier.byteCount + 1).starts(with: prefix.utf8)
    }

    /// By bytes, as stored groups are told apart: canonical equivalence makes no two names one.
    private static func isBegunLikeShort(_ name: String) -> Bool {
        name.utf8.starts(with: prefix.utf8)
    }
}
