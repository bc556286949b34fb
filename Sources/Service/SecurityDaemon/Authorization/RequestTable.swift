// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import KeychainVocabulary
import SecretBytes
package import SecurityWire

extension ClientRequest {
    /// The table of requests: who may make each kind, which groups it reaches, in which state it is
    /// carried out, and what the audit log calls it. ``RequestRule`` explains the columns.
    package var rule: RequestRule {
        typealias Row = RequestRule
        return switch self {
        case .find(let query, _):
            Row(.items, .read(query.group), audited: .read, of: query.auditedClass)
        case .add(let item, _):
            Row(
                item.synchronizes ? .itemsThatSynchronize : .items, .add(item.groups),
                in: .tier(item.demandedTier), audited: .add, of: item.itemClass)
        case .update(let query, let changes, _):
            Row(
                changes.synchronizes ? .itemsThatSynchronize : .items,
                .change(query.group, to: changes.attributes.accessGroup),
                audited: .update, of: query.auditedClass)
        case .delete(let query, _):
            Row(.items, .change(query.group, to: nil), audited: .delete, of: query.auditedClass)
        // An app clip has one group, and so no other to move items to.
        case .move(let move, _):
            Row(.itemsThatSynchronize, .move(move.source, to: move.target), audited: .move)
        // It reaches no item: it names one of the user's own writes.
        case .revoke: Row(.items)
        case .key(let request): Row(.items, .use(request.accessGroup), audited: .read, of: .key)
        case .lease(.take(_, let group, _, _)): Row(.items, .use(group))
        case .lease(.renew), .lease(.giveBack): Row(.anyProgram)
        case .watch: Row(.group, audited: .read)
        case .check: Row(.keychain)
        case .trust: Row(.keychain, .lookUp)
        // It reaches no item: bytes of the client's come back to it in another form.
        case .transcode: Row(.keychain)
        case .backup(let call): call.rule
        case .keychains(.list): Row(.keychain)
        case .keychains(.create): Row(.noRestriction, .use(nil), audited: .createKeychain)
        case .keychains(.unlock): Row(.keychain, audited: .unlockKeychain)
        case .keychains(.changePassword): Row(.keychain, audited: .changeKeychainPassword)
        case .keychains(.lock): Row(.keychain, audited: .lockKeychain)
        case .keychains(.configure), .keychains(.setSearchList), .keychains(.setDefault):
            Row(.noRestriction, audited: .configureKeychains)
        case .keychains(.delete): Row(.noRestriction, audited: .deleteKeychain)
        case .recover: Row(.keychain, in: .ownerPresent, audited: .recover)
        case .adoption(.export): Row(.noRestriction, in: .movingOut, audited: .export)
        case .adoption(.adopt(let adopted, _)):
            Row(
                .noRestriction, .adopt(adopted.groups), in: .movingIn, audited: .adopt)
        case .openGroup(let group, _): Row(.noRestriction, .open(group), audited: .openGroup)
        case .passcode(let number, _, let permit):
            if let operation = PasscodeOperation(rawValue: number), operation != .forget {
                Row(.anyProgram, in: .permitted(operation, permit), audited: operation.event)
            } else {
                Row(.anyProgram, in: .never)
            }
        // Of an account that was deleted, or has another name.
        case .protectors(.send(PasscodeOperation.forget.rawValue, _, _, let userID)):
            Row(
                .anyProgram, in: .root, audited: .forgetUser, naming: userID.map { "user \($0)" })
        case .protectors(.renameUser(let userID)):
            Row(.anyProgram, in: .root, audited: .renameUser, naming: "user \(userID)")
        case .protectors(.send(let number, _, let name, let userID)):
            if let operation = PasscodeOperation(rawValue: number),
                PasscodeRequest.ofProtectors.contains(operation)
            {
                Row(
                    .anyProgram, in: .keybag(of: userID), audited: operation.event,
                    naming: name.isEmpty ? nil : name)
            } else {
                Row(.anyProgram, in: .never)
            }
        case .protectors(let request): Row(.anyProgram, in: .keybag(of: request.userID))
        case .lock(_, _, let subject): Row(.anyProgram, in: .mayLock(subject), audited: .lock)
        case .assertion: Row(.keychain, in: .holdsNothing, audited: .holdUnlocked)
        case .deviceStatus, .challenge, .auditPage, .identity, .entitlements: Row(.anyProgram)
        case .access(.ask), .access(.establish): Row(.keychain, audited: .approve)
        case .access(.supply), .access(.drop): Row(.keychain)
        // Any kind of connection that carries them at all; ``ConnectionKind`` says which those are.
        case .secrets(.find): Row(.anyProgram, audited: .read, of: .genericPassword)
        case .secrets(.add): Row(.anyProgram, audited: .add, of: .genericPassword)
        case .secrets(.update): Row(.anyProgram, audited: .update, of: .genericPassword)
        case .secrets(.delete), .secrets(.deleteCollection):
            Row(.anyProgram, audited: .delete, of: .genericPassword)
        case .secrets(.lockState(.ask)): Row(.anyProgram)
        case .secrets(.lockState(.lock)): Row(.anyProgram, in: .notSandboxed, audited: .lockSecrets)
        case .secrets(.lockState(.unlock)):
            Row(.anyProgram, in: .notSandboxed, audited: .unlockSecrets)
        // The event thread itself answers these: descriptors come or go with them.
        case .front: Row(.anyProgram, in: .never, audited: .front)
        case .represent, .busOwner: Row(.anyProgram, in: .never)
        // A connection that has something to prove never gets here.
        case .prove: Row(.anyProgram, in: .never)
        }
    }
}

