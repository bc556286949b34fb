// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import SecurityWire

// Translates names of access groups, in requests after decoding and in replies before encoding.
// Code behind this border uses only stored names; outside, each program has its own
// (``GroupNames``).

extension ClientRequest {
    /// The request with stored names in place of the caller's.
    /// - Returns: Nil when a name isn't a group for the caller.
    func namingStoredGroups(_ names: GroupNames) -> ClientRequest? { namingGroups(names.stored) }
}

extension ItemRestriction {
    /// The error for a name that isn't a group: the same as for a group that isn't held.
    var refusalOfUnknownGroup: DaemonError {
        switch self {
        case .everything: .noKeychain
        case .none, .synchronization, .foreignGroups: .groupNotHeld
        }
    }
}

extension ServiceReply {
    /// The reply with the caller's names in place of the stored ones.
    /// - Throws: ``WireError/malformed`` for rows that can't be read, which must not be sent.
    func tellingGroups(to identity: ClientIdentity) throws(WireError) -> ServiceReply {
        // The log belongs to the user, and shows both names to each of the user's programs.
        if case .auditPage(var page) = self {
            for index in page.records.indices {
                let group = page.records[index].accessGroup
                page.records[index].applicationGroup = GroupNames.short(ofStored: group) ?? ""
            }
            return .auditPage(page)
        }
        guard identity.hasOtherNames else { return self }
        return try namingGroups(identity.groupNames.told)
    }
}
