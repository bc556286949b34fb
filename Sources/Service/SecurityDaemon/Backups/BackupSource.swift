// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Crypto
import EnclaveWire
import IPC
import ItemStore
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// Reads all rows of a user into an archive, as they are stored: it opens no row, so it works while the
/// device is locked.
final class BackupSource {
    private static let pageRowCount = 64
    /// The size that fills a part; rows of the same size, and one more, are in it at most.
    private static let partByteCount = 512 * 1024

    private let reader: StoreReader
    private let keys: ItemKeys
    private let userID: UInt32
    /// Nil without a backup password.
    private let hasBag: Bool
    private var sealer: ArchiveSealer
    private var leftOut: LeftOutRows
    /// The table and the row after which to continue; past the last table at the end.
    private var place = (table: 0, rowID: Int64(0))
    /// The keys that it has already.
    private var keyNames: Set<MetadataKeyName> = []
    private(set) var counts = BackupCounts()
    let head: ArchiveHead

    /// Begins an archive.
    init(
        _ head: ArchiveHead, _ archiveKey: Secret, reader: StoreReader, keys: ItemKeys,
        userID: UInt32
    ) throws(DaemonError) {
        self.head = head
        self.reader = reader
        self.keys = keys
        self.userID = userID
        hasBag = head.hasPassword
        sealer = ArchiveSealer(head, SymmetricKey(archiveKey))
        leftOut = LeftOutRows(try keys.indexer(RowOwner(userID: userID), ItemKeys.Source(reader)))
    }

    /// The next chunks.
    /// - Returns: The bytes, and whether they are the last.
    func next() throws(DaemonError) -> (bytes: [UInt8], isLast: Bool) {
        var bytes: [UInt8] = []
        if keyNames.isEmpty { bytes += try newKeys() }
        let tables = ItemTable.allCases
        while bytes.count < Self.partByteCount {
            guard place.table < tables.count else {
                bytes += sealer.append(ArchiveRecord.end(rowCount: counts.rows).bytes)
                return (bytes + sealer.finish(), true)
            }
            let rows: [SealedItem]
            do {
                rows = try reader.allRows(
                    tables[place.table], after: place.rowID, limit: Self.pageRowCount)
            } catch { throw .store(error) }
            let fitting = Self.fitting(rows)
            let page = try archived(Array(fitting))
            // A key may have been made since the archive was begun.
            if page.contains(where: { !keyNames.contains($0.keyName) }) { bytes += try newKeys() }
            for row in page { bytes += sealer.append(ArchiveRecord.row(row).bytes) }
            if let last = fitting.last,
                fitting.count < rows.count || rows.count == Self.pageRowCount
            {
                place.rowID = last.rowID
            } else {
                place = (place.table + 1, 0)
            }
        }
        return (bytes, false)
    }

    /// As many rows as a part takes; one at least.
    private static func fitting(_ rows: [SealedItem]) -> ArraySlice<SealedItem> {
        var byteCount = 0
        return rows.prefix { row in
            defer { byteCount += row.secret.count + row.metadata.count }
            return byteCount < partByteCount
        }
    }

    // MARK: - Keys

    /// The keys that aren't in the archive yet.
    private func newKeys() throws(DaemonError) -> [UInt8] {
        var bytes: [UInt8] = []
        for key in try archivedKeys() {
            let name = MetadataKeyName(keyClass: key.keyClass, generation: key.generation)
            guard keyNames.insert(name).inserted else { continue }
            bytes += sealer.append(ArchiveRecord.key(key).bytes)
        }
        return bytes
    }

    private func archivedKeys() throws(DaemonError) -> [ArchivedKey] {
        let stored: [StoredTableKey]
        do { stored = try reader.tableKeys(userID: userID) } catch { throw .store(error) }
        var archived: [ArchivedKey] = []
        for key in stored where key.keychain == KeychainNumber.login {
            guard let keyClass = key.keyClass,
                let protectionClass = ProtectionClass(rawValue: keyClass),
                key.wrapped.count == EnclaveRequest.wrappedTableKeyByteCount,
                protectionClass != .akpu
            else { continue }
            archived.append(
                ArchivedKey(
                    keyClass: keyClass, generation: key.generation, wrapped: key.wrapped,
                    portable: hasBag && protectionClass.mayMove
                        ? try portable(key, protectionClass) : []))
        }
        return archived
    }

    private func portable(
        _ key: StoredTableKey, _ protectionClass: ProtectionClass
    ) throws(DaemonError) -> [UInt8] {
        let attachment: [UInt8]?
        do {
            attachment = try reader.keyAttachment(
                userID: userID, keyClass: protectionClass.rawValue, generation: key.generation)
        } catch { throw .store(error) }
        do throws(EnclaveCallError) {
            return try keys.enclave.exportKey(
                TableKeyName(
                    purpose: .metadata, protectionClass: protectionClass,
                    generation: key.generation),
                wrapped: key.wrapped, attachment: attachment ?? [], userID: userID)
        } catch { throw DaemonError(error) }
    }

    // MARK: - Rows

