// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import FoundationEssentials
import KeychainVocabulary
import SecretBytes

/// Records in memory, and a disk that fails on demand.
final class MemoryState: DurableState {
    var records: [StateRecord: [UInt8]] = [:]
    var isWritable = true
    /// The records that can't be read.
    var unreadable: Set<StateRecord> = []
    /// If set, the next change is made, but with an unknown outcome.
    var losesTheOutcome = false
    private(set) var changes: [[StateChange]] = []
    private(set) var overwriteCount = 0

    func load(_ record: StateRecord) throws(DurableStateFailure) -> [UInt8]? {
        guard !unreadable.contains(record) else { throw .notDone }
        return records[record]
    }

    func keybagOwners() throws(DurableStateFailure) -> Set<UInt32> {
        Set(
            records.keys.compactMap { record in
                switch record {
                case .keybag(let owner), .keybagCopy(let owner): owner
                case .attempts, .escrow, .anchor, .protectors, .protectorsCopy, .keychains,
                    .keychainsCopy, .backup, .backupCopy, .binding, .releases:
                    nil
                }
            })
    }

    func overwrite(
        _ record: StateRecord, byteCount: Int, at offset: Int, _ bytes: [UInt8]
    ) throws(DurableStateFailure) -> Bool {
        guard isWritable else { throw .notDone }
        guard records[record]?.count == byteCount else { return false }
        overwriteCount += 1
        records[record]?.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        guard !losesTheOutcome else { throw .outcomeUnknown }
        return true
    }

    func apply(_ changes: [StateChange]) throws(DurableStateFailure) {
        guard isWritable else { throw .notDone }
        self.changes.append(changes)
        for change in changes {
            switch change {
            case .replace(let record, let bytes): records[record] = bytes
            case .remove(let record): records[record] = nil
            }
        }
        guard !losesTheOutcome else { throw .outcomeUnknown }
    }
}

/// A device key with a known value.
final class KnownDeviceKey: SealingDeviceKey {
    var maker = DeviceKeyMaker.file
    private let key: SymmetricKey
    var works = true

    init(byte: UInt8 = 1) { key = SymmetricKey(data: [UInt8](repeating: byte, count: 32)) }

    func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret {
        guard works else { throw .failed }
        return Cryptography.deriveByAuthenticating(
            input, using: Cryptography.derive(from: key, info: [purpose.rawValue]))
    }

    func sealEntropy(
        _ entropy: borrowing SecretBytes, context: [UInt8]
    ) throws(DeviceKeyFailure) -> [UInt8] {
        guard works, let sealed = Cryptography.seal(entropy, using: key, authenticating: context)
        else { throw .failed }
        return sealed
    }

    func openEntropy(
        _ sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> Secret {
        guard works, let entropy = Cryptography.open(sealed, using: key, authenticating: context)
        else { throw .failed }
        return entropy
    }

    /// The counter; nil: it is unavailable.
    var count: UInt64? = 7
    /// The failure of the counter.
    var counterFailure = DeviceKeyFailure.replaced
    /// How many increments fail, or succeed without a reply.
    var lostIncrements: [Bool] = []
    private(set) var increments = 0

    func readCounter() throws(DeviceKeyFailure) -> UInt64 {
        guard let count else { throw counterFailure }
        return count
    }

    func incrementCounter() throws(DeviceKeyFailure) {
        guard let count else { throw counterFailure }
        increments += 1
        let isLost = lostIncrements.isEmpty ? nil : lostIncrements.removeFirst()
        if isLost != false { self.count = count + 1 }
        guard isLost == nil else { throw .timedOut }
    }

    func renewCounter() throws(DeviceKeyFailure) { count = 100 }

    /// Whether an increment takes until the test says that it is done.
    var takesLong = false
    /// The requested value of the counter, without a result so far.
    private(set) var begun: [Begun] = []

    struct Begun: Equatable {
        let number: UInt64
        let isCertain: Bool
    }

    func beginCounting(
        to number: UInt64, isCertain: Bool
    ) throws(DeviceKeyFailure) -> Bool {
        guard !takesLong else {
            begun.append(Begun(number: number, isCertain: isCertain))
            return false
        }
        let hasCounted = isCertain ? false : try readCounter() >= number
        if !hasCounted { try incrementCounter() }
        return true
    }

    /// First completes the pending increment, or loses the reply: see `lostIncrements`.
    func finishCounting() -> DeviceKeyFailure? {
        let first = begun.removeFirst()
        do throws(DeviceKeyFailure) {
            let hasCounted = first.isCertain ? false : try readCounter() >= first.number
            if !hasCounted { try incrementCounter() }
            return nil
        } catch { return error }
    }
}

/// The result of a request, in a form that tests compare.
enum Outcome: Equatable {
    case done
    case status(EnclaveStatus)
    case bytes([UInt8])
    case rows([EnclaveStatusCode])
    case failure(EnclaveStatusCode)
    case throttled(UInt32)
    /// A lock that happens in this many seconds; one that has happened is `done`.
    case locks(UInt32)
    case event(LockEvent)
    case token(UInt32)
    /// The recorded state of the database.
    case commit(UInt64)
    case deferred
    case waiting
    case ended
    case protectors([ListedProtector])
    case keychains([ListedKeychain])
}

/// An enclave with injected dependencies: records, device key, clock, and a derivation that costs
/// nothing.
final class EnclaveFixture {
    static let user: UInt32 = 1000

