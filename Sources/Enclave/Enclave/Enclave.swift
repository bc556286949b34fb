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
    /// The reply is the first event after this one, once there is one: `lockEvent(after:)`.
    case waiting(after: UInt32)
    /// There is no reply: what the disk has isn't known, so the process must end. The next one
    /// reads what holds.
    case ended
}

/// The enclave: decides whether a key may be used now, and uses it.
///
/// One request at a time; it does no input or output itself, and no request takes long: deriving a
/// key from a passcode is handed out as a job.
package struct Enclave: ~Copyable {
    /// A host's users, many times over; each has a small record in memory and on the disk.
    static let userLimit = 4096

    var deviceKey: any DeviceKey
    /// What puts another device key in its place; nothing where that isn't offered.
    let exchange: (any DeviceKeyExchange)?
    let state: any DurableState
    let delays: DelayTable
    let inactivity: InactivityPolicy
    let tiesFiles: Bool
    let clock: () -> UInt64
    let notify: (EnclaveNotice) -> Void
    let guessKey = SymmetricKey(size: .bits256)
    var mailbox = PasscodeMailbox()
    var pending: PendingPasscode?
    var pendingRecovery: PendingRecovery?
    /// A change of the records had an unknown outcome.
    var hasEnded = false
    /// The number of the last time that keys were dropped.
    var lastLockEvent: UInt32 = 0
    /// The last assertion's.
    var lastToken: UInt32 = 0
    /// Nothing is due before; it may be too early, never too late.
    var deadline: UInt64?
    var keybags: [UInt32: UserKeybag] = [:]
    /// What is told of the walls around the process.
    package var walls = EnclaveWalls()
    /// The counter of the device key, and what is kept of it.
    var binding = CounterBinding.unread
    /// Whose files the counter is to count next.
    var uncounted: Set<UInt32> = []
    /// What is to be taken out of the TPM; nothing before it was read.
    var releases: ReleaseList?

    /// Makes an enclave; nothing is read before the first request.
    /// - Parameters:
    ///   - deviceKey: The device key.
    ///   - exchange: What puts another one in its place.
    ///   - state: The records.
    ///   - delays: The waits after wrong passcodes.
    ///   - inactivity: How long a locked user keeps the keys that a lock leaves.
    ///   - tiesFiles: Whether a device key in a TPM has a counter to which the records are tied. An
    ///     ephemeral keychain's isn't: its files are gone before anybody could put them back.
    ///   - clock: Seconds since boot, time asleep included.
    ///   - notify: Takes what the machine's owner should know.
    package init(
        deviceKey: any DeviceKey, exchange: (any DeviceKeyExchange)? = nil,
        state: any DurableState,
        delays: DelayTable = .classic, inactivity: InactivityPolicy = .classic,
        tiesFiles: Bool = true, clock: @escaping () -> UInt64,
        notify: @escaping (EnclaveNotice) -> Void
    ) {
        self.deviceKey = deviceKey
        self.exchange = exchange
        self.state = state
        self.delays = delays
        self.inactivity = inactivity
        self.tiesFiles = tiesFiles
        self.clock = clock
        self.notify = notify
    }

    /// 32 bytes: the key to seal passcodes to.
    package var publicKey: [UInt8] { mailbox.publicKey }

    /// Answers a request.
    package mutating func handle(
        _ request: consuming EnclaveRequest, user: UInt32
    ) -> EnclaveAnswer {
        guard !hasEnded else { return .ended }
        tick()
        do throws(Refusal) {
            switch consume request {
            case .awaitLock(let event): return answer(after: event)
            case .challenge:
                // A recovery code needs one, too, where there is no keybag that opens.
                return .reply(.challenge(mailbox.makeNonce(user: user, now: clock())))
            case .passcode(.recover, let encapsulatedKey, let ciphertext, _):
                return try recover(
                    user, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext)
            case let request: return try answer(request, try keybag(user))
            }
        } catch {
            return error.answer(lockCount: keybags[user]?.lockCount ?? 0)
        }
    }

    private mutating func answer(
        _ request: consuming EnclaveRequest, _ keybag: UserKeybag
    ) throws(Refusal) -> EnclaveAnswer {
        switch consume request {
        case .status:
            return .reply(.status(status(keybag)))
        case .challenge:
            return .reply(.challenge(mailbox.makeNonce(user: keybag.user, now: clock())))
        case .passcode(let operation, let encapsulatedKey, let ciphertext, let isIdentified):
            return try beginPasscode(
                operation, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext,
                isIdentified: isIdentified, keybag)
        case .lock(let mode):
            return .reply(.locking(lock(mode, keybag)))
        case .awaitLock(let event):
            return answer(after: event)
        case .assertion(let assertion):
            return .reply(.assertion(token: try assert(assertion, keybag)))
        case .anchor(let commit):
            return .reply(.anchored(try anchor(commit, keybag)))
        case .bindAnchor(let commit):
            return .reply(.anchored(try anchor(commit, keybag, binds: true)))
        case .makeTableKey(let name):
            return .reply(try makeTableKey(name, keybag))
        case .openTableKey(let name, let wrapped):
            return .reply(try openTableKey(name, wrapped, keybag))
        case .seal(let row):
            return .reply(.sealed(try seal(row.secret, row.binding, keybag)))
        case .open(let rows):
            return .reply(.opened(rows.map { open($0, keybag) }))
        case .verify(let rows):
            return .reply(.verified(rows.map { open($0, keybag).statusCode }))
        case .rebind(let source, let target, let sealed):
            return .reply(.sealed(try rebind(sealed, from: source, to: target, keybag)))
        case .makePrivateKey(let binding):
            return .reply(try makePrivateKey(binding, keybag))
        case .sign(let digest, let key):
            return .reply(.signature(try sign(digest, key, keybag)))
        case .agree(let publicKey, let key):
            return .reply(.agreed(try agree(publicKey, key, keybag)))
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
        let settings = keybag.keybag.settings
        return EnclaveStatus(
            state: keybag.state, isPasscodeSet: keybag.keybag.passcode != nil,
            deviceKey: deviceKey.maker, memory: EnclaveMemoryKind(SecretMemory.kind),
            failedAttempts: keybag.attempts.failures, secondsUntilNextAttempt: seconds,
            usableClasses: keybag.usableClasses, existingClasses: keybag.existingClasses,
            keybagGeneration: keybag.keybag.generation, keybagUUID: keybag.keybag.uuid,
            lockCount: keybag.lockCount, secondsUntilLocked: secondsUntilLocked(keybag),
            graceSeconds: UInt16(clamping: settings.graceSeconds),
            eraseAfter: UInt8(clamping: settings.eraseAfter), hasEscrow: keybag.escrow != nil,
            erasures: keybag.keybag.erasures, hasRecoveryCode: keybag.hasRecoveryCode,
            registers: keybag.keybag.passcode.map { deviceKey.registers(of: $0.sealedEntropy) }
                ?? .none,
            erasesForUnidentified: settings.erasesForUnidentified, walls: walls)
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
