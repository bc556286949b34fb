// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import KeychainVocabulary
import SecretBytes

/// An operation that waits for a derivation.
enum PendingDerivation {
    case passcode(PendingPasscode)
    case recovery(PendingRecovery)
    case access(PendingAccess)
    case keychain(PendingKeychain)
    case backup(PendingBackup)
}

/// Owns what all passcodes have in common: the key that they are sealed to, the delays, and the one
/// operation that waits for a derivation.
struct PasscodeDesk: ~Copyable {
    let delays: DelayTable
    private var mailbox = PasscodeMailbox()
    private var waiting: PendingDerivation?
    /// Known to this process alone.
    private let guessKey = SymmetricKey(size: .bits256)

    init(_ delays: DelayTable) { self.delays = delays }

    // MARK: - Messages

    /// 32 bytes: the key to seal passcodes to.
    var publicKey: [UInt8] { mailbox.publicKey }

    /// A nonce that is good for one message, for seconds.
    mutating func makeNonce(user: UInt32, now: UInt64) -> [UInt8] {
        mailbox.makeNonce(user: user, now: now)
    }

    /// Opens a message.
    /// - Throws: `busy` while an operation waits for a derivation; as ``PasscodeMailbox`` does.
    mutating func open(
        _ operation: PasscodeOperation, encapsulatedKey: [UInt8], ciphertext: [UInt8],
        user: UInt32, now: UInt64
    ) throws(Refusal) -> PasscodeLetter {
        guard !isDeriving else { throw .status(.busy) }
        return try mailbox.open(
            operation, encapsulatedKey: encapsulatedKey, ciphertext: ciphertext, user: user,
            now: now)
    }

    /// Distinguishes guesses without storing them.
    func digest(of passcode: Secret, user: UInt32) -> [UInt8] {
        var context: [UInt8] = []
        context.append(littleEndian: user)
        let key = Cryptography.derive(from: guessKey, info: context)
        return Cryptography.authenticate(passcode.bytes, using: key)
    }

    // MARK: - Deriving

    /// Whether an operation waits for a derivation.
    var isDeriving: Bool { waiting != nil }

    /// An operation waits. The caller has made sure that no other one does.
    mutating func begin(_ operation: PendingPasscode) { waiting = .passcode(operation) }

    mutating func begin(_ operation: PendingRecovery) { waiting = .recovery(operation) }

    mutating func begin(_ operation: PendingAccess) { waiting = .access(operation) }

    mutating func begin(_ operation: PendingKeychain) { waiting = .keychain(operation) }

    mutating func begin(_ operation: PendingBackup) { waiting = .backup(operation) }

    /// The operation whose derivation has ended.
    mutating func finish() -> PendingDerivation? {
        defer { waiting = nil }
        return waiting
    }

    /// Whether a passcode of this keybag, or a password of its keychains or backups, is being derived.
    func isDeriving(_ keybag: UserKeybag) -> Bool {
        if case .backup(let pending)? = waiting, pending.keybag === keybag { return true }
        if case .keychain(let pending)? = waiting, pending.keybag === keybag { return true }
        return derived(keybag) != nil
    }

    /// The keybag is locked meanwhile: the passcode that is being derived opens no more than this.
    mutating func limit(_ keybag: UserKeybag, to extent: UnlockExtent) {
        guard var operation = derived(keybag) else { return }
        operation.extent = min(operation.extent, extent)
        waiting = .passcode(operation)
    }

    /// A delayed lock is requested meanwhile: the passcode that is being derived doesn't cancel it.
    mutating func keepSchedule(_ keybag: UserKeybag) {
        guard var operation = derived(keybag) else { return }
        operation.keepsSchedule = true
        waiting = .passcode(operation)
    }

    private func derived(_ keybag: UserKeybag) -> PendingPasscode? {
        guard case .passcode(let operation)? = waiting, operation.keybag === keybag else {
            return nil
        }
        return operation
    }
}
