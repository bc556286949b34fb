// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// A request about a keychain that waits for a derivation from its password.
struct PendingKeychain {
    enum Stage {
        case creating(number: UInt32, uuid: [UInt8], KeychainSettings)
        case unlocking(KeychainEntry)
        /// The old password is being derived.
        case proving(KeychainEntry, newPassword: Secret)
        /// The old one was right; the new one is being derived.
        case rewrapping(KeychainEntry, secretsKey: Secret)
    }

    let keybag: UserKeybag
    let stage: Stage
    let salt: [UInt8]
}

// A wrong password of a keychain isn't counted: it isn't the device's. Each guess costs a derivation,
// and one is made at a time.
extension Enclave {
    mutating func answer(
        _ request: KeychainRequest, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        switch request {
        case .list:
            try checkKeychains(keybag)
            guard keybag.keychains.standing == .known else { throw .status(.stateNotWritten) }
            return .reply(.keychain(.listed(keybag.keychains.listed)))
        case .create(let number, let settings, let letter):
            return .deferred(try create(number, settings, letter, keybag))
        case .unlock(let number, let letter):
            return .deferred(try unlock(number, letter, keybag))
        case .changePassword(let number, let letter):
            return .deferred(try changePassword(number, letter, keybag))
        case .lock(let number):
            try lock(number, keybag)
            return .reply(.keychain(.done))
        case .configure(let number, let settings):
            try configure(number, settings, keybag)
            return .reply(.keychain(.done))
        case .destroy(let number):
            try destroy(number, keybag)
            return .reply(.keychain(.done))
        case .seal(let number, let binding, let secret):
            return .reply(
                .keychain(.sealed(try seal(secret.bytes, binding, keychain: number, keybag))))
        case .makeTableKey(let number, let name):
            return .reply(.keychain(try makeTableKey(number, name, keybag)))
        case .openTableKey(let number, let name, let wrapped):
            return .reply(.keychain(try openTableKey(number, name, wrapped, keybag)))
        }
    }

    /// The answer to what makes no keychain: a question alone makes no keybag.
    func answerOfNewUser(_ request: KeychainRequest) throws(Refusal) -> EnclaveAnswer {
        switch request {
        case .list: .reply(.keychain(.listed([])))
        case .lock(0), .destroy: .reply(.keychain(.done))
        case .create, .unlock, .changePassword, .lock, .configure, .seal, .makeTableKey,
            .openTableKey:
            throw .status(.noSuchKeychain)
        }
    }

    // MARK: - What takes no password

    private mutating func lock(_ number: UInt32, _ keybag: UserKeybag) throws(Refusal) {
        guard number != 0 else { return keybag.keychains.lockAll() }
        _ = try keychain(number, keybag)
        keybag.keychains.lock(number)
    }

    private mutating func configure(
        _ number: UInt32, _ settings: KeychainSettings, _ keybag: UserKeybag
    ) throws(Refusal) {
        var entry = try keychain(number, keybag)
        guard keybag.keychains.isUnlocked(number) else { throw .status(.keychainLocked) }
        entry.settings = settings
        try put(keybag.keychains.list.putting(entry), keybag)
        noteIdleLock(keybag)
    }

    /// A list that can't be read, or isn't the last one, may still have the keys: then the request
    /// fails.
    private mutating func destroy(_ number: UInt32, _ keybag: UserKeybag) throws(Refusal) {
        try checkKeychains(keybag)
        guard keybag.keychains.standing == .known else { throw .status(.stateNotWritten) }
        guard keybag.keychains.list[number] != nil else { return }
        try put(keybag.keychains.list.removing(number), keybag)
    }

    // MARK: - Passwords

    private mutating func open(
        _ letter: [UInt8], _ operation: PasscodeOperation, _ keybag: UserKeybag
    ) throws(Refusal) -> PasscodeLetter {
        let split = EnclaveRequest.encapsulatedKeyByteCount
        guard letter.count > split else { throw .status(.malformed) }
        return try passcodes.open(
            operation, encapsulatedKey: Array(letter[..<split]),
            ciphertext: Array(letter[split...]), user: keybag.user, now: clock())
    }

    private mutating func begin(
        _ stage: PendingKeychain.Stage, _ password: Secret, _ cost: DerivationJob.Cost,
        salt: [UInt8], _ keybag: UserKeybag
    ) -> DerivationJob {
        keybag.keychains.beginUnlocking()
        passcodes.begin(PendingKeychain(keybag: keybag, stage: stage, salt: salt))
        return DerivationJob(cost: cost, salt: salt, passcode: password.forDerivation())
    }

