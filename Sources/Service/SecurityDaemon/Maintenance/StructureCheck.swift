// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import ItemStore
import SecurityWire
import Synchronization

/// SQLite's check of the whole file, on a separate thread, since it can't be split.
final class StructureCheck: Sendable {
    private struct State {
        /// The number of the current or last run; 0 before the first.
        var run: Int64 = 0
        /// SQLite's findings in a finished run.
        var result: Result<[String], StoreError>?
    }

    private let state = Mutex(State())
    private let store: ItemStore
    private static let pauseMicroseconds: UInt32 = 1000

    init(store: ItemStore) { self.store = store }

    /// Waits for a run's end, up to a part's time limit.
    /// - Parameter run: The caller's run; 0 requests a new one.
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

    /// Joins a run that is under way, or starts one; only callers that have waited for a finished
    /// run can join it.
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
