// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import EnclaveWire
import SecretBytes

/// What the enclave says to a request.
package enum EnclaveAnswer: ~Copyable {
    /// The reply.
    case reply(EnclaveReply)
    /// The reply comes from `derivationFinished`, once this job is done.
    case deferred(DerivationJob)
}

/// The enclave: decides whether a key may be used now, and uses it.
///
/// One request at a time; it does no input or output itself, and no request takes long: deriving a
/// key from a passcode is handed out as a job.
package struct Enclave: ~Copyable {
    /// A host's users, many times over; each has a small record in memory and on the disk.
    private static let userLimit = 4096

    let deviceKey: any DeviceKey
    let state: any DurableState
    let delays: DelayTable
    let clock: () -> UInt64
    let notify: (EnclaveNotice) -> Void
    let guessKey = SymmetricKey(size: .bits256)
    var mailbox = PasscodeMailbox()
    var pending: PendingPasscode?
    private var keybags: [UInt32: UserKeybag] = [:]

    /// Makes an enclave; nothing is read before the first request.
    /// - Parameters:
    ///   - deviceKey: The device key.
    ///   - state: The records.
    ///   - delays: The waits after wrong passcodes.
    ///   - clock: Seconds since boot, time asleep included.
    ///   - notify: Takes what the machine's owner should know.
    package init(
        deviceKey: any DeviceKey, state: any DurableState,
        delays: DelayTable = .classic, clock: @escaping () -> UInt64,
        notify: @escaping (EnclaveNotice) -> Void
    ) {
        self.deviceKey = deviceKey
        self.state = state
        self.delays = delays
        self.clock = clock
        self.notify = notify
    }

    /// 32 bytes: the key to seal passcodes to.
    package var publicKey: [UInt8] { mailbox.publicKey }

    /// Answers a request.
    package mutating func handle(
        _ request: consuming EnclaveRequest, user: UInt32
    ) -> EnclaveAnswer {
        do throws(Refusal) {
            let keybag = try keybag(user)
            switch consume request {
            case .status:
                return .reply(.status(status(keybag)))
            case .challenge:
                return .reply(.challenge(mailbox.makeNonce(user: user, now: clock())))
            case .passcode(let operation, let encapsulatedKey, let ciphertext):
                return .deferred(
                    try beginPasscode(
                        operation, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext,
                        keybag))
            case .lock:
                lock(keybag)
                return .reply(.done)
            case .makeTableKey(let name):
                return .reply(try makeTableKey(name, keybag))
            case .openTableKey(let name, let wrapped):
                return .reply(try openTableKey(name, wrapped, keybag))
            case .seal(let row):
                return .reply(.sealed(try seal(row.secret, row.binding, keybag)))
            case .open(let rows):
                return .reply(.opened(rows.map { open($0, keybag) }))
            case .rebind(let source, let target, let sealed):
                return .reply(.sealed(try rebind(sealed, from: source, to: target, keybag)))
            }
        } catch {
            return .reply(error.reply)
        }
    }

    private func status(_ keybag: UserKeybag) -> EnclaveStatus {
        let permission = keybag.attempts.permission(table: delays, now: clock())
        let seconds: UInt32 =
            switch permission {
            case .now: 0
            case .after(let seconds): seconds
            case .never: EnclaveStatus.never
            }
        return EnclaveStatus(
            state: keybag.state, isPasscodeSet: keybag.keybag.passcode != nil,
            deviceKey: deviceKey.maker, memory: EnclaveMemoryKind(SecretMemory.kind),
            failedAttempts: keybag.attempts.failures, secondsUntilNextAttempt: seconds,
            usableClasses: keybag.usableClasses, existingClasses: keybag.existingClasses,
            keybagGeneration: keybag.keybag.generation, keybagUUID: keybag.keybag.uuid)
    }
}

extension EnclaveMemoryKind {
    init(_ kind: SecretMemory.Kind) {
        switch kind {
        case .secretMemory: self = .secretMemory
        case .lockedMemory: self = .lockedMemory
        case .pagedMemory: self = .pagedMemory
        }
    }
}

// MARK: - Keys in use

extension Enclave {
    private func classKey(
        _ protectionClass: ProtectionClass, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        switch keybag.availability(protectionClass) {
        case .usable(let key): return key
        case .locked: throw .status(.locked)
        case .missing: throw .status(.classMissing)
        }
    }

