// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
import ItemStore
import KeychainVocabulary
import SecurityWire

/// What an authorized request reaches. Only ``GroupUse/scope(for:)`` makes it, and it can be used
/// only once.
package struct ItemScope: ~Copyable, Sendable {
    /// The user whose items.
    package let userID: UInt32
    /// Which of the user's keychains.
    package private(set) var keychain: UInt32 = KeychainNumber.login
    /// The groups that a query reaches. Empty for a request that reaches no item: then no query can
    /// be planned.
    package let readableGroups: [String]
    /// The group of a new item, key or lease.
    package let defaultGroup: String
    /// Every group that the caller holds: a row's own group must be one of them.
    package let heldGroups: Set<String>

    /// The caller, as items' grants name it.
    private(set) var program: GrantedProgram
    /// A group that the caller doesn't hold, of whose items some may be granted to it: that of programs
    /// which work for all, such as `security`. Nil where the request names a group.
    let grantingGroup: String?

    /// Whose keys its rows have.
    var owner: RowOwner { RowOwner(userID: userID, keychain: keychain) }

    /// Reaches another keychain than login.
    mutating func enter(_ keychain: UInt32) { self.keychain = keychain }

    /// The person has given the password of the keychain that it reaches.
    mutating func noteProof() { program.hasProvenKeychain = true }

    fileprivate init(
        _ identity: ClientIdentity, readable: [String], target: String, isOpen: Bool
    ) {
        userID = identity.userID
        heldGroups = identity.heldGroups
        readableGroups = readable
        defaultGroup = target
        program = GrantedProgram(identity)
        grantingGroup = isOpen ? Self.grantingGroup(for: identity) : nil
    }

    private static func grantingGroup(for identity: ClientIdentity) -> String? {
        let group = "unsigned.\(identity.userID)"
        return identity.heldGroups.contains(group) ? nil : group
    }

    /// What a request reaches that names a reserved group.
    fileprivate init(
        _ identity: ClientIdentity, _ group: ReservedGroup, _ administration: Administration
    ) {
        userID =
            group.isOfMachine
            ? administration.machineUserID(of: identity.userID) : identity.userID
        heldGroups = [group.rawValue]
        readableGroups = [group.rawValue]
        defaultGroup = group.rawValue
        program = GrantedProgram(identity)
        // The group's own rule has decided: it has no password.
        program.hasProvenKeychain = true
        grantingGroup = nil
    }
}

/// The groups that a request reaches, by their stored names; nil is every group that the caller
/// holds, or its first one for what is made.
package enum GroupUse: Sendable {
    /// No items.
    case none
    /// Read items of a group.
    case read(String?)
    /// Change or delete items of a group, which may go to another.
    case change(String?, to: String?)
    /// Add an item.
    case add(OfNewItem)
    /// Move items between groups.
    case move(String, to: String)
    /// Make or use keys or leases of a group. The same programs make and use them, so reading and
    /// writing don't differ.
    case use(String?)
    /// Look up certificates that may have issued others; a caller without groups finds none.
    case lookUp
    /// Open a group that the caller doesn't hold, with the passcode.
    case open(String)
    /// Add items of a user's own keychain, of the groups of all programs of the user.
    case adopt(Set<String>)

    /// The groups of an add.
    package struct OfNewItem: Sendable {
        /// Of the new item.
        let target: String?
        /// Of an existing item that is changed instead.
        let replaced: String?
        /// Its new group.
        let replacing: String?
    }

    /// What a caller reaches so. Source: Apple's SecItem, as observed.
    /// - Throws: ``DaemonError/groupNotHeld`` when a group is named that the caller doesn't hold, or
    ///   can't write; ``DaemonError/invalidRequest`` for a move within a group.
    package func scope(
        for identity: ClientIdentity, _ administration: Administration = .user
    ) throws(DaemonError) -> ItemScope {
        if let reserved { return ItemScope(identity, reserved.group, administration) }
        var readable: [String] = []
        var target = identity.accessGroups.first ?? ""
        switch self {
        case .none: break
        case .lookUp: readable = identity.accessGroups
        case .read(let group):
            readable = identity.accessGroups
            if let group { readable = [try identity.holding(group)] }
            guard !readable.isEmpty else { throw .groupNotHeld }
        case .change(let group, let new):
            readable = try identity.writable(group)
            if let new { _ = try identity.writing(new) }
            guard !readable.isEmpty else { throw .groupNotHeld }
        case .add(let groups):
            target = try identity.writing(groups.target ?? target)
            readable = try identity.writable(groups.replaced)
            if let new = groups.replacing { _ = try identity.writing(new) }
        case .move(let source, let new):
            readable = [try identity.writing(source)]
            target = try identity.writing(new)
            guard source != new else { throw .invalidRequest }
        case .use(let group): target = try identity.writing(group ?? target)
        case .open(let group):
            // What fronts store for others is reached over their channels alone.
            guard group != AccessGroups.token, group != "*", !BusGroup.isOne(group),
                ReservedGroup(rawValue: group) == nil
            else { throw .groupNotHeld }
        case .adopt(let groups):
            guard
                groups.allSatisfy({
                    AdoptedGroup.isOfUser($0, identity.userID) || BusGroup.isOne($0)
                })
            else { throw .groupNotHeld }
        }
        return ItemScope(identity, readable: readable, target: target, isOpen: readsAnyGroup)
    }

    /// Whether it reads items, and names no group.
    private var readsAnyGroup: Bool {
        switch self {
        case .read(let group): group == nil
        case .none, .lookUp, .change, .add, .move, .use, .open, .adopt: false
        }
    }

    /// The reserved group that the request names, and whether it writes there. Requests that name
    /// one beside another group, or for keys, leases or moves, are refused: nobody holds it.
    var reserved: (group: ReservedGroup, writes: Bool)? {
        let named: (String?, writes: Bool)
        switch self {
        case .read(let group): named = (group, false)
        case .change(let group, nil): named = (group, true)
        case .add(let groups) where groups.replaced == nil && groups.replacing == nil:
            named = (groups.target, true)
        case .none, .lookUp, .change, .add, .move, .use, .open, .adopt: return nil
        }
        return named.0.flatMap(ReservedGroup.init).map { ($0, named.writes) }
    }

    /// The group that the audit log names in place of the caller's own: an application group that the
    /// caller holds, or a group that it opens.
    func audited(holding held: Set<String>) -> String? {
        if let reserved { return reserved.group.rawValue }
        let group: String?
        switch self {
        case .none, .lookUp, .adopt: return nil
        case .open(let group): return group
        case .read(let named), .change(let named, _), .use(let named): group = named
        case .add(let groups): group = groups.target
        case .move(let source, _): group = source
        }
        guard let group, GroupNames.isStored(group), held.contains(group) else { return nil }
        return group
    }
}

extension ClientIdentity {
    /// A group that it holds.
    fileprivate func holding(_ group: String) throws(DaemonError) -> String {
        guard heldGroups.contains(group) else { throw .groupNotHeld }
        return group
    }

    /// A group that it holds and may write.
    fileprivate func writing(_ group: String) throws(DaemonError) -> String {
        guard group != AccessGroups.token else { throw .groupNotHeld }
        return try holding(group)
    }

    /// This group, or all that it may write.
    fileprivate func writable(_ group: String?) throws(DaemonError) -> [String] {
        guard let group else { return accessGroups.filter { $0 != AccessGroups.token } }
        return [try writing(group)]
    }
}
