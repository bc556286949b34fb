// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
import KeychainVocabulary
package import SecretBytes

/// The enclave's answer to a request.
package enum EnclaveAnswer: ~Copyable {
    /// The reply.
    case reply(EnclaveReply)
    /// The reply comes from `derivationFinished`, once this job is done.
    case deferred(DerivationJob)
    /// The reply is the first event after this one, once there is one: `lockEvent(after:)`.
    case waiting(after: UInt32)
    /// There is no reply: the state of the disk is unknown, so the process must end. Its successor
    /// reads the files.
    case ended
}

/// The enclave: decides whether a key may be used now, and uses it.
///
/// One request at a time; it does no input or output itself, and no request takes long: deriving a
/// key from a passcode is returned as a job.
package struct Enclave: ~Copyable {
    /// Many times the number of users of a host; each has a small record in memory and on the disk.
    package static let userLimit = 4096

    let surroundings: EnclaveSurroundings
    /// What proves that a letter about a touch is the agent's; nil where there is none.
    let touchKey: Secret?
    /// What all passcodes have in common.
    var passcodes: PasscodeDesk
    /// What was proven in authentication contexts.
    var contexts = AccessContexts()
    /// The archives that are being restored.
    var archives = OpenArchives()
    /// When keys are dropped, and the events of that.
    var locks: Locks
    var keybags: [UInt32: UserKeybag] = [:]
    /// How often a keybag was used; the number of the last use of each is in it.
    var useCount: UInt64 = 0
    /// The reported state of the process's sandbox.
    package var walls = EnclaveWalls()
    /// Detects files that were rolled back.
    var rollback: RollbackBinding
    /// The objects to delete from the TPM.
    var releases: ReleaseDesk

    /// Makes an enclave; nothing is read before the first request.
    /// - Parameters:
    ///   - deviceKey: The device key.
    ///   - exchange: Replaces the device key.
    ///   - state: The records.
    ///   - delays: The waits after wrong passcodes.
    ///   - inactivity: How long a locked user keeps the keys that a lock doesn't drop.
    ///   - tiesFiles: Whether the records are bound to a counter of a device key in a TPM. Not for
    ///     an ephemeral keychain: its files are deleted before an attacker could roll them back.
    ///   - touchKey: 32 bytes that the agent has, too, and securityd doesn't; nil: no finger counts.
    ///   - clock: Seconds since boot, time asleep included.
    ///   - date: Seconds since 1970, for people; 0: unknown.
    ///   - notify: Receives the events that the machine's owner should know of.
    package init(
        deviceKey: any DeviceKey, exchange: (any DeviceKeyExchange)? = nil,
        state: any DurableState,
        delays: DelayTable = .classic, inactivity: InactivityPolicy = .classic,
        tiesFiles: Bool = true, touchKey: Secret? = nil, clock: @escaping () -> UInt64,
        date: @escaping () -> UInt64 = { 0 },
        notify: @escaping (EnclaveNotice) -> Void
    ) {
        surroundings = EnclaveSurroundings(
            deviceKey: deviceKey, exchange: exchange, state: state, clock: clock, date: date,
            notify: notify)
        self.touchKey = touchKey
        passcodes = PasscodeDesk(delays)
        locks = Locks(inactivity)
        rollback = RollbackBinding(surroundings, tiesFiles: tiesFiles)
        releases = ReleaseDesk(surroundings)
    }

    /// 32 bytes: the key to seal passcodes to.
    package var publicKey: [UInt8] { passcodes.publicKey }

    /// Answers a request.
    package mutating func handle(
        _ request: consuming EnclaveRequest, user: UInt32
    ) -> EnclaveAnswer {
        guard !hasEnded else { return .ended }
        tick()
        do throws(Refusal) {
            switch consume request {
            case .awaitLock(let event): return answer(after: event)
            case .lock where user == EverybodysLock.userID:
                return .reply(.locking(lockEverybody()))
            // A keybag that isn't loaded has no keys here. A lock makes none for a user.
            case .lock where keybags[user] == nil:
                return .reply(.locking(LockAnswer(seconds: 0, lockCount: 0)))
            case .challenge:
                // A recovery code needs one, too, if no keybag can be opened.
                return .reply(.challenge(passcodes.makeNonce(user: user, now: clock())))
            // The machine has no person who could know one.
            case .passcode where user == MachineKeybag.userID: throw .status(.wrongState)
            case .passcode(.recover, let encapsulatedKey, let ciphertext, _, _):
                return try recover(
                    user, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext)
            case .status where keybags[user] == nil:
                // Only a user who stores something gets a keybag.
                guard try isNew(user) else {
                    return .reply(.status(status(try keybag(user))))
                }
                return .reply(.status(statusOfNewUser))
            case .anchor(let commit) where commit == 0 && keybags[user] == nil:
                // The same for the question what is recorded: nothing.
                guard try isNew(user), rollback.leastSequence(user) == 0 else {
                    return .reply(.anchored(try anchor(commit, try keybag(user))))
                }
                return .reply(.anchored(0))
            case .protectors where keybags[user] == nil:
                guard try isNew(user) else {
                    return try answer(.protectors, try keybag(user))
                }
                return .reply(.protectors([]))
            // The machine's rows are all in one keychain, and no person could unlock another.
            case .keychain where user == MachineKeybag.userID: throw .status(.wrongState)
            // What is the machine's isn't a person's to take along.
            case .backup where user == MachineKeybag.userID: throw .status(.wrongState)
            case .backup(.bag) where keybags[user] == nil:
                guard try isNew(user) else { return try answer(.backup(.bag), try keybag(user)) }
                return .reply(.backup(.bag([])))
            case .keychain(let request) where keybags[user] == nil && !request.makesOne:
                guard try isNew(user) else {
                    return try answer(.keychain(request), try keybag(user))
                }
                return try answerOfNewUser(request)
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
            return .reply(.challenge(passcodes.makeNonce(user: keybag.user, now: clock())))
        case .protectors:
            return .reply(.protectors(keybag.protectors.protectors.map(\.listed)))
        case .passcode(
            let operation, let encapsulatedKey, let ciphertext, let isIdentified, let isRoot):
            return try beginPasscode(
                operation, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext,
                isIdentified: isIdentified, isRoot: isRoot, keybag)
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
            return .reply(.verified(rows.map { verify($0, keybag) }))
        case .rebind(let source, let target, let sealed):
            return .reply(.sealed(try rebind(sealed, from: source, to: target, keybag)))
        case .makePrivateKey(let binding):
            return .reply(try makePrivateKey(binding, keybag))
        case .sign(let digest, let key):
            return .reply(.signature(try sign(digest, key, keybag)))
        case .agree(let publicKey, let key):
            return .reply(.agreed(try agree(publicKey, key, keybag)))
        case .access(let request):
            return try answer(request, keybag)
        case .keychain(let request):
            return try answer(request, keybag)
        case .backup(let request):
            return try answer(request, keybag)
        }
    }

    /// As of a keybag without a passcode. Its generation is 0: it isn't made yet.
    private var statusOfNewUser: EnclaveStatus {
        let classes = Keybag.classes(withPasscode: false).reduce(into: ProtectionClassSet()) {
            $0.formUnion(ProtectionClassSet($1))
        }
        let settings = Keybag.Settings()
        return EnclaveStatus(
            state: .noPasscode, isPasscodeSet: false, deviceKey: deviceKey.maker,
            memory: EnclaveMemoryKind(SecretMemory.kind), failedAttempts: 0,
            secondsUntilNextAttempt: 0, usableClasses: classes, existingClasses: classes,
            keybagGeneration: 0,
            keybagUUID: [UInt8](repeating: 0, count: Keybag.uuidByteCount), lockCount: 0,
            secondsUntilLocked: 0, graceSeconds: UInt16(clamping: settings.graceSeconds),
            eraseAfter: UInt8(clamping: settings.eraseAfter), hasEscrow: false, erasures: 0,
            hasRecoveryCode: false, registers: .none,
            erasesForUnidentified: settings.erasesForUnidentified, walls: walls)
    }

    private func status(_ keybag: UserKeybag) -> EnclaveStatus {
        let permission = delays.permission(after: keybag.attempts, now: clock())
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
            erasesForUnidentified: settings.erasesForUnidentified,
            biometry: keybag.keybag.biometry.mode, enrolment: keybag.keybag.biometry.enrolment,
            isBiometryLockedOut: keybag.isBiometryLockedOut,
            walls: walls)
    }
}

// MARK: - What is outside

extension Enclave {
    var deviceKey: any DeviceKey { surroundings.deviceKey }
    var exchange: (any DeviceKeyExchange)? { surroundings.exchange }
    var state: any DurableState { surroundings.state }
    var hasEnded: Bool { surroundings.hasEnded }
    var delays: DelayTable { passcodes.delays }

    func clock() -> UInt64 { surroundings.clock() }

    func date() -> UInt64 { surroundings.date() }

    func notify(_ notice: EnclaveNotice) { surroundings.notify(notice) }

    func load(_ record: StateRecord) throws(Refusal) -> [UInt8]? {
        try surroundings.load(record)
    }

    func apply(_ changes: [StateChange], user: UInt32) throws(Refusal) {
        try surroundings.apply(changes, user: user)
    }

    func fail(_ failure: DurableStateFailure, user: UInt32) throws(Refusal) {
        try surroundings.fail(failure, user: user)
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
