// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// A request on a channel of a front, about secrets of the Secret Service (PROTOCOL.md, "Fronts").
package enum SecretCall: Sendable {
    case find(SecretQuery, cursor: UInt64)
    case add(NewSecret, WriteIdentity)
    case update(SecretChange, WriteIdentity)
    /// The item with this reference.
    case delete([UInt8], WriteIdentity)
    /// Every item of a collection that the channel reaches.
    case deleteCollection(String, WriteIdentity)
    case lockState(SecretLockAction)
}

/// Which secrets are to be found, and what is wanted of them.
package struct SecretQuery: Sendable {
    /// At most so many references in one find.
    package static let referenceLimit = 1024

    /// Only these items; then the collection and the pairs are empty.
    package var references: [[UInt8]] = []
    /// Only items in it; empty: in each.
    package var collection = ""
    /// Only items that have each of these.
    package var pairs = SecretPairs()
    /// Whether other owners' items are told of.
    package var seeksForeign = false
    package var wantsSecrets = false
    package var wantsAttributes = false
    /// The maximum number of items; nil is all.
    package var limit: Int?

    package init() {}
}

/// A secret to store.
package struct NewSecret: Sendable {
    /// In which collection, found by which pairs, and what kind of content.
    package var fields: SecretFields
    package var label = ""
    package var secret: Secret
    /// When its key is available.
    package var accessibility = Accessibility.afterFirstUnlock
    /// Whether an item with exactly these pairs is changed instead.
    package var replaces = false
    /// For the front's own records alone, as the next two.
    package var group = ""
    /// Seconds since 2001; 0 is now.
    package var created = 0.0
    package var modified = 0.0

    package init(_ fields: SecretFields, _ secret: Secret) {
        self.fields = fields
        self.secret = secret
    }

    /// Whether it says what only the front's own records may.
    package var isOfFront: Bool {
        !group.isEmpty || created != 0 || modified != 0 || accessibility == .always
    }
}

/// New values of a secret; nil leaves the old ones.
package struct SecretChange: Sendable {
    /// 16 bytes.
    package var reference: [UInt8]
    package var label: String?
    package var pairs: SecretPairs?
    package var contentType: String?
    package var collection: String?
    package var secret: Secret?

    package init(_ reference: [UInt8]) { self.reference = reference }
}

/// What is to become of the lock of a user's secrets.
package enum SecretLockAction: UInt8, Sendable {
    case ask = 1
    case lock = 2
    case unlock = 3
}

// MARK: - Coding

/// Numbers of the layouts.
enum SecretLayout {
    static let version: UInt8 = 1
    static let referenceByteCount = 16
    static let requestIDByteCount = 16

    enum Action: UInt8 {
        case find = 1
        case add = 2
        case update = 3
        case delete = 4
        case deleteCollection = 5
        case lockState = 6
    }
    enum Returning {
        static let secrets: UInt8 = 1
        static let attributes: UInt8 = 2
    }
    enum Change {
        static let label: UInt8 = 1
        static let pairs: UInt8 = 2
        static let contentType: UInt8 = 4
        static let collection: UInt8 = 8
        static let secret: UInt8 = 16
        static let all: UInt8 = 31
    }
}

extension SecretCall {
    /// The bytes of the message; no protobuf.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(SecretLayout.version)
        switch self {
        case .find(let query, let cursor):
            writer.u8(SecretLayout.Action.find.rawValue)
            query.append(cursor, to: &writer)
        case .add(let new, let write):
            writer.u8(SecretLayout.Action.add.rawValue)
            writer.append(write)
            new.append(to: &writer)
        case .update(let change, let write):
            writer.u8(SecretLayout.Action.update.rawValue)
            writer.append(write)
            change.append(to: &writer)
        case .delete(let reference, let write):
            writer.u8(SecretLayout.Action.delete.rawValue)
            writer.append(write)
            writer.bytes(reference)
        case .deleteCollection(let collection, let write):
            writer.u8(SecretLayout.Action.deleteCollection.rawValue)
            writer.append(write)
            writer.append(short: collection)
        case .lockState(let action):
            writer.u8(SecretLayout.Action.lockState.rawValue)
            writer.u8(action.rawValue)
        }
        return writer.bytes
    }

    /// The secret section.
    var secrets: [Secret] {
        switch self {
        case .add(let new, _): [new.secret]
        case .update(let change, _): change.secret.map { [$0] } ?? []
        case .find, .delete, .deleteCollection, .lockState: []
        }
    }

    /// Reads a message.
    /// - Throws: ``WireError/tooLarge`` for a secret or pairs over a limit; ``WireError/malformed``.
    init(_ content: FrameContent) throws(WireError) {
        var reader = unsafe ByteReader(content.message)
        var takesSecret = false
        let call: Result<SecretCall, WireError>
        do throws(DecodingFailure) {
            guard try unsafe reader.u8() == SecretLayout.version,
                let action = SecretLayout.Action(rawValue: try unsafe reader.u8())
            else { throw DecodingFailure() }
            call = try unsafe Self.read(action, &reader, content.secret, &takesSecret)
            try unsafe reader.finish()
        } catch { throw .malformed }
        guard unsafe takesSecret || !content.hasSecret else { throw .malformed }
        self = try call.get()
    }

    /// - Returns: The call, or that something in it is over a limit.
    private static func read(
        _ action: SecretLayout.Action, _ reader: inout ByteReader,
        _ secret: UnsafeRawBufferPointer, _ takesSecret: inout Bool
    ) throws(DecodingFailure) -> Result<SecretCall, WireError> {
        switch action {
        case .find:
            let (query, cursor) = try unsafe SecretQuery.read(&reader)
            return query.map { .find($0, cursor: cursor) }
        case .add:
            takesSecret = true
            let write = try unsafe reader.write()
            let new = try unsafe NewSecret.read(&reader, secret)
            return new.map { .add($0, write) }
        case .update:
            let write = try unsafe reader.write()
            let change = try unsafe SecretChange.read(&reader, secret, &takesSecret)
            return change.map { .update($0, write) }
        case .delete:
            let write = try unsafe reader.write()
            return .success(.delete(try unsafe reader.reference(), write))
        case .deleteCollection:
            let write = try unsafe reader.write()
            let collection = try unsafe reader.short()
            guard SecretFields.isCollection(collection) else { throw DecodingFailure() }
            return .success(.deleteCollection(collection, write))
        case .lockState:
            guard let action = SecretLockAction(rawValue: try unsafe reader.u8()) else {
                throw DecodingFailure()
            }
            return .success(.lockState(action))
        }
    }
}

