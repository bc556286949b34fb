// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecretService
import SecurityWire
import Synchronization

/// The collections of a user: records in securityd, which this process alone reads and writes. They
/// hold no secret, and can be read in every state of the device.
final class CollectionRecords: Sendable {
    /// A collection.
    struct Record {
        var reference: [UInt8]
        var id: String
        var label: String
        var created: UInt64
        var modified: UInt64
    }

    /// All that there is.
    struct Content {
        /// `login` first, whether it has a record or not.
        var records = [CollectionRecords.login]
        /// What `default` leads to.
        var defaultID = CollectionID.login
        /// The record that says so.
        var defaultReference: [UInt8]?

        var ids: [String] { records.map(\.id) }

        fileprivate mutating func add(_ record: Record) {
            if record.id == CollectionID.login {
                records[0] = record
            } else {
                records.append(record)
            }
        }
    }

    /// How many collections a user may have: people make a few.
    static let limit = 256

    private static let group = "secrets:collections"
    private static let place = "records"
    private static let kind = "kind"
    private static let id = "id"

    private let channel: RecordChannel
    /// One change at a time: what it depends on is read first.
    private let changing = Mutex(())

    init(_ channel: RecordChannel) { self.channel = channel }

    // MARK: - Reading

    func read() throws(SecretStoreError) -> Content {
        var query = SecretQuery()
        query.collection = Self.place
        query.wantsAttributes = true
        let rows = try channel.with { (channel) throws(SecretStoreError) in try channel.find(query)
        }
        var content = Content()
        var wanted: String?
        for row in rows {
            guard let attributes = row.attributes,
                let id = attributes.fields.pairs[Self.id].map({
                    String(decoding: $0, as: UTF8.self)
                })
            else { continue }
            if attributes.fields.pairs[Self.kind] == Array("alias".utf8) {
                content.defaultReference = row.reference
                wanted = attributes.label
            } else {
                content.add(
                    Record(
                        reference: row.reference, id: id, label: attributes.label,
                        created: UnixTime.seconds(attributes.created),
                        modified: UnixTime.seconds(attributes.modified)))
            }
        }
        if let wanted, content.ids.contains(wanted) { content.defaultID = wanted }
        return content
    }

    // MARK: - Changing

    func create(label: String, isDefault: Bool) throws(SecretStoreError) -> (Record, isNew: Bool) {
        try changing.withLock { _ throws(SecretStoreError) in
            let content = try read()
            if isDefault {
                // There is always one.
                let id = content.defaultID
                let found = content.records.first { $0.id == id }
                return (found ?? Self.login, false)
            }
            guard content.records.count < Self.limit else { throw .limit }
            let taken = Set(content.ids + [CollectionID.session])
            let id = CollectionID.derived(from: label) { taken.contains($0) }
            let row = try add("collection", id, label: label)
            return (
                Record(
                    reference: row?.reference ?? [], id: id, label: label,
                    created: UnixTime.seconds(row?.attributes?.created ?? 0),
                    modified: UnixTime.seconds(row?.attributes?.modified ?? 0)), true
            )
        }
    }

    /// The collection that needs no record; it has one when it got another label.
    static let login = Record(
        reference: [], id: CollectionID.login, label: "Login", created: 0, modified: 0)

    func setLabel(_ label: String, of id: String) throws(SecretStoreError) {
        try changing.withLock { _ throws(SecretStoreError) in
            guard let record = try read().records.first(where: { $0.id == id }) else {
                throw .absent
            }
            guard !record.reference.isEmpty else {
                _ = try add("collection", id, label: label)
                return
            }
            var change = SecretChange(record.reference)
            change.label = label
            _ = try channel.with { (channel) throws(SecretStoreError) in
                try channel.write { .update(change, $0) }
            }
        }
    }

    func delete(_ id: String) throws(SecretStoreError) {
        try changing.withLock { _ throws(SecretStoreError) in
            let content = try read()
            guard let record = content.records.first(where: { $0.id == id }) else { return }
            if content.defaultID == id, let reference = content.defaultReference {
                try remove(reference)
            }
            if !record.reference.isEmpty { try remove(record.reference) }
        }
    }

    func setDefault(_ id: String?) throws(SecretStoreError) {
        try changing.withLock { _ throws(SecretStoreError) in
            let content = try read()
            if let id {
                guard content.ids.contains(id) else { throw .absent }
                _ = try add("alias", "default", label: id)
            } else if let reference = content.defaultReference {
                try remove(reference)
            }
        }
    }

    private func remove(_ reference: [UInt8]) throws(SecretStoreError) {
        _ = try channel.with { (channel) throws(SecretStoreError) in
            try channel.write { .delete(reference, $0) }
        }
    }

    /// Adds a record, or replaces the one of the same kind and identifier.
    private func add(
        _ kind: String, _ id: String, label: String
    ) throws(SecretStoreError) -> SecretRow? {
        guard
            let pairs = try? SecretPairs([
                SecretPairs.Pair(Self.kind, kind), SecretPairs.Pair(Self.id, id),
            ]), let fields = SecretFields(pairs, collection: Self.place)
        else { throw .limit }
        var new = NewSecret(fields, Secret(SecretBytes(byteCount: 0)))
        new.label = label
        new.group = Self.group
        new.accessibility = .always
        new.replaces = true
        let made = new
        let reply = try channel.with { (channel) throws(SecretStoreError) in
            try channel.write { .add(made, $0) }
        }
        guard case .added(_, _, let row) = reply else { throw .unreachable }
        return row
    }
}

/// Times on the bus are seconds since 1970; those of securityd begin in 2001.
enum UnixTime {
    private static let reference = 978_307_200.0

    static func seconds(_ time: Double) -> UInt64 {
        let seconds = time + reference
        return seconds.isFinite && seconds > 0 && seconds < 1e15 ? UInt64(seconds) : 0
    }
}
