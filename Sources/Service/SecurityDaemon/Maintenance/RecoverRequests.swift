// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import IPC
import ItemStore
import SecurityWire
import Synchronization

/// Restores the rows that can still be opened: from the quarantine, then from kept damaged files,
/// the newest first.
final class RecoverRequests {
    private enum Stage: UInt8 {
        /// Indexes that don't match their tables.
        case indexes = 0
        case quarantine = 1
        case files = 2
    }

    private let store: ItemStore
    private let reader: StoreReader
    private let keys: ItemKeys
    private let structure: StructureCheck
    private let writes: WorkQueue<WriterThread.Job>
    /// The last file that was read, kept open for its next part.
    private var file: (name: String, content: KeptFile)?
    /// The same, for a file whose pages are read without SQLite.
    private var salvaged: (name: String, content: SalvagedFile)?

    /// In the cursor's part: some of the file couldn't be read.
    private static let hasGaps: UInt8 = 0x80

    private static let chunkRowCount = 32
    private static let findingLimit = 2048

    init(
        store: ItemStore, reader: StoreReader, keys: ItemKeys, structure: StructureCheck,
        writes: WorkQueue<WriterThread.Job>
    ) {
        self.store = store
        self.reader = reader
        self.keys = keys
        self.structure = structure
        self.writes = writes
    }

    /// One part of a recovery.
    /// - Returns: The rows that were restored, those that weren't and why, and the rows that
    ///   changed.
    /// - Throws: ``DaemonError/invalidRequest`` for an invalid cursor; why no more rows can be
    ///   restored now.
    func page(
        _ cursor: MaintenanceCursor, userID: UInt32
    ) throws(DaemonError) -> (MaintenancePage, ChangeList) {
        guard let stage = Stage(rawValue: cursor.stage) else { throw .invalidRequest }
        var part = Part(userID: userID)
        let next: MaintenanceCursor?
        switch stage {
        case .indexes: next = try rebuildIndexes(cursor, &part)
        case .quarantine:
            if cursor.number == 0 { try putKeysBack(userID) }
            next = try fromQuarantine(cursor, &part)
        case .files: next = try fromFiles(cursor, &part)
        }
        part.page.nextCursor = next?.bytes ?? []
        return (part.page, part.changes)
    }

    /// The parts of one reply.
    private struct Part {
        let userID: UInt32
        let end = ContinuousClock.now + MaintenanceThread.slice
        var page = MaintenancePage()
        var changes = ChangeList()

        mutating func note(
            _ kind: MaintenanceFinding.Kind, _ item: SealedItem, _ place: String
        ) {
            page.findings.append(MaintenanceFinding(kind, item, place: place))
        }

        var isFull: Bool {
            ContinuousClock.now >= end || page.findings.count >= RecoverRequests.findingLimit
        }
    }

    // MARK: - Indexes

    /// How often the file is checked again: each check reports about twenty faults.
    private static let roundLimit: UInt8 = 32

    /// Rebuilds the indexes that SQLite reports as inconsistent with their tables, and repeats the
    /// check, until it reports none.
    private func rebuildIndexes(
        _ cursor: MaintenanceCursor, _ part: inout Part
    ) throws(DaemonError) -> MaintenanceCursor {
        var waiting = cursor
        let (run, result) = try structure.wait(for: cursor.number)
        waiting.number = run
        let done = MaintenanceCursor(stage: Stage.quarantine.rawValue)
        switch result {
        case nil: return waiting
        case .failure(let error)?: throw .store(error)
        case .success(let problems)?:
            let names: [String]
            do { names = try reader.indexes(namedIn: problems) } catch { throw .store(error) }
            var isMended = false
            for name in names where !part.isFull {
                if try rebuild(name, &part) { isMended = true }
            }
            guard isMended, cursor.part < Self.roundLimit else { return done }
            var again = MaintenanceCursor(stage: Stage.indexes.rawValue)
            again.part = cursor.part + 1
            return again
        }
    }

    /// - Returns: Whether it was rebuilt.
    private func rebuild(_ name: String, _ part: inout Part) throws(DaemonError) -> Bool {
        do throws(DaemonError) {
            try carryOut(.index(name))
            part.page.findings.append(MaintenanceFinding(.reindexed, place: name))
            return true
        } catch {
            guard case .store(.constraint) = error else { throw error }
            part.page.findings.append(
                MaintenanceFinding(.pages, place: "\(name) can't be built anew"))
            return false
        }
    }