    let state = MemoryState()
    var deviceKey = KnownDeviceKey()
    let clock = Clock()
    let notices = Notices()
    var enclave: Enclave
    var derivations = 0

    final class Clock { var seconds: UInt64 = 10_000 }
    final class Notices { var all: [EnclaveNotice] = [] }

    init() {
        enclave = Self.makeEnclave(deviceKey, state, clock, notices)
    }

    /// What the agent proves touches with.
    static let touchKey = [UInt8](repeating: 0xA7, count: 32)

    private static var agentsKey: Secret {
        Secret(
            unsafe SecretBytes(byteCount: touchKey.count) { unsafe $0.copyBytes(from: touchKey) })
    }

    private static func makeEnclave(
        _ deviceKey: KnownDeviceKey, _ state: MemoryState, _ clock: Clock, _ notices: Notices
    ) -> Enclave {
        Enclave(
            deviceKey: deviceKey, state: state, touchKey: agentsKey,
            clock: { clock.seconds },
            date: { 1_700_000_000 + clock.seconds },
            notify: { notices.all.append($0) })
    }

    /// The device key has incremented its counter, or failed.
    func finishCounting() { enclave.counted(by: deviceKey, deviceKey.finishCounting()) }

    var isCounting: Bool { enclave.isCounting }

    func isCounting(_ user: UInt32) -> Bool { enclave.isCounting(user) }

    /// A new process on the same records.
    func restart() { enclave = Self.makeEnclave(deviceKey, state, clock, notices) }

    // MARK: - Requests

    func send(_ request: consuming EnclaveRequest, user: UInt32 = user) -> Outcome {
        outcome(enclave.handle(request, user: user))
    }

    func status(user: UInt32 = user) -> EnclaveStatus? {
        guard case .status(let status) = send(.status, user: user) else { return nil }
        return status
    }

    /// Lets a new user have a keybag, as the first item does.
    func makeKeybag(user: UInt32 = user) { _ = seal([0], .dku, user: user) }

    var lockState: EnclaveLockState? { status()?.state }

    func seal(
        _ secret: [UInt8], _ protectionClass: ProtectionClass = .ck,
        context: UInt8 = 1, user: UInt32 = user
    ) -> Outcome {
        send(
            .seal(
                SecretToSeal(
                    binding: Self.binding(protectionClass, context),
                    secret: SecretBytes(copying: secret))), user: user)
    }

    /// The opened secret's bytes, or the reason for the failure.
    func open(
        _ sealed: Outcome, _ protectionClass: ProtectionClass = .ck, context: UInt8 = 1,
        user: UInt32 = user
    ) -> Outcome {
        guard case .bytes(let bytes) = sealed else { return sealed }
        return open(bytes, protectionClass, context: context, user: user)
    }

