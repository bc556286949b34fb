// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// A passcode operation that waits for a derivation.
struct PendingPasscode {
    enum Stage {
        /// The given passcode is being derived, for the comparison.
        case judging(digest: [UInt8])
        /// The new passcode is being derived, to be set.
        case enrolling(RegisterBinding)
        /// The same passcode is being derived again, for another device key.
        case moving(DeviceKeyTarget)
        /// The TPM is sealing a value for a new protector.
        case protecting(ProtectorChoice)
        /// The TPM is opening a protector's value.
        case releasing(Protector, ProtectorUse)
    }

    let operation: PasscodeOperation
    let keybag: UserKeybag
    var stage: Stage
    /// The message that contained the passcode.
    let letter: PasscodeLetter
    let salt: [UInt8]
    /// What the right passcode opens: less if the device was locked meanwhile.
    var extent = UnlockExtent.everything
    /// A delayed lock was requested meanwhile: an unlock doesn't cancel it.
    var keepsSchedule = false
}

extension Enclave {
    /// Checks what can be checked at once, counts the attempt, and returns the derivation.
    mutating func beginPasscode(
        _ operation: PasscodeOperation, encapsulatedKey: [UInt8], ciphertext: [UInt8],
        isIdentified: Bool, isRoot: Bool, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        guard !operation.hasARequestOfItsOwn else { throw .status(.malformed) }
        let letter = try passcodes.open(
            operation, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext,
            user: keybag.user, now: clock())
        if operation != .unlock { try readListAgain(keybag) }
        switch (operation, keybag.keybag.passcode) {
        case (.forget, _):
            guard isRoot else { throw .status(.administratorNeeded) }
            try forget(keybag)
            return .reply(.done)
        case (.unlockByProtector, _):
            return try unlock(letter, .unlocking, keybag)
        case (.testProtector, _):
            return try unlock(letter, .testing, keybag)
        case (.addProtector, nil), (.removeProtector, nil):
            guard isRoot else { throw .status(.administratorNeeded) }
            return try changeProtectors(operation, letter, keybag)
        case (.remove, nil) where keybag.keybag.isUnderProtectors:
            guard isRoot else { throw .status(.administratorNeeded) }
            try removeProtection(keybag)
            return .reply(.done)
        case (.makeRecoveryCode, nil), (.acceptRollback, nil):
            // Protectors replace the passcode, and root the person who knows it.
            guard isRoot || !keybag.keybag.isUnderProtectors else {
                throw .status(.administratorNeeded)
            }
            if operation == .acceptRollback {
                try acceptRollback(keybag)
            } else {
                try makeRecoveryCode(letter, keybag)
            }
            return .reply(.done)
        case (.set, nil):
            guard keybag.hasProtectorsKeys else { throw .status(.locked) }
            return .deferred(try enrol(letter.passcode, .to(.none), operation: .set, keybag))
        case (.migrate, nil):
            return try migrate(letter, keybag)
        case (.set, _?), (_, nil):
            throw .status(.wrongState)
        case (.reset, _?):
            try reset(letter, keybag)
            return .reply(.done)
        case (_, let protection?):
            return .deferred(
                try judge(letter, operation, protection, isIdentified: isIdentified, keybag))
        }
    }

    /// Continues when a job is done.
    package mutating func derivationFinished(_ outcome: consuming DerivationOutcome)
        -> EnclaveAnswer
    {
        guard !hasEnded else { return .ended }
        tick()
        let user: UInt32
        do throws(Refusal) {
            switch passcodes.finish() {
            case nil: return .reply(.failure(.busy))
            case .access(let finished):
                user = finished.keybag.user
                return try accessDerived(finished, outcome)
            case .recovery(let finished):
                user = finished.user
                return try recovered(finished, outcome)
            case .keychain(let finished):
                user = finished.keybag.user
                return try keychainDerived(finished, outcome)
            case .backup(let finished):
                user = finished.keybag.user
                return try backupDerived(finished, outcome)
            case .passcode(let finished):
                user = finished.keybag.user
                return try proceed(finished, outcome)
            }
        } catch {
            return error.answer(lockCount: keybags[user]?.lockCount ?? 0)
        }
    }

    private mutating func proceed(
        _ finished: PendingPasscode, _ outcome: consuming DerivationOutcome
    ) throws(Refusal) -> EnclaveAnswer {
        switch finished.stage {
        case .judging(let digest): try judged(finished, outcome, digest)
        case .enrolling(let binding): try enrolled(finished, outcome, binding)
        case .moving(let target): try moved(finished, outcome, target)
        case .protecting(let choice): try protected(finished, outcome, choice)
        case .releasing(let protector, let use):
            try released(finished, outcome, protector, use)
        }
    }
}

// MARK: - Judging a passcode

