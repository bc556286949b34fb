// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// The name of a lease: one name in one access group of one user.
struct LeaseName: Hashable, Sendable {
    let userID: UInt32
    let accessGroup: String
    let name: [UInt8]
}

/// A connection as a holder of leases: they end with it.
final class LeaseHolder: Sendable {}

/// The holders of leases, and the waiting connections; shared by all event threads.
///
/// A lease ends when it is released, when its time expires or when its connection ends. But while a
/// write that depends on it is under way (it is *pinned*), no other holder gets it.
final class LeaseTable: Sendable {
    typealias Answer = @Sendable (Result<ServiceReply, DaemonError>) -> Void

    /// A connection that waits.
    private struct Waiter {
        let holder: LeaseHolder
        /// Whose it counts as.
        let account: UInt32
        let duration: Duration
        let deadline: ContinuousClock.Instant
        let answer: Answer
    }

    private struct Lease {
        let token: LeaseToken
        let holder: LeaseHolder
        /// Whose it counts as.
        let account: UInt32
        var end: ContinuousClock.Instant
        /// Writes under way that depend on it.
        var pinCount = 0
        /// It was released, or its connection has ended, while it was pinned.
        var isOver = false
        var waiters: [Waiter] = []

        func isFree(at now: ContinuousClock.Instant) -> Bool {
            pinCount == 0 && (isOver || end <= now)
        }
    }

    private struct State {
        var leases: [LeaseName: Lease] = [:]
        var names: [LeaseToken: LeaseName] = [:]
        var waiterCount = 0

        /// Half of everything is one account's at most: others find room.
        func hasRoom(forLeaseOf account: UInt32) -> Bool {
            guard leases.count < leaseLimit else { return false }
            return leases.count < leaseLimit / 2
                || leases.values.count { $0.account == account } < leaseLimit / 2
        }

        /// The same for connections that wait.
        func hasRoom(forWaiterOf account: UInt32) -> Bool {
            guard waiterCount < waiterLimit else { return false }
            guard waiterCount >= waiterLimit / 2 else { return true }
            let own = leases.values.lazy.map { $0.waiters.count { $0.account == account } }
            return own.reduce(0, +) < waiterLimit / 2
        }
    }

    private let state = Mutex(State())

    /// More than well-behaved programs have at once.
    private static let leaseLimit = 4096
    private static let waiterLimit = 4096

    /// Takes a lease, now or once it is free. It counts as the account's, else as the user's.
    /// - Throws: ``DaemonError/overloaded``; every other result is a reply.
    func take(
        _ name: LeaseName, for duration: Duration, waiting: Duration, holder: LeaseHolder,
        account: UInt32? = nil, answer: @escaping Answer
    ) throws(DaemonError) {
        let now = ContinuousClock.now
        let account = account ?? name.userID
        let waiter = Waiter(
            holder: holder, account: account, duration: duration, deadline: now + waiting,
            answer: answer)
        try attempt { (state) throws(DaemonError) -> [Reply] in
            guard state.leases[name] != nil else {
                guard state.hasRoom(forLeaseOf: account) else { throw .overloaded }
                return [Self.give(name, to: waiter, now, [], &state)]
            }
            var replies = Self.passOn(name, now, &state)
            guard state.leases[name] != nil else {
                return replies + [Self.give(name, to: waiter, now, [], &state)]
            }
            guard waiting > .zero else {
                replies.append(Reply(answer: answer, outcome: .failure(.leased)))
                return replies
            }
            guard state.hasRoom(forWaiterOf: account) else { throw .overloaded }
            state.waiterCount += 1
            state.leases[name]?.waiters.append(waiter)
            return replies
        }
    }

    /// Extends a lease that its holder still has.
    func renew(
        _ token: LeaseToken, for duration: Duration, holder: LeaseHolder
    ) throws(DaemonError) {
        let now = ContinuousClock.now
        let isRenewed = state.withLock { state in
            guard let name = state.names[token], let lease = state.leases[name],
                lease.holder === holder, !lease.isOver, lease.end > now
            else { return false }
            state.leases[name]?.end = now + duration
            return true
        }
        guard isRenewed else { throw .leaseLost }
    }

