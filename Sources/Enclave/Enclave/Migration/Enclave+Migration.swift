// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// A new device key, and the user's keybag under it.
private struct Move {
    let new: NewDeviceKey
    let keys: KeybagKeys
    let passcode: EnrolledPasscode?
    /// For a device key with a counter: the key of the counter's record, and the counter's number.
    var counter: (key: Secret, number: UInt64)?
}

// The device key protects the keybag, the count of wrong passcodes and the record of the database;
// class keys don't change, so no item is touched. An escrow record is deleted: moving it would need
// its key, which the enclave doesn't have.
extension Enclave {
    /// Begins to move a keybag to a device key of another maker. All its class keys are open.
    mutating func migrate(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        // Protectors are sealed with the device key. If nothing else opens the keys, they must stay.
        guard let target = letter.target, let exchange, target != deviceKey.maker.target,
            case .record = keybag.anchor, !keybag.keybag.isUnderProtectors
        else { throw .status(.wrongState) }
        let hasOthers: Bool
        do throws(DurableStateFailure) {
            hasOthers = try state.keybagOwners().contains { $0 != keybag.user }
        } catch { throw .status(.stateNotWritten) }
        guard !hasOthers else { throw .status(.wrongState) }
        guard exchange.offers(target) else {
            notify(.deviceKeyFailed(user: keybag.user, .absent))
            throw .status(.deviceKeyUnavailable)
        }
        let isProtected = keybag.keybag.passcode != nil
        guard isProtected || target == .tpm else {
            try finish(try moveToFile(nil, keybag), keybag)
            return .reply(.done)
        }
        return .deferred(try job(target, letter, keybag))
    }

    private mutating func job(
        _ target: DeviceKeyTarget, _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob {
        let counter = rollback.tiesFiles ? HeldIndex.chosen(user: nil) : nil
        let index = HeldIndex.chosen(user: keybag.user)
        // Listed before they are made, so that a crash leaves no unlisted object in the TPM.
        if target == .tpm { try apply(try releasing([counter, index]), user: keybag.user) }
        let random = SecretBytes.random(byteCount: Keybag.PasscodeProtection.saltByteCount)
        let salt = unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }
        passcodes.begin(
            PendingPasscode(
                operation: .migrate, keybag: keybag, stage: .moving(target),
                letter: PasscodeLetter(),
                salt: salt))
        let making = DeviceKeyMaking(
            counterNumber: counter?.number, indexNumber: index.number,
            rootInput: KeybagKeys.rootInput(user: keybag.user),
            bindingInput: RollbackBinding.recordInput,
            context: entropyContext(keybag), attemptLimit: delays.disabledAt)
        let isProtected = keybag.keybag.passcode != nil
        return DerivationJob(
            cost: .calibrated, salt: salt,
            passcode: isProtected ? letter.passcode : Secret(SecretBytes(byteCount: 0)),
            work: target == .tpm ? .make(making) : nil)
    }

    /// Continues when the passcode is derived, and the TPM has made its key.
    mutating func moved(
        _ finished: PendingPasscode, _ outcome: consuming DerivationOutcome,
        _ target: DeviceKeyTarget
    ) throws(Refusal) -> EnclaveAnswer {
        let keybag = finished.keybag
        let move = try move(finished, outcome, target)
        // The device was locked meanwhile: the keys that must be wrapped again are gone.
        guard keybag.state == .noPasscode || keybag.state == .unlocked else {
            giveUp(move)
            throw .status(.locked)
        }
        try finish(move, keybag)
        settle(finished.extent, keybag)
        return .reply(.done)
    }

    private mutating func move(
        _ finished: PendingPasscode, _ outcome: consuming DerivationOutcome,
        _ target: DeviceKeyTarget
    ) throws(Refusal) -> Move {
        let keybag = finished.keybag
        switch (target, consume outcome) {
        case (.file, .derived(let derived, let parameters)):
            return try moveToFile((derived, parameters, finished.salt), keybag)
        case (.tpm, .made(let made)):
            let passcode = made.passcode.map { passcode in
                EnrolledPasscode(
                    protection: Keybag.PasscodeProtection(
                        salt: finished.salt, parameters: passcode.parameters,
                        sealedEntropy: passcode.sealed),
                    key: passcode.material.key)
            }
            return Move(
                new: .tpm(record: made.record), keys: KeybagKeys(root: made.root),
                passcode: passcode, counter: made.counter.map { (made.binding, $0) })
        case (_, .refused(let failure)):
            notify(.deviceKeyFailed(user: keybag.user, failure))
            throw .status(.deviceKeyUnavailable)
        case (_, .failed), (_, .derived), (_, .opened), (_, .enrolled), (.file, .made):
            notify(.derivationFailed(user: keybag.user))
            throw .status(.busy)
        }
    }

