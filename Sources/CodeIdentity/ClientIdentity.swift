// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// How well it is known which application a peer is.
package enum IdentityGrade: String, Sendable {
    /// A trusted team's signature, in a program that its user can't inject code into.
    case signedAndProtected = "S+"
    /// A trusted team's signature.
    case signed = "S"
    /// An unsigned program that only root can replace.
    case rootOwnedPath = "P"
    /// Everything else: what runs as this user.
    case unsigned = "U"
}

/// Which application is asking, and what it may see. Established once for each connection.
package struct ClientIdentity: Sendable {
    /// The user that the peer runs as.
    package let userID: UInt32
    /// How well the application is known.
    package let grade: IdentityGrade
    /// The access groups that it holds; the first is the default of what it adds. May be empty.
    package let accessGroups: [String]
    /// The same, to be looked up.
    package let heldGroups: Set<String>
    /// What of the calls on items it has.
    package let restriction: ItemRestriction

    private init(
        userID: UInt32, grade: IdentityGrade, accessGroups: [String], restriction: ItemRestriction
    ) {
        self.userID = userID
        self.grade = grade
        self.accessGroups = accessGroups
        heldGroups = Set(accessGroups)
        self.restriction = restriction
    }

    /// The identity of a program whose entitlements are established.
    package init(userID: UInt32, grade: IdentityGrade, entitlements: Entitlements) {
        let restriction = ItemRestriction(entitlements)
        self.init(
            userID: userID, grade: grade,
            accessGroups: restriction == .everything ? [] : AccessGroups.of(entitlements),
            restriction: restriction)
    }

    /// Establishes who a peer is.
    ///
    /// Signatures and root-owned paths are not looked at yet: every peer has grade U and the one
    /// group that its user's unsigned programs share.
    package static func establish(_ peer: borrowing PeerProcess) -> ClientIdentity {
        ClientIdentity(
            userID: peer.userID, grade: .unsigned, accessGroups: ["unsigned.\(peer.userID)"],
            restriction: .none)
    }
}
