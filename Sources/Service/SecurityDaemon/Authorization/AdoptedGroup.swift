// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity

/// The groups that items of a user's own keychain can have.
enum AdoptedGroup {
    /// Whether a program of this user can hold it: the user's unsigned programs, a program of root's,
    /// or a team's.
    static func isOfUser(_ group: String, _ userID: UInt32) -> Bool {
        if group == "unsigned.\(userID)" || group.hasPrefix("path:/") { return true }
        guard let name = String(group.utf8.prefix(TeamIdentifier.byteCount)),
            let team = TeamIdentifier(name)
        else { return false }
        return group.utf8.count > team.prefix.utf8.count
            && group.utf8.starts(with: team.prefix.utf8)
    }
}