/// A request that its sender may make now. Only ``authorize(_:by:for:_:device:)`` makes it, and it
/// can be used only once.
package struct AuthorizedRequest: ~Copyable {
    private let work: Work

    fileprivate init(_ work: consuming Work) { self.work = work }

    /// What to do, in place of the permission to do it.
    consuming func take() -> Work { work }

    /// What is done for a request, and by whom.
    enum Work: ~Copyable {
        // Answered at once, on the event thread.
        case find(ItemQuery, cursor: UInt64, ItemScope)
        case key(KeyRequest, ItemScope)
        case deviceStatus
        case identity
        case entitlements([String])
        case protectors(ofUser: UInt32)
        case protectorChallenge(ofUser: UInt32)
        case renewLease(LeaseToken, for: Duration)
        case giveBackLease(LeaseToken)
        /// The connection receives changes from now on.
        case watch
        // Answered by another thread.
        case write(any WriteOperation, ItemScope)
        case challenge
        /// A right passcode opens something to its connection, or nothing.
        case passcode(PasscodeRequest, opening: PasscodeOpening?)
        case lock(LockMode, waits: Bool, LockSubject)
        /// The assertion lasts as long as the connection.
        case hold(seconds: UInt16)
        case takeLease(LeaseName, for: Duration, waiting: Duration)
        case maintenance(MaintenanceRequest)
        /// The account of this number has another name now.
        case renameUser(UInt32)
        case auditPage(AuditQuery)
        /// About an authentication context; asks the person.
        case access(AccessCall)
        case trust([UInt8], ItemScope, ClientIdentity)
        case transcode(Secret)
        /// Answered by the thread for keychains.
        case keychains(KeychainCall, ClientIdentity)
        /// Answered by the thread for backups.
        case backup(BackupCall, ClientIdentity, BackupCaller)
        /// On a channel.
        case findSecrets(SecretQuery, cursor: UInt64, BusReach, ofUser: UInt32)
        case secretLock(SecretLockAction)
    }
}

/// Applies a rule of the table to a request: the only place where securityd refuses a caller.
///
/// The order of the checks decides what a refused caller learns. Source: Apple's SecItem, as
/// observed.
/// - Parameters:
///   - request: The request, with stored names of groups.
///   - rule: Its row of the table.
///   - client: Who asks, and what its connection has been given.
///   - administration: What only an administrator decides.
///   - device: Asks the enclave; called only for rules that depend on it.
///   - keychain: Finds the number of a keychain in rows; called only for a request that names one.
/// - Returns: What to do for the request.
/// - Throws: ``DaemonError/noKeychain``, ``DaemonError/groupNotHeld`` and
///   ``DaemonError/restricted`` for the caller; ``DaemonError/administratorNeeded`` when its
///   account isn't the one that the keybag was made for; ``DaemonError/invalidRequest``,
///   ``DaemonError/ownerNotProven``, ``DaemonError/administratorNeeded`` and
///   ``DaemonError/tierNotMet`` for the state; what `device` throws.
package func authorize(
    _ request: ClientRequest, by rule: RequestRule, for client: Client,
    _ administration: Administration, device: () throws(DaemonError) -> DeviceFacts,
    keychain: (KeychainID) throws(DaemonError) -> UInt32 = noOtherKeychain
) throws(DaemonError) -> AuthorizedRequest {
    let identity = client.identity
    guard client.kind.carries(request) else { throw .invalidRequest }
    try administration.admitAccount(of: identity.userID, makesKeybag: request.makesKeybag)
    try rule.caller.admitHolder(identity)
    var scope = try rule.groups.scope(for: identity, administration)
    try rule.caller.admitRestricted(identity)
    try rule.admitReserved(client, administration, device)
    try rule.state.admit(client, administration, device)
    if let id = request.keychain {
        // What the service keeps for itself is in login.
        guard rule.groups.reserved == nil else { throw .invalidRequest }
        scope.enter(try keychain(id))
        if client.provenKeychains.contains(id) { scope.noteProof() }
    } else if identity.hasProvenOwner {
        scope.noteProof()
    }
    return AuthorizedRequest(try work(request, client, scope))
}

