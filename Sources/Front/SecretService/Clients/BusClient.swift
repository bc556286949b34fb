// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Synchronization

/// A connection to the bus that has called: its calls in their order, its sessions, and what it reaches
/// in the store.
final class BusClient: Sendable {
    /// How many calls may wait: libsecret asks for each item that a search has found, all at once.
    static let callLimit = 16_384
    /// How much memory waiting calls may need: a few of the longest secrets.
    static let waitingByteLimit = 32 << 20
    /// Sessions of one client. A program has one; one that opens one for each call, and closes none, has
    /// some hundred.
    static let sessionLimit = 256
    /// Prompts of one client that haven't ended.
    static let promptLimit = 64

    /// What there is to do, in turn.
    enum Work: Sendable {
        case call(BusCall)
        case change(StoreChange)
    }

    private struct State: ~Copyable {
        /// Whether the bus has said who it is, or that it can't be told.
        var isIdentified = false
        /// Its process; nil if it can't be told.
        var pidfd: Descriptor?
        var work: [Work] = []
        var waitingByteCount = 0
        /// The collections of a lock's change that waits to be told.
        var waitingLock: [String]?
        var isWorking = false
        var isGone = false
        var view: ClientView?
        var sessions: [String: SecretSession] = [:]
        var promptCount = 0
    }

    /// Its unique name on the bus.
    let name: String
    private let service: SharedService
    private let state = Mutex(State())

    init(name: String, service: SharedService) {
        self.name = name
        self.service = service
    }

    // MARK: - On the bus's thread

    /// Notes who it is; its calls begin then.
    /// - Parameter pidfd: Its process; nil when it can't be told.
    func identify(_ pidfd: consuming Descriptor?) {
        let number: Int32 =
            switch consume pidfd {
            case .some(let pidfd): pidfd.release()
            case .none: -1
            }
        let starts = state.withLock { state in
            if number >= 0 { state.pidfd = Descriptor(owning: number) }
            state.isIdentified = true
            return Self.begin(&state)
        }
        if starts { service.pool.run { self.work() } }
    }

    /// Lets a call wait for its turn.
    /// - Returns: False when too many wait.
    func add(_ call: BusCall) -> Bool {
        let (isTaken, starts) = state.withLock { state in
            let byteCount = call.request.byteCount
            guard state.work.count < Self.callLimit,
                state.waitingByteCount + byteCount <= Self.waitingByteLimit
            else { return (false, false) }
            state.waitingByteCount += byteCount
            state.work.append(.call(call))
            return (true, Self.begin(&state))
        }
        if starts { service.pool.run { self.work() } }
        return isTaken
    }

    /// It has left the bus: nothing of it stays.
    /// - Returns: The numbers of the calls that nobody carries out any more.
    func leave() -> [UInt64] {
        let (view, calls) = state.withLock { state -> (ClientView?, [UInt64]) in
            let calls = state.work.compactMap { work -> UInt64? in
                if case .call(let call) = work { call.number } else { nil }
            }
            state.isGone = true
            state.work = []
            state.sessions = [:]
            // Its thread does that when the call under way has ended.
            guard !state.isWorking else { return (nil, calls) }
            return (state.view.take(), calls)
        }
        if let view { service.pool.run { view.close() } }
        return calls
    }

    // MARK: - Changes

    /// A change that it may see; on any thread.
    func add(_ change: StoreChange) {
        let starts = state.withLock { state in
            // A client that doesn't read its signals loses some, and doesn't fill the memory.
            guard !state.isGone, state.work.count < Self.callLimit else { return false }
            if case .lockChanged(let ids) = change {
                // What is told is read when its turn comes, so one that waits is enough.
                guard state.waitingLock != ids else { return false }
                state.waitingLock = ids
            }
            state.work.append(.change(change))
            return Self.begin(&state)
        }
        if starts { service.pool.run { self.work() } }
    }

