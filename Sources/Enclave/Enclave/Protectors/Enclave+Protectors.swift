// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import KeychainVocabulary
package import SecretBytes

/// What a protector is opened for.
enum ProtectorUse {
    case unlocking
    /// Only to find out whether it would unlock.
    case testing
}

// A protector's key has 256 random bits and can't be guessed: attempts are neither counted nor
// delayed. They don't change the count of wrong passcodes, and a right one doesn't reset it.
extension Enclave {
    // MARK: - The list

    /// Reads the list that belongs to a keybag.
    func loadProtectors(of keybag: UserKeybag) {
        guard let digest = keybag.keybag.protectorsDigest else { return }
        let user = keybag.user
        let records = [StateRecord.protectors(user: user), .protectorsCopy(user: user)]
        var isUnread = false
        let lists = records.map { (record) -> ProtectorList? in
            do throws(DurableStateFailure) {
                return try state.load(record).flatMap { ProtectorList($0) }
            } catch {
                isUnread = true
                return nil
            }
        }
        // After a crash, one copy is the list of the last keybag and the other that of this one.
        guard let list = lists.compactMap({ $0 }).first(where: { $0.digest == digest }) else {
            keybag.hasUnreadList = isUnread
            return notify(.protectorsRefused(user: user))
        }
        keybag.protectors = list
        keybag.hasUnreadList = false
        // A copy that can't be read now may be as good as the other.
        guard !isUnread else { return }
        let stale = zip(records, lists).filter { $0.1?.digest != digest }
        // Without the second copy the first one is as good as before: continue.
        if !stale.isEmpty { try? state.apply(stale.map { .replace($0.0, list.file) }) }
    }

    /// Reads a list that couldn't be read before.
    /// - Throws: `stateNotWritten` when it still can't be: a change would write a list without the
    ///   protectors in it.
    func readListAgain(_ keybag: UserKeybag) throws(Refusal) {
        guard keybag.hasUnreadList else { return }
        loadProtectors(of: keybag)
        guard !keybag.hasUnreadList else { throw .status(.stateNotWritten) }
    }

    /// The changes that replace a keybag and its list. The first copy is the new list before there
    /// is a new keybag, and the second one the old list for as long as there may be an old one.
    static func changes(
        _ next: Keybag, _ list: ProtectorList, _ user: UInt32, _ keys: KeybagKeys
    ) -> [StateChange] {
        let keybag = next.changes(user: user, keys)
        guard !list.isEmpty else {
            return keybag + [
                .remove(.protectors(user: user)), .remove(.protectorsCopy(user: user)),
            ]
        }
        return [.replace(.protectors(user: user), list.file)] + keybag + [
            .replace(.protectorsCopy(user: user), list.file)
        ]
    }

    private mutating func put(
        _ list: ProtectorList, _ next: NextKeybag?, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard let next else { throw .status(.stateNotWritten) }
        let gone = keybag.protectors.protectors.filter { list[$0.choice.name]?.salt != $0.salt }
        try apply(
            try releasing(gone.map { index(of: $0, keybag) })
                + Self.changes(next.keybag, list, keybag.user, keybag.keys),
            user: keybag.user)
        keybag.adopt(next)
        keybag.protectors = list
        releaseWhatIsDue()
        try anchorKeybag(keybag)
    }

    // MARK: - Changing it

    /// Adds or removes one: the passcode was the right one, or root asks and there is none.
    mutating func changeProtectors(
        _ operation: PasscodeOperation, _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        if operation == .removeProtector {
            try removeProtector(letter, keybag)
            return .reply(.done)
        }
        guard let choice = letter.protector, let key = letter.protectorKey,
            choice.kind != .recoveryCode,
            (choice.kind == .tpm) == (key.bytes.byteCount == 0)
        else { throw .status(.malformed) }
        guard keybag.hasProtectorsKeys else { throw .status(.locked) }
        guard keybag.protectors[choice.name] == nil else { throw .status(.nameTaken) }
        guard keybag.protectors.hasRoom else { throw .status(.tooManyProtectors) }
        guard choice.kind != .tpm else { return .deferred(try enrol(choice, keybag)) }
        let salt = Protector.randomSalt()
        let wrappingKey = KeybagKeys.protectorKey(
            key: key, tangled: try tangled(key, keybag), salt: salt)
        try add(choice, salt: salt, using: wrappingKey, keybag)
        return .reply(.done)
    }

    private mutating func add(
        _ choice: ProtectorChoice, salt: [UInt8], sealedEntropy: [UInt8] = [],
        using key: SymmetricKey, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard
            let protector = Protector(
                choice, created: date(), salt: salt, sealedEntropy: sealedEntropy,
                keybag.wholeKeys ?? [:], of: keybag.keybag, user: keybag.user, using: key)
        else { throw .status(.stateNotWritten) }
        try add(protector, keybag)
    }

