// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecurityWire

/// The thread that locks. A lock never waits for the derivation of a passcode. If a program holds
/// the device unlocked, the reply waits, but the thread continues with other work.
final class LockThread {
    /// A client whose reply waits until the keys are gone.
    private struct Waiting {
        let job: DeviceJob<LockRequest>
        let userID: UInt32
        /// How often keys had been dropped when it sent the request.
        let lockCount: UInt32
        let deadline: ContinuousClock.Instant
    }

    private let queue: FairQueue<DeviceJob<LockRequest>>
    private let cache: KeyCache
    private var enclave: EnclaveClient
    private let anchor: (UInt32) -> Void
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    private var waiting: [Waiting] = []

    /// Longer than any program can hold a device unlocked, and shorter than a client waits.
    private static let patience = Duration.seconds(63)
    /// How soon the thread detects that an unlock has cancelled a lock; a lock itself wakes the
    /// thread.
    private static let pauseMilliseconds: Int32 = 250
    /// How many locks of one user may wait at the same time.
    private static let waitingLimit = 16

    init(
        queue: FairQueue<DeviceJob<LockRequest>>, cache: KeyCache,
        enclave: consuming EnclaveClient, anchor: @escaping (UInt32) -> Void,
        scrub: @escaping () -> Void,
        onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.cache = cache
        self.enclave = enclave
        self.anchor = anchor
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    func run() {
        while true {
            let pause = waiting.isEmpty ? nil : Self.pauseMilliseconds
            if let job = queue.take(within: pause) {
                answer(job) { () throws(DaemonError) in try carryOut(job) }
            }
            // Clients that waited for the effect of this job get their reply at once.
            let all = waiting
            waiting = []
            for entry in all {
                answer(entry.job) { () throws(DaemonError) in try settle(entry) }
            }
            scrub()
        }
    }

    /// Replies with the result of `body`; when that is nil, the reply comes later.
    private func answer(
        _ job: DeviceJob<LockRequest>, _ body: () throws(DaemonError) -> ServiceReply?
    ) {
        do throws(DaemonError) {
            if let reply = try body() { job.answer(.success(reply)) }
        } catch {
            job.answer(.failure(error))
            if error == .enclave(.gone) { onEnclaveGone() }
        }
    }

    private func carryOut(
        _ job: DeviceJob<LockRequest>
    ) throws(DaemonError) -> ServiceReply? {
        switch job.request {
        case .lock(let mode, let waits, let userID):
            return try lock(mode, waits: waits && mode == .now, userID, job)
        case .everybody: return try lockEverybody()
        case .hold(let hold, let seconds):
            do throws(EnclaveCallError) {
                hold.taken(try enclave.takeAssertion(seconds: seconds, userID: hold.userID))
            } catch {
                try followLock(hold.userID)
                throw DaemonError(error)
            }
            return .asserted
        case .release(let hold):
            guard let token = hold.give() else { return .asserted }
            do throws(EnclaveCallError) {
                try enclave.releaseAssertion(token, userID: hold.userID)
            } catch { throw .enclave(error) }
            return .asserted
        }
    }

    // MARK: - Locking

    /// The barrier: first the enclave drops its class keys, then this process drops the keys that
    /// they opened.
    private func lock(
        _ mode: LockMode, waits: Bool, _ userID: UInt32, _ job: DeviceJob<LockRequest>
    ) throws(DaemonError) -> ServiceReply? {
        // A client that may not wait is refused before anything is done. The device still gets
        // locked: the waiting clients have requested the same.
        let waiterCount = waiting.count { $0.userID == userID }
        guard !waits || waiterCount < Self.waitingLimit else { throw .overloaded }
        let answer: LockAnswer
        do throws(EnclaveCallError) { answer = try enclave.lock(mode, userID: userID) } catch {
            // This process drops its keys even if the enclave's reply is lost.
            _ = cache.metadata.dropAll(userID: userID)
            throw .enclave(error)
        }
        try followLock(userID)
        anchor(userID)
        guard answer.seconds > 0, waits else {
            guard answer.seconds > 0 || cache.metadata.dropLockedKeys(userID: userID) else {
                throw .enclave(.unreachable)
            }
            return .locked(seconds: answer.seconds)
        }
        waiting.append(
            Waiting(
                job: job, userID: userID, lockCount: answer.lockCount,
                deadline: .now + Self.patience))
        return nil
    }

    /// The barrier for every user whose keys this process may have.
    private func lockEverybody() throws(DaemonError) -> ServiceReply {
        do throws(EnclaveCallError) {
            _ = try enclave.lock(.now, userID: EverybodysLock.userID)
        } catch {
            _ = cache.metadata.dropEverybodys()
            throw .enclave(error)
        }
        guard cache.metadata.dropEverybodys() else { throw .enclave(.unreachable) }
        return .locked(seconds: 0)
    }

    /// Checks whether a waiting lock has happened.
    private func settle(_ entry: Waiting) throws(DaemonError) -> ServiceReply? {
        if let status = try status(entry.userID) {
            try followLock(entry.userID)
            if status.lockCount != entry.lockCount || status.state != .unlocked {
                return .locked(seconds: 0)
            }
            guard status.secondsUntilLocked > 0 else { throw .lockCalledOff }
        }
        guard ContinuousClock.now < entry.deadline else { throw .enclave(.unreachable) }
        waiting.append(entry)
        return nil
    }

    /// - Returns: Nil when the enclave didn't reply in time, which proves nothing.
    private func status(_ userID: UInt32) throws(DaemonError) -> EnclaveStatus? {
        do { return try enclave.status(userID: userID) } catch {
            guard error == .unreachable else { throw .enclave(error) }
            return nil
        }
    }

    private func followLock(_ userID: UInt32) throws(DaemonError) {
        guard cache.follow(lockCount: enclave.lockCount(userID: userID), userID: userID) else {
            throw .enclave(.unreachable)
        }
    }
}
