// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// A process's leases at the service. Tasks of the process that want the same lease wait in a queue
/// here, so that a lease needs one connection of the process, however many tasks wait.
final class LeaseDesk: Sendable {
    /// The name and group of a lease.
    struct Name: Hashable, Sendable {
        let accessGroup: String?
        let name: String
    }

    /// A lease that is being requested, or held.
    private struct State {
        /// Tasks that wait for a lease that a task of this process holds or requests.
        var lines: [Name: [Call<Void>]] = [:]
    }

    private let state = Mutex(State())
    let calls: AsyncCalls

    /// The service limits a process's connections to one of its threads; leases must not use all of
    /// them.
    private static let nameLimit = 10

    init(_ calls: AsyncCalls) { self.calls = calls }

    /// Takes a lease.
    func take(
        _ name: Name, for duration: Duration, waiting: Duration,
        locate: @escaping @Sendable () -> ServiceLocation
    ) async throws(KeychainError) -> KeychainLease {
        let nameByteCount = name.name.utf8.count
        guard LeaseLimits.nameByteCounts.contains(nameByteCount), waiting >= .zero else {
            throw .invalidRequest
        }
        let end = ContinuousClock.Instant.end(of: waiting)
        try await enter(name, until: end)
        let seat = LeaseSeat(name, self)
        let connection = LeaseConnection(seat, Transport(locate: locate))
        return try await connection.take(name, for: duration, until: end)
    }

    // MARK: - Lines

    private func enter(
        _ name: Name, until end: ContinuousClock.Instant
    ) async throws(KeychainError) {
        let call = Call<Void>(isWrite: false) { (_) throws(KeychainError) -> Void in }
        switch stand(call, in: name) {
        case .first: return
        case .noRoom: throw .unreachable
        case .behind: break
        }
        do throws(KeychainError) {
            // The holder that leaves the first place carries out this call.
            try await calls.wait(for: call, until: end) { true }
        } catch {
            leaveLine(call, name)
            // A task of this process held it all the time.
            throw error.reason == .timedOut ? .leased : error
        }
    }

    private enum Place {
        case first
        case behind
        case noRoom
    }

    private func stand(_ call: Call<Void>, in name: Name) -> Place {
        state.withLock { state in
            if state.lines[name] != nil {
                state.lines[name]?.append(call)
                return .behind
            }
            guard state.lines.count < Self.nameLimit else { return .noRoom }
            state.lines[name] = []
            return .first
        }
    }

    private func leaveLine(_ call: Call<Void>, _ name: Name) {
        state.withLock { $0.lines[name]?.removeAll { $0 === call } }
    }

    /// No task of this process holds the lease any more: the next one requests it.
    func leave(_ name: Name) {
        while true {
            let next = state.withLock { state -> Call<Void>? in
                guard let first = state.lines[name]?.first else {
                    state.lines[name] = nil
                    return nil
                }
                state.lines[name]?.removeFirst()
                return first
            }
            guard let next, !next.carryOut() else { return }
        }
    }
}

/// The first place in a queue, left once.
final class LeaseSeat: Sendable {
    private let name: LeaseDesk.Name
    private let desk: LeaseDesk
    private let isLeft = Atomic(false)

    init(_ name: LeaseDesk.Name, _ desk: LeaseDesk) {
        self.name = name
        self.desk = desk
    }

    deinit { leave() }

    var calls: AsyncCalls { desk.calls }

    /// Lets the next task in the queue continue.
    func leave() {
        guard !isLeft.exchange(true, ordering: .acquiringAndReleasing) else { return }
        desk.leave(name)
    }
}
