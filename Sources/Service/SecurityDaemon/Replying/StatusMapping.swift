// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

extension Failure {
    /// The only place where the daemon's errors become statuses for callers.
    init(_ error: DaemonError) {
        switch error {
        case .absent: self.init(SecurityStatus.itemNotFound, .absent)
        case .keyGone: self.init(SecurityStatus.itemNotFound, .keyGone)
        case .duplicate: self.init(SecurityStatus.duplicateItem, .duplicate)
        case .generationChanged:
            self.init(SecurityStatus.recordModified, .generationChanged)
        case .locked: self.init(SecurityStatus.interactionNotAllowed, .locked)
        case .secretWithheld:
            self.init(SecurityStatus.interactionNotAllowed, .secretWithheld)
        case .groupNotHeld: self.init(SecurityStatus.missingEntitlement, .denied)
        case .noKeychain: self.init(SecurityStatus.notAvailable, .denied)
        case .restricted: self.init(SecurityStatus.restrictedAPI, .denied)
        case .tooLarge: self.init(SecurityStatus.dataTooLarge, .tooLarge)
        case .invalidRequest: self.init(SecurityStatus.param, .invalidRequest)
        case .ownerNotProven: self.init(SecurityStatus.authFailed, .denied)
        case .administratorNeeded: self.init(SecurityStatus.authFailed, .administratorNeeded)
        case .shareUsed: self.init(SecurityStatus.diskFull, .shareUsed)
        case .leased: self.init(SecurityStatus.notAvailable, .leased)
        case .leaseLost: self.init(SecurityStatus.notAvailable, .leaseLost)
        case .revoked: self.init(SecurityStatus.userCanceled, .cancelled)
        case .lockCalledOff: self.init(SecurityStatus.userCanceled, .calledOff)
        case .unimplemented: self.init(SecurityStatus.unimplemented, .unimplemented)
        case .overloaded: self.init(SecurityStatus.notAvailable, .busy)
        case .rolledBack: self.init(SecurityStatus.notAvailable, .rolledBack)
        case .tierNotMet: self.init(SecurityStatus.unimplemented, .tierNotMet)
        case .trustUnavailable: self.init(SecurityStatus.notAvailable, .unreachable)
        case .notAFront: self.init(SecurityStatus.missingEntitlement, .notAFront)
        case .notRepresented: self.init(SecurityStatus.param, .notRepresented)
        case .tooManyChannels: self.init(SecurityStatus.notAvailable, .tooManyChannels)
        case .secretsLocked:
            self.init(SecurityStatus.interactionNotAllowed, .secretsLocked)
        case .foreignSecret:
            self.init(SecurityStatus.interactionNotAllowed, .foreignSecret)
        case .keyNotPrepared: self.init(SecurityStatus.notAvailable, .internalFailure)
        case .approvalNeeded(let demand):
            self.init(
                SecurityStatus.interactionNotAllowed,
                demand.needsPerson ? .personNeeded : .passwordNeeded)
        case .nobodyToAsk: self.init(SecurityStatus.interactionNotAllowed, .personNeeded)
        case .personCanceled: self.init(SecurityStatus.userCanceled, .personCanceled)
        case .archiveDamaged: self.init(SecurityStatus.decode, .archiveDamaged)
        case .archiveForeign: self.init(SecurityStatus.decode, .archiveForeign)
        case .archiveOlder: self.init(SecurityStatus.decode, .archiveOlder)
        case .enclave(let error): self.init(error)
        case .store(let error): self.init(error)
        }
    }

    private init(_ error: EnclaveCallError) {
        switch error {
        case .locked: self.init(SecurityStatus.interactionNotAllowed, .locked)
        case .classMissing: self.init(SecurityStatus.notAvailable, .keyGone)
        case .undecodable: self.init(SecurityStatus.itemNotFound, .keyGone)
        case .wrongPasscode: self.init(SecurityStatus.authFailed, .wrongPasscode)
        case .throttled(let seconds):
            self.init(SecurityStatus.authFailed, .throttled, retryAfterSeconds: seconds)
        case .disabled: self.init(SecurityStatus.authFailed, .disabled)
        case .wrongState: self.init(SecurityStatus.param, .wrongState)
        case .administratorNeeded: self.init(SecurityStatus.authFailed, .administratorNeeded)
        case .nameTaken: self.init(SecurityStatus.duplicateItem, .nameTaken)
        case .noSuchProtector: self.init(SecurityStatus.itemNotFound, .noSuchProtector)
        case .lastProtector: self.init(SecurityStatus.param, .lastProtector)
        case .tooManyProtectors: self.init(SecurityStatus.param, .tooManyProtectors)
        case .passcodeUnacceptable: self.init(SecurityStatus.param, .invalidRequest)
        case .malformed: self.init(SecurityStatus.param, .invalidRequest)
        case .stateNotWritten: self.init(SecurityStatus.notAvailable, .internalFailure)
        case .outcomeUnknown: self.init(SecurityStatus.io, .unknownOutcome)
        case .deviceKeyUnavailable:
            self.init(SecurityStatus.notAvailable, .deviceKeyUnavailable)
        case .busy, .staleChallenge: self.init(SecurityStatus.notAvailable, .busy)
        case .personNeeded: self.init(SecurityStatus.interactionNotAllowed, .personNeeded)
        case .passwordNeeded: self.init(SecurityStatus.interactionNotAllowed, .passwordNeeded)
        case .accessRefused: self.init(SecurityStatus.authFailed, .accessRefused)
        case .setUnproven: self.init(SecurityStatus.unimplemented, .unimplemented)
        case .keychainLocked: self.init(SecurityStatus.interactionNotAllowed, .keychainLocked)
        case .noSuchKeychain: self.init(SecurityStatus.noSuchKeychain, .noSuchKeychain)
        case .keychainExists: self.init(SecurityStatus.duplicateKeychain, .keychainExists)
        case .tooManyKeychains: self.init(SecurityStatus.param, .tooManyKeychains)
        case .unreachable, .gone: self.init(SecurityStatus.notAvailable, .unreachable)
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .constraint: self.init(SecurityStatus.duplicateItem, .duplicate)
        case .readOnly: self.init(SecurityStatus.readOnly, .internalFailure)
        case .inputOutput: self.init(SecurityStatus.io, .internalFailure)
        case .damaged, .full, .newerVersion, .settingLost, .rootNotKept, .other:
            self.init(SecurityStatus.notAvailable, .internalFailure)
        }
    }
}
