// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import ItemStore
import Logging
import SecretBytes
import SecurityWire

/// The one thread that writes audit logs and usage times. Others read the logs (``AuditReader``).
final class JournalThread {
    private let journal: Journal
    private let directory: String
    private let store: UsageStore
    /// Whether there is an item with a UUID; nil when that is unknown.
    private let hasItem: ([UInt8]) -> Bool?
    private let now: () -> Int64
    private let log: Logger
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    private var enclave: EnclaveClient
    private var users: [UInt32: UserLog] = [:]
    private var lastNote: Int64 = 0

    /// A user's log, and its unwritten records.
    private final class UserLog {
        let log: AuditLog
        var records: [AuditRecord] = []
        var lostCount: UInt64 = 0
        var isFailing = false
        /// Called when all records are durable. There is none unless one must be.
        var waiting: [@Sendable () -> Void] = []
        /// Called when all records are written.
        var readers: [@Sendable (Result<AuditExtent?, AuditFailure>) -> Void] = []
        /// How many records of its account wait, at the last count.
        var weight = 0

        var hasWork: Bool { !records.isEmpty || !waiting.isEmpty || !readers.isEmpty }

        init(_ log: AuditLog) { self.log = log }
    }

    private static let tickMilliseconds: Int32 = 250
    /// How long after a note the thread keeps checking by itself.
    private static let alertMicroseconds: Int64 = 2_000_000
    private static let retryMilliseconds: Int32 = 1000
    private static let usageMicroseconds: Int64 = 30_000_000
    /// How many records are kept of a user's log that can't be written.
    private static let keptRecordLimit = 8192
    /// After so long a time of writing, what has come meanwhile is taken into account.
    private static let slice = Duration.milliseconds(20)
    /// So often the one with most to write is next, so that it doesn't wait for ever.
    private static let slicesUntilLast = 8
    /// After so many slices the thread does its other work.
    private static let sliceLimit = 64
    /// How many records of one user are written at a time.
    private static let recordsAtOnce = 1000
    /// How many logs are kept open.
    private static let openLimit = 256

