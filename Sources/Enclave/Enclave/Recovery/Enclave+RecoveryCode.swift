// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// A keybag that waits for the TPM to make its new device key.
struct PendingRecovery {
    let user: UInt32
    let bag: ProtectedKeys
}

// A code of 130 random bits can't be guessed, so attempts are neither counted nor delayed, and
// wrong codes don't change the count of wrong passcodes.
extension Enclave {
    /// Makes a recovery code, which replaces an earlier one. All class keys are open.
    mutating func makeRecoveryCode(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard let code = letter.recoveryCode,
            let choice = ProtectorChoice(
                kind: .recoveryCode, name: ProtectorChoice.recoveryCodeName)
        else { throw .status(.malformed) }
        guard keybag.hasProtectorsKeys, let keys = keybag.wholeKeys else { throw .status(.locked) }
        guard keybag.hasRecoveryCode || keybag.protectors.hasRoom else {
            throw .status(.tooManyProtectors)
        }
        let salt = Protector.randomSalt()
        guard
            let protector = Protector(
                choice, created: date(), salt: salt, keys, of: keybag.keybag,
                user: keybag.user, using: KeybagKeys.protectorKey(code: code, salt: salt))
        else { throw .status(.stateNotWritten) }
        try add(protector, keybag)
    }

    private func listRecords(_ user: UInt32) -> [StateRecord] {
        [.protectors(user: user), .protectorsCopy(user: user)]
    }

    /// What the code opens in a list. One readable copy is enough. If no copy is readable, an
    /// unreadable one doesn't count as missing.
    private func recoverable(
        _ code: Secret, _ user: UInt32
    ) throws(Refusal) -> [(protector: Protector, keys: ProtectedKeys)] {
        let files = listRecords(user).compactMap { (try? state.load($0)) ?? nil }
        if files.isEmpty {
            for record in listRecords(user) { _ = try load(record) }
            throw .status(.wrongState)
        }
        var opened: [(Protector, ProtectedKeys)] = []
        for list in files.compactMap({ ProtectorList($0) }) {
            for protector in list.protectors where protector.choice.kind == .recoveryCode {
                let key = KeybagKeys.protectorKey(code: code, salt: protector.salt)
                if let keys = protector.open(using: key, uuid: list.uuid, user: user) {
                    opened.append((protector, keys))
                }
            }
        }
        return opened
    }

    static func removals(_ user: UInt32) -> [StateChange] {
        [
            .remove(.protectors(user: user)), .remove(.protectorsCopy(user: user)),
            .remove(.escrow(user: user)),
        ]
    }

    // MARK: - Recovering

    /// Opens a user's keybag with the recovery code. This deletes the passcode and the code.
    mutating func recover(
        _ user: UInt32, encapsulatedKey: [UInt8], ciphertext: [UInt8]
    ) throws(Refusal) -> EnclaveAnswer {
        let letter = try passcodes.open(
            .recover, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext, user: user,
            now: clock())
        guard let code = letter.recoveryCode else { throw .status(.malformed) }
        let opened = try recoverable(code, user)
        let present: UserKeybag?
        do throws(Refusal) { present = try keybag(user) } catch {
            guard case .status(let code) = error,
                [.deviceKeyUnavailable, .stateNotWritten].contains(code)
            else { throw error }
            present = nil
        }
        guard let present else {
            let last = opened.max { $0.keys.generation < $1.keys.generation }
            guard let last else { throw .status(.wrongPasscode) }
            return try begin(last.keys, letter.target, user)
        }
        // It may be readable again.
        if present.protectors.isEmpty { loadProtectors(of: present) }
        // A list that isn't the keybag's was put back: its code was replaced, or removed.
        let valid = opened.first { found in
            present.protectors.protectors.contains { $0.salt == found.protector.salt }
        }
        guard let valid else { throw .status(.wrongPasscode) }
        try recover(present, valid.keys, letter.target)
        return .reply(.done)
    }

    /// The device key works: it stays.
    private mutating func recover(
        _ keybag: UserKeybag, _ bag: ProtectedKeys, _ target: DeviceKeyTarget?
    ) throws(Refusal) {
        guard bag.uuid == keybag.keybag.uuid, bag.erasures == keybag.keybag.erasures,
            keybag.keybag.isProtected,
            target ?? deviceKey.maker.target == deviceKey.maker.target
        else { throw .status(.wrongState) }
        let none = ProtectorList(of: keybag.keybag)
        guard let next = keybag.reset(bag.classKeys, none) else {
            throw .status(.stateNotWritten)
        }
        try store(next.keybag, none, keybag)
        keybag.attempts.reset()
        try adopt(next, keybag)
    }

