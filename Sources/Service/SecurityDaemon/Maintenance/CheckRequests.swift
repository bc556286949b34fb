// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecurityWire

/// Checks all stored data without changing it, and reports faults.
final class CheckRequests {
    private enum Stage: UInt8 {
        /// The file as SQLite sees it.
        case structure = 0
        /// Every row.
        case rows = 1
        /// Wrapped keys.
        case keys = 2
        /// The quarantine.
        case keptAside = 3
        /// The ledger of rows.
        case ledger = 4
    }

    private let store: ItemStore
    private let reader: StoreReader
    private let keys: ItemKeys
    private let roots: RootGate
    private let structure: StructureCheck
    /// Whether this service serves a user's programs.
    private let serves: (UInt32) -> Bool

    private static let chunkRowCount = 64
    /// The number of findings that fills a part.
    private static let findingLimit = 2048

    init(
        store: ItemStore, reader: StoreReader, keys: ItemKeys, roots: RootGate,
        structure: StructureCheck,
        serves: @escaping (UInt32) -> Bool
    ) {
        self.store = store
        self.reader = reader
        self.keys = keys
        self.roots = roots
        self.structure = structure
        self.serves = serves
    }

    /// One part of a check.
    /// - Throws: ``DaemonError/invalidRequest`` for an invalid cursor; why the check can't be
    ///   carried out. Faults of the stored data are part of the result.
    func page(
        _ cursor: MaintenanceCursor, userID: UInt32
    ) throws(DaemonError) -> MaintenancePage {
        guard let stage = Stage(rawValue: cursor.stage) else { throw .invalidRequest }
        var page = MaintenancePage()
        let next: MaintenanceCursor?
        switch stage {
        case .structure: next = try checkStructure(cursor, &page)
        case .rows: next = try checkRows(cursor, userID, &page)
        case .ledger: next = try checkLedger(cursor, userID, &page)
        case .keys:
            try checkKeys(userID, &page)
            next = MaintenanceCursor(stage: Stage.keptAside.rawValue)
        case .keptAside:
            try listKeptAside(userID, &page)
            next = nil
        }
        page.nextCursor = next?.bytes ?? []
        return page
    }

    // MARK: - The file

    private func checkStructure(
        _ cursor: MaintenanceCursor, _ page: inout MaintenancePage
    ) throws(DaemonError) -> MaintenanceCursor {
        var waiting = cursor
        let (run, result) = try structure.wait(for: cursor.number)
        waiting.number = run
        switch result {
        case nil: return waiting
        case .failure(let error)?: throw .store(error)
        case .success(let problems)?:
            page.findings += problems.map { MaintenanceFinding(.pages, place: $0) }
            return MaintenanceCursor(stage: Stage.rows.rawValue)
        }
    }

    // MARK: - Rows

    private func checkRows(
        _ cursor: MaintenanceCursor, _ userID: UInt32, _ page: inout MaintenancePage
    ) throws(DaemonError) -> MaintenanceCursor {
        var cursor = cursor
        let end = ContinuousClock.now + MaintenanceThread.slice
        let stored = (try? reader.tableKeys(userID: userID)) ?? []
        let erased = try ErasedKeys(keys, reader, userID: userID)
        let tables = ItemTable.allCases
        while ContinuousClock.now < end, page.findings.count < Self.findingLimit {
            guard tables.indices.contains(Int(cursor.part)) else {
                return MaintenanceCursor(stage: Stage.ledger.rawValue)
            }
            let table = tables[Int(cursor.part)]
            var rows: [SealedItem] = []
            do throws(StoreError) {
                rows = try reader.allRows(table, after: cursor.number, limit: Self.chunkRowCount)
            } catch {
                guard error == .damaged else { throw .store(error) }
                page.findings.append(
                    MaintenanceFinding(
                        .pages, place: "\(table.rawValue) can't be read behind this row",
                        number: UInt64(cursor.number)))
            }
            try judge(rows, stored, erased, userID, &page)
            if rows.count == Self.chunkRowCount, let last = rows.last {
                cursor.number = last.rowID
            } else {
                cursor.part += 1
                cursor.number = 0
            }
        }
        return cursor
    }