    init(
        journal: Journal, directory: String, store: UsageStore,
        hasItem: @escaping ([UInt8]) -> Bool?, enclave: consuming EnclaveClient,
        now: @escaping () -> Int64, log: Logger, scrub: @escaping () -> Void,
        onEnclaveGone: @escaping () -> Void
    ) {
        self.journal = journal
        self.directory = directory
        self.store = store
        self.hasItem = hasItem
        self.enclave = enclave
        self.now = now
        self.log = log
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until it receives the job to end.
    func run() {
        store.prepare()
        var jobs: [Journal.Job] = []
        while true {
            let (milliseconds, isAlert) = nap()
            journal.wait(milliseconds: milliseconds, isAlert: isAlert)
            journal.take(&jobs)
            if !jobs.isEmpty { lastNote = now() }
            let ends = work(jobs)
            scrub()
            if isUsageDue || !ends.isEmpty { flushUsage() }
            guard ends.isEmpty else {
                for user in users.values { try? user.log.synchronize() }
                for end in ends { end() }
                return
            }
        }
    }

    /// How long to sleep, and whether notes that arrive meanwhile can wait that long.
    private func nap() -> (milliseconds: Int32, isAlert: Bool) {
        if users.values.contains(where: { !$0.waiting.isEmpty || !$0.readers.isEmpty }) {
            return (0, false)
        }
        let moment = now()
        if (0..<Self.alertMicroseconds).contains(moment - lastNote) {
            return (Self.tickMilliseconds, true)
        }
        if users.values.contains(where: { !$0.records.isEmpty }) {
            return (Self.retryMilliseconds, false)
        }
        guard let since = journal.usage.waitingSince else { return (-1, false) }
        let rest = min(max(since + Self.usageMicroseconds - moment, 0), Self.usageMicroseconds)
        return (Int32(rest / 1000) + 1, false)
    }

    // MARK: - Jobs

    /// Carries out jobs, those of the account with the least to write first. Jobs that arrive during
    /// the work are sorted in, so an account with many records doesn't delay the refusals of others.
    /// - Returns: The callers that wait for the end.
    private func work(_ jobs: [Journal.Job]) -> [@Sendable () -> Void] {
        var ends: [@Sendable () -> Void] = []
        take(jobs, &ends)
        var more: [Journal.Job] = []
        var rest = inOrder()
        var slices = 0
        var began = ContinuousClock.now
        while slices < Self.sliceLimit, let user = rest.popFirst() {
            if write(user) { rest.append(user) }
            guard began.duration(to: .now) > Self.slice else { continue }
            slices += 1
            journal.take(&more)
            if !more.isEmpty {
                take(more, &ends)
                let last = rest.last
                rest = inOrder()
                if slices % Self.slicesUntilLast == 0, let last { rest = [last] + rest }
            }
            began = .now
        }
        closeSome()
        return ends
    }

    private func take(_ jobs: [Journal.Job], _ ends: inout [@Sendable () -> Void]) {
        for job in jobs {
            switch job {
            case .note(let note): keep(note)
            case .durable(let note, let then): keep(note).waiting.append(then)
            case .flush(let userID, let then): user(userID).readers.append(then)
            case .forget(let userID):
                let user = user(userID)
                user.log.remove()
                user.records = []
            case .end(let end): ends.append(end)
            }
        }
    }

    /// The users with something to do.
    private func inOrder() -> ArraySlice<UserLog> {
        let users = users.filter { $0.value.hasWork }
        var weights: [UInt32: Int] = [:]
        for (userID, user) in users {
            weights[journal.account(of: userID), default: 0] += max(user.records.count, 1)
        }
        for (userID, user) in users { user.weight = weights[journal.account(of: userID)] ?? 0 }
        return users.values.sorted { $0.weight < $1.weight }[...]
    }

    /// Too many open files would leave none for clients.
    private func closeSome() {
        guard users.values.count(where: \.log.isOpen) > Self.openLimit else { return }
        for user in users.values where !user.hasWork { user.log.letGo() }
    }

    @discardableResult
    private func keep(_ note: AuditNote) -> UserLog {
        let user = user(note.subject.caller.userID)
        note.forEachRecord { user.records.append($0) }
        return user
    }

    private func user(_ userID: UInt32) -> UserLog {
        if let user = users[userID] { return user }
        let log = AuditLog(
            directory: directory, userID: userID, keys: keys(userID),
            lastUnlocks: { [unowned self] in self.lastUnlocks(userID) }, now: now)
        let user = UserLog(log)
        users[userID] = user
        return user
    }

    /// Writes some of the waiting records. Those that can't be written are kept and retried, up to a
    /// limit.
    /// - Returns: Whether there are more to write now.
    private func write(_ user: UserLog) -> Bool {
        guard !user.records.isEmpty else {
            answer(user)
            return false
        }
        var (count, failure) = user.lostCount > 0 ? appendLoss(user) : (0, nil)
        if failure == nil {
            (count, failure) = user.log.append(user.records.prefix(Self.recordsAtOnce))
        }
        user.records.removeFirst(count)
        if failure == nil, !user.records.isEmpty { return true }
        if failure == nil, !user.waiting.isEmpty {
            do { try user.log.synchronize() } catch { failure = error }
        }
        if let failure { fail(user, failure) } else { succeed(user) }
        answer(user)
        return false
    }

    private func succeed(_ user: UserLog) {
        if user.isFailing {
            log.notice(
                "the audit log is written again",
                metadata: LogMessage.auditLogWorksAgain.metadata())
        }
        user.isFailing = false
    }

    private func fail(_ user: UserLog, _ failure: AuditFailure) {
        if !user.isFailing {
            log.error(
                "the audit log can't be written",
                metadata: LogMessage.auditLogFails.metadata(["error": "\(failure)"]))
        }
        user.isFailing = true
        let surplus = user.records.count - Self.keptRecordLimit
        guard surplus > 0 else { return }
        user.records.removeFirst(surplus)
        user.lostCount += UInt64(surplus)
    }

    private func appendLoss(_ user: UserLog) -> (Int, AuditFailure?) {
        var note = AuditRecord(
            .recordsLost, userID: user.records[0].userID, microseconds: now())
        note.number = user.lostCount
        let (_, failure) = user.log.append([note])
        if failure == nil { user.lostCount = 0 }
        return (0, failure)
    }

    /// Tells those who wait for a user's records.
    private func answer(_ user: UserLog) {
        for then in user.waiting { then() }
        user.waiting = []
        guard !user.readers.isEmpty else { return }
        let extent: Result<AuditExtent?, AuditFailure>
        do throws(AuditFailure) { extent = .success(try user.log.prepareReading()) } catch {
            extent = .failure(error)
        }
        for reader in user.readers { reader(extent) }
        user.readers = []
    }

    // MARK: - Usage

    private var isUsageDue: Bool {
        guard let since = journal.usage.waitingSince else { return false }
        let age = now() - since
        return age >= Self.usageMicroseconds || age < 0 || journal.usage.isFull
    }

    private func flushUsage() {
        journal.usage.flush(at: now()) { store.write($0, sweep: hasItem) }
    }

    // MARK: - Unlocks at the start

    private func lastUnlocks(_ userID: UInt32) -> [(name: String, moment: Int64)] {
        let protectors = (try? enclave.protectors(userID: userID)) ?? []
        // Looked at afterwards: what came in meanwhile has been noted.
        guard !journal.hasUnlockRequest(ofUser: userID) else { return [] }
        return protectors.compactMap { protector in
            guard protector.lastUsed > 0, let seconds = Int64(exactly: protector.lastUsed) else {
                return nil
            }
            let (moment, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
            return isOver ? nil : (protector.choice.name, moment)
        }
    }

    // MARK: - Keys

    private func keys(_ userID: UInt32) -> AuditKeys {
        AuditKeys(
            make: { [unowned self] (number) throws(AuditFailure) in
                do throws(EnclaveCallError) {
                    let made = try self.enclave.makeTableKey(
                        purpose: .audit, class: AuditKeys.protectionClass, generation: number,
                        userID: userID)
                    return (made.wrapped, AuditKeys.key(made.key))
                } catch { throw self.failure(error) }
            },
            open: { [unowned self] (wrapped, number) throws(AuditFailure) in
                do throws(EnclaveCallError) {
                    return .key(
                        AuditKeys.key(
                            try self.enclave.openTableKey(
                                purpose: .audit, class: AuditKeys.protectionClass,
                                generation: number,
                                wrapped: wrapped, userID: userID)))
                } catch {
                    if error == .undecodable || error == .classMissing { return .gone }
                    throw self.failure(error)
                }
            })
    }

    private func failure(_ error: EnclaveCallError) -> AuditFailure {
        if error == .gone { onEnclaveGone() }
        return .keyUnavailable
    }
}