    // MARK: - Where rows are

    private func fromQuarantine(
        _ cursor: MaintenanceCursor, _ part: inout Part
    ) throws(DaemonError) -> MaintenanceCursor {
        var cursor = cursor
        let known = try liveKeys(part.userID)
        while !part.isFull {
            let rows: [QuarantinedItem]
            do {
                rows = try reader.quarantined(after: cursor.number, limit: Self.chunkRowCount)
            } catch { throw .store(error) }
            let own = rows.filter { $0.item.userID == part.userID }
            try bringBack(
                own.map { ([$0.item], $0.number) }, from: "quarantine", known, &part)
            guard rows.count == Self.chunkRowCount, let last = rows.last else {
                return MaintenanceCursor(stage: Stage.files.rawValue)
            }
            cursor.number = last.number
        }
        return cursor
    }

    private func fromFiles(
        _ cursor: MaintenanceCursor, _ part: inout Part
    ) throws(DaemonError) -> MaintenanceCursor? {
        var cursor = cursor
        let names = store.keptFiles()
        if cursor.name.isEmpty {
            guard let first = names.first else { return nil }
            cursor.name = first
        }
        let live = try liveKeys(part.userID)
        let tables = ItemTable.allCases
        while !part.isFull {
            guard names.contains(cursor.name) else { return nil }
            if !tables.indices.contains(Int(cursor.part & ~Self.hasGaps)) {
                if cursor.part & Self.hasGaps != 0 {
                    guard try salvage(&cursor, live, &part) else { return cursor }
                }
                (file, salvaged) = (nil, nil)
                guard let next = names.first(where: { $0 < cursor.name }) else { return nil }
                cursor = MaintenanceCursor(stage: Stage.files.rawValue)
                cursor.name = next
                continue
            }
            guard let content = open(cursor.name) else {
                if !SalvagedFile.isLogAlone(cursor.name) {
                    part.page.findings.append(
                        MaintenanceFinding(.unreadableFile, place: cursor.name))
                }
                cursor.part = UInt8(tables.count) | Self.hasGaps
                cursor.number = 0
                continue
            }
            let rows = content.rows(
                tables[Int(cursor.part & ~Self.hasGaps)], after: cursor.number,
                limit: Self.chunkRowCount)
            if rows.hasGaps, cursor.part & Self.hasGaps == 0 {
                cursor.part |= Self.hasGaps
                part.page.findings.append(
                    MaintenanceFinding(.unreadableFile, place: cursor.name))
            }
            let own = rows.rows.filter { $0.userID == part.userID }
            let known = content.tableKeys(userID: part.userID) + live
            try bringBack(own.map { ([$0], nil) }, from: cursor.name, known, &part)
            if let last = rows.rows.last, !rows.isLast {
                cursor.number = last.rowID
            } else {
                cursor.part += 1
                cursor.number = 0
            }
        }
        return cursor
    }

    /// Restores rows from pages that SQLite doesn't read.
    /// - Returns: Whether the file is finished.
    private func salvage(
        _ cursor: inout MaintenanceCursor, _ known: [StoredTableKey], _ part: inout Part
    ) throws(DaemonError) -> Bool {
        if salvaged?.name != cursor.name {
            salvaged = store.salvageKeptFile(cursor.name).map { (cursor.name, $0) }
        }
        guard let content = salvaged?.content else { return true }
        while !part.isFull {
            let (rows, next) = content.rows(
                afterPage: cursor.number, limit: Self.chunkRowCount)
            let own = rows.map { $0.filter { $0.userID == part.userID } }
            try bringBack(
                own.filter { !$0.isEmpty }.map { ($0, nil) }, from: cursor.name, known, &part)
            guard let next else { return true }
            cursor.number = next
        }
        return false
    }

    private func open(_ name: String) -> KeptFile? {
        if let file, file.name == name { return file.content }
        guard store.keptFiles().contains(name), let content = try? store.openKeptFile(name) else {
            return nil
        }
        file = (name, content)
        return content
    }

