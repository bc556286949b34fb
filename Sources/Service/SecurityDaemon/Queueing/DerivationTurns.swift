// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
import Synchronization

/// Which of securityd's threads may have enclaved derive a key from a passcode or a password. enclaved
/// derives one at a time and refuses the others: without turns, a thread with many requests would keep
/// the others refused.
package final class DerivationTurns: Sendable {
    /// A thread's place in the line.
    package final class Place: Sendable {
        fileprivate let called: EventCounter

        /// A place for one thread.
        package init() throws(SystemError) { called = try EventCounter() }
    }

    private struct State {
        var isTaken = false
        /// Those who wait, the first one first.
        var waiting: [Place] = []
    }

    private let state = Mutex(State())

    /// A line in which nobody waits.
    package init() {}

    /// Waits until all who came before have passed. Their calls of enclaved have deadlines, so that
    /// waiting ends.
    /// - Parameter place: The thread's own.
    package func take(_ place: Place) {
        let mustWait = state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return false
            }
            state.waiting.append(place)
            return true
        }
        if mustWait { place.called.wait() }
    }

    /// Hands the turn to the next one, so that nobody who comes later gets it first.
    package func pass() {
        let next: Place? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.called.signal()
    }
}

/// One thread's access to the line.
package struct DerivationTurn: Sendable {
    private let turns: DerivationTurns
    private let place: DerivationTurns.Place

    /// A thread's place in a line.
    package init(in turns: DerivationTurns) throws(SystemError) {
        self.turns = turns
        place = try DerivationTurns.Place()
    }

    /// Waits for the turn.
    package func take() { turns.take(place) }

    /// Gives it to the next one.
    package func pass() { turns.pass() }
}
