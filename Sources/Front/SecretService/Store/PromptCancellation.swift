// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// Ends a question to the person from another thread.
package final class PromptCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Not cancelled.
    package init() {}

    /// Whether the question is over.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the question; at most one call of the handler follows.
    package func cancel() {
        let handler = state.withLock { state in
            state.isCancelled = true
            defer { state.handler = nil }
            return state.handler
        }
        handler?()
    }

    /// Sets what ends the question. It is called at once if the question is over.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isCancelled { state.handler = handler }
            return state.isCancelled
        }
        if isOver { handler() }
    }
}
