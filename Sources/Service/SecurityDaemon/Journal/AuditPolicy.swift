// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import KeychainVocabulary
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
        case .groupNotHeld, .noKeychain, .restricted, .ownerNotProven, .administratorNeeded,
            .secretWithheld, .archiveForeign, .archiveOlder, .notAFront, .foreignSecret:
            .durably
        case .locked, .secretsLocked, .archiveDamaged: .soon
        case .enclave(let error): error.noting
        case .absent, .keyGone, .duplicate, .generationChanged, .tooLarge, .invalidRequest,
            .lockCalledOff, .leased, .leaseLost, .revoked, .unimplemented, .overloaded, .rolledBack,
            .tierNotMet, .keyNotPrepared, .shareUsed,
            .approvalNeeded, .nobodyToAsk, .personCanceled, .trustUnavailable, .notRepresented,
            .tooManyChannels, .store:
            .none
        }
    }
}

extension EnclaveCallError {
    fileprivate var noting: AuditNoting {
        switch self {
        case .wrongPasscode, .throttled, .disabled, .administratorNeeded, .accessRefused: .durably
        case .locked, .keychainLocked, .outcomeUnknown: .soon
        case .classMissing, .undecodable, .busy, .wrongState, .staleChallenge, .stateNotWritten,
            .passcodeUnacceptable, .malformed, .unreachable, .gone, .deviceKeyUnavailable,
            .nameTaken, .noSuchProtector, .lastProtector, .tooManyProtectors, .setUnproven,
            .personNeeded, .passwordNeeded, .noSuchKeychain, .keychainExists, .tooManyKeychains:
            .none
        }
    }
}

extension AuditSubject {
    /// What the table of requests says of a request; nil if the log doesn't record it.
    init?(_ rule: RequestRule, from caller: AuditCaller, holding groups: Set<String>) {
        guard let event = rule.audited else { return nil }
        let named = rule.auditedName ?? rule.groups.audited(holding: groups)
        self.init(named.map { caller.naming($0) } ?? caller, event, rule.auditedClass)
    }
}

extension PasscodeOperation {
    /// The event in the audit log.
    var event: AuditEvent {
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
        case .addProtector: .addProtector
        case .removeProtector: .removeProtector
        case .unlockByProtector: .unlockByProtector
        case .testProtector: .testProtector
        case .forget: .forgetUser
        case .approve, .supply, .approveByTouch: .approve
        case .configureBiometry: .configure
        case .createKeychain: .createKeychain
        case .unlockKeychain: .unlockKeychain
        case .changeKeychainPassword: .changeKeychainPassword
        case .setBackupPassword: .setBackupPassword
        case .removeBackupPassword: .removeBackupPassword
        case .openBackup: .openBackup
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