extension Enclave {
    mutating func judge(
        _ letter: PasscodeLetter, _ operation: PasscodeOperation,
        _ protection: Keybag.PasscodeProtection, isIdentified: Bool, _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob {
        guard letter.passcode.bytes.byteCount > 0 else { throw .status(.passcodeUnacceptable) }
        switch delays.permission(after: keybag.attempts, now: clock()) {
        case .now: break
        case .after(let seconds): throw .throttled(seconds: seconds)
        case .never:
            // The last attempt was counted, but a power cut came before it was judged.
            try eraseIfDue(keybag)
            throw .status(.disabled)
        }
        let digest = passcodes.digest(of: letter.passcode, user: keybag.user)
        guard !keybag.attempts.isLastWrong(digest) else { throw .status(.wrongPasscode) }
        // Durable before the comparison: a power cut doesn't give a free guess.
        try storeAttempts(
            keybag.attempts.failures + 1,
            hasUnidentified: keybag.attempts.hasUnidentified || !isIdentified, keybag)
        keybag.attempts.begin(isIdentified: isIdentified, now: clock())
        passcodes.begin(
            PendingPasscode(
                operation: operation, keybag: keybag, stage: .judging(digest: digest),
                letter: operation.derivesTwice ? letter : letter.withoutPasscode,
                salt: protection.salt))
        return DerivationJob(
            cost: .given(protection.parameters), salt: protection.salt, passcode: letter.passcode,
            work: .open(sealed: protection.sealedEntropy, context: entropyContext(keybag)))
    }

    private mutating func judged(
        _ finished: PendingPasscode, _ outcome: consuming DerivationOutcome, _ digest: [UInt8]
    ) throws(Refusal) -> EnclaveAnswer {
        let keybag = finished.keybag
        guard let protection = keybag.keybag.passcode else { throw .status(.wrongState) }
        let material = try opened(outcome, protection, digest, keybag)
        guard keybag.unlock(passcodeKey: material.key, extent: finished.extent) else {
            throw try wrong(digest, keybag)
        }
        try resetAttempts(keybag)
        keybag.missCount = 0
        keybag.schedule.lockedSince = keybag.state == .locked ? clock() : nil
        noteDeadline(keybag)
        // It counts only as the first unlock: after a lock request no key of class A is opened.
        guard finished.extent == .everything else { throw .status(.locked) }
        return try proceed(finished, keybag)
    }

    /// No comparison happened: the attempt doesn't count.
    mutating func withdrawAttempt(_ keybag: UserKeybag) throws(Refusal) {
        keybag.attempts.withdraw()
        try storeAttemptsIfPossible(keybag.attempts.failures, keybag)
    }

    /// The right passcode resets the count, also on the disk. If that can't be written, the count
    /// on the disk stays until the next attempt is counted, and the unlock succeeds.
    private mutating func resetAttempts(_ keybag: UserKeybag) throws(Refusal) {
        try storeAttemptsIfPossible(0, keybag)
        keybag.attempts.reset()
    }

    /// - Throws: only `ended`.
    mutating func storeAttemptsIfPossible(
        _ failures: UInt32, _ keybag: UserKeybag
    ) throws(Refusal) {
        do throws(Refusal) {
            try storeAttempts(
                failures, hasUnidentified: keybag.attempts.hasUnidentified, keybag)
        } catch {
            if hasEnded { throw error }
        }
    }

    /// The passcode was the right one.
    private mutating func proceed(
        _ finished: PendingPasscode, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        switch finished.operation {
        case .set, .reset, .recover, .unlockByProtector, .testProtector, .forget, .supply,
            .approveByTouch, .createKeychain, .unlockKeychain, .changeKeychainPassword:
            break
        case .addProtector, .removeProtector:
            return try changeProtectors(finished.operation, finished.letter, keybag)
        case .setBackupPassword, .removeBackupPassword, .openBackup:
            return try proceed(finished.letter, keybag)
        case .approve:
            guard let question = finished.letter.question else { throw .status(.malformed) }
            try approved(question, .passcode, keybag)
            return .reply(.access(.done))
        case .unlock:
            if !finished.keepsSchedule { keybag.schedule.cancel() }
        case .configure:
            try configure(finished.letter, keybag)
        case .configureBiometry:
            try configureBiometry(finished.letter, keybag)
        case .makeEscrow:
            try makeEscrow(finished.letter, keybag)
        case .change:
            guard let newPasscode = finished.letter.newPasscode,
                let protection = keybag.keybag.passcode
            else { throw .status(.malformed) }
            // If the old passcode was bound, the new one must be, too.
            return .deferred(
                try enrol(
                    newPasscode, .asBefore(sealed: protection.sealedEntropy), operation: .change,
                    keybag))
        case .bindRegisters:
            // Binding to registers requires a recovery code, as another way in.
            guard let registers = finished.letter.registers,
                deviceKey.maker.target == .tpm,
                registers == .none || keybag.hasRecoveryCode
            else { throw .status(.wrongState) }
            return .deferred(
                try enrol(
                    finished.letter.passcode, .to(registers), operation: .bindRegisters, keybag))
        case .remove:
            try removeProtection(keybag)
        case .acceptRollback:
            try acceptRollback(keybag)
        case .makeRecoveryCode:
            try makeRecoveryCode(finished.letter, keybag)
        case .migrate:
            return try migrate(finished.letter, keybag)
        }
        return .reply(.done)
    }
}

// MARK: - Setting a passcode

extension Enclave {
    private mutating func enrol(
        _ passcode: Secret, _ binding: RegisterBinding, operation: PasscodeOperation,
        _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob {
        let index = HeldIndex.chosen(user: keybag.user)
        // Listed before it is made, so that a crash leaves no unlisted object in the TPM.
        if deviceKey.maker.target == .tpm {
            try apply(try releasing([index]), user: keybag.user)
        }
        let random = SecretBytes.random(byteCount: Keybag.PasscodeProtection.saltByteCount)
        let salt = unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }
        passcodes.begin(
            PendingPasscode(
                operation: operation, keybag: keybag, stage: .enrolling(binding),
                letter: PasscodeLetter(), salt: salt))
        return DerivationJob(
            cost: .calibrated, salt: salt, passcode: passcode,
            work: .enrol(
                context: entropyContext(keybag), attemptLimit: delays.disabledAt,
                indexNumber: index.number, binding))
    }

