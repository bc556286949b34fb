// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// Changes to the items that this program may see, whoever makes them; for one reader.
///
/// It keeps 1024 changes for a reader that is slow. When there are more, or the service was gone
/// for a while, ``KeychainWatch/News/missedSome`` says that the list has a hole; look at all items
/// anew then. When the service stays away for half a minute, the sequence ends with
/// ``FailureReason/unreachable``.
public struct KeychainChanges: AsyncSequence, Sendable {
    /// What happened since the element before.
    public typealias Element = KeychainWatch.News
    /// Why the sequence ended.
    public typealias Failure = KeychainError

    let reader: ChangeReader

    /// Reads one change after the other; ends early when its task is cancelled.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: ChangeReader

        /// Waits for news.
        public mutating func next() async throws(KeychainError) -> KeychainWatch.News? {
            try await reader.subscription.next()
        }

        /// Waits for news.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(KeychainError) -> KeychainWatch.News? {
            try await reader.subscription.next()
        }
    }

    /// The sequence's reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}

/// Somebody who reads; whoever tells hears of its end.
final class ChangeReader: Sendable {
    let subscription: ChangeSubscription
    private let onEnd: @Sendable (ChangeSubscription) -> Void

    init(
        _ subscription: ChangeSubscription,
        onEnd: @escaping @Sendable (ChangeSubscription) -> Void
    ) {
        self.subscription = subscription
        self.onEnd = onEnd
    }

    deinit { onEnd(subscription) }
}

/// What one reader has yet to hear.
final class ChangeSubscription: Sendable {
    private struct State {
        var isReady = false
        var changes: [ItemChange] = []
        var missedSome = false
        /// Whoever tells hears nothing itself at present.
        var hasHole = false
        var end: KeychainError?
        var task: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    private static let capacity = 1024

    // MARK: - Telling

    /// Changes are told from now on.
    func begin() {
        change { state in
            state.isReady = true
            state.missedSome = state.missedSome || state.hasHole
            state.hasHole = false
        }
    }

    /// There are news.
    func tell(_ changes: [ItemChange], missedSome: Bool) {
        change { state in
            let room = Self.capacity - state.changes.count
            state.changes += changes.prefix(room)
            state.missedSome = state.missedSome || missedSome || changes.count > room
        }
    }

    /// Whoever tells has lost what it hears from. A reader that has heard nothing yet is told why; another
    /// one has missed something, or is told when there will be no more news.
    func fall(_ cause: KeychainError?, isFinal: Bool) {
        change { state in
            if isFinal || !state.isReady { state.end = cause }
            state.hasHole = state.isReady
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let task = state.withLock { state in
            body(&state)
            return state.task.take()
        }
        task?.resume()
    }

    // MARK: - Hearing

    /// Waits until changes are told.
    func ready() async throws(KeychainError) {
        while true {
            let (isReady, end) = state.withLock { ($0.isReady, $0.end) }
            if isReady { return }
            if let end { throw end }
            if Task.isCancelled { throw .cancelled }
            await wait { $0.isReady || $0.end != nil }
        }
    }

    /// - Returns: Nil when the task is cancelled.
    func next() async throws(KeychainError) -> KeychainWatch.News? {
        while true {
            let (news, end) = state.withLock { state in (Self.take(&state), state.end) }
            if let news { return news }
            if let end { throw end }
            if Task.isCancelled { return nil }
            await wait { !$0.changes.isEmpty || $0.missedSome || $0.end != nil }
        }
    }

    private static func take(_ state: inout State) -> KeychainWatch.News? {
        guard !state.changes.isEmpty || state.missedSome else { return nil }
        defer {
            state.changes = []
            state.missedSome = false
        }
        return KeychainWatch.News(changes: state.changes, missedSome: state.missedSome)
    }

    /// Waits until something is told, or the task is cancelled.
    private func wait(_ isThere: @Sendable (State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                let isOver = state.withLock { state in
                    // There is one reader; if there are two, both look again.
                    let other = state.task.take()
                    other?.resume()
                    guard !isThere(state), !Task.isCancelled else { return true }
                    state.task = task
                    return false
                }
                if isOver { task.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }
}