    private func liveKeys(_ userID: UInt32) throws(DaemonError) -> [StoredTableKey] {
        let stored: [StoredTableKey]
        do { stored = try reader.tableKeys(userID: userID) } catch { throw .store(error) }
        return stored + store.keyCopies.copies(userID: userID).map(\.key)
    }

    /// Replaces missing or unreadable stored keys by copies.
    private func putKeysBack(_ userID: UInt32) throws(DaemonError) {
        let stored: [StoredTableKey]
        do { stored = try reader.tableKeys(userID: userID) } catch { throw .store(error) }
        let newestIndexKey =
            stored.last { $0.keyClass == nil && $0.keychain == KeychainNumber.login }?.generation
            ?? store.keyCopies.indexKeys(userID: userID).first {
                keys.verify($0.key) == nil
            }?.generation
        var copies: [KeyCopy] = []
        for copy in store.keyCopies.copies(userID: userID) {
            // Of the index keys only the current one matters.
            if copy.keyClass == nil, copy.keychain == KeychainNumber.login,
                copy.generation != newestIndexKey
            {
                continue
            }
            let present = stored.first {
                $0.keyClass == copy.keyClass && $0.keychain == copy.keychain
                    && $0.generation == copy.generation
            }
            guard present != copy.key else { continue }
            if let present {
                let verdict = keys.cache.metadata.whileFetching { _ in keys.verify(present) }
                guard verdict == .undecodable else { continue }
            }
            let isSound = keys.cache.metadata.whileFetching { _ in keys.verify(copy.key) == nil }
            if isSound { copies.append(copy) }
        }
        guard !copies.isEmpty else { return }
        try carryOut(.keys(copies))
    }

    private func carryOut(_ work: Repair.Work) throws(DaemonError) {
        let repair: Repair
        do { repair = try Repair(work) } catch { throw .store(.full) }
        // Only the recovering thread waits for it.
        writes.add(.repair(repair), isBounded: false)
        try repair.wait()
    }

    // MARK: - Restoring

    private func bringBack(
        _ rows: [(candidate: SalvagedFile.Candidate, number: Int64?)], from place: String,
        _ known: [StoredTableKey], _ part: inout Part
    ) throws(DaemonError) {
        guard !rows.isEmpty else { return }
        part.page.counts.examined += UInt64(rows.count)
        var candidates: [RestoreJob.Candidate] = []
        let erased = try ErasedKeys(keys, reader, userID: part.userID)
        // A lock waits until the writer has sealed them.
        let outcomes = try keys.cache.metadata.whileFetching {
            (_) throws(DaemonError) -> [RestoreJob.Outcome] in
            var opener = KeptRowOpener(keys, known)
            for (candidate, number) in rows {
                switch try opener.open(candidate) {
                case (_, .locked): part.page.counts.locked += 1
                case (let item, .keyMissing) where erased.holdsKey(of: item):
                    part.page.noteErased()
                case (let item, .keyMissing): part.note(.keyMissing, item, place)
                case (let item, .corrupt): part.note(.metadata, item, place)
                case (let item, .newerFormat): part.note(.newerFormat, item, place)
                case (let item, .attributes(let attributes)):
                    candidates.append(
                        RestoreJob.Candidate(
                            item: item, attributes: attributes, quarantineNumber: number))
                }
            }
            return candidates.isEmpty ? [] : try restore(candidates)
        }
        for (candidate, outcome) in zip(candidates, outcomes) {
            let item = candidate.item
            switch outcome {
            case .restored(let change):
                part.page.counts.restored += 1
                part.note(.restored, item, place)
                part.changes.append(change)
            case .present: part.page.counts.present += 1
            case .failed(.duplicate): part.note(.nameTaken, item, place)
            case .failed(.locked): part.page.counts.locked += 1
            case .failed(.keyGone): part.note(.secret, item, place)
            case .failed(.enclave(.classMissing)): part.note(.keyMissing, item, place)
            case .failed(let error): throw error
            }
        }
    }

    /// Asks the writer to store rows, and waits until it has.
    private func restore(
        _ candidates: [RestoreJob.Candidate]
    ) throws(DaemonError) -> [RestoreJob.Outcome] {
        let job: RestoreJob
        do { job = try RestoreJob(candidates) } catch { throw .store(.full) }
        // Only the recovering thread waits for it.
        writes.add(.restore(job), isBounded: false)
        return job.wait()
    }
}
