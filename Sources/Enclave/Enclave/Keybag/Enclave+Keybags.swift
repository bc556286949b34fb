// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

// MARK: - Loading

extension Enclave {
    /// The user's keybag; read, or made and stored, at the user's first request.
    mutating func keybag(_ user: UInt32) throws(Refusal) -> UserKeybag {
        useCount += 1
        if let keybag = keybags[user] {
            keybag.lastUse = useCount
            return keybag
        }
        guard keybags.count < Self.userLimit || evict() else { throw .status(.busy) }
        let keybag = try loadKeybag(user)
        keybag.lastUse = useCount
        keybags[user] = keybag
        return keybag
    }

    /// Whether a user has no keybag and never had one. Reads, and makes nothing.
    mutating func isNew(_ user: UInt32) throws(Refusal) -> Bool {
        do { _ = try KeybagKeys(deviceKey: deviceKey, user: user) } catch {
            notify(.deviceKeyFailed(user: user, error))
            throw .status(.deviceKeyUnavailable)
        }
        try rollback.read(user)
        guard !rollback.isCounted(user) else { return false }
        for record in [
            StateRecord.keybag(user: user), .keybagCopy(user: user), .attempts(user: user),
            .protectors(user: user), .protectorsCopy(user: user), .keychains(user: user),
            .keychainsCopy(user: user), .backup(user: user), .backupCopy(user: user),
        ] {
            guard try load(record) == nil else { return false }
        }
        return true
    }

    // MARK: - Evicting

    /// Drops from memory the keybag that was used longest ago, of those that can be read again as
    /// they are.
    /// - Returns: Whether there was one.
    private mutating func evict() -> Bool {
        var first: (keybag: UserKeybag, order: (Int, UInt64))?
        for keybag in keybags.values {
            guard let cost = evictionCost(keybag) else { continue }
            let order = (cost, keybag.lastUse)
            if first.map({ order < $0.order }) ?? true { first = (keybag, order) }
        }
        guard let first else { return false }
        keybags[first.keybag.user] = nil
        return true
    }

    /// 0 for a keybag of which everything is on the disk. 1 where only assertions are not, which
    /// delay no lock while there is no passcode. Nil for one that must stay.
    private func evictionCost(_ keybag: UserKeybag) -> Int? {
        guard keybag.isAsStored, !keybag.forgetsCommits, !passcodes.isDeriving(keybag),
            !rollback.isWaiting(keybag.user)
        else { return nil }
        if keybag.schedule.isIdle { return 0 }
        return keybag.state == .noPasscode ? 1 : nil
    }

    private mutating func loadKeybag(_ user: UInt32) throws(Refusal) -> UserKeybag {
        let keys: KeybagKeys
        do {
            keys = try KeybagKeys(deviceKey: deviceKey, user: user)
        } catch {
            notify(.deviceKeyFailed(user: user, error))
            throw .status(.deviceKeyUnavailable)
        }
        try rollback.read(user)
        let copies = StoredKeybags(state, user: user, keys)
        switch copies.choice {
        case .keybag(let keybag):
            return try open(keybag, user, keys, try loadAttempts(user, keys, keybag), copies)
        case .refused(let error):
            notify(.keybagRefused(user: user, error))
            throw .status(.stateNotWritten)
        case .unreadable:
            throw .status(.stateNotWritten)
        case .none:
            // With protectors, a recovery code, or keychains, there was one: its keys may be nowhere else.
            guard try load(.attempts(user: user)) == nil, !rollback.isCounted(user),
                try load(.protectors(user: user)) == nil,
                try load(.protectorsCopy(user: user)) == nil,
                try load(.keychains(user: user)) == nil,
                try load(.keychainsCopy(user: user)) == nil,
                try load(.backup(user: user)) == nil, try load(.backupCopy(user: user)) == nil
            else {
                notify(.keybagMissing(user: user))
                throw .status(.stateNotWritten)
            }
            return try makeKeybag(user, keys)
        }
    }

    private func open(
        _ keybag: Keybag, _ user: UInt32, _ keys: KeybagKeys, _ attempts: AttemptRecord,
        _ copies: StoredKeybags
    ) throws(Refusal) -> UserKeybag {
        let opened: UserKeybag
        do {
            opened = try UserKeybag(
                user: user, keys: keys, keybag: keybag,
                attempts: AttemptCounter(
                    failures: attempts.failures, hasUnidentified: attempts.hasUnidentified,
                    now: clock()))
        } catch {
            notify(.keybagRefused(user: user, error))
            throw .status(.stateNotWritten)
        }
        opened.attemptSequence = attempts.sequence
        opened.escrow = loadEscrow(keybag, user, keys)
        loadProtectors(of: opened)
        opened.anchor = try loadAnchor(user, keys, keybag)
        loadKeychains(of: opened)
        loadBackup(of: opened)
        let repairs = copies.repairs
        if !repairs.isEmpty {
            // Without the second copy the first one is as good as before: continue.
            try? state.apply(repairs)
            notify(.keybagMended(user: user))
        }
        return opened
    }