    /// The device key or the keybag is missing.
    private mutating func begin(
        _ bag: ProtectedKeys, _ target: DeviceKeyTarget?, _ user: UInt32
    ) throws(Refusal) -> EnclaveAnswer {
        if let keys = try? KeybagKeys(deviceKey: deviceKey, user: user) {
            try install(bag, user, keys, nil, counter: nil)
            return .reply(.done)
        }
        guard let exchange else { throw .status(.deviceKeyUnavailable) }
        let hasOthers: Bool
        do throws(DurableStateFailure) {
            hasOthers = try state.keybagOwners().contains { $0 != user }
        } catch { throw .status(.stateNotWritten) }
        guard !hasOthers else { throw .status(.wrongState) }
        let target = target ?? (exchange.offers(.tpm) ? .tpm : .file)
        guard exchange.offers(target) else {
            notify(.deviceKeyFailed(user: user, .absent))
            throw .status(.deviceKeyUnavailable)
        }
        guard target == .tpm else {
            let new = NewDeviceKey.file(Secret(.random(byteCount: Cryptography.keyByteCount)))
            guard let key = exchange.deviceKey(new),
                let keys = try? KeybagKeys(deviceKey: key, user: user)
            else { throw .status(.deviceKeyUnavailable) }
            try install(bag, user, keys, new, counter: nil)
            return .reply(.done)
        }
        let counter = rollback.tiesFiles ? HeldIndex.chosen(user: nil) : nil
        let index = HeldIndex.chosen(user: user)
        try apply(try releasing([counter]), user: user)
        passcodes.begin(
            PendingRecovery(user: user, bag: bag))
        let making = DeviceKeyMaking(
            counterNumber: counter?.number, indexNumber: index.number,
            rootInput: KeybagKeys.rootInput(user: user), bindingInput: RollbackBinding.recordInput,
            context: [], attemptLimit: 0)
        return .deferred(
            DerivationJob(
                cost: .calibrated,
                salt: [UInt8](repeating: 0, count: Keybag.PasscodeProtection.saltByteCount),
                passcode: Secret(SecretBytes(byteCount: 0)), work: .make(making)))
    }

    /// Continues when the TPM has made its key.
    mutating func recovered(
        _ finished: PendingRecovery, _ outcome: consuming DerivationOutcome
    ) throws(Refusal) -> EnclaveAnswer {
        switch consume outcome {
        case .made(let made):
            try install(
                finished.bag, finished.user, KeybagKeys(root: made.root),
                .tpm(record: made.record), counter: made.counter.map { (made.binding, $0) })
            return .reply(.done)
        case .refused(let failure):
            notify(.deviceKeyFailed(user: finished.user, failure))
            throw .status(.deviceKeyUnavailable)
        case .failed, .derived, .opened, .enrolled:
            throw .status(.busy)
        }
    }

    /// Stores the keybag again, without a passcode.
    /// - Parameters:
    ///   - bag: The content that the code opened.
    ///   - user: The owner.
    ///   - keys: Derived from the device key that protects the new keybag.
    ///   - new: That device key; nil: the current one.
    ///   - counter: For a new device key with a counter.
    /// - Throws: when it can't be stored; nothing has changed then.
    private mutating func install(
        _ bag: ProtectedKeys, _ user: UInt32, _ keys: KeybagKeys, _ new: NewDeviceKey?,
        counter: (key: Secret, number: UInt64)?
    ) throws(Refusal) {
        // With another device key the old record can't be read: the database is accepted as it is.
        let known =
            new == nil
            ? ((try? state.load(.anchor(user: user))) ?? nil).flatMap {
                AnchorRecord($0, key: keys.anchor.bytes.symmetricKey())
            } : nil
        let sequence = max(known?.sequence ?? 0, new == nil ? rollback.leastSequence(user) ?? 0 : 0)
        let generation = max(bag.generation, known?.keybagGeneration ?? 0)
        guard sequence < .max, generation < .max,
            let wrapped = Keybag.wrap(
                bag.classKeys, using: keys.wrappingKey(uuid: bag.uuid))
        else { throw .status(.stateNotWritten) }
        var keybag = Keybag(
            uuid: bag.uuid, generation: generation + 1, passcode: nil, wrappedKeys: wrapped,
            erasures: bag.erasures)
        let keychains = recoverableKeychains(keybag, user: user)
        keybag.keychainsDigest = keychains?.digest
        let anchor = AnchorRecord(
            sequence: sequence + 1, commit: known?.commit ?? 0,
            keybagGeneration: keybag.generation)
        let changes =
            keybag.changes(user: user, keys) + Self.removals(user) + [
                .remove(.attempts(user: user)),
                .replace(
                    .anchor(user: user), anchor.file(key: keys.anchor.bytes.symmetricKey())),
            ]
        guard
            let opened = try? UserKeybag(
                user: user, keys: keys, keybag: keybag,
                attempts: AttemptCounter(failures: 0, now: clock()))
        else { throw .status(.stateNotWritten) }
        opened.anchor = .record(anchor)
        if let keychains { opened.keychains.take(keychains) }
        if let new {
            let bound = counter.map {
                BindingRecord(counter: $0.number, sequences: [user: anchor.sequence])
            }
            try put(
                new, changes + [RollbackBinding.change(bound, counter?.key)], user: user,
                sealed: nil)
            exchange?.take(new)
            rollback.take(bound, counter?.key)
        } else {
            try apply(changes, user: user)
        }
        keybags[user] = opened
        if new == nil { try rollback.bind(opened, among: keybags) }
        releaseWhatIsDue()
    }
}
