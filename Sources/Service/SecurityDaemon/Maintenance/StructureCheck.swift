// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import ItemStore
import SecurityWire
import Synchronization

/// SQLite's check of the whole file, on a thread of its own: it can't be cut in parts.
final class StructureCheck: Sendable {
    private struct State {
        /// Which run is under way or over; 0 before the first.
        var run: Int64 = 0
        /// Of a run that is over: what SQLite says.
        var result: Result<[String], StoreError>?
    }

    private let state = Mutex(State())
    private let store: ItemStore
    private static let pauseMicroseconds: UInt32 = 1000

    init(store: ItemStore) { self.store = store }

    /// Waits for a run's end, for a part's time.
    /// - Parameter run: The run that the caller waits for; 0 asks for one.
    /// - Returns: The run, and its result if it is over.
    /// - Throws: ``DaemonError/overloaded`` when there is no thread for it.
    func wait(for run: Int64) throws(DaemonError) -> (run: Int64, Result<[String], StoreError>?) {
        let number = try join(run)
        let deadline = ContinuousClock.now + MaintenanceThread.slice
        while ContinuousClock.now < deadline {
            let state = state.withLock { $0 }
            guard state.run == number else { return (0, nil) }
            if let result = state.result { return (number, result) }
            usleep(Self.pauseMicroseconds)
        }
        return (number, nil)
    }

    /// Joins a run that is under way, or starts one; one that is over is joined by those alone who
    /// have waited for it.
    private func join(_ run: Int64) throws(DaemonError) -> Int64 {
        let (number, isNew) = state.withLock { state in
            if run == state.run, run != 0 { return (run, false) }
            if state.run != 0, state.result == nil { return (state.run, false) }
            state.run += 1
            state.result = nil
            return (state.run, true)
        }
        guard isNew else { return number }
        do throws(SystemError) {
            try NativeThread.start { [self] in
                let result = Self.check(store)
                state.withLock { $0.result = result }
            }
        } catch {
            state.withLock { $0.result = .success([]) }
            throw .overloaded
        }
        return number
    }

    private static func check(_ store: ItemStore) -> Result<[String], StoreError> {
        do throws(StoreError) {
            return .success(try store.makeReader().integrityProblems())
        } catch { return .failure(error) }
    }
}
