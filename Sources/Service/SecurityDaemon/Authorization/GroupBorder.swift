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
    func namingStoredGroups(_ names: GroupNames) -> ClientRequest? {
        switch self {
        case .find(let query, let cursor):
            return query.namingStoredGroups(names).map { .find($0, cursor: cursor) }
        case .add(var item, let write):
            guard item.attributes.nameStoredGroup(names),
                item.replacement?.filter.nameStoredGroup(names) ?? true,
                item.replacement?.changes.nameStoredGroup(names) ?? true
            else { return nil }
            return .add(item, write)
        case .update(let query, var changes, let write):
            guard let query = query.namingStoredGroups(names),
                changes.attributes.nameStoredGroup(names)
            else { return nil }
            return .update(query, changes, write)
        case .delete(let query, let write):
            return query.namingStoredGroups(names).map { .delete($0, write) }
        case .key(var request):
            guard let group = request.accessGroup else { return self }
            guard let stored = names.stored(group) else { return nil }
            request.accessGroup = stored
            return .key(request)
        case .move(var move, let write):
            guard let source = names.stored(move.source), let target = names.stored(move.target)
            else { return nil }
            move.source = source
            move.target = target
            return .move(move, write)
        case .openGroup(let group, let sealed):
            return names.stored(group).map { .openGroup($0, sealed: sealed) }
        case .lease(.take(let name, let group?, let milliseconds, let wait)):
            return names.stored(group).map {
                .lease(
                    .take(
                        name: name, accessGroup: $0, milliseconds: milliseconds,
                        waitMilliseconds: wait))
            }
        case .lease, .deviceStatus, .challenge, .passcode, .lock, .watch, .auditPage, .assertion,
            .check, .recover, .prove, .identity, .entitlements, .revoke, .protectors:
            return self
        }
    }
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
        let names = identity.groupNames
        switch self {
        // The log belongs to the user, and shows both names to each of the user's programs.
        case .auditPage(var page):
            for index in page.records.indices {
                let group = page.records[index].accessGroup
                page.records[index].applicationGroup = GroupNames.short(ofStored: group) ?? ""
            }
            return .auditPage(page)
        case _ where !identity.hasOtherNames: return self
        case .found(let rows, let nextCursor, let openedRowCount):
            return .found(
                try rows.namingGroups(names.told), nextCursor: nextCursor,
                openedRowCount: openedRowCount)
        case .added(let row): return .added(try row?.namingGroups(names.told))
        case .updated(let row, let count):
            return .updated(try row?.namingGroups(names.told), count: count)
        case .key(.made(var key)):
            key.accessGroup = names.told(key.accessGroup)
            return .key(.made(key))
        case .identity(let caller):
            return .identity(
                CallerIdentity(
                    grade: caller.grade, userID: caller.userID, application: caller.application,
                    accessGroups: caller.storedGroups.map(names.told),
                    storedGroups: caller.storedGroups, reasons: caller.reasons))
        // Entitlements are reported with the program's own names.
        case .deleted, .changes, .deviceStatus, .challenge, .passcodeDone, .locked, .asserted,
            .checked, .recovered, .key(.computed), .prove, .entitlements, .moved, .openedGroup,
            .leased, .gaveBackLease, .revoked, .protectors, .protectorNonce, .failed:
            return self
        }
    }
}

extension ItemQuery {
    fileprivate func namingStoredGroups(_ names: GroupNames) -> ItemQuery? {
        var query = self
        guard query.attributes.nameStoredGroup(names) else { return nil }
        for index in query.besides.indices {
            guard query.besides[index].attributes.nameStoredGroup(names) else { return nil }
        }
        return query
    }
}

extension ItemAttributes {
    /// - Returns: Whether there is such a group.
    fileprivate mutating func nameStoredGroup(_ names: GroupNames) -> Bool {
        guard let group = accessGroup else { return true }
        guard let stored = names.stored(group) else { return false }
        if stored.utf8.count != group.utf8.count { self[.accessGroup] = .text(stored) }
        return true
    }
}