    /// Without a passcode, the first one that unlocks takes the class keys from the device key.
    mutating func add(_ protector: Protector, _ keybag: UserKeybag) throws(Refusal) {
        let list = keybag.protectors.adding(protector)
        let isFirst = !keybag.keybag.isProtected && protector.choice.kind != .recoveryCode
        try put(list, isFirst ? keybag.put(under: list) : keybag.listing(list), keybag)
    }

    private mutating func removeProtector(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard let name = letter.protectorName else { throw .status(.malformed) }
        guard keybag.protectors[name] != nil else { throw .status(.noSuchProtector) }
        let list = keybag.protectors.removing(name)
        guard !keybag.keybag.isUnderProtectors || !list.unlocking.isEmpty else {
            throw .status(.lastProtector)
        }
        try put(list, keybag.listing(list), keybag)
    }

    /// Removes the passcode, and with it all that is there to unlock.
    mutating func removeProtection(_ keybag: UserKeybag) throws(Refusal) {
        guard keybag.state == .unlocked else { throw .status(.locked) }
        let list = keybag.protectors.onlyRecovering
        guard let next = keybag.unprotected(list) else { throw .status(.stateNotWritten) }
        try store(next.keybag, list, keybag)
        try adopt(next, keybag)
    }

    private func tangled(_ key: Secret, _ keybag: UserKeybag) throws(Refusal) -> Secret {
        do { return try deviceKey.tangle(.protector, key.bytes) } catch {
            notify(.deviceKeyFailed(user: keybag.user, error))
            throw .status(.deviceKeyUnavailable)
        }
    }

    // MARK: - Unlocking

    /// Unlocks with a key, or with the TPM alone.
    mutating func unlock(
        _ letter: PasscodeLetter, _ use: ProtectorUse, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        guard let key = letter.protectorKey else { throw .status(.malformed) }
        let named = letter.protectorName.map { keybag.protectors[$0] }
        if case .some(nil) = named { throw .status(.noSuchProtector) }
        guard key.bytes.byteCount > 0 else {
            guard let protector = named ?? nil, protector.choice.kind == .tpm else {
                throw .status(.malformed)
            }
            return .deferred(release(protector, use, keybag))
        }
        guard let found = try opened(by: key, named ?? nil, keybag) else {
            throw .status(.wrongPasscode)
        }
        if use == .unlocking { try take(found.keys, of: found.protector, keybag) }
        return .reply(.done)
    }

    private func opened(
        by key: Secret, _ named: Protector?, _ keybag: UserKeybag
    ) throws(Refusal) -> (protector: Protector, keys: ProtectedKeys)? {
        guard keybag.keybag.isProtected, !keybag.protectors.unlocking.isEmpty else {
            throw .status(.wrongState)
        }
        let tangled = try tangled(key, keybag)
        for protector in keybag.protectors.protectors {
            guard [.keyFile, .credential].contains(protector.choice.kind),
                named.map({ $0.salt == protector.salt }) ?? true
            else { continue }
            let wrappingKey = KeybagKeys.protectorKey(
                key: key, tangled: tangled, salt: protector.salt)
            let keys = protector.open(
                using: wrappingKey, uuid: keybag.keybag.uuid, user: keybag.user)
            if let keys { return (protector, keys) }
        }
        return nil
    }

    /// - Throws: only `ended`.
    private mutating func take(
        _ keys: ProtectedKeys, of protector: Protector, _ keybag: UserKeybag,
        extent: UnlockExtent = .everything
    ) throws(Refusal) {
        let isWhole = extent == .everything && !protector.choice.locksAfterwards
        keybag.open(keys.classKeys, extent: isWhole ? .everything : min(extent, .classC))
        if isWhole { keybag.schedule.cancel() }
        keybag.schedule.lockedSince = keybag.state == .locked ? clock() : nil
        noteDeadline(keybag)
        notify(.unlocked(user: keybag.user, protector: protector.choice.name))
        keybag.protectors = keybag.protectors.using(protector, at: date())
        let file = keybag.protectors.file
        do throws(DurableStateFailure) {
            try state.apply([
                .replace(.protectors(user: keybag.user), file),
                .replace(.protectorsCopy(user: keybag.user), file),
            ])
        } catch {
            // The time of the last use is only for people.
            if error == .outcomeUnknown { try fail(error, user: keybag.user) }
        }
    }

    // MARK: - The TPM

