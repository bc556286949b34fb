// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import ItemStore
import Logging
import SecretBytes
import SecurityWire

/// The one thread that writes audit logs and usage times, and reads the logs.
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
        /// Whether a record must be durable before the turn ends.
        var mustSynchronize = false

        init(_ log: AuditLog) { self.log = log }
    }

    private static let tickMilliseconds: Int32 = 250
    /// How long after a note the thread keeps checking by itself.
    private static let alertMicroseconds: Int64 = 2_000_000
    private static let retryMilliseconds: Int32 = 1000
    private static let usageMicroseconds: Int64 = 30_000_000
    /// How many records are kept of a user's log that can't be written.
    private static let keptRecordLimit = 8192

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

    /// Carries out jobs.
    /// - Returns: The callers that wait for the end.
    private func work(_ jobs: [Journal.Job]) -> [@Sendable () -> Void] {
        var waiting: [@Sendable () -> Void] = []
        for job in jobs {
            switch job {
            case .note(let note): keep(note)
            case .durable(let note, let then):
                keep(note).mustSynchronize = true
                waiting.append(then)
            case .page, .end: break
            }
        }
        for user in users.values { write(user) }
        for then in waiting { then() }
        var ends: [@Sendable () -> Void] = []
        for job in jobs {
            switch job {
            case .note, .durable: break
            case .page(let query, let userID, let answer): answer(page(query, userID))
            case .end(let end): ends.append(end)
            }
        }
        return ends
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
            directory: directory, userID: userID, keys: keys(userID), now: now)
        let user = UserLog(log)
        users[userID] = user
        return user
    }

    /// Writes the waiting records. Those that can't be written are kept and retried, up to a limit.
    private func write(_ user: UserLog) {
        guard !user.records.isEmpty else { return }
        var (count, failure) = user.lostCount > 0 ? appendLoss(user) : (0, nil)
        if failure == nil { (count, failure) = user.log.append(user.records) }
        user.records.removeFirst(count)
        if failure == nil, user.mustSynchronize {
            do { try user.log.synchronize() } catch { failure = error }
        }
        user.mustSynchronize = false
        guard let failure else {
            if user.isFailing { log.notice("the audit log is written again") }
            user.isFailing = false
            return
        }
        if !user.isFailing {
            log.error("the audit log can't be written", metadata: ["error": "\(failure)"])
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

    private func page(_ query: AuditQuery, _ userID: UInt32) -> Result<AuditPage, AuditFailure> {
        do throws(AuditFailure) {
            return .success(try user(userID).log.page(query))
        } catch { return .failure(error) }
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

    // MARK: - Keys

    /// The class of the audit keys: the log must be writable also before the first unlock.
    private static let keyClass = ProtectionClass.dku

    private func keys(_ userID: UInt32) -> AuditKeys {
        AuditKeys(
            make: { [unowned self] (number) throws(AuditFailure) in
                do throws(EnclaveCallError) {
                    let made = try self.enclave.makeTableKey(
                        purpose: .audit, class: Self.keyClass, generation: number, userID: userID)
                    return (made.wrapped, Self.key(made.key))
                } catch { throw self.failure(error) }
            },
            open: { [unowned self] (wrapped, number) throws(AuditFailure) in
                do throws(EnclaveCallError) {
                    return .key(
                        Self.key(
                            try self.enclave.openTableKey(
                                purpose: .audit, class: Self.keyClass, generation: number,
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

    private static func key(_ secret: borrowing SecretBytes) -> SymmetricKey {
        unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}
