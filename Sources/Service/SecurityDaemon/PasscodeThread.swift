// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecurityWire

/// The thread that hands passcodes on, each of which is stretched for a while.
final class PasscodeThread {
    /// Deletes the rows of a user's class, and calls back when they are gone.
    typealias OnClassDestroyed = (ProtectionClass, UInt32, @escaping @Sendable () -> Void) -> Void

    private let queue: FairQueue<DeviceJob<PasscodeRequest>>
    private let cache: KeyCache
    private var enclave: EnclaveClient
    private let endings: EndingClasses
    private let onClassDestroyed: OnClassDestroyed
    private let roots: RootGate
    private let onUnlocked: (UInt32) -> Void
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    /// There may be notes of classes whose end isn't known to have come.
    private var hasOpenEndings = true

    init(
        queue: FairQueue<DeviceJob<PasscodeRequest>>, cache: KeyCache,
        enclave: consuming EnclaveClient, endings: EndingClasses,
        onClassDestroyed: @escaping OnClassDestroyed, roots: RootGate,
        onUnlocked: @escaping (UInt32) -> Void, scrub: @escaping () -> Void,
        onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.cache = cache
        self.enclave = enclave
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
            .bindRegisters:
            try handOn(request)
        case .recover: try recover(request)
        case .acceptRollback:
            // The enclave judges who asks for it.
            try handOn(request)
            do throws(DaemonError) { try roots.put(.accept, request.userID) } catch {
                // Half of it is done: no client is told that nothing is.
                throw error == .overloaded ? .enclave(.outcomeUnknown) : error
            }
        }
        return .passcodeDone
    }

    private func handOn(_ request: PasscodeRequest) throws(DaemonError) {
        do throws(EnclaveCallError) {
            try enclave.passcode(
                operation: request.operation, sealed: request.sealed, userID: request.userID,
                isIdentified: request.isIdentified)
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

    /// A wrong passcode may have been the last one: then no key that was open is of use, and whoever
    /// hears of it must not write under one.
    private func noteErasures(_ userID: UInt32) {
        guard let status = try? enclave.status(userID: userID) else { return }
        cache.note(erasures: status.erasures, userID: userID)
    }

    /// Where the device key is gone, nothing can be noted of the class that ends: its rows, if a crash
    /// leaves them, never open again.
    private func recover(_ request: PasscodeRequest) throws(DaemonError) {
        guard (try? enclave.status(userID: request.userID)) == nil else {
            return try end(.akpu, request)
        }
        defer { _ = cache.metadata.dropLockedKeys(userID: request.userID) }
        try handOn(request)
        onClassDestroyed(.akpu, request.userID) {}
    }

    // MARK: - Classes that end

    /// Hands a passcode on that takes itself away, and the key of a class with it.
    private func end(
        _ protectionClass: ProtectionClass, _ request: PasscodeRequest
    ) throws(DaemonError) {
        let note = try noteEnding(request.userID)
        // What the key opened goes, too; the other keys are fetched again.
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

    /// What isn't noted isn't begun.
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

    /// Goes on where a process was ended, or an answer didn't come.
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
