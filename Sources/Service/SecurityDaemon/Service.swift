// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
package import Foundation
package import IPC
package import ItemStore
package import Logging
import SecretBytes
import Synchronization

/// securityd's threads and their shared state.
package enum Service {
    /// Connections to the enclave that the service needs: one for each thread.
    package static let enclaveConnectionCount = eventThreadCount + 10 + TrustDesk.threadCount

    private static let eventThreadCount = 2
    /// Of a connection.
    private static let descriptorsPerConnection = 6
    /// The database's, the log's, and those of the inspectors and the enclave.
    private static let ownDescriptors = 64

    /// How many connections each event thread may keep, so that all of them and as many closed sockets
    /// as one thread has connections find descriptors.
    package static func connectionLimit(descriptorLimit: Int) -> Int {
        max(
            (descriptorLimit - ownDescriptors) / (descriptorsPerConnection * eventThreadCount + 1),
            16)
    }
    private static let writeQueueCapacity = 4096
    /// One user's writes leave room for other users' writes.
    private static let writesPerUser = writeQueueCapacity / 2
    /// A passcode takes about half a second and a client waits 30 s, so a longer queue of one user
    /// would only contain requests whose clients have timed out. A process has one under way, or a
    /// few if several of its threads unlock at once. Even the last of eight users gets the same
    /// share as the first.
    private static let devicePerUser = 32
    private static let devicePerProcess = 8
    /// A part of a check takes 150 ms; a process sends one request after the other.
    private static let maintenancePerUser = 16
    private static let maintenancePerProcess = 4
    /// A person answers one question at a time; more of one program than these aren't put in line.
    private static let questionsPerUser = 16
    private static let questionsPerProcess = 2
    /// A client waits for one answer; a process has several threads.
    private static let trustPerUser = 64
    private static let trustPerProcess = 16
    /// The largest file takes seconds.
    private static let transcodingsPerUser = 16
    private static let transcodingsPerProcess = 4
    /// Each may take a derivation, as a passcode does.
    private static let keychainsPerUser = devicePerUser
    private static let keychainsPerProcess = devicePerProcess
    /// A part of an archive takes a fraction of a second; a process sends one after the other.
    private static let backupsPerUser = 16
    private static let backupsPerProcess = 4
    private static let usersAtOnce = 8

    /// The service's dependencies.
    package struct Parts: ~Copyable {
        package var listening: ListeningConfiguration
        package var store: ItemStore
        /// ``Service/enclaveConnectionCount`` sockets to the enclave.
        package var enclaveSockets: [Int32]
        package var log: Logger
        /// The time of day.
        package var now: @Sendable () -> Date = Date.init
        /// What only an administrator decides.
        package var administration: Administration
        /// How much of the disk an account may fill; nil where there is one user.
        package var diskShare: DiskShares.Setting?
        /// The agent, which asks persons; without it nobody is asked.
        package var agent: AgentConnection?
        /// The maximum number of seals of one metadata key.
        package var metadataSealLimit: Int64 = 1 << 31
        /// Starts trustd; nil where the service has none.
        package var trust: TrustDesk?
        /// Starts trustfetcher; nil where nothing is fetched.
        package var fetches: FetchDesk?
        /// Starts transcoder; nil where the service has none.
        package var transcoder: TranscoderDesk?
        /// Called after each change of the machine's trust settings.
        package var onMachineTrustChange: @Sendable () -> Void = {}
        /// Ends the process; the supervisor starts a new one.
        package var restart: @Sendable (String) -> Void

        package init(
            listening: ListeningConfiguration, store: ItemStore, enclaveSockets: [Int32],
            log: Logger, administration: Administration = .user,
            restart: @escaping @Sendable (String) -> Void
        ) {
            self.administration = administration
            self.listening = listening
            self.store = store
            self.enclaveSockets = enclaveSockets
            self.log = log
            self.restart = restart
        }
    }

    /// Why the service couldn't start.
    package enum StartFailure: Error, Sendable {
        case system(SystemError)
        case store(StoreError)
    }

    /// Starts all threads and returns; they work until the process ends.
    /// - Returns: The jobs that an orderly end finishes first.
    @discardableResult
    package static func start(_ parts: consuming Parts) throws(StartFailure) -> Ending {
        let parts = parts
        let agent = parts.agent
        precondition(parts.enclaveSockets.count == enclaveConnectionCount)
        let store = parts.store
        let log = parts.log
        let restart = parts.restart
        let now = parts.now
        let listening = parts.listening
        let sealLimit = parts.metadataSealLimit
        let sockets = parts.enclaveSockets
        let administration = parts.administration
        let diskShare = parts.diskShare
        let desk = parts.trust
        let transcoder = parts.transcoder
        let fetches = parts.fetches
        let onMachineTrustChange = parts.onMachineTrustChange
        let cache = KeyCache(copies: store.keyCopies)
        let onStoreFailure: @Sendable (StoreError) -> Void = { error in
            log.error(
                "the store failed",
                metadata: LogMessage.databaseFails.metadata(["error": "\(error)"]))
            guard error == .damaged else { return }
            // SQLite reports the same for unreadable disks; another start wouldn't read more.
            guard store.isReadable() else {
                return log.error(
                    "the disk doesn't give all of the database: see the kernel's log",
                    metadata: LogMessage.databaseFails.metadata())
            }
            store.markDamaged()
            restart("the database is damaged")
        }
        do {
            let writes = try WorkQueue<WriterThread.Job>(
                capacity: writeQueueCapacity, capacityPerUser: writesPerUser)
            let passcodes = try FairQueue<DeviceJob<PasscodeRequest>>(
                bounds(perUser: devicePerUser, perProcess: devicePerProcess))
            let locks = try FairQueue<DeviceJob<LockRequest>>(
                bounds(perUser: devicePerUser, perProcess: devicePerProcess))
            let challenges = try FairQueue<ChallengeJob>(
                bounds(perUser: devicePerUser, perProcess: devicePerProcess))
            let maintenance = try FairQueue<MaintenanceJob>(
                bounds(perUser: maintenancePerUser, perProcess: maintenancePerProcess))
            let questions = try FairQueue<AccessJob>(
                bounds(perUser: questionsPerUser, perProcess: questionsPerProcess))
            let keychains = try FairQueue<KeychainJob>(
                bounds(perUser: keychainsPerUser, perProcess: keychainsPerProcess))
            let backups = try FairQueue<BackupJob>(
                bounds(perUser: backupsPerUser, perProcess: backupsPerProcess))
            let onEnclaveGone: @Sendable () -> Void = { restart("the enclave is gone") }
            let roots = RootGate(verdicts: RootVerdicts()) {
                // As many as there are threads: each waits for its own.
                writes.add(.root($0), isBounded: false)
            }
            let leases = LeaseTable()
            let turns = DerivationTurns()
            let (askingTurn, keychainTurn, backupTurn) = (
                try DerivationTurn(in: turns), try DerivationTurn(in: turns),
                try DerivationTurn(in: turns)
            )
            var mailboxes: [EventThread.Mailbox] = []
            for _ in 0..<eventThreadCount { mailboxes.append(try EventThread.Mailbox()) }
            let listeners = mailboxes
            listening.fronts?.locks.observe { userID, isLocked in
                for mailbox in listeners { mailbox.secretsLocked(userID, isLocked) }
            }
            let usage = UsageStore(stateDirectory: store.stateDirectory)
            let journal = try startJournal(
                store, usage, sockets[3], log, accounts: listening.accounts, now: now,
                scrub: listening.scrub,
                onEnclaveGone: onEnclaveGone)
            try startWriter(
                store, cache, sockets[0], writes, roots.verdicts, log, now: now,
                sealLimit: sealLimit, diskShare: diskShare,
                onChanges: { list in for mailbox in listeners { mailbox.changed(list) } },
                onStoreFailure: onStoreFailure, scrub: listening.scrub,
                onEnclaveGone: onEnclaveGone, restart: restart)
            let unlocked = UnlockedUsers { backups.wake() }
            try startDevice(
                (passcodes, sockets[1]), (locks, sockets[2]), eventSocket: sockets[5], turns, cache,
                EndingClasses(directory: store.stateDirectory), writes, roots, journal,
                administration.accounts, unlocked,
                scrub: listening.scrub, onEnclaveGone: onEnclaveGone)
            try NativeThread.start {
                var thread = ChallengeThread(
                    queue: challenges,
                    enclave: EnclaveClient(socket: Descriptor(owning: sockets[6])),
                    onEnclaveGone: onEnclaveGone
                )
                thread.run()
            }
            try NativeThread.start {
                var thread = AccessThread(
                    queue: questions,
                    enclave: EnclaveClient(socket: Descriptor(owning: sockets[7])),
                    turn: askingTurn, agent: agent, scrub: listening.scrub,
                    onEnclaveGone: onEnclaveGone)
                thread.run()
            }
            try NativeThread.start {
                do {
                    let keys = ItemKeys(
                        cache: cache,
                        enclave: EnclaveClient(socket: Descriptor(owning: sockets[8])))
                    let finds = FindRequests(
                        reader: try store.makeReader(), keys: keys, roots: roots,
                        lastUsed: { _ in nil },
                        reportCorrupt: { _ = writes.add(.corrupt($0)) },
                        onStoreFailure: onStoreFailure)
                    KeychainThread(
                        queue: keychains, finds: finds, keys: keys, turn: keychainTurn,
                        writes: writes,
                        administration: administration, scrub: listening.scrub,
                        onEnclaveGone: onEnclaveGone
                    ).run()
                } catch { restart("the thread for keychains ended: \(error)") }
            }
            try startBackups(
                store, cache, sockets[9], backups, writes, roots, backupTurn, administration,
                listening, unlocked, now: now, onEnclaveGone: onEnclaveGone, restart: restart)
            try startMaintenance(
                store, cache, sockets[4], maintenance, writes, roots, listening,
                onEnclaveGone: onEnclaveGone, onStoreFailure: onStoreFailure, restart: restart)
            var trust: FairQueue<TrustJob>?
            if let desk {
                trust = try startTrust(
                    desk, fetches, sockets[(10 + eventThreadCount)...], restart
                ) { socket in
                    let keys = ItemKeys(
                        cache: cache, enclave: EnclaveClient(socket: Descriptor(owning: socket)))
                    return TrustStore(
                        finds: FindRequests(
                            reader: try store.makeReader(), keys: keys, roots: roots,
                            lastUsed: { _ in nil },
                            reportCorrupt: { _ = writes.add(.corrupt($0)) },
                            onStoreFailure: onStoreFailure),
                        administration: administration)
                }
            }
            let trustQuestions = trust
            let transcoding = try startTranscoding(transcoder, scrub: listening.scrub)
            try NativeThread.start {
                guard let reader = try? store.makeReader() else {
                    return log.error("no rows can be compared with the ledger")
                }
                LedgerSweep(
                    reader: reader, verdicts: roots.verdicts,
                    reportCorrupt: { _ = writes.add(.corrupt($0)) }, log: log
                ).run()
            }
            for (socket, mailbox) in zip(sockets[10...], mailboxes) {
                try NativeThread.start {
                    do {
                        let keys = ItemKeys(
                            cache: cache, enclave: EnclaveClient(socket: Descriptor(owning: socket))
                        )
                        let finds = FindRequests(
                            reader: try store.makeReader(), keys: keys, roots: roots,
                            lastUsed: UsageLookup(journal.usage, usage.makeReader()).lastUsed,
                            reportCorrupt: { _ = writes.add(.corrupt($0)) },
                            onStoreFailure: onStoreFailure)
                        let handler = RequestHandler(
                            finds: finds, keys: keys, journal: journal, sizes: SizeLog(log),
                            queues: Queues(
                                writes: writes, challenges: challenges, passcodes: passcodes,
                                locks: locks,
                                maintenance: maintenance, leases: leases, access: questions,
                                keychains: keychains, backups: backups,
                                trust: trustQuestions, transcoding: transcoding),
                            administration: administration,
                            secretLocks: listening.fronts?.locks,
                            keptFileCount: { store.keptFiles().count },
                            onMachineTrustChange: onMachineTrustChange,
                            onEnclaveGone: onEnclaveGone)
                        try EventThread(
                            configuration: listening, handler: handler, mailbox: mailbox,
                            indexer: { cache.indexer($0) }
                        ).run()
                    } catch { restart("an event thread ended: \(error)") }
                }
            }
            return Ending(journal: journal, writes: writes, listeners: listeners)
        } catch { throw .system(error) }
    }

    private static func bounds<Job>(perUser: Int, perProcess: Int) -> FairQueue<Job>.Bounds {
        FairQueue.Bounds(
            all: usersAtOnce * perUser, perUser: perUser, perProcess: perProcess)
    }

    /// Finds out whether enclaved has the same messages: one that hasn't closes the connection at the
    /// first of them.
    /// - Parameters:
    ///   - socket: A connection to it, which is closed afterwards.
    ///   - userID: A user without a keychain.
    /// - Returns: Whether it has, as far as that is known.
    package static func understandsEnclave(_ socket: Int32, userID: UInt32) -> Bool {
        var enclave = EnclaveClient(socket: Descriptor(owning: socket))
        do throws(EnclaveCallError) {
            _ = try enclave.status(userID: userID)
            return true
        } catch { return error != .gone && error != .malformed }
    }

    /// The jobs that an orderly end finishes.
    package struct Ending: Sendable {
        fileprivate let journal: Journal
        fileprivate let writes: WorkQueue<WriterThread.Job>
        fileprivate let listeners: [EventThread.Mailbox]

        /// Whether all threads that answer clients work: each wakes up within this time.
        package func answers(within milliseconds: Int) -> Bool {
            let before = listeners.map { $0.wake() }
            for _ in 0..<max(milliseconds, 1) {
                if zip(listeners, before).allSatisfy({ $0.lookCount != $1 }) { return true }
                usleep(1000)
            }
            return false
        }

        /// Waits until everything is written and the log is checkpointed into the database, each up
        /// to this time. All answered writes are durable without it.
        package func finish(within milliseconds: Int32) {
            journal.finish(within: milliseconds)
            guard let end = try? WriterEnd(), writes.add(.finish(end)) else { return }
            _ = end.finished.wait(milliseconds: milliseconds)
        }
    }

    private static func startJournal(
        _ store: ItemStore, _ usage: UsageStore, _ socket: Int32, _ log: Logger,
        accounts: Accounts, now: @escaping @Sendable () -> Date,
        scrub: @escaping @Sendable () -> Void, onEnclaveGone: @escaping @Sendable () -> Void
    ) throws(SystemError) -> Journal {
        let microseconds: @Sendable () -> Int64 = { Int64(now().timeIntervalSince1970 * 1_000_000) }
        let journal = try Journal(accounts: accounts, now: microseconds)
        let directory = store.stateDirectory
        try NativeThread.start {
            let reader = try? store.makeReader()
            JournalThread(
                journal: journal, directory: directory, store: usage,
                hasItem: { uuid in try? reader?.hasItem(uuid: uuid) },
                enclave: EnclaveClient(socket: Descriptor(owning: socket)), now: microseconds,
                log: log, scrub: scrub, onEnclaveGone: onEnclaveGone
            ).run()
        }
        return journal
    }

    /// The threads for passcodes, for locking, and for lock events.
    private static func startDevice(
        _ passcodes: (queue: FairQueue<DeviceJob<PasscodeRequest>>, socket: Int32),
        _ locks: (queue: FairQueue<DeviceJob<LockRequest>>, socket: Int32), eventSocket: Int32,
        _ turns: DerivationTurns, _ cache: KeyCache, _ endings: EndingClasses,
        _ writes: WorkQueue<WriterThread.Job>,
        _ roots: RootGate, _ journal: Journal, _ accounts: AccountNames?, _ unlocked: UnlockedUsers,
        scrub: @escaping @Sendable () -> Void,
        onEnclaveGone: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let turn = try DerivationTurn(in: turns)
        try NativeThread.start {
            PasscodeThread(
                queue: passcodes.queue, cache: cache,
                enclave: EnclaveClient(socket: Descriptor(owning: passcodes.socket)), turn: turn,
                endings: endings,
                onClassDestroyed: { keyClass, userID, then in
                    writes.add(
                        .classDestroyed(keyClass, userID: userID, then: then), isBounded: false)
                },
                roots: roots,
                onUnlocked: {
                    _ = writes.add(.anchor(userID: $0))
                    unlocked.note($0)
                },
                forgetRows: { (userID) throws(DaemonError) in
                    guard let deleted = try? WriterEnd() else { throw .overloaded }
                    writes.add(.userForgotten(userID: userID, deleted), isBounded: false)
                    deleted.finished.wait()
                },
                onForgotten: {
                    journal.forget(userID: $0)
                    accounts?.forget($0)
                }, scrub: scrub,
                onEnclaveGone: onEnclaveGone
            ).run()
        }
        try NativeThread.start {
            LockThread(
                queue: locks.queue, cache: cache,
                enclave: EnclaveClient(socket: Descriptor(owning: locks.socket)),
                anchor: { _ = writes.add(.anchor(userID: $0)) }, scrub: scrub,
                onEnclaveGone: onEnclaveGone
            ).run()
        }
        try NativeThread.start {
            LockEventThread(
                cache: cache, enclave: EnclaveClient(socket: Descriptor(owning: eventSocket)),
                onLocked: { locks.queue.wake() }, scrub: scrub, onEnclaveGone: onEnclaveGone
            ).run()
        }
    }

    private static func startTrust(
        _ desk: TrustDesk, _ fetches: FetchDesk?, _ sockets: ArraySlice<Int32>,
        _ restart: @escaping @Sendable (String) -> Void,
        _ makeStore: @escaping @Sendable (Int32) throws -> TrustStore
    ) throws(SystemError) -> FairQueue<TrustJob> {
        let queue = try FairQueue<TrustJob>(
            bounds(perUser: trustPerUser, perProcess: trustPerProcess))
        for (number, socket) in zip(0..<TrustDesk.threadCount, sockets) {
            try NativeThread.start {
                do {
                    try TrustThread(number: number, queue: queue, desk: desk, fetches: fetches) {
                        try makeStore(socket)
                    }.run()
                } catch { restart("a thread for certificates ended: \(error)") }
            }
        }
        return queue
    }

    private static func startTranscoding(
        _ desk: TranscoderDesk?, scrub: @escaping @Sendable () -> Void
    ) throws(SystemError) -> FairQueue<TranscodingJob>? {
        guard let desk else { return nil }
        let queue = try FairQueue<TranscodingJob>(
            bounds(perUser: transcodingsPerUser, perProcess: transcodingsPerProcess))
        for _ in 0..<TranscoderDesk.threadCount {
            try NativeThread.start {
                TranscodingThread(queue: queue, desk: desk, scrub: scrub).run()
            }
        }
        return queue
    }

    private static func startBackups(
        _ store: ItemStore, _ cache: KeyCache, _ socket: Int32, _ queue: FairQueue<BackupJob>,
        _ writes: WorkQueue<WriterThread.Job>, _ roots: RootGate, _ turn: DerivationTurn,
        _ administration: Administration, _ listening: ListeningConfiguration,
        _ unlocked: UnlockedUsers, now: @escaping @Sendable () -> Date,
        onEnclaveGone: @escaping @Sendable () -> Void,
        restart: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        try NativeThread.start {
            do {
                let keys = ItemKeys(
                    cache: cache, enclave: EnclaveClient(socket: Descriptor(owning: socket)))
                BackupThread(
                    queue: queue, reader: try store.makeReader(), keys: keys, roots: roots,
                    turn: turn, writer: BackupWriter(writes: writes),
                    proofs: OwnerProofs(
                        directory: administration.isOfMachine ? nil : store.stateDirectory),
                    unlocked: unlocked, now: now, scrub: listening.scrub,
                    onEnclaveGone: onEnclaveGone
                ).run()
            } catch { restart("the thread for backups ended: \(error)") }
        }
    }

    private static func startMaintenance(
        _ store: ItemStore, _ cache: KeyCache, _ socket: Int32,
        _ queue: FairQueue<MaintenanceJob>, _ writes: WorkQueue<WriterThread.Job>,
        _ roots: RootGate, _ listening: ListeningConfiguration,
        onEnclaveGone: @escaping @Sendable () -> Void,
        onStoreFailure: @escaping @Sendable (StoreError) -> Void,
        restart: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        try NativeThread.start {
            do {
                let keys = ItemKeys(
                    cache: cache, enclave: EnclaveClient(socket: Descriptor(owning: socket)))
                let reader = try store.makeReader()
                let structure = StructureCheck(store: store)
                MaintenanceThread(
                    queue: queue,
                    checks: CheckRequests(
                        store: store, reader: reader, keys: keys, roots: roots,
                        structure: structure, serves: listening.serves),
                    recoveries: RecoverRequests(
                        store: store, reader: reader, keys: keys, structure: structure,
                        writes: writes),
                    exports: ExportRequests(reader: reader, keys: keys, roots: roots),
                    audits: AuditReader(directory: store.stateDirectory, keys: keys),
                    keys: keys, scrub: listening.scrub, onEnclaveGone: onEnclaveGone,
                    onStoreFailure: onStoreFailure
                ).run()
            } catch { restart("the maintenance thread ended: \(error)") }
        }
    }

    private static func startWriter(
        _ store: ItemStore, _ cache: KeyCache, _ socket: Int32,
        _ queue: WorkQueue<WriterThread.Job>, _ verdicts: RootVerdicts, _ log: Logger,
        now: @escaping @Sendable () -> Date, sealLimit: Int64, diskShare: DiskShares.Setting?,
        onChanges: @escaping @Sendable (ChangeList) -> Void,
        onStoreFailure: @escaping @Sendable (StoreError) -> Void,
        scrub: @escaping @Sendable () -> Void, onEnclaveGone: @escaping @Sendable () -> Void,
        restart: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        try NativeThread.start {
            do {
                let keys = ItemKeys(
                    cache: cache, enclave: EnclaveClient(socket: Descriptor(owning: socket)))
                let rowRoots = RowRoots()
                let writer = try store.makeWriter(keeper: rowRoots)
                // Of a restore that was cut short.
                try writer.commit { (transaction) throws(StoreError) in
                    try transaction.clearStaged(userID: nil)
                }
                let source = ItemKeys.Source(try store.makeReader())
                let writeKeys = WriteKeys(
                    writer: writer, source: source, keys: keys, sealLimit: sealLimit)
                let bootClock = BootClock()
                let requests = WriteRequests(
                    keys: keys, writeKeys: writeKeys, now: now,
                    bootClock: { bootClock.now },
                    randomUUID: {
                        unsafe SecretBytes.random(byteCount: 16).withUnsafeBytes {
                            unsafe [UInt8]($0)
                        }
                    }, shares: DiskShares(diskShare))
                let judge = RootJudge(
                    writer: writer, roots: rowRoots, keys: keys, source: source,
                    verdicts: verdicts, hasKeptFile: { !store.keptFiles().isEmpty },
                    notify: { RootNotices(log).note($0, userID: $1) })
                WriterThread(
                    queue: queue, writer: writer, source: source, keys: keys,
                    writeKeys: writeKeys, judge: judge, requests: requests,
                    now: now, bootClock: { bootClock.now }, onChanges: onChanges,
                    onStoreFailure: onStoreFailure, scrub: scrub,
                    onEnclaveGone: onEnclaveGone
                ).run()
            } catch { restart("the writer ended: \(error)") }
        }
    }
}