    func open(
        _ sealed: [UInt8], _ protectionClass: ProtectionClass = .ck, context: UInt8 = 1,
        user: UInt32 = user
    ) -> Outcome {
        let row = SealedSecret(binding: Self.binding(protectionClass, context), sealed: sealed)
        guard case .reply(let reply) = enclave.handle(.open([row]), user: user) else {
            return .deferred
        }
        guard case .opened(let rows) = reply else { return .failure(.malformed) }
        switch rows.first {
        case .secret(let secret): return .bytes(Self.bytes(secret.bytes))
        case .failure(let code): return .failure(code)
        case .locked: return .failure(.locked)
        case nil: return .failure(.malformed)
        }
    }

    // MARK: - Passcodes

    /// Sends other messages than those with only passcodes.
    func letter(
        _ operation: PasscodeOperation, _ parts: [[UInt8]], user: UInt32 = user,
        isRoot: Bool = false, deriving: Bool = true
    ) -> Outcome {
        guard case .bytes(let nonce) = send(.challenge, user: user) else {
            return .failure(.malformed)
        }
        let letter = Self.letter(
            operation, nonce: nonce, parts: parts, key: enclave.publicKey, user: user,
            isRoot: isRoot)
        return send(letter, user: user, deriving: deriving)
    }

    /// Sends settings.
    func configure(
        _ passcode: String, erasing: Bool = false, grace: UInt16 = 0,
        countsUnidentified: Bool = false, deriving: Bool = true
    ) -> Outcome {
        letter(
            .configure,
            [
                Self.counted([UInt8](passcode.utf8)),
                [
                    erasing ? 10 : 0, UInt8(truncatingIfNeeded: grace), UInt8(grace >> 8),
                    countsUnidentified ? 1 : 0,
                ],
            ], deriving: deriving)
    }

    /// Sends a passcode and, by default, does the derivations that it needs.
    func passcode(
        _ operation: PasscodeOperation, _ passcode: String, new: String? = nil,
        user: UInt32 = user, isIdentified: Bool = true, deriving: Bool = true
    ) -> Outcome {
        guard case .bytes(let nonce) = send(.challenge, user: user) else {
            return .failure(.malformed)
        }
        return send(
            Self.letter(
                operation, nonce: nonce, [passcode] + (new.map { [$0] } ?? []),
                key: enclave.publicKey, user: user, isIdentified: isIdentified),
            user: user, deriving: deriving)
    }

    func send(
        _ request: consuming EnclaveRequest, user: UInt32, deriving: Bool
    ) -> Outcome {
        proceed(enclave.handle(request, user: user), deriving: deriving)
    }

    /// Returns a derivation's result.
    func finish(_ derivation: DerivationOutcome, deriving: Bool = true) -> Outcome {
        proceed(enclave.derivationFinished(derivation), deriving: deriving)
    }

    private(set) var job: DerivationJob?

    private func proceed(_ answer: consuming EnclaveAnswer, deriving: Bool) -> Outcome {
        switch consume answer {
        case .reply(let reply): return Self.outcome(reply)
        case .deferred(let job):
            self.job = job
            return deriving ? finish(derive(job)) : .deferred
        case .waiting: return .waiting
        case .ended: return .ended
        }
    }

    func derive(_ job: DerivationJob) -> DerivationOutcome {
        derivations += 1
        let key = Cryptography.deriveByAuthenticating(
            job.passcode.bytes, using: SymmetricKey(data: job.salt))
        return .derived(key, .floor)
    }

    static func letter(
        _ operation: PasscodeOperation, nonce: [UInt8], _ passcodes: [String], key: [UInt8],
        user: UInt32, isIdentified: Bool = true
    ) -> EnclaveRequest {
        letter(
            operation, nonce: nonce, parts: passcodes.map { counted([UInt8]($0.utf8)) }, key: key,
            user: user, isIdentified: isIdentified)
    }

