// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Crypto
import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// An item of an archive, whose metadata is opened and whose secret still is the archive's.
struct ArchivedItem: Sendable {
    let table: ItemTable
    let attributes: ItemAttributes
    /// The row as the archive has it, with the number of the user whose it was.
    let row: SealedItem
    /// 72 bytes, or none.
    let portable: [UInt8]

    var protectionClass: ProtectionClass? { ProtectionClass(rawValue: row.keyClass) }

    /// What the secret is bound to in the archive.
    var source: SecretBinding? {
        protectionClass.flatMap {
            SecretBinding(
                protectionClass: $0, context: AssociatedData.contextForSecret(row))
        }
    }
}

/// Names a key of attributes in an archive.
struct MetadataKeyName: Hashable {
    let keyClass: UInt8
    let generation: UInt32
}

/// Reads an archive, part by part.
final class RestoreSession {
    private let keys: ItemKeys
    /// enclaved's number of the open archive.
    let session: UInt32
    let userID: UInt32
    let options: RestoreOptions
    let head: ArchiveHead
    private let archiveKeys: ArchiveKeys
    /// Whether the archive was made by the keybag that is here.
    private let isOfThisKeybag: Bool
    private var opener: ArchiveOpener
    private var records = ArchiveRecordReader()
    private var metadataKeys: [MetadataKeyName: SymmetricKey] = [:]
    private var rowCount: UInt64 = 0
    private var isWhole = false
    /// What was read so far.
    var counts = RestoreCounts()

    /// A stranger's archive may name many keys; each costs a call.
    private static let keyLimit = 4096
    /// What sealing adds to a secret or to attributes at most.
    private static let sealByteCount = 4096

    init(
        _ head: ArchiveHead, _ archiveKeys: ArchiveKeys, _ archiveKey: Secret, session: UInt32,
        isOfThisKeybag: Bool, options: RestoreOptions, keys: ItemKeys, userID: UInt32
    ) throws(DaemonError) {
        let key = SymmetricKey(archiveKey)
        guard head.isAuthentic(key) else { throw .archiveDamaged }
        self.head = head
        self.archiveKeys = archiveKeys
        self.session = session
        self.isOfThisKeybag = isOfThisKeybag
        self.options = options
        self.keys = keys
        self.userID = userID
        opener = ArchiveOpener(head, key)
    }

    /// Reads the next part.
    /// - Returns: The items in it that can be restored; the others are counted.
    /// - Throws: ``DaemonError/archiveDamaged``; ``DaemonError/locked``.
    func read(_ part: [UInt8]) throws(DaemonError) -> [ArchivedItem] {
        let read: [ArchiveRecord]
        do throws(ArchiveError) { read = try records.read(try opener.open(part)) } catch {
            throw .archiveDamaged
        }
        var items: [ArchivedItem] = []
        for record in read {
            switch record {
            case .key(let key): try take(key)
            case .row(let row):
                rowCount += 1
                if let item = try item(row) { items.append(item) }
            case .end(let count):
                guard count == rowCount else { throw .archiveDamaged }
                isWhole = true
            }
        }
        return items
    }

    /// - Throws: ``DaemonError/archiveDamaged`` unless all of it was read.
    func finish() throws(DaemonError) {
        do throws(ArchiveError) {
            try opener.finish()
            try records.finish()
        } catch { throw .archiveDamaged }
        guard isWhole else { throw .archiveDamaged }
    }

    private func take(_ key: ArchivedKey) throws(DaemonError) {
        guard metadataKeys.count < Self.keyLimit,
            let protectionClass = ProtectionClass(rawValue: key.keyClass)
        else { throw .archiveDamaged }
        do throws(EnclaveCallError) {
            let opened = try keys.enclave.openArchivedKey(
                session: session,
                TableKeyName(
                    purpose: .metadata, protectionClass: protectionClass,
                    generation: key.generation),
                wrapped: key.wrapped, portable: key.portable, userID: userID)
            let name = MetadataKeyName(keyClass: key.keyClass, generation: key.generation)
            metadataKeys[name] = SymmetricKey(opened)
        } catch {
            // Its rows are those of another device.
            guard error == .undecodable || error == .classMissing else { throw DaemonError(error) }
        }
    }

    private func item(_ row: ArchivedRow) throws(DaemonError) -> ArchivedItem? {
        guard row.secret.count <= ItemLimits.secretByteCount + Self.sealByteCount,
            row.metadata.count <= ItemLimits.attributesByteCount + Self.sealByteCount
        else {
            counts.lost += 1
            return nil
        }
        guard let table = ItemTable(archiveNumber: row.table),
            row.indexes.count == table.indexColumns.count,
            let protectionClass = ProtectionClass(rawValue: row.keyClass), protectionClass != .akpu
        else {
            counts.excluded += 1
            return nil
        }
        let name = MetadataKeyName(keyClass: row.keyClass, generation: row.keyGeneration)
        guard let key = metadataKeys[name] else {
            if protectionClass.mayMove, !row.portable.isEmpty || isOfThisKeybag {
                counts.lost += 1
            } else {
                counts.deviceOnly += 1
            }
            return nil
        }
        let item = SealedItem(row, table, userID: archiveKeys.userID)
        guard case .attributes(let stored) = MetadataSealer.open(item, under: key),
            var attributes = try? stored.decoded(),
            attributes.accessibility?.rawValue == row.keyClass
        else {
            counts.lost += 1
            return nil
        }
        // A key of an enclave opens in that enclave alone.
        guard !attributes.isTiedToItsGroup,
            !BackupRules.stays(attributes, table.itemClass), let group = attributes.accessGroup
        else {
            counts.excluded += 1
            return nil
        }
        attributes[.accessGroup] = .text(
            BackupRules.group(group, ofUser: archiveKeys.userID, restoredBy: userID))
        return ArchivedItem(
            table: table, attributes: attributes, row: item, portable: row.portable)
    }
}

extension SealedItem {
    fileprivate init(_ row: ArchivedRow, _ table: ItemTable, userID: UInt32) {
        self.init(
            table: table, rowID: 0, uuid: row.uuid, userID: userID, keyClass: row.keyClass,
            keyGeneration: row.keyGeneration, rowGeneration: row.rowGeneration,
            isTombstone: row.isTombstone,
            indexes: row.indexes.map { value in
                value.isEmpty ? nil : unsafe value.withUnsafeBytes { unsafe IndexValue($0) }
            },
            metadata: Data(row.metadata), secret: row.secret)
        guard !row.tagDigest.isEmpty else { return }
        tagDigest = unsafe row.tagDigest.withUnsafeBytes { unsafe IndexValue($0) }
    }
}
