// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

extension ContinuousClock.Instant {
    /// The deadline a given duration from now. For a duration longer than any program runs, a
    /// moment far in the future.
    static func end(of duration: Duration) -> ContinuousClock.Instant {
        .now + min(max(duration, .zero - longest), longest)
    }

    private static let longest = Duration.seconds(1_000_000_000)
}

/// Calls back at a given time, on its own thread, which exists only while a callback is pending.
final class DeadlineClock: Sendable {
    private struct Entry {
        let moment: ContinuousClock.Instant
        let number: UInt64
        let action: @Sendable () -> Void
    }

    private struct State {
        /// Sorted, with the next one last.
        var entries: [Entry] = []
        var lastNumber: UInt64 = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    private let changed: EventCounter

    /// The thread ends after it had nothing to wait for.
    private static let idleMilliseconds: Int32 = 1000

    init() throws(SystemError) { changed = try EventCounter() }

    /// Schedules an action for a moment, unless it is cancelled before.
    /// - Returns: The key with which to cancel it.
    func set(
        _ moment: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> UInt64 {
        let (number, isFirst, starts) = state.withLock { state in
            state.lastNumber += 1
            let entry = Entry(moment: moment, number: state.lastNumber, action: action)
            // Later ones are further in front; most calls have the same deadline and are added
            // last.
            let place = state.entries.firstIndex { $0.moment <= moment } ?? state.entries.count
            state.entries.insert(entry, at: place)
            let starts = !state.isRunning
            state.isRunning = true
            return (entry.number, place == state.entries.count - 1, starts)
        }
        if starts {
            do throws(SystemError) { try NativeThread.start { self.run() } } catch {
                state.withLock { $0.isRunning = false }
            }
        } else if isFirst {
            changed.signal()
        }
        return number
    }

    /// Cancels an action; has no effect once it has begun.
    func cancel(_ number: UInt64) {
        state.withLock { state in
            guard let place = state.entries.firstIndex(where: { $0.number == number }) else {
                return
            }
            state.entries.remove(at: place)
        }
    }

    private func run() {
        while true {
            let (due, pause) = state.withLock { state in (Self.takeDue(&state), Self.pause(state)) }
            for entry in due { entry.action() }
            guard due.isEmpty, !changed.wait(milliseconds: pause) else { continue }
            let isOver = state.withLock { state in
                guard state.entries.isEmpty else { return false }
                state.isRunning = false
                return true
            }
            if isOver { return }
        }
    }

    private static func takeDue(_ state: inout State) -> [Entry] {
        let now = ContinuousClock.now
        var due: [Entry] = []
        while let last = state.entries.last, last.moment <= now {
            due.append(last)
            state.entries.removeLast()
        }
        return due
    }

    private static func pause(_ state: State) -> Int32 {
        guard let next = state.entries.last else { return idleMilliseconds }
        let rest = max(ContinuousClock.now.duration(to: next.moment), .zero)
        return Int32(min((rest / .milliseconds(1)).rounded(.up), 1e9))
    }
}
