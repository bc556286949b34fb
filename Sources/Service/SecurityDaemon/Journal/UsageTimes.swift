// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import Synchronization

/// When secrets were last read, for times that aren't in the database yet. Shared by all threads.
package final class UsageTimes: Sendable {
    private struct State {
        var pending: [UsageKey: UsageChange] = [:]
        /// Being written: still the newest known values.
        var underway: [UsageKey: UsageChange] = [:]
        /// When the oldest of `pending` was added.
        var since: Int64?
    }

    private let state = Mutex(State())

    /// The approximate limit of entries in memory: beyond it, they are written early.
    static let limit = 1 << 16

    init() {}

    /// Records that rows' secrets were read.
    /// - Parameters:
    ///   - uuids: The rows.
    ///   - moment: Microseconds since 1970.
    func used(_ uuids: [[UInt8]], at moment: Int64) {
        note(uuids, .used(Self.secondsSince2001(moment)), at: moment)
    }

    /// Records that rows were deleted.
    func deleted(_ uuids: [[UInt8]], at moment: Int64) { note(uuids, .deleted, at: moment) }

    private func note(_ uuids: [[UInt8]], _ change: UsageChange, at moment: Int64) {
        state.withLock { state in
            if state.since == nil { state.since = moment }
            for uuid in uuids {
                guard let key = UsageKey(uuid) else { continue }
                state.pending[key] = change
            }
        }
    }

    /// The value known here; nil when the database decides.
    func change(_ key: UsageKey) -> UsageChange? {
        state.withLock { $0.pending[key] ?? $0.underway[key] }
    }

    /// When the oldest entry was added, in microseconds since 1970; nil when there is nothing to
    /// write.
    var waitingSince: Int64? { state.withLock { $0.since } }

    /// Whether there are so many entries that they must be written at once.
    var isFull: Bool { state.withLock { $0.pending.count >= Self.limit } }

    /// Writes everything.
    /// - Parameters:
    ///   - moment: The new start of the wait for entries that can't be written now.
    ///   - write: Receives the entries; returns false when it couldn't write them.
    func flush(at moment: Int64, _ write: ([UsageKey: UsageChange]) -> Bool) {
        let changes = state.withLock { state in
            state.underway = state.pending
            state.pending = [:]
            state.since = nil
            return state.underway
        }
        guard !changes.isEmpty else { return }
        let isWritten = write(changes)
        state.withLock { state in
            // If nothing can be written, times are dropped instead of growing without limit.
            if !isWritten && state.pending.count + changes.count <= Self.limit {
                state.pending.merge(changes) { newer, _ in newer }
                state.since = moment
            }
            state.underway = [:]
        }
    }

    private static func secondsSince2001(_ microseconds: Int64) -> Double {
        Double(microseconds) / 1_000_000 - 978_307_200
    }
}

/// One thread's access to last-used times: from memory, else from the database.
struct UsageLookup {
    private let times: UsageTimes
    private let reader: UsageReader

    init(_ times: UsageTimes, _ reader: UsageReader) {
        self.times = times
        self.reader = reader
    }

    /// When a row's secret was last read, in seconds since 2001; nil when it hasn't been.
    func lastUsed(_ uuid: [UInt8]) -> Double? {
        guard let key = UsageKey(uuid) else { return nil }
        switch times.change(key) {
        case .used(let moment): return moment
        case .deleted: return nil
        case nil: return reader.lastUsed(key)
        }
    }
}
