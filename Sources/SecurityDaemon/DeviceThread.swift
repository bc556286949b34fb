// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecurityWire

/// A device request that waits.
struct DeviceJob: Sendable {
    let request: DeviceRequest
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void
}

/// A thread for what takes long. Passcodes and locking have one each: a lock never waits until a
/// passcode has been stretched.
final class DeviceThread {
    private let queue: WorkQueue<DeviceJob>
    private let cache: KeyCache
    private var enclave: EnclaveClient
    private let onClassDestroyed: (ProtectionClass, UInt32) -> Void
    private let onUnlocked: (UInt32) -> Void
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void

    init(
        queue: WorkQueue<DeviceJob>, cache: KeyCache, enclave: consuming EnclaveClient,
        onClassDestroyed: @escaping (ProtectionClass, UInt32) -> Void,
        onUnlocked: @escaping (UInt32) -> Void,
        scrub: @escaping () -> Void, onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.cache = cache
        self.enclave = enclave
        self.onClassDestroyed = onClassDestroyed
        self.onUnlocked = onUnlocked
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    func run() {
        while true {
            for job in queue.take(1) {
                do throws(EnclaveCallError) {
                    job.answer(.success(try carryOut(job.request)))
                } catch {
                    job.answer(.failure(.enclave(error)))
                    if error == .gone { onEnclaveGone() }
                }
                scrub()
            }
        }
    }

    private func carryOut(_ request: DeviceRequest) throws(EnclaveCallError) -> ServiceReply {
        switch request {
        case .passcode(let operation, let sealed, let userID):
            // Without a passcode the key of its class is gone, and so must be what it opened; the
            // other keys are fetched again.
            defer {
                if operation == .remove || operation == .reset {
                    cache.metadata.dropLockedKeys(userID: userID)
                }
            }
            do throws(EnclaveCallError) {
                try enclave.passcode(operation: operation, sealed: sealed, userID: userID)
            } catch {
                noteErasures(userID)
                throw error
            }
            onUnlocked(userID)
            if operation == .remove || operation == .reset { onClassDestroyed(.akpu, userID) }
            return .passcodeDone
        case .lock(let userID):
            // The barrier: first the enclave's class keys, then ours that they opened.
            // Ours go even if the enclave's answer is lost, and where there is no passcode, when they
            // are fetched again.
            do throws(EnclaveCallError) { try enclave.lock(userID: userID) } catch {
                cache.metadata.dropLockedKeys(userID: userID)
                throw error
            }
            guard cache.metadata.dropLockedKeys(userID: userID) else { throw .unreachable }
            return .locked
        }
    }

    /// A wrong passcode may have been the last one: then no key that was open is of use, and whoever
    /// hears of it must not write under one.
    private func noteErasures(_ userID: UInt32) {
        guard let status = try? enclave.status(userID: userID) else { return }
        cache.note(erasures: status.erasures, userID: userID)
    }
}
