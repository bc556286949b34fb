// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// Changes to the items that this program may see, by any process; for one reader.
///
/// It buffers 1024 changes for a slow reader. When there are more, or the service was unreachable
/// for a while, ``KeychainWatch/News/missedSome`` says that changes are missing; read all items
/// again then. When the service is unreachable for half a minute, the sequence ends with
/// ``FailureReason/unreachable``.
public struct KeychainChanges: AsyncSequence, Sendable {
    /// The changes since the previous element.
    public typealias Element = KeychainWatch.News
    /// Why the sequence ended.
    public typealias Failure = KeychainError

    let reader: ChangeReader

    /// Reads the changes in order; ends early when its task is cancelled.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: ChangeReader

        /// Waits for changes.
        public mutating func next() async throws(KeychainError) -> KeychainWatch.News? {
            try await reader.subscription.next()
        }

        /// Waits for changes.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(KeychainError) -> KeychainWatch.News? {
            try await reader.subscription.next()
        }
    }

    /// The sequence's reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}

/// A reader; the sender is notified when it ends.
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

/// The changes that one reader hasn't read yet.
final class ChangeSubscription: Sendable {
    private struct State {
        var isReady = false
        var changes: [ItemChange] = []
        var missedSome = false
        /// The sender isn't connected to the service at present.
        var hasHole = false
        var end: KeychainError?
        var task: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    private static let capacity = 1024

    // MARK: - Sending

    /// Changes are sent to this reader from now on.
    func begin() {
        change { state in
            state.isReady = true
            state.missedSome = state.missedSome || state.hasHole
            state.hasHole = false
        }
    }

    /// New changes for the reader.
    func tell(_ changes: [ItemChange], missedSome: Bool) {
        change { state in
            let room = Self.capacity - state.changes.count
            state.changes += changes.prefix(room)
            state.missedSome = state.missedSome || missedSome || changes.count > room
        }
    }

    /// The sender has lost its connection to the service. A reader that has received nothing yet
    /// gets the error. Another one learns that it has missed changes, or, if there is no retry,
    /// that the sequence ends.
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

    // MARK: - Receiving

    /// Waits until the sender is connected.
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

    /// Waits for a change, or until the task is cancelled.
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