/// For a service that knows no keychain but login.
package func noOtherKeychain(_ id: KeychainID) throws(DaemonError) -> UInt32 {
    throw .enclave(.noSuchKeychain)
}

/// What is done for a request that its sender may make.
private func work(
    _ request: ClientRequest, _ client: Client, _ scope: consuming ItemScope
) throws(DaemonError) -> AuthorizedRequest.Work {
    let identity = client.identity
    switch request {
    case .find(let query, let cursor): return .find(query, cursor: cursor, scope)
    case .key(let request): return .key(request, scope)
    case .deviceStatus: return .deviceStatus
    case .identity: return .identity
    case .entitlements(let names): return .entitlements(names)
    case .watch: return .watch
    case .add(let item, let write): return .write(AddWrite(item: item, write: write), scope)
    case .update(let query, let changes, let write):
        return .write(UpdateWrite(query: query, changes: changes, write: write), scope)
    case .delete(let query, let write):
        return .write(DeleteWrite(query: query, write: write), scope)
    case .move(let move, let write): return .write(MoveWrite(move: move, write: write), scope)
    case .revoke(let requestID): return .write(RevokeWrite(requestID: requestID), scope)
    case .challenge: return .challenge
    case .passcode(let number, let sealed, _):
        guard let operation = PasscodeOperation(rawValue: number) else { throw .invalidRequest }
        return .passcode(
            PasscodeRequest(operation: operation, sealed: sealed, from: identity),
            opening: operation == .unlock ? .ownersRequests : nil)
    // The passcode proves that the person is present. enclaved judges it as for an unlock.
    case .openGroup(let group, let sealed):
        return .passcode(
            PasscodeRequest(operation: .unlock, sealed: sealed, from: identity),
            opening: .group(group))
    case .protectors(.list(let userID)):
        return .protectors(ofUser: userID ?? identity.userID)
    case .protectors(.challenge(let userID)):
        return .protectorChallenge(ofUser: userID ?? identity.userID)
    case .protectors(.send(let number, let sealed, _, let userID)):
        guard let operation = PasscodeOperation(rawValue: number) else { throw .invalidRequest }
        return .passcode(
            PasscodeRequest(
                operation: operation, sealed: sealed, from: identity,
                userID: userID ?? identity.userID), opening: nil)
    case .lock(let mode, let waits, let subject):
        return .lock(LockMode(mode), waits: waits, subject)
    case .assertion(let seconds): return .hold(seconds: seconds)
    case .lease(.take(let name, _, let milliseconds, let wait)):
        return .takeLease(
            LeaseName(userID: scope.userID, accessGroup: scope.defaultGroup, name: name),
            for: .milliseconds(Int64(milliseconds)), waiting: .milliseconds(Int64(wait)))
    case .lease(.renew(let token, let milliseconds)):
        return .renewLease(token, for: .milliseconds(Int64(milliseconds)))
    case .lease(.giveBack(let token)): return .giveBackLease(token)
    case .protectors(.renameUser(let userID)): return .renameUser(userID)
    case .adoption(.export(let cursor)): return .maintenance(.export(cursor: cursor))
    case .adoption(.adopt(let items, let write)):
        return .write(AdoptWrite(adopted: items, write: write), scope)
    case .check(let cursor): return .maintenance(.check(cursor: cursor))
    case .recover(let cursor): return .maintenance(.recover(cursor: cursor))
    case .auditPage(let query): return .auditPage(query)
    case .access(let call): return .access(call)
    case .trust(let question): return .trust(question, scope, identity)
    case .transcode(let request): return .transcode(request)
    case .keychains(let call): return .keychains(call, identity)
    case .backup(let call):
        return .backup(
            call, identity,
            BackupCaller(
                isAdministrator: client.isOwnersProgram,
                isIdentified: identity.grade != .unsigned))
    case .secrets(let call):
        guard let reach = client.kind.reach else { throw .invalidRequest }
        return secretWork(call, reach, scope)
    case .prove, .front, .represent, .busOwner: throw .invalidRequest
    }
}

