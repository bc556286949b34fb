// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

/// How the audit log records a failed request.
enum AuditNoting {
    /// Not at all.
    case none
    /// A record, soon.
    case soon
    /// With a record that is durable before the refusal is sent.
    case durably
}

extension DaemonError {
    /// How the audit log records this failure: only this function decides that.
    var noting: AuditNoting {
        switch self {
        case .groupNotHeld, .noKeychain, .restricted, .ownerNotProven, .administratorNeeded:
            .durably
        case .locked: .soon
        case .enclave(let error): error.noting
        case .absent, .keyGone, .duplicate, .generationChanged, .tooLarge, .invalidRequest,
            .lockCalledOff, .leased, .leaseLost, .revoked, .unimplemented, .overloaded, .rolledBack,
            .tierNotMet, .keyNotPrepared,
            .store:
            .none
        }
    }
}

extension EnclaveCallError {
    fileprivate var noting: AuditNoting {
        switch self {
        case .wrongPasscode, .throttled, .disabled: .durably
        case .locked, .outcomeUnknown: .soon
        case .classMissing, .undecodable, .busy, .wrongState, .staleChallenge, .stateNotWritten,
            .passcodeUnacceptable, .malformed, .unreachable, .gone, .deviceKeyUnavailable:
            .none
        }
    }
}

extension AuditSubject {
    /// The item or group of a request; nil if the log doesn't record it. If the request names an
    /// application group that its caller holds, the record contains that.
    init?(_ request: ClientRequest, from caller: AuditCaller, holding groups: Set<String>) {
        var caller = caller
        if let group = request.namedApplicationGroup, groups.contains(group) {
            caller = caller.naming(group)
        }
        switch request {
        case .find(let query, _): self.init(caller, .read, query.auditedClass)
        case .add(let item, _): self.init(caller, .add, item.itemClass)
        case .update(let query, _, _): self.init(caller, .update, query.auditedClass)
        case .delete(let query, _): self.init(caller, .delete, query.auditedClass)
        case .passcode(let operation, _):
            guard let operation = PasscodeOperation(rawValue: operation) else { return nil }
            self.init(caller, operation.event)
        case .lock: self.init(caller, .lock)
        case .watch: self.init(caller, .read)
        case .recover: self.init(caller, .recover)
        case .assertion: self.init(caller, .holdUnlocked)
        case .key: self.init(caller, .read, .key)
        case .move: self.init(caller, .move)
        case .openGroup(let group, _): self.init(caller.naming(group), .openGroup)
        case .deviceStatus, .challenge, .auditPage, .check, .prove, .identity, .entitlements,
            .lease, .revoke:
            return nil
        }
    }
}

extension ItemQuery {
    fileprivate var auditedClass: ItemClass? { itemClass ?? persistentReference?.itemClass }
}

extension PasscodeOperation {
    fileprivate var event: AuditEvent {
        switch self {
        case .set: .setPasscode
        case .unlock: .unlock
        case .change: .changePasscode
        case .remove: .removePasscode
        case .configure: .configure
        case .makeEscrow: .makeEscrow
        case .reset: .reset
        case .acceptRollback: .acceptRollback
        case .migrate: .migrate
        case .makeRecoveryCode: .makeRecoveryCode
        case .recover: .useRecoveryCode
        case .bindRegisters: .bindRegisters
        }
    }
}

extension ServiceReply {
    /// How many rows a write changed; nil for a reply to anything else.
    var writtenRowCount: UInt64? {
        switch self {
        case .added: 1
        case .updated(_, let count), .deleted(let count), .moved(let count): count
        case .recovered(let page): page.counts.restored
        case .found, .changes, .deviceStatus, .challenge, .passcodeDone, .locked, .asserted,
            .auditPage, .checked, .prove, .identity, .key, .entitlements, .openedGroup,
            .leased, .gaveBackLease, .revoked, .failed:
            nil
        }
    }
}

extension DaemonError {
    /// Why the caller's own log can't be read.
    init(_ failure: AuditFailure) {
        switch failure {
        case .system: self = .store(.inputOutput)
        case .keyUnavailable: self = .enclave(.unreachable)
        }
    }
}
