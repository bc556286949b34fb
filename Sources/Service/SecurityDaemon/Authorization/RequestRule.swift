// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
package import KeychainVocabulary
package import SecurityWire

/// A row of the table of requests.
package struct RequestRule: Sendable {
    /// Who may make the request.
    package let caller: RequiredCaller
    /// The groups that it reaches, which its caller must hold.
    package let groups: GroupUse
    /// In which state of the device and of the connection it is carried out.
    package let state: RequiredState
    /// What the audit log calls it; nil when the log doesn't record it.
    package let audited: AuditEvent?
    /// The class of items that the audit log names.
    package let auditedClass: ItemClass?
    /// The name that the audit log has in place of a group.
    package let auditedName: String?

    init(
        _ caller: RequiredCaller, _ groups: GroupUse = .none, in state: RequiredState = .any,
        audited: AuditEvent? = nil, of auditedClass: ItemClass? = nil, naming name: String? = nil
    ) {
        self.caller = caller
        self.groups = groups
        self.state = state
        self.audited = audited
        self.auditedClass = auditedClass
        auditedName = name
    }

    /// The check of a request that names a reserved group.
    /// - Throws: ``DaemonError/administratorNeeded``; ``DaemonError/ownerNotProven``;
    ///   ``DaemonError/invalidRequest`` for another class of items than the group has.
    func admitReserved(
        _ client: Client, _ administration: Administration,
        _ device: () throws(DaemonError) -> DeviceFacts
    ) throws(DaemonError) {
        guard let use = groups.reserved else { return }
        let userID = client.identity.userID
        switch use.group {
        case .userTrust, .machineTrust:
            guard auditedClass == .genericPassword else { throw .invalidRequest }
            guard use.writes else { return }
            if use.group == .machineTrust { try administration.authorizeMachine(by: userID) }
            // What is trusted is the person's decision, not that of every program of the person's.
            if administration.isExemptFromProof(userID) { return }
            try RequiredState.ownerPresent.admit(client, administration, device)
        case .keychains: throw .groupNotHeld
        case .machineKeychain:
            guard use.writes || auditedClass != .certificate else { return }
            try administration.authorizeMachine(by: userID)
        }
    }
}

/// Who may make a request.
package enum RequiredCaller: Sendable {
    /// Every program that the service serves.
    case anyProgram
    /// Every program but those that shall have no keychain.
    case keychain
    /// One that also holds a group.
    case group
    /// One that may also use items. An app clip with other groups than its own may not.
    case items
    /// One whose items may also synchronize. An app clip's may not.
    case itemsThatSynchronize
    /// A program without any restriction.
    case noRestriction

    /// The check before the groups of the request.
    func admitHolder(_ identity: ClientIdentity) throws(DaemonError) {
        switch self {
        case .anyProgram: return
        case .keychain: guard identity.restriction != .everything else { throw .noKeychain }
        case .group, .items, .itemsThatSynchronize:
            guard identity.restriction != .everything else { throw .noKeychain }
            guard !identity.accessGroups.isEmpty else { throw .groupNotHeld }
        case .noRestriction: guard identity.restriction == .none else { throw .restricted }
        }
    }

    /// The check after the groups of the request: a program learns first which group it lacks.
    func admitRestricted(_ identity: ClientIdentity) throws(DaemonError) {
        switch (self, identity.restriction) {
        case (.anyProgram, _), (.keychain, _), (.group, _), (_, .none): return
        case (.items, .synchronization): return
        case (.items, _), (.itemsThatSynchronize, _), (.noRestriction, _): throw .restricted
        }
    }
}

/// In which state a request is carried out.
package enum RequiredState: Equatable, Sendable {
    case any
    /// The device key is at least this strong; with a weaker one nothing is stored.
    case tier(StorageTier)
    /// The owner is known to be there. A row in the quarantine or in a kept file may be an old state
    /// of an item or a deleted item, placed there by an attacker who can write the files. Without a
    /// passcode, every program of the user counts as the owner.
    case ownerPresent
    /// The administrator permits the operation. The text is the code that came with the request; it may
    /// be empty.
    case permitted(PasscodeOperation, String)
    /// The keybag is the caller's own, or the caller is root; nil is the own one.
    case keybag(of: UInt32?)
    /// The caller is root.
    case root
    /// The program has given the passcode, or has shown that it is the owner's or root's.
    case ownersProgram
    /// The keychain is the user's own service's, and the owner is known to be there.
    case movingOut
    /// The keychain is a machine's, and the owner of the caller's is known to be there.
    case movingIn
    /// The caller's user may lock that one.
    case mayLock(LockSubject)
    /// The connection doesn't hold the device unlocked yet.
    case holdsNothing
    /// The program isn't sandboxed, as far as its connection's channel knows.
    case notSandboxed
    /// No state.
    case never

    func admit(
        _ client: Client, _ administration: Administration,
        _ device: () throws(DaemonError) -> DeviceFacts
    ) throws(DaemonError) {
        switch self {
        case .any, .tier(.software): return
        case .tier(let tier): guard try device().tier >= tier else { throw .tierNotMet }
        case .ownerPresent: try Self.demandOwner(client, device)
        case .ownersProgram:
            guard client.isOwnersProgram || client.identity.hasProvenOwner else {
                throw .ownerNotProven
            }
        case .movingOut:
            guard !administration.isOfMachine else { throw .administratorNeeded }
            try Self.demandOwner(client, device)
        case .movingIn:
            guard administration.isOfMachine else { throw .invalidRequest }
            try Self.demandOwner(client, device)
        case .root: guard client.identity.userID == 0 else { throw .administratorNeeded }
        case .permitted(let operation, let permit):
            try administration.authorize(
                operation, of: client.identity.userID, permit: permit
            ) { () throws(DaemonError) in try device().isPasscodeSet }
        case .keybag(let userID):
            // The machine's keybag never has a passcode or another protector.
            guard userID != MachineKeybag.userID else { throw .invalidRequest }
            guard userID == nil || [userID, 0].contains(client.identity.userID) else {
                throw .administratorNeeded
            }
        case .mayLock(let subject):
            try administration.authorizeLock(of: subject, by: client.identity.userID)
        case .holdsNothing: guard client.hold == nil else { throw .invalidRequest }
        case .notSandboxed:
            guard client.kind.reach?.isSandboxed == false else { throw .invalidRequest }
        case .never: throw .invalidRequest
        }
    }

    private static func demandOwner(
        _ client: Client, _ device: () throws(DaemonError) -> DeviceFacts
    ) throws(DaemonError) {
        guard try !device().isPasscodeSet || client.identity.hasProvenOwner else {
            throw .ownerNotProven
        }
    }
}

/// What rules ask of the device.
package struct DeviceFacts: Sendable {
    let isPasscodeSet: Bool
    /// The tier of its key.
    let tier: StorageTier

    package init(isPasscodeSet: Bool, tier: StorageTier) {
        self.isPasscodeSet = isPasscodeSet
        self.tier = tier
    }

    /// What the enclave reports.
    init(_ status: EnclaveStatus) {
        self.init(isPasscodeSet: status.isPasscodeSet, tier: status.deviceKey.tier)
    }
}

extension DeviceKeyMaker {
    /// The protection of an item; an emulated TPM doesn't count as hardware.
    fileprivate var tier: StorageTier {
        switch self {
        case .file, .softwareTPM: .software
        case .tpm: .hardware
        }
    }
}