    private func makeTableKey(
        _ name: TableKeyName, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveReply {
        let classKey = try classKey(name.protectionClass, keybag)
        guard
            let made = TableKeySealing.make(name, user: keybag.user, classKey: classKey)
        else { throw .status(.undecodable) }
        return .madeTableKey(made)
    }

    private func openTableKey(
        _ name: TableKeyName, _ wrapped: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveReply {
        let classKey = try classKey(name.protectionClass, keybag)
        guard
            let key = TableKeySealing.open(wrapped, name, user: keybag.user, classKey: classKey),
            key.bytes.byteCount == EnclaveReply.tableKeyByteCount
        else { throw .status(.undecodable) }
        return .openedTableKey(key.copy())
    }

    private func seal(
        _ secret: borrowing SecretBytes, _ binding: SecretBinding, _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        let classKey = try classKey(binding.protectionClass, keybag)
        guard
            let sealed = SecretSealing.seal(
                secret, binding: binding, user: keybag.user, classKey: classKey)
        else { throw .status(.undecodable) }
        return sealed
    }

    private func open(
        _ sealed: [UInt8], _ binding: SecretBinding, _ keybag: UserKeybag
    ) throws(Refusal) -> Secret {
        let classKey = try classKey(binding.protectionClass, keybag)
        guard
            let secret = SecretSealing.open(
                sealed, binding: binding, user: keybag.user, classKey: classKey)
        else { throw .status(.undecodable) }
        return secret
    }

    private func open(_ row: SealedSecret, _ keybag: UserKeybag) -> OpenedRow {
        do throws(Refusal) {
            return .secret(try open(row.sealed, row.binding, keybag))
        } catch {
            return .failure(error.reply.statusCode)
        }
    }

    private func rebind(
        _ sealed: [UInt8], from source: SecretBinding, to target: SecretBinding,
        _ keybag: UserKeybag
    ) throws(Refusal) -> [UInt8] {
        // The target first: an item must not be opened for a class that can't be sealed for.
        _ = try classKey(target.protectionClass, keybag)
        return try seal(try open(sealed, source, keybag).bytes, target, keybag)
    }
}

// MARK: - Keybags

extension Enclave {
    /// The user's keybag; read, or made and stored, at the user's first request.
    mutating func keybag(_ user: UInt32) throws(Refusal) -> UserKeybag {
        if let keybag = keybags[user] { return keybag }
        guard keybags.count < Self.userLimit else { throw .status(.busy) }
        let keybag = try loadKeybag(user)
        keybags[user] = keybag
        return keybag
    }

    private func loadKeybag(_ user: UInt32) throws(Refusal) -> UserKeybag {
        let keys: KeybagKeys
        do {
            keys = try KeybagKeys(deviceKey: deviceKey, user: user)
        } catch {
            notify(.deviceKeyFailed(user: user))
            throw .status(.stateNotWritten)
        }
        guard let bytes = try load(.keybag(user: user)) else {
            return try makeKeybag(user, keys)
        }
        do {
            let keybag = try Keybag(bytes, signingKey: keys.signing.bytes.symmetricKey())
            let attempts = try loadAttempts(user, keys, isPasscodeSet: keybag.passcode != nil)
            return try UserKeybag(user: user, keys: keys, keybag: keybag, attempts: attempts)
        } catch let error as KeybagError {
            notify(.keybagRefused(user: user, error))
            throw .status(.stateNotWritten)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .status(.stateNotWritten)
        }
    }

    private func makeKeybag(_ user: UInt32, _ keys: KeybagKeys) throws(Refusal) -> UserKeybag {
        guard let keybag = UserKeybag.make(user: user, keys: keys, now: clock()) else {
            throw .status(.stateNotWritten)
        }
        try store(keybag.keybag, keybag)
        return keybag
    }

    /// A record that isn't there or isn't this keybag's leaves one attempt, after the longest
    /// delay: taking the file away must not give more guesses than leaving it.
    private func loadAttempts(
        _ user: UInt32, _ keys: KeybagKeys, isPasscodeSet: Bool
    ) throws(Refusal) -> AttemptCounter {
        guard isPasscodeSet else { return AttemptCounter(failures: 0, now: clock()) }
        let key = keys.attempts.bytes.symmetricKey()
        if let record = try load(.attempts(user: user)),
            let failures = AttemptCounter.decode(record, key: key)
        {
            return AttemptCounter(failures: failures, now: clock())
        }
        notify(.attemptsRefused(user: user))
        return AttemptCounter(failures: max(delays.disabledAt, 1) - 1, now: clock())
    }

    private func load(_ record: StateRecord) throws(Refusal) -> [UInt8]? {
        do {
            return try state.load(record)
        } catch {
            throw .status(.stateNotWritten)
        }
    }

    /// Makes a keybag durable.
    func store(_ next: Keybag, _ keybag: UserKeybag) throws(Refusal) {
        let bytes = next.encode(signingKey: keybag.keys.signing.bytes.symmetricKey())
        do {
            try state.store(.keybag(user: keybag.user), bytes)
        } catch {
            throw .status(.stateNotWritten)
        }
    }

    /// Makes a count of wrong passcodes durable.
    func storeAttempts(_ failures: UInt32, _ keybag: UserKeybag) throws(Refusal) {
        let record = AttemptCounter.encode(
            failures: failures, key: keybag.keys.attempts.bytes.symmetricKey())
        do {
            try state.store(.attempts(user: keybag.user), record)
        } catch {
            throw .status(.stateNotWritten)
        }
    }
}