    private mutating func enrol(
        _ choice: ProtectorChoice, _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob {
        // A firmware update changes registers: there must be another way in.
        let hasOther =
            keybag.keybag.passcode != nil || !keybag.protectors.isEmpty
        guard deviceKey.maker.target == .tpm, choice.registers == .none || hasOther else {
            throw .status(.wrongState)
        }
        let index = HeldIndex.chosen(user: keybag.user)
        try apply(try releasing([index]), user: keybag.user)
        let salt = Protector.randomSalt()
        passcodes.begin(
            PendingPasscode(
                operation: .addProtector, keybag: keybag, stage: .protecting(choice),
                letter: PasscodeLetter(), salt: salt))
        return DerivationJob(
            cost: .none, salt: salt, passcode: Secret(SecretBytes(copying: salt)),
            work: .enrol(
                context: entropyContext(keybag), attemptLimit: delays.disabledAt,
                indexNumber: index.number, .to(choice.registers)))
    }

    /// Continues when the TPM has sealed a value.
    mutating func protected(
        _ finished: PendingPasscode, _ outcome: consuming DerivationOutcome,
        _ choice: ProtectorChoice
    ) throws(Refusal) -> EnclaveAnswer {
        let keybag = finished.keybag
        let (material, sealed, _) = try enrolment(outcome, .to(choice.registers), keybag)
        do throws(Refusal) {
            // A lock has dropped the keys meanwhile: the caller must ask again.
            guard keybag.hasProtectorsKeys else { throw .status(.locked) }
            try add(
                choice, salt: finished.salt, sealedEntropy: sealed,
                using: KeybagKeys.protectorKey(material), keybag)
        } catch {
            if !hasEnded { giveBack(sealed, keybag) }
            throw error
        }
        settle(finished.extent, keybag)
        return .reply(.done)
    }

    private mutating func release(
        _ protector: Protector, _ use: ProtectorUse, _ keybag: UserKeybag
    ) -> DerivationJob {
        passcodes.begin(
            PendingPasscode(
                operation: .unlockByProtector, keybag: keybag, stage: .releasing(protector, use),
                letter: PasscodeLetter(), salt: protector.salt))
        return DerivationJob(
            cost: .none, salt: protector.salt,
            passcode: Secret(SecretBytes(copying: protector.salt)),
            work: .open(sealed: protector.sealedEntropy, context: entropyContext(keybag)))
    }

    /// Continues when the TPM has opened a value, or hasn't.
    mutating func released(
        _ finished: PendingPasscode, _ outcome: consuming DerivationOutcome,
        _ protector: Protector, _ use: ProtectorUse
    ) throws(Refusal) -> EnclaveAnswer {
        let keybag = finished.keybag
        let material: PasscodeMaterial
        do throws(DeviceKeyFailure) {
            switch consume outcome {
            case .opened(let opened): material = opened
            case .derived(let derived, _):
                material = try deviceKey.open(
                    derived, sealed: protector.sealedEntropy, context: entropyContext(keybag))
            case .refused(let failure): throw failure
            case .enrolled, .made, .failed: throw .failed
            }
        } catch {
            notify(.deviceKeyFailed(user: keybag.user, error))
            throw .status(.deviceKeyUnavailable)
        }
        guard
            let keys = protector.open(
                using: KeybagKeys.protectorKey(material), uuid: keybag.keybag.uuid,
                user: keybag.user)
        else { throw .status(.wrongPasscode) }
        if use == .unlocking {
            try take(keys, of: protector, keybag, extent: finished.extent)
        }
        return .reply(.done)
    }
}

// MARK: - At the start

extension Enclave {
    /// Unlocks a user's keybag with a key that was given to the process at its start.
    package mutating func unlockAtStart(_ user: UInt32, key: Secret) {
        guard !hasEnded else { return }
        do throws(Refusal) {
            let keybag = try keybag(user)
            guard let found = try opened(by: key, nil, keybag) else {
                return notify(.protectorUnknown(user: user))
            }
            try take(found.keys, of: found.protector, keybag)
        } catch { notifyFailure(error, user) }
    }

    /// The users whose keybags a TPM may open without a person.
    package mutating func usersWithProtectors() -> [UInt32] {
        guard !hasEnded, let users = try? state.keybagOwners() else { return [] }
        return users.sorted().filter { user in
            (try? load(.protectors(user: user))) ?? nil != nil
        }
    }

    /// Begins to unlock a user's keybag with its first protector that the TPM opens.
    /// - Returns: Nil when there is none, or it is unlocked already.
    package mutating func beginUnlockAtStart(_ user: UInt32) -> DerivationJob? {
        guard !hasEnded, !isDeriving, let keybag = try? keybag(user),
            keybag.state == .beforeFirstUnlock,
            let protector = keybag.protectors.protectors.first(where: { $0.choice.kind == .tpm })
        else { return nil }
        return release(protector, .unlocking, keybag)
    }

    private func notifyFailure(_ refusal: Refusal, _ user: UInt32) {
        notify(.protectorFailed(user: user, refusal.statusCode))
    }
}
