// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import ItemStore
import KeychainVocabulary

/// Makes the keys and rows of a user portable that were stored before the backup password was set, in
/// steps: between them the thread answers requests.
final class AttachmentPass {
    private static let pageRowCount = 128

    /// Whose rows: those of the user, in nobody's name.
    let identity: ClientIdentity
    private var place: (table: Int, rowID: Int64)?

    init(_ userID: UInt32) {
        identity = ClientIdentity(
            userID: userID, grade: .unsigned, entitlements: Entitlements())
    }

    /// - Returns: Whether all is done that can be done now.
    func step(
        reader: StoreReader, keys: ItemKeys, bag: [UInt8], userID: UInt32,
        write: ([KeyAttachment], [RowAttachment]) throws(DaemonError) -> Void
    ) throws(DaemonError) -> Bool {
        guard !bag.isEmpty else { return true }
        guard let place else {
            let attachments = try keyAttachments(reader, keys, userID)
            if !attachments.isEmpty { try write(attachments, []) }
            self.place = (0, 0)
            return false
        }
        let tables = ItemTable.allCases
        guard place.table < tables.count else { return true }
        let rows: [SealedItem]
        do {
            rows = try reader.allRows(
                tables[place.table], after: place.rowID, limit: Self.pageRowCount)
        } catch { throw .store(error) }
        let attached = try rowAttachments(rows, keys, BackupBagNumber.of(bag), userID)
        if !attached.isEmpty { try write([], attached) }
        if rows.count == Self.pageRowCount, let last = rows.last {
            self.place = (place.table, last.rowID)
        } else {
            self.place = (place.table + 1, 0)
        }
        return false
    }

    private func keyAttachments(
        _ reader: StoreReader, _ keys: ItemKeys, _ userID: UInt32
    ) throws(DaemonError) -> [KeyAttachment] {
        let stored: [StoredTableKey]
        do { stored = try reader.tableKeys(userID: userID) } catch { throw .store(error) }
        var attachments: [KeyAttachment] = []
        for key in stored where key.keychain == KeychainNumber.login {
            guard let keyClass = key.keyClass,
                let protectionClass = ProtectionClass(rawValue: keyClass),
                protectionClass.mayMove,
                key.wrapped.count == EnclaveRequest.wrappedTableKeyByteCount
            else { continue }
            let name = TableKeyName(
                purpose: .metadata, protectionClass: protectionClass, generation: key.generation)
            do throws(EnclaveCallError) {
                let attachment = try keys.enclave.attachKey(
                    name, wrapped: key.wrapped, userID: userID)
                guard !attachment.isEmpty else { continue }
                attachments.append(
                    KeyAttachment(
                        keyClass: keyClass, generation: key.generation, attachment: attachment))
            } catch { throw DaemonError(error) }
        }
        return attachments
    }

    private func rowAttachments(
        _ rows: [SealedItem], _ keys: ItemKeys, _ number: [UInt8], _ userID: UInt32
    ) throws(DaemonError) -> [RowAttachment] {
        var waiting: [(item: SealedItem, secret: AttachedSecret)] = []
        for item in rows where item.userID == userID && item.owner.isLogin {
            guard ProtectionClass(rawValue: item.keyClass)?.mayMove ?? false,
                let secret = AttachedSecret(item.secret), secret.bag != number
            else { continue }
            waiting.append((item, secret))
        }
        guard !waiting.isEmpty else { return [] }
        do throws(EnclaveCallError) {
            let attachments = try keys.enclave.attach(
                waiting.map(\.secret.plainHead), userID: userID)
            return zip(waiting, attachments).compactMap { entry, attachment in
                attachment.isEmpty
                    ? nil
                    : RowAttachment(
                        item: entry.item, secret: entry.secret.attaching(attachment))
            }
        } catch { throw DaemonError(error) }
    }
}