    private func judge(
        _ rows: [SealedItem], _ stored: [StoredTableKey], _ erased: ErasedKeys, _ userID: UInt32,
        _ page: inout MaintenancePage
    ) throws(DaemonError) {
        var opened: [SealedItem] = []
        // With the stored keys, not the cached ones.
        try keys.cache.metadata.whileFetching { (_) throws(DaemonError) in
            var opener = KeptRowOpener(keys, stored)
            opened = try judgeMetadata(rows, erased, userID, &opener, &page)
        }
        try judgeSecrets(opened, userID, &page)
    }

    /// - Returns: The rows whose metadata can be opened and matches.
    private func judgeMetadata(
        _ rows: [SealedItem], _ erased: ErasedKeys, _ userID: UInt32,
        _ opener: inout KeptRowOpener,
        _ page: inout MaintenancePage
    ) throws(DaemonError) -> [SealedItem] {
        var opened: [SealedItem] = []
        for item in rows {
            guard item.userID == userID else {
                if !serves(item.userID) {
                    page.counts.examined += 1
                    page.findings.append(MaintenanceFinding(.foreignUser, item))
                }
                continue
            }
            page.counts.examined += 1
            switch try verdict(on: item, &opener) {
            case .fits: opened.append(item)
            case .locked: page.counts.locked += 1
            case .fault(.keyMissing) where erased.holdsKey(of: item): page.noteErased()
            case .fault(let kind): page.findings.append(MaintenanceFinding(kind, item))
            }
        }
        return opened
    }

    /// The findings from the metadata of a row.
    private enum Verdict {
        case fits
        case locked
        case fault(MaintenanceFinding.Kind)
    }

    private func verdict(
        on item: SealedItem, _ opener: inout KeptRowOpener
    ) throws(DaemonError) -> Verdict {
        guard ProtectionClass(rawValue: item.keyClass) != nil, item.uuid.count == 16,
            item.keyGeneration > 0, item.rowGeneration > 0
        else { return .fault(.fields) }
        switch try opener.open(item) {
        case .locked: return item.isCurrent ? .locked : .fault(.notCurrent)
        case .corrupt: return .fault(.metadata)
        case .keyMissing: return .fault(.keyMissing)
        case .newerFormat: return .fault(.newerFormat)
        case .attributes(let attributes):
            guard item.isCurrent else { return .fault(.notCurrent) }
            guard attributes.accessibility?.rawValue == item.keyClass,
                (attributes[.tombstone] == .integer(1)) == item.isTombstone
            else { return .fault(.attributes) }
            // Without their key the indexes can't be checked; that is a separate finding.
            guard let indexer = try indexer(item.owner) else { return .fits }
            var written = item
            written.take(attributes, indexer)
            guard written.indexes == item.indexes, written.tagDigest == item.tagDigest,
                try hasTags(written)
            else { return .fault(.attributes) }
            return .fits
        }
    }

    /// Whether the tags are stored that a row should have, or the row was written again meanwhile.
    private func hasTags(_ item: SealedItem) throws(DaemonError) -> Bool {
        guard item.table.hasTags else { return true }
        do throws(StoreError) {
            if try reader.tags(ofRow: item.rowID) == item.newTags { return true }
            let now = try reader.allRows(item.table, after: item.rowID - 1, limit: 1).first
            return now?.uuid != item.uuid || now?.rowGeneration != item.rowGeneration
        } catch {
            guard error == .damaged else { throw .store(error) }
            return false
        }
    }

    private func indexer(_ owner: RowOwner) throws(DaemonError) -> BlindIndexer? {
        do throws(DaemonError) {
            return try keys.indexer(owner, ItemKeys.Source(reader))
        } catch {
            guard error == .enclave(.classMissing) || error == .keyGone else { throw error }
            return nil
        }
    }

    private func judgeSecrets(
        _ rows: [SealedItem], _ userID: UInt32, _ page: inout MaintenancePage
    ) throws(DaemonError) {
        var known: [(item: SealedItem, sealed: SealedSecret)] = []
        for item in rows {
            guard item.secretHasKnownFormat, let sealed = SealedSecret(item) else {
                page.findings.append(MaintenanceFinding(.newerFormat, item))
                continue
            }
            known.append((item, sealed))
        }
        let verdicts = try keys.verifySecrets(known.map(\.sealed), userID: userID)
        for ((item, _), verdict) in zip(known, verdicts) {
            switch verdict {
            case nil: page.counts.sound += 1
            // The last one: of a keychain whose list enclaved refused.
            case .locked?, .keychainLocked?, .personNeeded?, .passwordNeeded?, .stateNotWritten?:
                page.counts.locked += 1
            case .classMissing?, .noSuchKeychain?:
                page.findings.append(MaintenanceFinding(.keyMissing, item))
            case .undecodable?: page.findings.append(MaintenanceFinding(.secret, item))
            case let error?: throw DaemonError(error)
            }
        }
    }