    private mutating func makeKeybag(
        _ user: UInt32, _ keys: KeybagKeys
    ) throws(Refusal) -> UserKeybag {
        guard let keybag = UserKeybag.make(user: user, keys: keys, now: clock()) else {
            throw .status(.stateNotWritten)
        }
        try store(keybag.keybag, keybag)
        // If the age of the files can't be determined, the next ones read may be older than this
        // keybag.
        if rollback.leastSequence(user) == nil { keybag.anchor = .refused(sequence: 0) }
        return keybag
    }

    /// A record that is missing or isn't this keybag's leaves one attempt, after the longest delay:
    /// deleting the file must not allow more guesses than leaving it.
    private func loadAttempts(
        _ user: UInt32, _ keys: KeybagKeys, _ keybag: Keybag
    ) throws(Refusal) -> AttemptRecord {
        guard keybag.passcode != nil else { return AttemptRecord(sequence: 0, failures: 0) }
        let key = keys.attempts.bytes.symmetricKey()
        if let file = try load(.attempts(user: user)),
            let record = AttemptRecord(file, uuid: keybag.uuid, key: key)
        {
            return record
        }
        notify(.attemptsRefused(user: user))
        return AttemptRecord(sequence: 0, failures: max(delays.disabledAt, 1) - 1)
    }
}

// MARK: - Storing

extension Enclave {
    /// Makes both copies of a keybag durable. It first deletes an escrow record of the old one, so
    /// that a crash never leaves that record without its keybag.
    mutating func store(_ next: Keybag, _ keybag: UserKeybag) throws(Refusal) {
        try store(next, keybag.protectors, keybag)
    }

    /// The same with another list of protectors.
    mutating func store(
        _ next: Keybag, _ list: ProtectorList, _ keybag: UserKeybag
    ) throws(Refusal) {
        try apply(
            try releasing(keybag, keeping: list) + [.remove(.escrow(user: keybag.user))]
                + Self.changes(next, list, keybag.user, keybag.keys),
            user: keybag.user)
        keybag.protectors = list
    }

    /// Makes a keybag with a new passcode durable, and before it a count of 0: a passcode without a
    /// count would leave one attempt.
    /// - Parameters:
    ///   - next: The keybag.
    ///   - list: Its protectors.
    ///   - keybag: The one before.
    /// - Throws: As ``apply(_:user:)``.
    mutating func storeWithNewCount(
        _ next: Keybag, _ list: ProtectorList, _ keybag: UserKeybag
    ) throws(Refusal) {
        let record = AttemptRecord(sequence: 1, failures: 0)
        try apply(
            try releasing(keybag, keeping: list)
                + [.remove(.escrow(user: keybag.user)), attemptsChange(record, keybag)]
                + Self.changes(next, list, keybag.user, keybag.keys),
            user: keybag.user)
        keybag.protectors = list
        keybag.attemptSequence = record.sequence
    }

    /// Makes a count of wrong passcodes durable.
    mutating func storeAttempts(
        _ failures: UInt32, hasUnidentified: Bool, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard keybag.attemptSequence < .max else { throw .status(.stateNotWritten) }
        // The sequence advances only after a successful write: a failed one is repeated in the same
        // slot.
        let record = AttemptRecord(
            sequence: keybag.attemptSequence + 1, failures: failures,
            hasUnidentified: hasUnidentified)
        let slot = record.slot(
            uuid: keybag.keybag.uuid, key: keybag.keys.attempts.bytes.symmetricKey())
        do {
            let isDone = try state.overwrite(
                .attempts(user: keybag.user), byteCount: AttemptRecord.byteCount,
                at: record.offset, slot)
            if !isDone { try state.apply([attemptsChange(record, keybag)]) }
        } catch {
            try fail(error, user: keybag.user)
        }
        keybag.attemptSequence = record.sequence
    }

    private func attemptsChange(_ record: AttemptRecord, _ keybag: UserKeybag) -> StateChange {
        .replace(
            .attempts(user: keybag.user),
            record.file(
                uuid: keybag.keybag.uuid, key: keybag.keys.attempts.bytes.symmetricKey()))
    }
}

extension Keybag {
    /// Both copies of the keybag.
    func changes(user: UInt32, _ keys: KeybagKeys) -> [StateChange] {
        let bytes = encode(signingKey: keys.signing.bytes.symmetricKey())
        return [.replace(.keybag(user: user), bytes), .replace(.keybagCopy(user: user), bytes)]
    }
}