extension SecretQuery {
    fileprivate func append(_ cursor: UInt64, to writer: inout ByteWriter) {
        writer.u8(
            (wantsSecrets ? SecretLayout.Returning.secrets : 0)
                | (wantsAttributes ? SecretLayout.Returning.attributes : 0))
        writer.u8(seeksForeign ? 1 : 0)
        writer.u32(UInt32(clamping: limit ?? 0))
        writer.u64(cursor)
        writer.u16(UInt16(clamping: references.count))
        for reference in references { writer.bytes(reference) }
        writer.append(short: collection)
        writer.append(pairs)
    }

    fileprivate static func read(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> (Result<SecretQuery, WireError>, cursor: UInt64) {
        var query = SecretQuery()
        let returning = try unsafe reader.u8()
        let options = try unsafe reader.u8()
        let limit = try unsafe reader.u32()
        let cursor = try unsafe reader.u64()
        let count = try unsafe reader.u16()
        guard returning <= 3, options <= 1, limit <= UInt32(Int32.max),
            count <= referenceLimit
        else { throw DecodingFailure() }
        query.wantsSecrets = returning & SecretLayout.Returning.secrets != 0
        query.wantsAttributes = returning & SecretLayout.Returning.attributes != 0
        query.seeksForeign = options == 1
        query.limit = limit == 0 ? nil : Int(limit)
        for _ in 0..<count { query.references.append(try unsafe reader.reference()) }
        query.collection = try unsafe reader.short()
        let pairs = try unsafe reader.pairs()
        if !query.references.isEmpty {
            guard query.collection.isEmpty, (try? pairs.get().isEmpty) == true else {
                throw DecodingFailure()
            }
        }
        return (
            pairs.map { pairs in
                query.pairs = pairs
                return query
            }, cursor
        )
    }
}

extension NewSecret {
    fileprivate func append(to writer: inout ByteWriter) {
        writer.u8(replaces ? 1 : 0)
        writer.u8(accessibility.rawValue)
        writer.append(short: fields.collection)
        writer.append(text: label)
        writer.append(short: fields.contentType)
        writer.append(fields.pairs)
        writer.append(text: group)
        writer.u64(created.bitPattern)
        writer.u64(modified.bitPattern)
    }

    fileprivate static func read(
        _ reader: inout ByteReader, _ secret: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> Result<NewSecret, WireError> {
        let options = try unsafe reader.u8()
        guard options <= 1,
            let accessibility = Accessibility(secretClass: try unsafe reader.u8())
        else { throw DecodingFailure() }
        let collection = try unsafe reader.short()
        let label = try unsafe reader.text()
        let contentType = try unsafe reader.short()
        let pairs = try unsafe reader.pairs()
        let group = try unsafe reader.text()
        let created = Double(bitPattern: try unsafe reader.u64())
        let modified = Double(bitPattern: try unsafe reader.u64())
        guard created.isFinite, modified.isFinite,
            let empty = SecretFields(
                SecretPairs(), collection: collection, contentType: contentType)
        else { throw DecodingFailure() }
        do throws(WireError) {
            var fields = empty
            fields.pairs = try pairs.get()
            var new = NewSecret(fields, try unsafe Secret(checking: secret))
            new.label = label
            new.accessibility = accessibility
            new.replaces = options == 1
            new.group = group
            new.created = created
            new.modified = modified
            return .success(new)
        } catch { return .failure(error) }
    }
}

extension SecretChange {
    fileprivate func append(to writer: inout ByteWriter) {
        writer.bytes(reference)
        writer.u8(
            (label == nil ? 0 : SecretLayout.Change.label)
                | (pairs == nil ? 0 : SecretLayout.Change.pairs)
                | (contentType == nil ? 0 : SecretLayout.Change.contentType)
                | (collection == nil ? 0 : SecretLayout.Change.collection)
                | (secret == nil ? 0 : SecretLayout.Change.secret))
        if let label { writer.append(text: label) }
        if let pairs { writer.append(pairs) }
        if let contentType { writer.append(short: contentType) }
        if let collection { writer.append(short: collection) }
    }

