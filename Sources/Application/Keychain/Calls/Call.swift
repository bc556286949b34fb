// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// Work that a thread carries out for a task.
protocol QueuedCall: AnyObject, Sendable {
    /// Does the work, unless no task waits for it any more.
    /// - Returns: Whether a task was still waiting.
    @discardableResult func carryOut() -> Bool
}

/// A blocking call that a task waits for without blocking its own thread.
///
/// It can be abandoned. If it hasn't begun, it never runs. If it has begun, a read ends by itself,
/// usually at once, while its task continues; a write first reports its outcome.
final class Call<R: Sendable>: QueuedCall, Sendable {
    typealias Outcome = Result<R, KeychainError>

    private enum Phase {
        /// No thread has begun it; the task may not be waiting yet.
        case waiting
        case running
        case over
    }

    private struct State {
        var phase = Phase.waiting
        var task: CheckedContinuation<Outcome, Never>?
        /// The result, if the call ended before a task waited for it.
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

    /// A task starts to wait.
    /// - Returns: False when the call is over already; the task has been resumed with its result.
    func begin(for task: CheckedContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.task = task }
            return state.outcome
        }
        guard let outcome else { return true }
        task.resume(returning: outcome)
        return false
    }

    /// Abandons the call.
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

    /// - Returns: The task to resume, if one waits already.
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
