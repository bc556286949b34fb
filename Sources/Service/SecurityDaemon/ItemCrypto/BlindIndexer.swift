// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import IPC
import ItemStore
import SecretBytes
import SecurityWire
import Synchronization

/// Makes blind-index values for one user: equal values give equal tags, and without the key nothing
/// else can be learned (STORAGE.md, "Blind indexes").
final class BlindIndexer: Sendable {
    /// HMAC with the key absorbed.
    let keyed: KeyedDigest
    /// Derived from the same key, for the root over the user's rows.
    let rootKeys: RootKeys
    /// Cached tags of values in every request: access groups, synchronizable or not.
    private let recurring = Mutex<[Recurring: IndexValue]>([:])

    private struct Recurring: Hashable {
        let table: ItemTable
        let column: IndexColumn
        let content: [UInt8]
    }

    /// Larger than the number of groups of one user's applications.
    private static let recurringCount = 1024

    /// - Parameters:
    ///   - key: 32 bytes, of one user.
    ///   - generation: The number of this index key of the user.
    init(key: borrowing SecretBytes, generation: UInt32) {
        let key = unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        keyed = KeyedDigest(key: key)
        rootKeys = RootKeys(indexKey: key, generation: generation)
    }

    /// The tag of a value in a column.
    func value(_ table: ItemTable, _ column: IndexColumn, _ content: [UInt8]) -> IndexValue {
        guard column == .accessGroup || column == .synchronizable else {
            return compute(table, column, content)
        }
        let name = Recurring(table: table, column: column, content: content)
        if let known = recurring.withLock({ $0[name] }) { return known }
        let value = compute(table, column, content)
        recurring.withLock { recurring in
            if recurring.count >= Self.recurringCount { recurring.removeAll() }
            recurring[name] = value
        }
        return value
    }

    private func compute(
        _ table: ItemTable, _ column: IndexColumn, _ content: [UInt8]
    ) -> IndexValue {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 + content.count)
        bytes += table.rawValue.utf8
        bytes.append(UInt8(ascii: "."))
        bytes += column.rawValue.utf8
        bytes.append(0)
        bytes += content
        return unsafe keyed.withTag(of: bytes) { unsafe IndexValue($0) }
    }

    /// The tags of all columns of an item, in the table's order.
    /// - Parameters:
    ///   - table: The item's table.
    ///   - attributes: With the access group and the other primary-key attributes set.
    /// - Returns: One tag for each index column; nil where the item lacks the attribute.
    func values(_ table: ItemTable, _ attributes: ItemAttributes) -> [IndexValue?] {
        table.indexColumns.map { column in
            if column == .primaryKey { return primaryKey(table, attributes) }
            guard let attribute = column.attribute,
                let content = attributes.indexedContent(attribute)
            else { return nil }
            return value(table, column, content)
        }
    }

    /// The tag of the primary key: each of its attributes preceded by its byte count, absent ones
    /// empty. Source: Apple's SecItem, as observed.
    func primaryKey(_ table: ItemTable, _ attributes: ItemAttributes) -> IndexValue {
        var content: [UInt8] = []
        for attribute in table.primaryKey {
            let part = attributes.indexedContent(attribute) ?? []
            content.append(littleEndian: UInt32(part.count))
            content += part
        }
        return value(table, .primaryKey, content)
    }
}

extension ItemTable {
    /// The attributes that name an item, in the order of the digest. Only ever appended to. The
    /// user isn't among them, since each has its own index key. Source: Apple's SecItem, as
    /// observed.
    var primaryKey: [Attribute] {
        switch self {
        case .genericPasswords:
            [.account, .service, .accessGroup, .synchronizable, .syncViewHint, .tokenID]
        case .internetPasswords:
            [
                .account, .securityDomain, .server, .networkProtocol, .authenticationType, .port,
                .path, .accessGroup, .synchronizable, .syncViewHint, .tokenID,
            ]
        case .certificates:
            [
                .certificateType, .issuer, .serialNumber, .accessGroup, .synchronizable,
                .syncViewHint, .tokenID,
            ]
        case .keys:
            [
                .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits,
                .effectiveKeySize, .startDate, .endDate, .accessGroup, .synchronizable,
                .syncViewHint, .tokenID,
            ]
        }
    }

    /// The table of a class; nil for identities, which consist of two rows.
    init?(_ itemClass: ItemClass) {
        switch itemClass {
        case .genericPassword: self = .genericPasswords
        case .internetPassword: self = .internetPasswords
        case .certificate: self = .certificates
        case .key: self = .keys
        case .identity: return nil
        }
    }

    /// The class of the table's items.
    var itemClass: ItemClass {
        switch self {
        case .genericPasswords: .genericPassword
        case .internetPasswords: .internetPassword
        case .certificates: .certificate
        case .keys: .key
        }
    }
}
