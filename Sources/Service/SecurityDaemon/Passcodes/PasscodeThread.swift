// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
import SecurityWire

/// The thread that forwards passcodes, since each derivation takes a while.
final class PasscodeThread {
    /// Deletes the rows of a user's class, and calls back when they are deleted.
    typealias OnClassDestroyed = (ProtectionClass, UInt32, @escaping @Sendable () -> Void) -> Void

    private let queue: FairQueue<DeviceJob<PasscodeRequest>>
    private let cache: KeyCache
    private var enclave: EnclaveClient
    private let turn: DerivationTurn
    private let endings: EndingClasses
    private let onClassDestroyed: OnClassDestroyed
    private let roots: RootGate
    private let onUnlocked: (UInt32) -> Void
    /// Deletes a user's rows, and returns afterwards.
    private let forgetRows: (UInt32) throws(DaemonError) -> Void
    /// A user was forgotten.
    private let onForgotten: (UInt32) -> Void
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    /// Whether there may be notes of classes that haven't certainly ended.
    private var hasOpenEndings = true

    init(
        queue: FairQueue<DeviceJob<PasscodeRequest>>, cache: KeyCache,
        enclave: consuming EnclaveClient, turn: DerivationTurn, endings: EndingClasses,
        onClassDestroyed: @escaping OnClassDestroyed, roots: RootGate,
        onUnlocked: @escaping (UInt32) -> Void,
        forgetRows: @escaping (UInt32) throws(DaemonError) -> Void,
        onForgotten: @escaping (UInt32) -> Void, scrub: @escaping () -> Void,
        onEnclaveGone: @escaping () -> Void
    ) {
        self.forgetRows = forgetRows
        self.onForgotten = onForgotten
        self.queue = queue
        self.cache = cache
        self.enclave = enclave
        self.turn = turn
        self.endings = endings
        self.onClassDestroyed = onClassDestroyed
        self.roots = roots
        self.onUnlocked = onUnlocked
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    func run() {
        finishEndings()
        while true {
            guard let job = queue.take() else { continue }
            if hasOpenEndings { finishEndings() }
            do throws(DaemonError) {
                job.answer(.success(try carryOut(job.request)))
            } catch {
                job.answer(.failure(error))
            }
            if enclave.isGone { onEnclaveGone() }
            scrub()
        }
    }

    private func carryOut(_ request: PasscodeRequest) throws(DaemonError) -> ServiceReply {
        switch request.operation {
        case .remove, .reset: try end(.akpu, request)
        case .set, .unlock, .change, .configure, .makeEscrow, .migrate, .makeRecoveryCode,
            .bindRegisters, .addProtector, .removeProtector, .unlockByProtector,
            .testProtector, .configureBiometry:
            try handOn(request)
        case .forget: try forget(request)
        // They have requests of their own.
        case .approve, .supply, .approveByTouch, .createKeychain, .unlockKeychain,
            .changeKeychainPassword, .setBackupPassword, .removeBackupPassword, .openBackup:
            throw .invalidRequest
        case .recover: try recover(request)
        case .acceptRollback:
            // The enclave decides whether the sender may.
            try handOn(request)
            do throws(DaemonError) { try roots.put(.accept, request.userID) } catch {
                // Half of it is done, so no client may get the reply that nothing was done.
                throw error == .overloaded ? .enclave(.outcomeUnknown) : error
            }
        }
        return request.isOfProtectors ? .protectorNonce([]) : .passcodeDone
    }

    private func handOn(_ request: PasscodeRequest) throws(DaemonError) {
        turn.take()
        defer { turn.pass() }
        do throws(EnclaveCallError) {
            try enclave.passcode(
                operation: request.operation, sealed: request.sealed, userID: request.userID,
                isIdentified: request.isIdentified, isRoot: request.isRoot)
        } catch {
            noteErasures(request.userID)
            let count = enclave.lockCount(userID: request.userID)
            guard cache.follow(lockCount: count, userID: request.userID) else {
                throw .enclave(.outcomeUnknown)
            }
            throw DaemonError(error)
        }
        onUnlocked(request.userID)
    }

    /// The last allowed attempt may have been wrong. Then all keys are destroyed, and a client that
    /// gets this reply must not write with an old key afterwards.
    private func noteErasures(_ userID: UInt32) {
        guard let status = try? enclave.status(userID: userID) else { return }
        cache.note(erasures: status.erasures, userID: userID)
    }

    /// Without the device key, no note can be made of the class that ends. If a crash leaves its
    /// rows, they can never be opened.
    private func recover(_ request: PasscodeRequest) throws(DaemonError) {
        guard (try? enclave.status(userID: request.userID)) == nil else {
            return try end(.akpu, request)
        }
        defer { _ = cache.metadata.dropLockedKeys(userID: request.userID) }
        try handOn(request)
        onClassDestroyed(.akpu, request.userID) {}
    }

    /// Rows that aren't deleted, because they aren't the last committed ones, can never be opened
    /// afterwards. If the enclave can't destroy the keys, root repeats it.
    private func forget(_ request: PasscodeRequest) throws(DaemonError) {
        try forgetRows(request.userID)
        defer { _ = cache.metadata.dropLockedKeys(userID: request.userID) }
        try handOn(request)
        noteErasures(request.userID)
        onForgotten(request.userID)
    }

    // MARK: - Classes that end

    /// Forwards an operation that removes the passcode, and with it the key of a class.
    private func end(
        _ protectionClass: ProtectionClass, _ request: PasscodeRequest
    ) throws(DaemonError) {
        let note = try noteEnding(request.userID)
        // Also drop the keys that the class key opened; the other keys are fetched again.
        defer { _ = cache.metadata.dropLockedKeys(userID: request.userID) }
        do throws(DaemonError) { try handOn(request) } catch {
            if error == .enclave(.outcomeUnknown) {
                hasOpenEndings = true
            } else {
                endings.end(note)
            }
            throw error
        }
        finish(note, protectionClass)
    }

    /// Without a note, the operation isn't begun.
    private func noteEnding(_ userID: UInt32) throws(DaemonError) -> EndingClasses.Note {
        do throws(EnclaveCallError) {
            let status = try enclave.status(userID: userID)
            let note = EndingClasses.Note(
                userID: userID, keybagUUID: status.keybagUUID,
                keybagGeneration: status.keybagGeneration)
            do { try endings.begin(note) } catch { throw EnclaveCallError.stateNotWritten }
            return note
        } catch { throw .enclave(error) }
    }

    private func finish(_ note: EndingClasses.Note, _ protectionClass: ProtectionClass) {
        let endings = endings
        onClassDestroyed(protectionClass, note.userID) { endings.end(note) }
    }

    /// Continues after a process ended, or a reply was lost.
    private func finishEndings() {
        let (notes, areAll) = endings.notes()
        hasOpenEndings = !areAll
        for note in notes {
            do throws(EnclaveCallError) {
                let status = try enclave.status(userID: note.userID)
                if note.hasHappened(status) { finish(note, .akpu) } else { endings.end(note) }
            } catch { hasOpenEndings = true }
        }
    }
}
