// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import Synchronization

/// When secrets were last read, as far as it isn't written down yet. Shared by all threads.
package final class UsageTimes: Sendable {
    private struct State {
        var pending: [UsageKey: UsageChange] = [:]
        /// Being written: still the newest that is known.
        var underway: [UsageKey: UsageChange] = [:]
        /// When the oldest of `pending` came.
        var since: Int64?
    }

    private let state = Mutex(State())

    /// Entries in memory at most, about: more are written before their time.
    static let limit = 1 << 16

    init() {}

    /// Notes that rows' secrets were read.
    /// - Parameters:
    ///   - uuids: The rows.
    ///   - moment: Microseconds since 1970.
    func used(_ uuids: [[UInt8]], at moment: Int64) {
        note(uuids, .used(Self.secondsSince2001(moment)), at: moment)
    }

    /// Notes that rows are gone.
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

    /// What is known of a row here; nil when the database has the last word.
    func change(_ key: UsageKey) -> UsageChange? {
        state.withLock { $0.pending[key] ?? $0.underway[key] }
    }

    /// When the oldest entry came, in microseconds since 1970; nil when there is nothing to write.
    var waitingSince: Int64? { state.withLock { $0.since } }

    /// Whether there is so much that it is to be written at once.
    var isFull: Bool { state.withLock { $0.pending.count >= Self.limit } }

    /// Writes everything.
    /// - Parameters:
    ///   - moment: What can't be written now waits from here on.
    ///   - write: Gets the entries; false when it couldn't write them.
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
            // Where nothing can be written, times are forgotten rather than gathered without end.
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

/// One thread's way to last-used times: what waits in memory, else what is written down.
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