    private func moveToFile(
        _ passcode: (derived: Secret, parameters: DerivationParameters, salt: [UInt8])?,
        _ keybag: UserKeybag
    ) throws(Refusal) -> Move {
        let new = NewDeviceKey.file(Secret(.random(byteCount: Cryptography.keyByteCount)))
        guard let key = exchange?.deviceKey(new) else { throw .status(.deviceKeyUnavailable) }
        do throws(DeviceKeyFailure) {
            let keys = try KeybagKeys(deviceKey: key, user: keybag.user)
            guard let passcode else { return Move(new: new, keys: keys, passcode: nil) }
            let made = try key.enrol(
                passcode.derived, context: entropyContext(keybag), attemptLimit: delays.disabledAt,
                .to(.none))
            let enrolled = EnrolledPasscode(
                protection: Keybag.PasscodeProtection(
                    salt: passcode.salt, parameters: passcode.parameters,
                    sealedEntropy: made.sealed),
                key: made.material.key)
            return Move(new: new, keys: keys, passcode: enrolled)
        } catch {
            notify(.deviceKeyFailed(user: keybag.user, error))
            throw .status(.deviceKeyUnavailable)
        }
    }

    // MARK: - The exchange

    private mutating func finish(_ move: Move, _ keybag: UserKeybag) throws(Refusal) {
        let list = keybag.protectors.onlyRecovering
        guard let exchange,
            case .record(let known) = keybag.anchor, known.sequence < .max,
            let next = keybag.moved(under: move.keys, move.passcode, list)
        else {
            giveUp(move)
            throw .status(.stateNotWritten)
        }
        let anchor = AnchorRecord(
            sequence: known.sequence + 1, commit: known.commit,
            keybagGeneration: next.keybag.generation)
        let attempts = AttemptRecord(sequence: 1, failures: 0)
        let bound = move.counter.map {
            BindingRecord(counter: $0.number, sequences: [keybag.user: anchor.sequence])
        }
        let old = try releasing(keybag, keeping: list, and: deviceKey.counter)
        try put(
            move.new,
            old + changes(next.keybag, list, anchor, attempts, move.keys, user: keybag.user)
                + [RollbackBinding.change(bound, move.counter?.key)],
            user: keybag.user, sealed: move.passcode?.protection.sealedEntropy)
        exchange.take(move.new)
        keybag.adopt(next, under: move.keys)
        keybag.protectors = list
        keybag.attempts.reset()
        keybag.attemptSequence = next.keybag.passcode == nil ? 0 : attempts.sequence
        keybag.anchor = .record(anchor)
        keybag.escrow = nil
        rollback.take(bound, move.counter?.key)
        releaseWhatIsDue()
    }

    /// Makes a new device key and the records under it durable, and uses it.
    mutating func put(
        _ new: NewDeviceKey, _ changes: [StateChange], user: UInt32, sealed: [UInt8]?
    ) throws(Refusal) {
        guard let exchange, let key = exchange.deviceKey(new) else {
            throw .status(.deviceKeyUnavailable)
        }
        do throws(DurableStateFailure) { try exchange.put(new, changes) } catch {
            if error == .notDone { exchange.giveUp(new, sealed: sealed) }
            try fail(error, user: user)
        }
        surroundings.deviceKey = key
    }

    private func giveUp(_ move: Move) {
        exchange?.giveUp(move.new, sealed: move.passcode?.protection.sealedEntropy)
    }

    /// The records under the new device key.
    private func changes(
        _ keybag: Keybag, _ list: ProtectorList, _ anchor: AnchorRecord, _ attempts: AttemptRecord,
        _ keys: KeybagKeys, user: UInt32
    ) -> [StateChange] {
        let count: StateChange =
            keybag.passcode == nil
            ? .remove(.attempts(user: user))
            : .replace(
                .attempts(user: user),
                attempts.file(uuid: keybag.uuid, key: keys.attempts.bytes.symmetricKey()))
        return Self.changes(keybag, list, user, keys) + [
            count,
            .replace(
                .anchor(user: user), anchor.file(key: keys.anchor.bytes.symmetricKey())),
            .remove(.escrow(user: user)),
        ]
    }
}
