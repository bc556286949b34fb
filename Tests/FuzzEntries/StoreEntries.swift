// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityDaemon

/// The contents of a damaged or forged database.
enum StoreEntries {
    private static let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
    private static let context = [UInt8](repeating: 3, count: 32)

    /// The halves of a row, under keys that never sealed anything; and the content of a sealed
    /// secret.
    static func row(_ data: Data) {
        let bytes = [UInt8](data)
        let item = SealedItem(
            table: .genericPasswords, rowID: 1, uuid: [UInt8](0..<16), userID: 1, keyClass: 8,
            keyGeneration: 1, rowGeneration: 1, isTombstone: false,
            indexes: Array(repeating: nil, count: 12), metadata: data, secret: bytes)
        precondition(!MetadataSealer.opens(item, under: key), "metadata opens that nobody sealed")
        guard let binding = SecretBinding(protectionClass: .dk, context: context) else {
            preconditionFailure("a context of 32 bytes is accepted")
        }
        let classKey = Secret(SecretBytes(copying: [UInt8](repeating: 9, count: 32)))
        precondition(
            SecretSealing.open(bytes, binding: binding, user: 1, classKey: classKey) == nil,
            "a secret opens that nobody sealed")
        let secret = unsafe bytes.withUnsafeBytes { unsafe SecretSealing.secret(inPlaintext: $0) }
        precondition((secret?.bytes.byteCount ?? 0) <= max(bytes.count - 4, 0), "too long a secret")
    }

    /// A page, followed by the pages that it may refer to.
    static func page(_ data: Data) {
        let bytes = [UInt8](data)
        let size = 512
        let rows = SalvagedFile.rows(Array(bytes.prefix(size)), isFirst: false) { number in
            let start = Int(number) * size
            guard start + size <= bytes.count else { return nil }
            return Array(bytes[start..<start + size])
        }
        for item in rows.joined() {
            precondition(item.indexes.count == item.table.indexColumns.count, "missing columns")
            precondition(item.uuid.count == 16 && item.rowID > 0, "a row without a name")
        }
    }

    // MARK: - Seeds

    static var rows: [Data] {
        [
            Data([1] + [UInt8](repeating: 2, count: 60)),
            Data([1, 8, 0, 0] + [UInt8](repeating: 2, count: 92)),
            Data([5, 0, 0, 0] + [UInt8](repeating: 2, count: 20)),
            Data([2]), Data(),
        ]
    }

    /// A leaf with one row of generic passwords, partly on overflow pages.
    static var pages: [Data] { [page(secretByteCount: 30), page(secretByteCount: 700)] }

    private static func page(secretByteCount: Int) -> Data {
        var types: [UInt8] = [0, 44, 1, 1, 1, 1, 8]
        var body = [UInt8](repeating: 1, count: 16) + [1, 8, 1, 1]
        for index in 0..<12 {
            types.append(index < 5 ? 44 : 0)
            if index < 5 { body += [UInt8](repeating: UInt8(index), count: 16) }
        }
        types.append(12 + 2 * 30)
        body += [UInt8](repeating: 4, count: 30)
        let type = 12 + 2 * secretByteCount
        types += [UInt8(0x80 | type >> 7 & 0x7F), UInt8(type & 0x7F)]
        body += [UInt8](repeating: 5, count: secretByteCount)
        let record = [UInt8(types.count + 1)] + types + body
        let most = 512 - 35
        let least = 500 * 32 / 255 - 23
        let fitting = least + max(record.count - least, 0) % 508
        let local = record.count <= most ? record.count : fitting <= most ? fitting : least
        var cell = [UInt8(0x80 | record.count >> 7), UInt8(record.count & 0x7F), 1]
        cell += record.prefix(local)
        if local < record.count { cell += [0, 0, 0, 1] }
        var page = [UInt8](repeating: 0, count: 512)
        let start = 512 - cell.count
        page.replaceSubrange(
            0..<10,
            with: [0x0D, 0, 0, 0, 1, 0, 0, 0, UInt8(start >> 8), UInt8(start & 0xFF)])
        page.replaceSubrange(start..<512, with: cell)
        var rest = Array(record.dropFirst(local))
        var number: UInt8 = 1
        while !rest.isEmpty {
            let isLast = rest.count <= 508
            page += [0, 0, 0, isLast ? 0 : number + 1] + rest.prefix(508)
            page += [UInt8](repeating: 0, count: max(508 - rest.count, 0))
            rest = Array(rest.dropFirst(508))
            number += 1
        }
        return Data(page)
    }
}