    /// A u16 byte count and the bytes.
    static func counted(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count), UInt8(bytes.count >> 8)] + bytes
    }

    static func letter(
        _ operation: PasscodeOperation, nonce: [UInt8], parts: [[UInt8]], key: [UInt8],
        user: UInt32, isIdentified: Bool = true, isRoot: Bool = false
    ) -> EnclaveRequest {
        let plaintext = nonce + parts.flatMap { $0 }
        var data = [operation.rawValue]
        for shift in [UInt32(0), 8, 16, 24] {
            data.append(UInt8(truncatingIfNeeded: user >> shift))
        }
        let sealed = sealed(plaintext, data, key)
        return .passcode(
            operation, encapsulatedKey: sealed.key, ciphertext: sealed.ciphertext,
            isIdentified: isIdentified, isRoot: isRoot)
    }

    static func sealed(
        _ plaintext: [UInt8], _ data: [UInt8], _ key: [UInt8]
    ) -> (key: [UInt8], ciphertext: [UInt8]) {
        do {
            var sender = try HPKE.Sender(
                recipientKey: Curve25519.KeyAgreement.PublicKey(rawRepresentation: key),
                ciphersuite: HPKE.Ciphersuite(
                    kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256),
                info: Data("llavero passcode 1".utf8))
            let ciphertext = try sender.seal(plaintext, authenticating: data)
            return ([UInt8](sender.encapsulatedKey), [UInt8](ciphertext))
        } catch {
            return ([UInt8](repeating: 0, count: 32), [])
        }
    }

    // MARK: - Values

    static func binding(_ protectionClass: ProtectionClass, _ context: UInt8) -> SecretBinding {
        guard
            let binding = SecretBinding(
                protectionClass: protectionClass, context: [UInt8](repeating: context, count: 32))
        else { preconditionFailure("a context of 32 bytes is accepted") }
        return binding
    }

    static func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
        unsafe secret.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    private func outcome(_ answer: consuming EnclaveAnswer) -> Outcome {
        proceed(answer, deriving: true)
    }

    private static func outcome(_ reply: consuming EnclaveReply) -> Outcome {
        switch consume reply {
        case .failure(let code): .failure(code)
        case .throttled(let seconds): .throttled(seconds)
        case .done: .done
        case .locked: .failure(.locked)
        case .locking(let answer): answer.seconds == 0 ? .done : .locks(answer.seconds)
        case .lockEvent(let event): .event(event)
        case .assertion(let token): .token(token)
        case .anchored(let commit): .commit(commit)
        case .status(let status): .status(status)
        case .challenge(let nonce): .bytes(nonce)
        case .madeTableKey(let made): .bytes(made.wrapped + bytes(made.key))
        case .openedTableKey(let key): .bytes(bytes(key))
        case .sealed(let sealed): .bytes(sealed)
        case .verified(let codes): .rows(codes)
        case .madePrivateKey(let publicKey, let sealed): .bytes(publicKey + sealed)
        case .signature(let signature): .bytes(signature)
        case .agreed(let secret): .bytes(bytes(secret))
        case .protectors(let protectors): .protectors(protectors)
        case .access(.sealed(let sealed)): .bytes(sealed)
        case .access(.judged(let codes)): .rows(codes)
        case .access(.done): .done
        case .access(.madeKey(let publicKey, let sealed)): .bytes(publicKey + sealed)
        case .access(.computed(let result)): .bytes(Self.bytes(result.bytes))
        case .access(.opened(let rows)): .rows(rows.map(\.code))
        case .keychain(.done): .done
        case .keychain(.sealed(let sealed)): .bytes(sealed)
        case .keychain(.listed(let keychains)): .keychains(keychains)
        case .keychain(.madeTableKey(let wrapped, let key)): .bytes(wrapped + Self.bytes(key.bytes))
        case .keychain(.openedTableKey(let key)): .bytes(Self.bytes(key.bytes))
        case .opened(let rows): .rows(rows.map(\.code))
        case .backup: .done
        }
    }
}

extension OpenedRow {
    /// Whether there is a secret, or why not.
    fileprivate var code: EnclaveStatusCode {
        switch self {
        case .secret: .success
        case .failure(let code): code
        case .locked: .locked
        }
    }
}

extension Secret {
    /// The bytes, for comparison; test values aren't secret.
    var array: [UInt8] { EnclaveFixture.bytes(bytes) }
}
