// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import CodeIdentity
import Crypto
import EnclaveWire
import Foundation
import IPC
import ItemStore
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// A request about backups that waits.
struct BackupJob: Sendable {
    let call: BackupCall
    /// Who asks.
    let identity: ClientIdentity
    /// What enclaved is to be told of the program.
    let caller: BackupCaller
    /// The process that asks.
    let requester: Requester
    let answer: @Sendable (Result<BackupAnswer, DaemonError>) -> Void

    var userID: UInt32 { identity.userID }
}

/// The thread that makes archives and restores them, part by part. What an archive's client sends and
/// asks for is one user's; each user has one backup and one restore under way at most.
final class BackupThread {
    /// What a client that is gone has left ends after this long.
    private static let idleTime = Duration.seconds(120)
    private static let sweepMilliseconds: Int32 = 5_000

    private final class Backup {
        let token: [UInt8]
        let source: BackupSource
        let madeAt: Int64
        var lastUse = ContinuousClock.now

        init(_ token: [UInt8], _ source: BackupSource, madeAt: Int64) {
            self.token = token
            self.source = source
            self.madeAt = madeAt
        }
    }

    private final class Restore {
        let token: [UInt8]
        let session: RestoreSession
        let identity: ClientIdentity
        var lastUse = ContinuousClock.now

        init(_ token: [UInt8], _ session: RestoreSession, _ identity: ClientIdentity) {
            self.token = token
            self.session = session
            self.identity = identity
        }
    }

    private let queue: FairQueue<BackupJob>
    private let reader: StoreReader
    private let keys: ItemKeys
    private let roots: RootGate
    private let turn: DerivationTurn
    private let writer: BackupWriter
    private let proofs: OwnerProofs
    private let unlocked: UnlockedUsers
    private let now: () -> Date
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    private var backups: [UInt32: Backup] = [:]
    private var restores: [UInt32: Restore] = [:]
    private var attachments: [UInt32: AttachmentPass] = [:]