    fileprivate static func read(
        _ reader: inout ByteReader, _ secret: UnsafeRawBufferPointer, _ takesSecret: inout Bool
    ) throws(DecodingFailure) -> Result<SecretChange, WireError> {
        var change = SecretChange(try unsafe reader.reference())
        let what = try unsafe reader.u8()
        guard what & ~SecretLayout.Change.all == 0 else { throw DecodingFailure() }
        takesSecret = what & SecretLayout.Change.secret != 0
        if what & SecretLayout.Change.label != 0 { change.label = try unsafe reader.text() }
        var pairs: Result<SecretPairs, WireError>?
        if what & SecretLayout.Change.pairs != 0 { pairs = try unsafe reader.pairs() }
        if what & SecretLayout.Change.contentType != 0 {
            change.contentType = try unsafe reader.short()
        }
        if what & SecretLayout.Change.collection != 0 {
            let collection = try unsafe reader.short()
            guard SecretFields.isCollection(collection) else { throw DecodingFailure() }
            change.collection = collection
        }
        do throws(WireError) {
            change.pairs = try pairs?.get()
            if takesSecret { change.secret = try unsafe Secret(checking: secret) }
            return .success(change)
        } catch { return .failure(error) }
    }
}

// MARK: - Parts of the layouts

extension ByteWriter {
    /// A text with a count of 1 byte.
    mutating func append(short text: String) {
        u8(UInt8(clamping: text.utf8.count))
        bytes(text.utf8)
    }

    /// A text with a count of 2 bytes.
    mutating func append(text: String) {
        u16(UInt16(clamping: text.utf8.count))
        bytes(text.utf8)
    }

    mutating func append(_ pairs: SecretPairs) {
        let encoded = pairs.isEmpty ? [] : pairs.encoded
        u32(UInt32(clamping: encoded.count))
        bytes(encoded)
    }

    fileprivate mutating func append(_ write: WriteIdentity) {
        bytes(write.requestID)
        u8(write.isRepeated ? 1 : 0)
    }
}

extension ByteReader {
    /// 16 bytes.
    mutating func reference() throws(DecodingFailure) -> [UInt8] {
        try unsafe array(SecretLayout.referenceByteCount)
    }

    /// A text with a count of 1 byte.
    mutating func short() throws(DecodingFailure) -> String {
        try unsafe Self.text(array(Int(u8())))
    }

    /// A text with a count of 2 bytes.
    mutating func text() throws(DecodingFailure) -> String {
        try unsafe Self.text(array(Int(u16())))
    }

    private static func text(_ bytes: [UInt8]) throws(DecodingFailure) -> String {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw DecodingFailure()
        }
        return text
    }

    /// - Returns: The pairs, or that they are over a limit.
    mutating func pairs() throws(DecodingFailure) -> Result<SecretPairs, WireError> {
        guard let count = Int(exactly: try unsafe u32()) else { throw DecodingFailure() }
        let content = try unsafe bytes(count)
        guard count > 0 else { return .success(SecretPairs()) }
        do throws(WireError) {
            let pairs = try unsafe SecretPairs(decoding: content)
            guard !pairs.isEmpty else { throw .malformed }
            return .success(pairs)
        } catch {
            guard error == .tooLarge else { throw DecodingFailure() }
            return .failure(error)
        }
    }

    fileprivate mutating func write() throws(DecodingFailure) -> WriteIdentity {
        let requestID = try unsafe array(SecretLayout.requestIDByteCount)
        let isRepeated = try unsafe u8()
        guard isRepeated <= 1 else { throw DecodingFailure() }
        return WriteIdentity(requestID: requestID, isRepeated: isRepeated == 1)
    }
}

extension Accessibility {
    /// The class of an item on a channel: another one than these makes no difference to its clients, and
    /// the last is for the front's own records alone.
    init?(secretClass number: UInt8) {
        guard let known = Accessibility(rawValue: number),
            [.whenUnlocked, .afterFirstUnlock, .always].contains(known)
        else { return nil }
        self = known
    }
}
