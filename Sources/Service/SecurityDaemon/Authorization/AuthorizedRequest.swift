// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import SecurityWire

/// An item request that its sender may make, with the groups that it reaches.
///
/// Only ``authorize(_:for:)`` makes it, and it can be used only once.
struct AuthorizedRequest: ~Copyable, Sendable {
    /// The request.
    let request: ItemRequest
    /// The user whose items.
    let userID: UInt32
    /// The groups that a query reaches; never empty.
    let readableGroups: [String]
    /// The group of a new item.
    let defaultGroup: String
    /// Every group that the caller holds: a row's own group must be one of them.
    let heldGroups: Set<String>

    fileprivate init(
        request: ItemRequest, userID: UInt32, readableGroups: [String], defaultGroup: String,
        heldGroups: Set<String>
    ) {
        self.request = request
        self.userID = userID
        self.readableGroups = readableGroups
        self.defaultGroup = defaultGroup
        self.heldGroups = heldGroups
    }
}

/// A request about items.
enum ItemRequest: Sendable {
    case find(ItemQuery, cursor: UInt64)
    case add(NewItem, WriteIdentity)
    case update(ItemQuery, ItemChanges, WriteIdentity)
    case delete(ItemQuery, WriteIdentity)
    case move(ItemMove, WriteIdentity)
    /// Asks for the outcome of a write; if it hasn't been carried out, it never will be.
    case revoke(requestID: [UInt8])

    /// The lease that it depends on, if any.
    var lease: LeaseToken? {
        switch self {
        case .add(let item, _): item.lease
        case .update(let query, _, _), .delete(let query, _): query.lease
        case .find, .move, .revoke: nil
        }
    }
}

/// Decides which groups a request may reach. Source: Apple's SecItem, as observed.
/// - Throws: ``DaemonError/groupNotHeld`` when it names a group that the caller doesn't hold;
///   ``DaemonError/noKeychain`` and ``DaemonError/restricted`` for callers with fewer rights.
func authorize(
    _ request: ItemRequest, for identity: ClientIdentity
) throws(DaemonError) -> AuthorizedRequest {
    guard identity.restriction != .everything else { throw .noKeychain }
    let held = identity.heldGroups
    var readable = identity.accessGroups
    guard var target = readable.first else { throw .groupNotHeld }
    switch request {
    case .find(let query, _):
        if let group = query.attributes.accessGroup { readable = [try holding(group, held)] }
    case .add(let item, _):
        target = try writable(item.attributes.accessGroup ?? target, held)
        if let replacement = item.replacement {
            if let group = replacement.filter.accessGroup {
                readable = [try writable(group, held)]
            }
            if let group = replacement.changes.accessGroup { _ = try writable(group, held) }
            readable.removeAll { $0 == AccessGroups.token }
        }
    case .update(let query, let changes, _):
        if let group = query.attributes.accessGroup { readable = [try writable(group, held)] }
        if let group = changes.attributes.accessGroup { _ = try writable(group, held) }
        readable.removeAll { $0 == AccessGroups.token }
    case .delete(let query, _):
        if let group = query.attributes.accessGroup { readable = [try writable(group, held)] }
        readable.removeAll { $0 == AccessGroups.token }
    case .move(let move, _):
        readable = [try writable(move.source, held)]
        target = try writable(move.target, held)
        guard move.source != move.target else { throw .invalidRequest }
    // It reaches no item: it only names one of the user's own writes.
    case .revoke: break
    }
    guard !readable.isEmpty else { throw .groupNotHeld }
    guard identity.restriction.admits(request) else { throw .restricted }
    return AuthorizedRequest(
        request: request, userID: identity.userID, readableGroups: readable, defaultGroup: target,
        heldGroups: held)
}

/// The group of a lease request: chosen as for keys.
func authorizeLease(
    of group: String?, for identity: ClientIdentity
) throws(DaemonError) -> String {
    try authorizeKeys(of: group, for: identity)
}

/// The group of a key request: the caller's own unless it names another that it holds. The same
/// programs make and use keys, so reading and writing don't differ.
/// - Throws: As ``authorize(_:for:)``.
func authorizeKeys(
    of group: String?, for identity: ClientIdentity
) throws(DaemonError) -> String {
    guard identity.restriction != .everything else { throw .noKeychain }
    guard let own = identity.accessGroups.first else { throw .groupNotHeld }
    let named = try writable(group ?? own, identity.heldGroups)
    guard identity.restriction != .foreignGroups else { throw .restricted }
    return named
}

/// The group that a caller with the right passcode may open: any group except those that no program
/// can hold.
func authorizeOpening(
    _ group: String, for identity: ClientIdentity
) throws(DaemonError) {
    guard identity.restriction == .none else { throw .restricted }
    guard group != AccessGroups.token, group != "*" else { throw .groupNotHeld }
}

/// Only the owner may restore rows. A row in the quarantine or in a kept file may be an old state
/// of an item or a deleted item, placed there by an attacker who can write the files. Without a
/// passcode, every program of the user counts as the owner.
/// - Throws: ``DaemonError/ownerNotProven``; ``DaemonError/noKeychain``.
func authorizeRecovering(
    for identity: ClientIdentity, isPasscodeSet: Bool
) throws(DaemonError) {
    guard identity.restriction != .everything else { throw .noKeychain }
    guard !isPasscodeSet || identity.hasProvenOwner else { throw .ownerNotProven }
}

private func holding(_ group: String, _ held: Set<String>) throws(DaemonError) -> String {
    guard held.contains(group) else { throw .groupNotHeld }
    return group
}

private func writable(_ group: String, _ held: Set<String>) throws(DaemonError) -> String {
    guard group != AccessGroups.token else { throw .groupNotHeld }
    return try holding(group, held)
}

extension ItemRestriction {
    /// Whether a caller with this restriction may make a request.
    fileprivate func admits(_ request: ItemRequest) -> Bool {
        switch self {
        case .none: return true
        case .foreignGroups, .everything: return false
        case .synchronization: break
        }
        return switch request {
        case .find, .delete, .revoke: true
        case .add(let item, _):
            item.attributes[.synchronizable] != .integer(1)
                && item.replacement?.changes[.synchronizable] != .integer(1)
        case .update(_, let changes, _): changes.attributes[.synchronizable] != .integer(1)
        // It has one group, and so no group to move items to.
        case .move: false
        }
    }
}

extension ItemAttributes {
    /// The access group, if one is set.
    var accessGroup: String? {
        guard case .text(let group)? = self[.accessGroup] else { return nil }
        return group
    }
}
