// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// A lease's connection: the service ends the lease when the connection ends.
final class LeaseConnection: LeaseHolding, Sendable {
    private struct State: ~Copyable {
        /// Nil while a thread uses it, and after the end.
        var transport: Transport?
        var isOver = false
        var alarm: UInt64?
    }

    private let seat: LeaseSeat
    private let state: Mutex<State>

    /// After a wait longer than this, the lease is renewed, so that its full time starts at the
    /// grant.
    private static let shortWait = Duration.milliseconds(10)

    init(_ seat: LeaseSeat, _ transport: consuming Transport) {
        self.seat = seat
        state = Mutex(State(transport: transport))
    }

    /// Asks for the lease until it is granted; cancelling the task ends the connection.
    func take(
        _ name: LeaseDesk.Name, for duration: Duration, until end: ContinuousClock.Instant
    ) async throws(KeychainError) -> KeychainLease {
        let milliseconds = try LeaseLimits.milliseconds(duration, in: LeaseLimits.milliseconds)
        let rest = max(ContinuousClock.now.duration(to: end), .zero)
        let (token, start): (LeaseToken, ContinuousClock.Instant)
        do throws(KeychainError) {
            (token, start) = try await seat.calls.make(
                .wait, within: rest + KeychainConnection.readDeadline
            ) {
                (bounds) throws(KeychainError) in
                try self.ask(name, milliseconds, until: end, bounds)
            }
        } catch {
            drop()
            // Only the service may report that another process has it.
            throw error.reason == .timedOut ? .unreachable : error
        }
        prolong(until: start + duration)
        return KeychainLease(token, until: start + duration, self)
    }

    /// - Returns: The lease, and a moment that isn't later than its start.
    private func ask(
        _ name: LeaseDesk.Name, _ milliseconds: UInt32, until end: ContinuousClock.Instant,
        _ bounds: CallBounds
    ) throws(KeychainError) -> (LeaseToken, ContinuousClock.Instant) {
        var pauses = BusyPauses()
        while true {
            let asked = ContinuousClock.now
            let rest = max(asked.duration(to: end), .zero) / .milliseconds(1)
            let longest = Double(LeaseLimits.waitMilliseconds.upperBound)
            let request = LeaseRequest.take(
                name: [UInt8](name.name.utf8), accessGroup: name.accessGroup,
                milliseconds: milliseconds,
                waitMilliseconds: UInt32(min(rest.rounded(.up), longest)))
            do throws(KeychainError) {
                guard case .leased(let token?) = try exchange(.lease(request), bounds) else {
                    throw KeychainError.unreachable
                }
                guard asked.duration(to: .now) > Self.shortWait else { return (token, asked) }
                let renewed = ContinuousClock.now
                let renewal = LeaseRequest.renew(token, milliseconds: milliseconds)
                _ = try exchange(.lease(renewal), bounds)
                return (token, renewed)
            } catch {
                if error.reason == .busy, pauses.wait(bounds) { continue }
                guard error.reason == .leased, ContinuousClock.now < end else { throw error }
            }
        }
    }

    private func exchange(
        _ request: ClientRequest, _ bounds: CallBounds
    ) throws(KeychainError) -> ReceivedReply {
        let taken = state.withLock { state in
            state.isOver ? nil : state.transport.take()
        }
        // Two tasks used it at once, or it has ended.
        guard var transport = taken else { throw isDropped ? .leaseLost : .invalidRequest }
        transport.beginInterruptible(bounds.interruption)
        let outcome: Result<ReceivedReply, KeychainError>
        do throws(Transport.Failure) {
            let usual = KeychainConnection.readDeadline
            outcome = .success(try transport.exchange(request, deadline: bounds.rest(usual)))
        } catch { outcome = .failure(bounds.error(error)) }
        transport.endInterruptible()
        giveBack(transport)
        return try KeychainConnection.succeeded(try outcome.get())
    }

    private func giveBack(_ transport: consuming Transport) {
        var given: Transport? = transport
        state.withLock { state in
            if !state.isOver { state.transport = given.take() }
        }
    }

    // MARK: - Holding

    var isDropped: Bool { state.withLock { $0.isOver } }

    func renew(_ token: LeaseToken, for duration: Duration) async throws(KeychainError) {
        let milliseconds = try LeaseLimits.milliseconds(duration, in: LeaseLimits.milliseconds)
        guard !isDropped else { throw .leaseLost }
        let asked = ContinuousClock.now
        do throws(KeychainError) {
            _ = try await seat.calls.make(.write, within: KeychainConnection.readDeadline) {
                (bounds) throws(KeychainError) in
                try self.exchange(.lease(.renew(token, milliseconds: milliseconds)), bounds)
            }
        } catch {
            if error.reason == .leaseLost { drop() }
            throw error
        }
        prolong(until: asked + duration)
    }

    func release(_ token: LeaseToken) async {
        guard !isDropped else { return }
        // The result doesn't matter: the end of the connection ends the lease.
        _ = try? await seat.calls.make(.write, within: KeychainConnection.settlingTime) {
            (bounds) throws(KeychainError) in
            try self.exchange(.lease(.giveBack(token)), bounds)
        }
        drop()
    }

    func drop() {
        let (isFirst, alarm) = state.withLock { state in
            let isFirst = !state.isOver
            state.isOver = true
            state.transport = nil
            return (isFirst, state.alarm.take())
        }
        if let alarm { seat.calls.clock.cancel(alarm) }
        if isFirst { seat.leave() }
    }

    /// When its time has expired, other tasks of this process may ask for it, whether the holder
    /// released it or not.
    private func prolong(until end: ContinuousClock.Instant) {
        let number = seat.calls.clock.set(end) { [weak self] in self?.drop() }
        let old = state.withLock { state in
            let old = state.alarm.take()
            state.alarm = number
            return old
        }
        if let old { seat.calls.clock.cancel(old) }
    }
}
