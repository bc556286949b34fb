// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// Something that a thread carries out for a task.
protocol QueuedCall: AnyObject, Sendable {
    /// Does what is to be done, unless nobody waits for it any more.
    /// - Returns: Whether somebody waited.
    @discardableResult func carryOut() -> Bool
}

/// A blocking call that a task waits for without blocking a thread of its own.
///
/// It can be given up. Before it has begun, nothing happens any more. Later, a read is left to end
/// by itself, at once as a rule, and its task goes on meanwhile; a write tells what became of it.
final class Call<R: Sendable>: QueuedCall, Sendable {
    typealias Outcome = Result<R, KeychainError>

    private enum Phase {
        /// Nobody has begun it; the task may not wait yet.
        case waiting
        case running
        case over
    }

    private struct State {
        var phase = Phase.waiting
        var task: CheckedContinuation<Outcome, Never>?
        /// What it came to before a task waited for it.
        var outcome: Outcome?
    }

    private let state = Mutex(State())
    private let interruption = Interruption()
    private let isWrite: Bool
    private let body: @Sendable (Interruption) throws(KeychainError) -> R

    init(
        isWrite: Bool, _ body: @escaping @Sendable (Interruption) throws(KeychainError) -> R
    ) {
        self.isWrite = isWrite
        self.body = body
    }

    /// A task waits from now on.
    /// - Returns: False when the call is over already; the task has been told.
    func begin(for task: CheckedContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.task = task }
            return state.outcome
        }
        guard let outcome else { return true }
        task.resume(returning: outcome)
        return false
    }

    /// Gives the call up.
    func giveUp(_ cause: KeychainError) {
        let (isOver, task) = state.withLock { state in
            switch state.phase {
            case .over: return (true, Optional<CheckedContinuation<Outcome, Never>>.none)
            case .running where isWrite: return (false, nil)
            case .waiting, .running: return (false, Self.end(&state, .failure(cause)))
            }
        }
        if isOver { return }
        interruption.raise(cause)
        task?.resume(returning: .failure(cause))
    }

    func carryOut() -> Bool {
        let begins = state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .running
            return true
        }
        guard begins else { return false }
        let outcome: Outcome
        do throws(KeychainError) { outcome = .success(try body(interruption)) } catch {
            outcome = .failure(error)
        }
        let task = state.withLock { state in
            state.phase == .running ? Self.end(&state, outcome) : nil
        }
        task?.resume(returning: outcome)
        return true
    }

    /// - Returns: The task that is to be told, if one waits already.
    private static func end(
        _ state: inout State, _ outcome: Outcome
    ) -> CheckedContinuation<Outcome, Never>? {
        state.phase = .over
        guard let task = state.task.take() else {
            state.outcome = outcome
            return nil
        }
        return task
    }
}