    private static func begin(_ state: inout State) -> Bool {
        guard state.isIdentified, !state.isWorking, !state.isGone, !state.work.isEmpty else {
            return false
        }
        state.isWorking = true
        return true
    }

    // MARK: - On a thread of the pool

    private func work() {
        while true {
            let batch = state.withLock { state in
                let batch = state.work
                state.work = []
                state.waitingLock = nil
                if batch.isEmpty { state.isWorking = false }
                return batch
            }
            for work in batch { perform(work) }
            if batch.isEmpty { break }
        }
        let view = state.withLock { state -> ClientView? in
            guard state.isGone, !state.isWorking else { return nil }
            return state.view.take()
        }
        view?.close()
    }

    private func perform(_ work: Work) {
        switch work {
        case .call(let call):
            state.withLock { $0.waitingByteCount -= call.request.byteCount }
            guard !state.withLock({ $0.isGone }) else {
                // Nobody reads it: it lets go of the call's message.
                return service.outbox.push(.error(call: call.number, .noReply))
            }
            CallHandler(client: self, service: service, call: call).handle()
        case .change(let change):
            // Without a view nothing was promised.
            guard let view = state.withLock({ $0.isGone ? nil : $0.view }) else { return }
            for signal in ChangeSignals.signals(change, view) {
                service.outbox.push(.signal(signal, client: name))
            }
        }
    }

    /// What it reaches in the store; made at the first call that asks.
    func view() throws(SecretStoreError) -> ClientView {
        if let view = state.withLock({ $0.view }) { return view }
        let number = state.withLock { state -> Int32 in
            guard !state.isGone else { return -1 }
            return switch state.pidfd {
            case .some(let pidfd): fcntl(pidfd.rawValue, F_DUPFD_CLOEXEC, 3)
            case .none: -1
            }
        }
        guard number >= 0 else { throw .callerGone }
        let client = try service.store.represent(Descriptor(owning: number)) {
            [weak self] change in
            self?.add(change)
        }
        let view = ClientView(client, service.sessionCollection) { [weak self] change in
            self?.add(change)
        }
        let (kept, isGone) = state.withLock { state -> (ClientView?, Bool) in
            if !state.isGone, state.view == nil { state.view = view }
            return (state.view, state.isGone)
        }
        // The thread of a prompt may have made one at the same time, or the client may have left.
        if kept !== view { view.close() }
        guard let kept, !isGone else { throw .callerGone }
        return kept
    }

    /// Forgets what it reached: the process may run another program now.
    func forget(_ view: ClientView) {
        let old = state.withLock { state -> ClientView? in
            guard state.view === view else { return nil }
            return state.view.take()
        }
        old?.close()
    }

    // MARK: - Sessions

    /// Whether there may be one more session; asked before the arithmetic.
    var hasRoomForSession: Bool { state.withLock { $0.sessions.count < Self.sessionLimit } }

    /// Keeps a session.
    /// - Returns: Its path; nil when there are too many.
    func add(_ session: SecretSession) -> String? {
        let path = ObjectPath.path(session: service.nextNumber())
        return state.withLock { state in
            guard !state.isGone, state.sessions.count < Self.sessionLimit else { return nil }
            state.sessions[path] = session
            return path
        }
    }

    /// The session of a path; nil unless it is this client's.
    func session(_ path: String) -> SecretSession? { state.withLock { $0.sessions[path] } }

    /// Ends a session.
    /// - Returns: Whether it was this client's.
    func close(session path: String) -> Bool {
        state.withLock { $0.sessions.removeValue(forKey: path) != nil }
    }

    // MARK: - Prompts

    /// Counts one more prompt.
    /// - Returns: Its path; nil when there are too many.
    func addPrompt() -> String? {
        let isCounted = state.withLock { state in
            guard state.promptCount < Self.promptLimit else { return false }
            state.promptCount += 1
            return true
        }
        return isCounted ? ObjectPath.path(prompt: service.nextNumber()) : nil
    }

    /// Counts one prompt less.
    func removePrompt() { state.withLock { $0.promptCount -= 1 } }
}