    private mutating func enrolled(
        _ finished: PendingPasscode, _ outcome: consuming DerivationOutcome,
        _ binding: RegisterBinding
    ) throws(Refusal) -> EnclaveAnswer {
        let keybag = finished.keybag
        // A change re-wraps keys. If a lock has dropped them meanwhile, the caller must ask again.
        guard keybag.state == .noPasscode || keybag.state == .unlocked else {
            if case .enrolled(_, let sealed, _) = outcome { giveBack(sealed, keybag) }
            throw .status(.locked)
        }
        let (material, sealed, parameters) = try enrolment(outcome, binding, keybag)
        do throws(Refusal) {
            try protect(
                keybag, finished.salt, material, sealed, parameters,
                isFirst: finished.operation == .set)
        } catch {
            if !hasEnded { giveBack(sealed, keybag) }
            throw error
        }
        settle(finished.extent, keybag)
        return .reply(.done)
    }

    /// Carries out a lock that was requested meanwhile.
    mutating func settle(_ extent: UnlockExtent, _ keybag: UserKeybag) {
        switch extent {
        case .everything: break
        case .classC: lockNow(keybag)
        case .nothing: _ = lock(.logOut, keybag)
        }
    }

    private mutating func protect(
        _ keybag: UserKeybag, _ salt: [UInt8], _ material: PasscodeMaterial, _ sealed: [UInt8],
        _ parameters: DerivationParameters, isFirst: Bool
    ) throws(Refusal) {
        let protection = Keybag.PasscodeProtection(
            salt: salt, parameters: parameters, sealedEntropy: sealed)
        // Any program of the user could have made a code while nothing locked the keybag.
        let list =
            isFirst && !keybag.keybag.isUnderProtectors
            ? keybag.protectors.removing(ProtectorChoice.recoveryCodeName) : keybag.protectors
        guard
            let next = keybag.protected(by: protection, passcodeKey: material.key, list)
        else { throw .status(.stateNotWritten) }
        try storeWithNewCount(next.keybag, list, keybag)
        keybag.attempts.reset()
        try adopt(next, keybag)
    }
}

extension PasscodeMaterial {
    /// Wraps the classes that the passcode protects.
    var key: SymmetricKey {
        KeybagKeys.passcodeKey(derived: derived, tangled: tangled, entropy: entropy)
    }
}

extension PasscodeOperation {
    /// Whether the passcode is derived once more after it was judged.
    fileprivate var derivesTwice: Bool { self == .migrate || self == .bindRegisters }

    /// Whether it comes in another request than that for passcodes.
    fileprivate var hasARequestOfItsOwn: Bool {
        self == .approve || self == .supply || self == .approveByTouch || isOfKeychain
            || isOfBackup
    }
}

extension PasscodeLetter {
    /// The parts that are needed while the passcode is being derived.
    fileprivate var withoutPasscode: PasscodeLetter {
        PasscodeLetter(
            newPasscode: newPasscode, settings: settings, escrowKey: escrowKey,
            recoveryCode: recoveryCode, protector: protector, protectorName: protectorName,
            protectorKey: protectorKey, question: question, biometry: biometry, backup: backup)
    }
}
