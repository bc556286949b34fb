// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
package import IPC
import SecurityWire
import Synchronization

/// Passes the notes of all threads about requests to the journal's thread: for the audit log, and
/// for the times of last use.
///
/// A note costs an append under a lock. The thread is woken only from a long sleep, or for a
/// refusal that must be on the disk before it is sent.
package final class Journal: Sendable {
    /// A job of the thread.
    enum Job: Sendable {
        case note(AuditNote)
        /// Written and synced before `then` is called.
        case durable(AuditNote, then: @Sendable () -> Void)
        /// All of a user's notes so far are written before `then` is called with where they end.
        case flush(userID: UInt32, then: @Sendable (Result<AuditExtent?, AuditFailure>) -> Void)
        /// A user's log is deleted.
        case forget(userID: UInt32)
        /// Everything is written and the thread ends.
        case end(@Sendable () -> Void)
    }

    private struct State {
        var jobs: [Job] = []
        /// How many of them are of which account.
        var counts: [UInt32: Int] = [:]
        /// Whether the thread sleeps until it is woken.
        var isAsleep = false
    }

    /// Last-used times.
    let usage = UsageTimes()
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())
    private let arrived: EventCounter
    private let accounts: Accounts
    /// The users whose protectors a program has asked to unlock since this process began.
    private let unlocking = Mutex<Set<UInt32>>([])

    /// The approximate limit of waiting entries; at the limit, no request is begun.
    static let capacity = 1 << 16
    /// The same for the entries of one account: others find room.
    static let capacityOfAccount = capacity / 2

    /// An empty journal.
    /// - Parameters:
    ///   - accounts: Which user numbers are one account's.
    ///   - now: Microseconds since 1970.
    /// - Throws: ``SystemError`` when there is no descriptor left.
    package init(
        accounts: Accounts = .apart, now: @escaping @Sendable () -> Int64
    ) throws(SystemError) {
        self.accounts = accounts
        self.now = now
        arrived = try EventCounter()
    }

    /// Whether a request of a user may be begun: there is room for its notes.
    package func hasRoom(of userID: UInt32) -> Bool {
        let account = accounts.account(of: userID)
        return state.withLock { state in
            state.jobs.count < Self.capacity
                && state.counts[account, default: 0] < Self.capacityOfAccount
        }
    }

    /// Whose notes of a user count as.
    func account(of userID: UInt32) -> UInt32 { accounts.account(of: userID) }

    // MARK: - Recording

    /// A request has been carried out.
    /// - Parameters:
    ///   - subject: Who did what.
    ///   - items: The UUIDs of the rows.
    ///   - includesSecrets: Whether the reply contains secrets.
    ///   - unnamed: How many further rows there were.
    package func carriedOut(
        _ subject: AuditSubject, _ items: [[UInt8]] = [], includesSecrets: Bool = false,
        unnamed: UInt64 = 0
    ) {
        var note = AuditNote(subject: subject, moment: now())
        note.unnamed = unnamed
        note.items = items
        note.includesSecrets = includesSecrets
        add(.note(note), of: subject, isUrgent: false)
        if subject.event == .read && includesSecrets { usage.used(items, at: note.moment) }
        if subject.event == .delete { usage.deleted(items, at: note.moment) }
    }

    /// A find returns a page.
    func found(_ subject: AuditSubject, _ page: FoundPage, _ query: ItemQuery) {
        guard !page.uuids.isEmpty else { return }
        carriedOut(subject, page.uuids, includesSecrets: query.returning.contains(.data))
    }

    /// The same of items that a front's caller found.
    func found(_ subject: AuditSubject, _ uuids: [[UInt8]], includesSecrets: Bool) {
        guard !uuids.isEmpty else { return }
        carriedOut(subject, uuids, includesSecrets: includesSecrets)
    }

    /// A write or a device operation has ended; `then` sends the reply.
    func concluded(
        _ subject: AuditSubject?, _ outcome: Result<WriteResult, DaemonError>,
        then: @escaping @Sendable () -> Void
    ) {
        switch outcome {
        case .success(let result):
            if let subject { carriedOut(subject, result) }
            then()
        case .failure(let error):
            if !failed(subject, error, onceDurable: then) { then() }
        }
    }

    private func carriedOut(_ subject: AuditSubject, _ result: WriteResult) {
        guard let total = result.reply.writtenRowCount else { return carriedOut(subject) }
        let changes = result.changes.changes
        // A repeated write does nothing the second time.
        guard let first = changes.first else { return }
        let isReplacement = subject.event == .add && first.groupBefore != nil
        carriedOut(
            isReplacement ? AuditSubject(subject.caller, .update, subject.itemClass) : subject,
            changes.map(\.uuid), unnamed: total - min(total, UInt64(changes.count)))
    }

    /// A request has failed.
    /// - Parameters:
    ///   - subject: Who did what.
    ///   - error: Why it failed.
    ///   - onceDurable: Called by the journal's thread when a refusal that must be recorded is on
    ///     the disk. The refusal must be sent then, and not before.
    /// - Returns: Whether `onceDurable` will be called.
    func failed(
        _ subject: AuditSubject?, _ error: DaemonError, onceDurable: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let subject, error.noting != .none else { return false }
        var note = AuditNote(subject: subject, moment: now())
        note.failure = Failure(error)
        guard error.noting == .durably else {
            add(.note(note), of: subject, isUrgent: false)
            return false
        }
        add(.durable(note, then: onceDurable), of: subject, isUrgent: true)
        return true
    }

    /// Writes a user's notes, so that another thread can read the log.
    /// - Parameters:
    ///   - userID: The user.
    ///   - then: Called by the journal's thread with where the log ends; nil when there
    ///     is none.
    package func flush(
        userID: UInt32,
        then: @escaping @Sendable (Result<AuditExtent?, AuditFailure>) -> Void
    ) {
        add(.flush(userID: userID, then: then), of: userID, isUrgent: true)
    }

    /// A program is about to ask the enclave to unlock by a protector. Its request is recorded, so the
    /// enclave's time of the last unlock says nothing more of its start.
    func noteUnlock(ofUser userID: UInt32) { unlocking.withLock { _ = $0.insert(userID) } }

    /// Whether a program has asked so.
    func hasUnlockRequest(ofUser userID: UInt32) -> Bool {
        unlocking.withLock { $0.contains(userID) }
    }

    /// Deletes a user's log.
    func forget(userID: UInt32) { add(.forget(userID: userID), of: userID, isUrgent: true) }

    /// Waits until everything is written, up to this time.
    package func finish(within milliseconds: Int32) {
        guard let done = try? EventCounter() else { return }
        let end = EndOfJournal(done)
        add(.end { end.reached() }, of: nil, isUrgent: true)
        end.wait(milliseconds)
    }

    private func add(_ job: Job, of subject: AuditSubject, isUrgent: Bool) {
        add(job, of: subject.caller.userID, isUrgent: isUrgent)
    }

    private func add(_ job: Job, of userID: UInt32?, isUrgent: Bool) {
        let account = userID.map { accounts.account(of: $0) }
        let wakes = state.withLock { state in
            state.jobs.append(job)
            if let account { state.counts[account, default: 0] += 1 }
            guard isUrgent || state.isAsleep || state.jobs.count == Self.capacity / 2 else {
                return false
            }
            state.isAsleep = false
            return true
        }
        if wakes { arrived.signal() }
    }

    // MARK: - The thread's side

    /// Waits for work.
    /// - Parameters:
    ///   - milliseconds: The time limit; -1 means none.
    ///   - isAlert: Whether the thread will check by itself soon, so that a note doesn't have to
    ///     wake it.
    func wait(milliseconds: Int32, isAlert: Bool) {
        let hasJobs = state.withLock { state in
            state.isAsleep = !isAlert && state.jobs.isEmpty
            return !isAlert && !state.jobs.isEmpty
        }
        if !hasJobs {
            var entry = pollfd(fd: arrived.descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, milliseconds)
            if entry.revents != 0 { arrived.wait() }
        }
        state.withLock { $0.isAsleep = false }
    }

    /// Exchanges the jobs for an empty array, to reuse its memory.
    func take(_ jobs: inout [Job]) {
        jobs.removeAll(keepingCapacity: true)
        state.withLock { state in
            swap(&state.jobs, &jobs)
            state.counts.removeAll(keepingCapacity: true)
        }
    }
}

/// Lets one thread wait for the end of another's work.
private final class EndOfJournal: Sendable {
    private let done: EventCounter

    init(_ done: consuming EventCounter) { self.done = done }

    func reached() { done.signal() }

    func wait(_ milliseconds: Int32) {
        var entry = pollfd(fd: done.descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, milliseconds)
    }
}