    private mutating func create(
        _ number: UInt32, _ settings: KeychainSettings, _ letter: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob {
        let letter = try open(letter, .createKeychain, keybag)
        try admit(number, letter.digest, keybag)
        return begin(
            .creating(number: number, uuid: letter.digest, settings), letter.passcode,
            .calibrated, salt: KeychainEntry.newSalt(), keybag)
    }

    /// Whether there is room, and neither number nor UUID is taken.
    private func admit(
        _ number: UInt32, _ uuid: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) {
        try checkKeychains(keybag)
        guard keybag.keychains.standing == .known else { throw .status(.stateNotWritten) }
        let keychains = keybag.keychains
        guard !keychains.list.entries.contains(where: { $0.number == number || $0.uuid == uuid })
        else { throw .status(.keychainExists) }
        guard keychains.list.hasRoom,
            keychains.unlockedCount < KeychainLimits.unlockedCount
        else { throw .status(.tooManyKeychains) }
    }

    private mutating func unlock(
        _ number: UInt32, _ letter: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob {
        let letter = try open(letter, .unlockKeychain, keybag)
        let entry = try entry(number, letter, keybag)
        guard keybag.keychains.canUnlock(number) else { throw .status(.tooManyKeychains) }
        return begin(
            .unlocking(entry), letter.passcode, .given(entry.parameters), salt: entry.salt,
            keybag)
    }

    private mutating func changePassword(
        _ number: UInt32, _ letter: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> DerivationJob {
        let letter = try open(letter, .changeKeychainPassword, keybag)
        let entry = try entry(number, letter, keybag)
        guard let newPassword = letter.newPasscode else { throw .status(.malformed) }
        return begin(
            .proving(entry, newPassword: newPassword), letter.passcode,
            .given(entry.parameters), salt: entry.salt, keybag)
    }

    /// The password was meant for the keychain with this UUID.
    private func entry(
        _ number: UInt32, _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) -> KeychainEntry {
        let entry = try keychain(number, keybag)
        guard entry.uuid == letter.digest else { throw .status(.noSuchKeychain) }
        return entry
    }

    /// Continues when a password is derived.
    mutating func keychainDerived(
        _ finished: PendingKeychain, _ outcome: consuming DerivationOutcome
    ) throws(Refusal) -> EnclaveAnswer {
        let keybag = finished.keybag
        guard case .derived(let derived, let parameters) = outcome else {
            notify(.derivationFailed(user: keybag.user))
            throw .status(.busy)
        }
        // Everything of the user was erased meanwhile.
        guard keybags[keybag.user] === keybag else { throw .status(.noSuchKeychain) }
        let classKey = try classKey(.dku, keybag)
        let password = KeychainEntry.PasswordKey(
            key: KeychainEntry.key(derived: derived, classKey: classKey), salt: finished.salt,
            parameters: parameters)
        switch finished.stage {
        case .creating(let number, let uuid, let settings):
            try create((number, uuid), settings, password, classKey, keybag)
        case .unlocking(let entry):
            let key = try secretsKey(of: entry, password, keybag)
            guard keybag.keychains.canUnlock(entry.number) else {
                throw .status(.tooManyKeychains)
            }
            let settings = try current(entry, keybag).settings
            guard keybag.keychains.mayUnlock(entry.number, settings) else {
                throw .status(.keychainLocked)
            }
            keybag.keychains.unlock(entry.number, key, now: clock())
            noteIdleLock(keybag)
        case .proving(let entry, let newPassword):
            let key = try secretsKey(of: entry, password, keybag)
            return .deferred(
                begin(
                    .rewrapping(entry, secretsKey: key), newPassword, .calibrated,
                    salt: KeychainEntry.newSalt(), keybag))
        case .rewrapping(let entry, let secretsKey):
            // Its settings may be others by now.
            let current = try current(entry, keybag)
            guard let next = current.protected(by: password, secretsKey, keybag.keychainOwner)
            else { throw .status(.stateNotWritten) }
            try put(keybag.keychains.list.putting(next), keybag)
        }
        return .reply(.keychain(.done))
    }

    private mutating func create(
        _ name: (number: UInt32, uuid: [UInt8]), _ settings: KeychainSettings,
        _ password: KeychainEntry.PasswordKey, _ classKey: Secret, _ keybag: UserKeybag
    ) throws(Refusal) {
        try admit(name.number, name.uuid, keybag)
        guard
            let made = KeychainEntry.make(
                name, settings, password, classKey: classKey, keybag.keychainOwner)
        else { throw .status(.stateNotWritten) }
        try put(keybag.keychains.list.putting(made.entry), keybag)
        guard keybag.keychains.mayUnlock(name.number, settings) else { return }
        keybag.keychains.unlock(name.number, made.secretsKey, now: clock())
        noteIdleLock(keybag)
    }

    private func secretsKey(
        of entry: KeychainEntry, _ password: KeychainEntry.PasswordKey, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        let current = try current(entry, keybag)
        guard let key = current.secretsKey(using: password.key, keybag.keychainOwner) else {
            throw .status(.wrongPasscode)
        }
        return key
    }

    /// A keychain as it is now, unless it was deleted, or made anew, while a password was derived.
    private func current(
        _ entry: KeychainEntry, _ keybag: UserKeybag
    ) throws(Refusal) -> KeychainEntry {
        let current = try keychain(entry.number, keybag)
        guard current.uuid == entry.uuid else { throw .status(.noSuchKeychain) }
        return current
    }
}

extension Secret {
    /// The password with a byte behind it, so that an empty one can be derived from.
    fileprivate func forDerivation() -> Secret {
        let count = bytes.byteCount
        return Secret(
            unsafe SecretBytes(byteCount: count + 1) { room in
                unsafe bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
                unsafe room[count] = 1
            })
    }
}

extension KeychainRequest {
    /// Whether a keychain is there afterwards that wasn't before.
    var makesOne: Bool {
        if case .create = self { return true }
        return false
    }
}

extension UserKeychains {
    /// Whether one more may be unlocked, or this one is already.
    fileprivate func canUnlock(_ number: UInt32) -> Bool {
        isUnlocked(number) || unlockedCount < KeychainLimits.unlockedCount
    }
}