    /// Ends a lease, if its holder still has it.
    func giveBack(_ token: LeaseToken, holder: LeaseHolder) {
        settle { state in
            guard let name = state.names[token], state.leases[name]?.holder === holder else {
                return []
            }
            state.leases[name]?.isOver = true
            return Self.passOn(name, .now, &state)
        }
    }

    /// Ends every lease and every wait of a connection.
    func end(_ holder: LeaseHolder) {
        settle { state in
            var replies: [Reply] = []
            for (name, lease) in state.leases {
                let waiting = lease.waiters.filter { $0.holder !== holder }
                state.waiterCount -= lease.waiters.count - waiting.count
                state.leases[name]?.waiters = waiting
                guard lease.holder === holder else { continue }
                state.leases[name]?.isOver = true
                replies += Self.passOn(name, .now, &state)
            }
            return replies
        }
    }

    /// A write that depends on a lease begins: no other holder gets it before ``unpin(_:)``.
    /// - Throws: ``DaemonError/leaseLost`` when the user doesn't have it any more.
    func pin(_ token: LeaseToken, userID: UInt32) throws(DaemonError) {
        let now = ContinuousClock.now
        let isPinned = state.withLock { state in
            guard let name = state.names[token], name.userID == userID,
                let lease = state.leases[name], !lease.isOver, lease.end > now
            else { return false }
            state.leases[name]?.pinCount += 1
            return true
        }
        guard isPinned else { throw .leaseLost }
    }

    /// A write that depended on a lease is over.
    func unpin(_ token: LeaseToken) {
        settle { state in
            guard let name = state.names[token] else { return [] }
            state.leases[name]?.pinCount -= 1
            return Self.passOn(name, .now, &state)
        }
    }

    /// Ends expired leases and waits; called about once a second.
    func sweep(_ now: ContinuousClock.Instant) {
        settle { state in
            var replies: [Reply] = []
            for (name, lease) in state.leases {
                let late = lease.waiters.filter { $0.deadline <= now }
                if !late.isEmpty {
                    state.waiterCount -= late.count
                    state.leases[name]?.waiters.removeAll { $0.deadline <= now }
                    replies += late.map { Reply(answer: $0.answer, outcome: .failure(.leased)) }
                }
                replies += Self.passOn(name, now, &state)
            }
            return replies
        }
    }

    // MARK: - Granting

    /// A reply that is sent after the table is unlocked.
    private struct Reply {
        let answer: Answer
        let outcome: Result<ServiceReply, DaemonError>
    }

    private func attempt(
        _ body: (inout State) throws(DaemonError) -> [Reply]
    ) throws(DaemonError) {
        let outcome: Result<[Reply], DaemonError> = state.withLock { state in
            do throws(DaemonError) { return .success(try body(&state)) } catch {
                return .failure(error)
            }
        }
        for reply in try outcome.get() { reply.answer(reply.outcome) }
    }

    private func settle(_ body: (inout State) -> [Reply]) {
        for reply in state.withLock({ body(&$0) }) { reply.answer(reply.outcome) }
    }

    /// If a lease is free, the longest waiting connection gets it; without one, it is removed.
    private static func passOn(
        _ name: LeaseName, _ now: ContinuousClock.Instant, _ state: inout State
    ) -> [Reply] {
        guard let lease = state.leases[name], lease.isFree(at: now) else { return [] }
        state.names[lease.token] = nil
        state.leases[name] = nil
        guard let first = lease.waiters.first else { return [] }
        state.waiterCount -= 1
        return [give(name, to: first, now, Array(lease.waiters.dropFirst()), &state)]
    }

    private static func give(
        _ name: LeaseName, to waiter: Waiter, _ now: ContinuousClock.Instant,
        _ others: [Waiter], _ state: inout State
    ) -> Reply {
        let token = freshToken(state)
        var lease = Lease(
            token: token, holder: waiter.holder, account: waiter.account,
            end: now + waiter.duration)
        lease.waiters = others
        state.leases[name] = lease
        state.names[token] = name
        return Reply(answer: waiter.answer, outcome: .success(.leased(token)))
    }

    private static func freshToken(_ state: State) -> LeaseToken {
        while true {
            let number = UInt64.random(in: 1...UInt64.max)
            if let token = LeaseToken(number), state.names[token] == nil { return token }
        }
    }
}