    // MARK: - The ledger

    /// How many leaves are checked at a time.
    private static let chunkLeafCount = 64

    private func checkLedger(
        _ cursor: MaintenanceCursor, _ userID: UInt32, _ page: inout MaintenancePage
    ) throws(DaemonError) -> MaintenanceCursor {
        var cursor = cursor
        let keys = MaintenanceCursor(stage: Stage.keys.rawValue)
        if cursor.part == 0 { try checkRoot(userID, &page) }
        let end = ContinuousClock.now + MaintenanceThread.slice
        repeat {
            do throws(StoreError) {
                // The cursor has no negative numbers, but the leaf numbers of users above 2³¹ are
                // negative.
                let position = cursor.part == 0 ? nil : Int64(cursor.name)
                let part = try reader.missingRows(
                    userID: userID, after: position, limit: Self.chunkLeafCount)
                page.findings += part.rows.map {
                    MaintenanceFinding(
                        .missingRow, place: $0.table.rawValue, number: UInt64($0.rowID))
                }
                guard let position = part.position else { return keys }
                cursor.part = 1
                cursor.name = String(position)
            } catch {
                guard error == .damaged else { throw .store(error) }
                page.findings.append(
                    MaintenanceFinding(.pages, place: "the ledger can't be read"))
                return keys
            }
        } while ContinuousClock.now < end && page.findings.count < Self.findingLimit
        return cursor
    }

    private func checkRoot(
        _ userID: UInt32, _ page: inout MaintenancePage
    ) throws(DaemonError) {
        do throws(DaemonError) { try roots.pass(userID) } catch {
            switch error {
            case .rolledBack: page.findings.append(MaintenanceFinding(.root))
            // Without the index key this can't be checked; that is a separate finding.
            case .keyGone, .enclave(.classMissing): return
            default: throw error
            }
        }
    }

    // MARK: - Keys

    private func checkKeys(
        _ userID: UInt32, _ page: inout MaintenancePage
    ) throws(DaemonError) {
        let stored: [StoredTableKey]
        do { stored = try reader.tableKeys(userID: userID) } catch {
            guard error == .damaged else { throw .store(error) }
            return page.findings.append(
                MaintenanceFinding(.pages, place: "the keys can't be read"))
        }
        var opened: [StoredTableKey] = []
        let erased = try ErasedKeys(keys, reader, userID: userID)
        for key in stored {
            let verdict = keys.cache.metadata.whileFetching { _ in keys.verify(key) }
            switch verdict {
            case nil: opened.append(key)
            case .locked?, .stateNotWritten?: continue
            case .classMissing?, .undecodable?, .noSuchKeychain?:
                guard !erased.contains(key) else { continue }
                var finding = MaintenanceFinding(
                    key.keyClass == nil ? .indexKey : .metadataKey,
                    number: UInt64(key.generation))
                finding.protectionClass = UInt32(key.keyClass ?? 0)
                page.findings.append(finding)
            case let error?: throw DaemonError(error)
            }
        }
        let uncopied = store.keyCopies.missingCount(of: opened)
        if uncopied > 0 {
            page.findings.append(MaintenanceFinding(.keyCopies, number: UInt64(uncopied)))
        }
        if !stored.isEmpty,
            !stored.contains(where: {
                $0.keyClass == nil && $0.keychain == KeychainNumber.login
            })
        {
            page.findings.append(MaintenanceFinding(.indexKey))
        }
    }

    // MARK: - The quarantine

    private func listKeptAside(
        _ userID: UInt32, _ page: inout MaintenancePage
    ) throws(DaemonError) {
        do throws(StoreError) {
            let count = try reader.quarantineCount(userID: userID)
            if count > 0 {
                page.findings.append(MaintenanceFinding(.quarantined, number: UInt64(count)))
            }
        } catch {
            guard error == .damaged else { throw .store(error) }
            page.findings.append(
                MaintenanceFinding(.pages, place: "the quarantine can't be read"))
        }
        page.findings += store.keptFiles().map { MaintenanceFinding(.keptFile, place: $0) }
    }
}