    init(
        queue: FairQueue<BackupJob>, reader: StoreReader, keys: ItemKeys, roots: RootGate,
        turn: DerivationTurn, writer: BackupWriter, proofs: OwnerProofs,
        unlocked: UnlockedUsers, now: @escaping () -> Date, scrub: @escaping () -> Void,
        onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.reader = reader
        self.keys = keys
        self.roots = roots
        self.turn = turn
        self.writer = writer
        self.proofs = proofs
        self.unlocked = unlocked
        self.now = now
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    func run() {
        while true {
            guard let job = queue.take(within: waitMilliseconds) else {
                sweep()
                attachOfUnlocked()
                attachMore()
                continue
            }
            do throws(DaemonError) {
                job.answer(.success(try carryOut(job)))
            } catch {
                if error == .enclave(.gone) { onEnclaveGone() }
                job.answer(.failure(error))
            }
            scrub()
        }
    }

    /// Nil when nothing is under way: then only a job or an unlock wakes the thread.
    private var waitMilliseconds: Int32? {
        if !attachments.isEmpty { return 0 }
        return backups.isEmpty && restores.isEmpty ? nil : Self.sweepMilliseconds
    }

    private func carryOut(_ job: BackupJob) throws(DaemonError) -> BackupAnswer {
        let userID = job.userID
        switch job.call {
        case .status: return .status(try status(userID))
        case .challenge:
            let (nonce, directory) = try proofs.challenge(job.requester)
            return .challenge(nonce: nonce, directory: directory)
        case .prove(let nonce):
            try proofs.prove(nonce, job.requester)
            return .done
        // An archive under way is for the old password's keys, and the rest of it would be for the new.
        case .setPassword(let letter):
            backups[userID] = nil
            try derive { (enclave) throws(EnclaveCallError) in
                try enclave.setBackupPassword(letter: letter, job.caller, userID: userID)
            }
            attachments[userID] = AttachmentPass(userID)
            return .done
        case .removePassword(let letter):
            backups[userID] = nil
            try derive { (enclave) throws(EnclaveCallError) in
                try enclave.removeBackupPassword(letter: letter, job.caller, userID: userID)
            }
            attachments[userID] = nil
            return .done
        case .begin: return try begin(job)
        case .read(let token): return try read(token, job)
        case .open(let head, let options, let letter):
            return try open(head, options, letter, job)
        case .part(let token, let bytes): return try take(bytes, token, job)
        case .finish(let token): return try finish(token, job)
        case .abandon(let token):
            if backups[userID]?.token == token { backups[userID] = nil }
            if restores[userID]?.token == token { try end(userID) }
            return .done
        }
    }

    // MARK: - What is there

    private func status(_ userID: UInt32) throws(DaemonError) -> BackupStatus {
        var status = BackupStatus()
        let bag = try bag(userID)
        status.isPasswordSet = !bag.isEmpty
        let number = BackupBagNumber.of(bag)
        do throws(StoreError) {
            if let backup = try reader.backup(userID: userID) {
                status.set = backup.set
                status.lastNumber = backup.number
                status.lastDate = UInt64(clamping: backup.madeAt)
                status.lastRowCount = UInt64(clamping: backup.rowCount)
            }
            for count in try reader.secretForms(userID: userID) {
                let rows = UInt64(clamping: count.rowCount)
                guard let protectionClass = ProtectionClass(rawValue: count.keyClass),
                    protectionClass != .akpu, [1, 4].contains(count.format)
                else {
                    status.excludedCount += rows
                    continue
                }
                if !protectionClass.mayMove {
                    status.deviceOnlyCount += rows
                } else if status.isPasswordSet, count.format != 4 || count.bag != number {
                    status.pendingCount += rows
                }
            }
        } catch { throw .store(error) }
        // A pass that was cut short goes on.
        if status.pendingCount > 0, attachments[userID] == nil {
            attachments[userID] = AttachmentPass(userID)
        }
        return status
    }

    private func bag(_ userID: UInt32) throws(DaemonError) -> [UInt8] {
        do throws(EnclaveCallError) { return try keys.enclave.backupBag(userID: userID) } catch {
            throw DaemonError(error)
        }
    }

    // MARK: - Archives

    private func begin(_ job: BackupJob) throws(DaemonError) -> BackupAnswer {
        let userID = job.userID
        try roots.pass(userID)
        // The next archive has what can't be made portable for this one in time.
        _ = try status(userID)
        let moment = Int64(now().timeIntervalSince1970)
        guard
            case .status(let reserved) = try writer.carryOut(
                .reserve(now: moment), of: job.identity)
        else { throw .invalidRequest }
        let made: (keys: ArchiveKeys, key: Secret)
        do throws(EnclaveCallError) { made = try keys.enclave.makeArchive(userID: userID) } catch {
            throw DaemonError(error)
        }
        var head = ArchiveHead(
            kind: .full, hasPassword: !made.keys.bag.isEmpty, set: reserved.set,
            number: reserved.lastNumber, date: UInt64(clamping: moment),
            salt: Self.random(ArchiveHead.saltByteCount), keys: made.keys.bytes)
        head.sign(SymmetricKey(made.key))
        let source = try BackupSource(
            head, made.key, reader: reader, keys: keys, userID: userID)
        let token = Self.random(BackupCall.sessionByteCount)
        backups[userID] = Backup(token, source, madeAt: moment)
        return .begun(session: token, head: head.bytes)
    }

    private func read(_ token: [UInt8], _ job: BackupJob) throws(DaemonError) -> BackupAnswer {
        let userID = job.userID
        guard let backup = backups[userID], backup.token == token else { throw .invalidRequest }
        backup.lastUse = .now
        let (bytes, isLast) = try backup.source.next()
        if isLast {
            backups[userID] = nil
            let rows = Int64(clamping: backup.source.counts.rows)
            _ = try writer.carryOut(
                .conclude(
                    number: backup.source.head.number, madeAt: backup.madeAt, rowCount: rows),
                of: job.identity)
        }
        return .part(bytes, isLast: isLast, backup.source.counts)
    }

    // MARK: - Restores

    private func open(
        _ bytes: [UInt8], _ options: RestoreOptions, _ letter: [UInt8], _ job: BackupJob
    ) throws(DaemonError) -> BackupAnswer {
        let userID = job.userID
        let head: ArchiveHead
        do throws(ArchiveError) { head = try ArchiveHead(bytes) } catch { throw .archiveDamaged }
        guard let archiveKeys = ArchiveKeys(head) else { throw .archiveDamaged }
        try roots.pass(userID)
        let known: StoredBackup?
        do { known = try reader.backup(userID: userID) } catch { throw .store(error) }
        if let known, known.set == head.set, head.number < known.number, !options.takesOlder {
            throw .archiveOlder
        }
        turn.take()
        defer { turn.pass() }
        let opened: (session: UInt32, key: Secret)
        let keybag: EnclaveStatus
        do throws(EnclaveCallError) {
            opened = try keys.enclave.openArchive(
                archiveKeys, letter: letter, job.caller, userID: userID)
            keybag = try keys.enclave.status(userID: userID)
        } catch { throw error == .undecodable ? .archiveForeign : DaemonError(error) }
        let session: RestoreSession
        do throws(DaemonError) {
            session = try RestoreSession(
                head, archiveKeys, opened.key, session: opened.session,
                isOfThisKeybag: keybag.keybagUUID == archiveKeys.keybagUUID, options: options,
                keys: keys, userID: userID)
            // Only now: who can't open an archive doesn't end another one's restore.
            try end(userID)
        } catch {
            try? keys.enclave.closeArchive(session: opened.session, userID: userID)
            throw error
        }
        let token = Self.random(BackupCall.sessionByteCount)
        restores[userID] = Restore(token, session, job.identity)
        return .begun(session: token, head: [])
    }

    private func restore(
        _ token: [UInt8], _ userID: UInt32
    ) throws(DaemonError) -> RestoreSession {
        guard let restore = restores[userID], restore.token == token else {
            throw .invalidRequest
        }
        restore.lastUse = .now
        return restore.session
    }

    private func take(
        _ bytes: [UInt8], _ token: [UInt8], _ job: BackupJob
    ) throws(DaemonError) -> BackupAnswer {
        let userID = job.userID
        let session = try restore(token, userID)
        do throws(DaemonError) {
            let items = try session.read(bytes)
            session.counts +=
                session.options.isDryRun
                ? try weigh(items, session) : try stage(items, session, job)
        } catch {
            try end(userID)
            throw error
        }
        return .restored(session.counts)
    }

    private func stage(
        _ items: [ArchivedItem], _ session: RestoreSession, _ job: BackupJob
    ) throws(DaemonError) -> RestoreCounts {
        guard !items.isEmpty else { return RestoreCounts() }
        let answer = try writer.carryOut(
            .stage(items, session: session.session), of: job.identity)
        guard case .restored(let counts) = answer else { throw .invalidRequest }
        return counts
    }

    private func finish(_ token: [UInt8], _ job: BackupJob) throws(DaemonError) -> BackupAnswer {
        let userID = job.userID
        let session = try restore(token, userID)
        do throws(DaemonError) {
            try session.finish()
            if session.options.isDryRun {
                if session.options.replaces {
                    session.counts.removed = try RestoreWeighing(reader: reader, keys: keys)
                        .removedCount(userID: userID)
                }
            } else {
                let answer = try writer.carryOut(
                    .finish(session.options), of: job.identity,
                    WriteIdentity(requestID: token, isRepeated: false))
                guard case .restored(let counts) = answer else { throw DaemonError.invalidRequest }
                session.counts += counts
            }
        } catch {
            try end(userID)
            throw error
        }
        forget(userID)
        return .restored(session.counts)
    }

    /// Ends a restore, and forgets what it has staged.
    private func end(_ userID: UInt32) throws(DaemonError) {
        guard let restore = restores[userID] else { return }
        forget(userID)
        guard !restore.session.options.isDryRun else { return }
        _ = try writer.carryOut(.clear, of: restore.identity)
    }

    private func forget(_ userID: UInt32) {
        guard let restore = restores.removeValue(forKey: userID) else { return }
        try? keys.enclave.closeArchive(session: restore.session.session, userID: userID)
    }

    // MARK: - What a dry run would do

    private func weigh(
        _ items: [ArchivedItem], _ session: RestoreSession
    ) throws(DaemonError) -> RestoreCounts {
        try RestoreWeighing(reader: reader, keys: keys).weigh(items, session)
    }

    // MARK: - In the background

    private func sweep() {
        let end = ContinuousClock.now - Self.idleTime
        backups = backups.filter { $0.value.lastUse > end }
        for (userID, restore) in restores where restore.lastUse <= end { try? self.end(userID) }
    }

    /// Rows whose class was locked before can be made portable now.
    private func attachOfUnlocked() {
        for userID in unlocked.taken() where attachments[userID] == nil {
            guard let bag = try? bag(userID), !bag.isEmpty else { continue }
            // It begins the pass if rows wait for one.
            _ = try? status(userID)
        }
    }

    private func attachMore() {
        for (userID, pass) in attachments {
            do throws(DaemonError) {
                let isDone = try pass.step(
                    reader: reader, keys: keys, bag: try bag(userID), userID: userID
                ) { (keys, rows) throws(DaemonError) in
                    _ = try self.writer.carryOut(.attach(keys, rows), of: pass.identity)
                }
                if isDone { attachments[userID] = nil }
            } catch {
                // It begins again with the next unlock, archive or question for the status.
                attachments[userID] = nil
                if error == .enclave(.gone) { onEnclaveGone() }
            }
        }
        scrub()
    }

    private static func random(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { _ in UInt8.random(in: 0...255) }
    }

    /// A call for which enclaved derives a key.
    private func derive(
        _ call: (inout EnclaveClient) throws(EnclaveCallError) -> Void
    ) throws(DaemonError) {
        turn.take()
        defer { turn.pass() }
        do throws(EnclaveCallError) { try call(&keys.enclave) } catch {
            throw error == .unreachable ? .enclave(.outcomeUnknown) : DaemonError(error)
        }
    }
}

extension SymmetricKey {
    init(_ secret: Secret) {
        self = unsafe secret.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}

extension ArchiveKeys {
    /// What a head says of them.
    fileprivate init?(_ head: ArchiveHead) {
        let read = unsafe head.keys.withUnsafeBytes { bytes -> ArchiveKeys? in
            var reader = unsafe ByteReader(bytes)
            guard let keys = try? unsafe ArchiveKeys(&reader), unsafe reader.remaining == 0 else {
                return nil
            }
            return keys
        }
        guard let read, read.bag.isEmpty != head.hasPassword else { return nil }
        self = read
    }
}

/// What rows name a bag by.
enum BackupBagNumber {
    private static let offset = 8 + 4 + 8 + 4 + 8

    /// The first bytes of the bag's UUID, behind `VERS`, `TYPE` and the head of `UUID`.
    static func of(_ bag: [UInt8]) -> [UInt8] {
        guard bag.count > offset + 4 else { return [] }
        return Array(bag[offset..<offset + 4])
    }
}