    private func archived(_ rows: [SealedItem]) throws(DaemonError) -> [ArchivedRow] {
        var taken: [(row: ArchivedRow, head: [UInt8]?)] = []
        for item in rows where item.userID == userID {
            guard item.owner.isLogin else {
                counts.ofKeychains += 1
                continue
            }
            guard let protectionClass = ProtectionClass(rawValue: item.keyClass),
                let secret = AttachedSecret(item.secret), item.isCurrent, !leftOut.contains(item)
            else {
                counts.excluded += 1
                continue
            }
            let isPortable = hasBag && protectionClass.mayMove
            if !protectionClass.mayMove { counts.deviceOnly += 1 }
            counts.rows += 1
            taken.append((ArchivedRow(item, secret.plain), isPortable ? secret.head : nil))
        }
        try addWraps(&taken)
        return taken.map(\.row)
    }

    private func addWraps(
        _ taken: inout [(row: ArchivedRow, head: [UInt8]?)]
    ) throws(DaemonError) {
        let places = taken.indices.filter { taken[$0].head != nil }
        let heads = taken.compactMap(\.head)
        guard !heads.isEmpty else { return }
        let wraps: [[UInt8]]
        do throws(EnclaveCallError) {
            wraps = try keys.enclave.exportWraps(heads, userID: userID)
        } catch { throw DaemonError(error) }
        for (place, wrap) in zip(places, wraps) {
            taken[place].row.portable = wrap
            if wrap.isEmpty { counts.pending += 1 }
        }
    }
}

/// Rows of which no archive has any: what the service keeps for itself, and tombstones of items that
/// don't synchronize. Their indexes tell, so none has to be opened.
struct LeftOutRows {
    private let groups: [ItemTable: Set<IndexValue>]
    private let synchronizing: [ItemTable: IndexValue]

    init(_ indexer: BlindIndexer?) {
        var groups: [ItemTable: Set<IndexValue>] = [:]
        var synchronizing: [ItemTable: IndexValue] = [:]
        if let indexer {
            for table in ItemTable.allCases {
                groups[table] = Set(
                    BackupRules.groupsThatStay.map {
                        indexer.value(table, .accessGroup, [UInt8]($0.utf8))
                    })
                synchronizing[table] = SynchronizableFilter.yes.storedContent.map {
                    indexer.value(table, .synchronizable, $0)
                }
            }
        }
        self.groups = groups
        self.synchronizing = synchronizing
    }

    func contains(_ item: SealedItem) -> Bool {
        if item.keyClass == ProtectionClass.akpu.rawValue { return true }
        if let group = item.index(.accessGroup), groups[item.table]?.contains(group) ?? false {
            return true
        }
        return item.isTombstone && item.index(.synchronizable) != synchronizing[item.table]
    }
}

/// A sealed secret whose row key class keys wrap alone, with or without what makes it portable.
struct AttachedSecret {
    private static let plainFormat: UInt8 = 1
    private static let attachedFormat: UInt8 = 4

    /// What enclaved makes a wrap of.
    let head: [UInt8]
    /// Without what makes it portable.
    let plain: [UInt8]
    /// The bag that it was made portable for: 4 bytes; nil when it wasn't.
    let bag: [UInt8]?

    /// - Returns: Nil for a secret of another form.
    init?(_ sealed: [UInt8]) {
        let headEnd = BackupLayout.headByteCount
        let attachedEnd = headEnd + BackupLayout.attachmentByteCount
        switch sealed.first {
        case Self.plainFormat where sealed.count > headEnd:
            head = Array(sealed[..<headEnd])
            plain = sealed
            bag = nil
        case Self.attachedFormat where sealed.count > attachedEnd:
            head = Array(sealed[..<attachedEnd])
            plain = [Self.plainFormat] + sealed[1..<headEnd] + sealed[attachedEnd...]
            bag = Array(sealed[headEnd..<headEnd + 4])
        case _: return nil
        }
    }

    /// The sealed secret with another attachment.
    func attaching(_ attachment: [UInt8]) -> [UInt8] {
        let headEnd = BackupLayout.headByteCount
        return [Self.attachedFormat] + plain[1..<headEnd] + attachment + plain[headEnd...]
    }

    /// The head as enclaved attaches to it.
    var plainHead: [UInt8] { Array(plain[..<BackupLayout.headByteCount]) }
}

extension ProtectionClass {
    /// Whether rows of the class may move to another device.
    var mayMove: Bool {
        switch self {
        case .ak, .ck, .dk: true
        case .aku, .cku, .dku, .akpu: false
        }
    }
}

extension ItemTable {
    /// In archives.
    var archiveNumber: UInt8 {
        switch self {
        case .genericPasswords: 0
        case .internetPasswords: 1
        case .certificates: 2
        case .keys: 3
        }
    }

    init?(archiveNumber number: UInt8) {
        guard let table = Self.allCases.first(where: { $0.archiveNumber == number }) else {
            return nil
        }
        self = table
    }
}

extension ArchivedRow {
    fileprivate var keyName: MetadataKeyName {
        MetadataKeyName(keyClass: keyClass, generation: keyGeneration)
    }

    fileprivate init(_ item: SealedItem, _ secret: [UInt8]) {
        self.init(
            table: item.table.archiveNumber, uuid: item.uuid, keyClass: item.keyClass,
            keyGeneration: item.keyGeneration, rowGeneration: item.rowGeneration,
            isTombstone: item.isTombstone,
            indexes: item.indexes.map { value in
                unsafe value?.withBytes { unsafe [UInt8]($0) } ?? []
            },
            tagDigest: unsafe item.tagDigest?.withBytes { unsafe [UInt8]($0) } ?? [],
            metadata: [UInt8](item.metadata), secret: secret, portable: [])
    }
}