/// What is done for a request on a channel.
private func secretWork(
    _ call: SecretCall, _ reach: BusReach, _ scope: consuming ItemScope
) -> AuthorizedRequest.Work {
    switch call {
    case .find(let query, let cursor):
        .findSecrets(query, cursor: cursor, reach, ofUser: scope.userID)
    case .add(let new, let write):
        .write(AddSecretWrite(new: new, write: write, reach: reach), scope)
    case .update(let change, let write):
        .write(UpdateSecretWrite(change: change, write: write, reach: reach), scope)
    case .delete(let reference, let write):
        .write(DeleteSecretWrite(target: .item(reference), write: write, reach: reach), scope)
    case .deleteCollection(let name, let write):
        .write(DeleteSecretWrite(target: .collection(name), write: write, reach: reach), scope)
    case .lockState(let action): .secretLock(action)
    }
}

// MARK: - What the table reads of requests

extension ClientRequest {
    /// Whether it can be a user's first, for which there is a keybag from then on.
    fileprivate var makesKeybag: Bool {
        switch self {
        case .add, .passcode, .adoption(.adopt), .key, .keychains(.create), .secrets(.add),
            .backup(.setPassword), .backup(.begin), .backup(.open):
            true
        case .protectors(.send(_, _, _, let userID)): userID == nil
        case .find, .update, .delete, .move, .revoke, .lease, .watch, .check, .trust, .recover,
            .openGroup, .protectors, .lock, .assertion, .deviceStatus, .challenge, .auditPage,
            .identity, .entitlements, .access, .prove, .adoption, .transcode, .backup,
            .keychains, .secrets, .front, .represent, .busOwner:
            false
        }
    }
}

extension ClientRequest {
    /// The keychain that it names; nil for login, and for what is in no other.
    fileprivate var keychain: KeychainID? {
        switch self {
        case .find(let query, _), .update(let query, _, _), .delete(let query, _): query.keychain
        case .add(let item, _): item.keychain
        case .move, .revoke, .lease, .watch, .check, .trust, .recover, .openGroup, .protectors,
            .lock, .assertion, .deviceStatus, .challenge, .auditPage, .identity, .entitlements,
            .access, .prove, .adoption, .transcode, .keychains, .passcode, .key, .backup,
            .secrets, .front, .represent, .busOwner:
            nil
        }
    }
}

extension BackupCall {
    /// An archive is as good as the keychain: who makes one has shown to be the owner. A restore takes
    /// the owner's word, which enclaved judges.
    fileprivate var rule: RequestRule {
        switch self {
        case .status, .challenge: RequestRule(.noRestriction)
        case .prove: RequestRule(.noRestriction)
        case .setPassword: RequestRule(.noRestriction, audited: .setBackupPassword)
        case .removePassword: RequestRule(.noRestriction, audited: .removeBackupPassword)
        case .begin: RequestRule(.noRestriction, in: .ownersProgram, audited: .backUp)
        case .open: RequestRule(.noRestriction, audited: .openBackup)
        case .finish: RequestRule(.noRestriction, audited: .restoreBackup)
        case .read, .part, .abandon: RequestRule(.noRestriction)
        }
    }
}

extension ItemQuery {
    fileprivate var group: String? { attributes.accessGroup }

    fileprivate var auditedClass: ItemClass? { itemClass ?? persistentReference?.itemClass }
}

extension AdoptedItems {
    fileprivate var groups: Set<String> { Set(items.compactMap(\.attributes.accessGroup)) }
}

extension NewItem {
    fileprivate var groups: GroupUse.OfNewItem {
        GroupUse.OfNewItem(
            target: attributes.accessGroup, replaced: replacement?.filter.accessGroup,
            replacing: replacement?.changes.accessGroup)
    }

    fileprivate var synchronizes: Bool {
        attributes.synchronizes || replacement?.changes.synchronizes ?? false
    }
}

extension ItemChanges {
    fileprivate var synchronizes: Bool { attributes.synchronizes }
}

extension ItemAttributes {
    fileprivate var synchronizes: Bool { self[.synchronizable] == .integer(1) }
}
