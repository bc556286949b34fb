// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// The reply to a ``SecretCall``.
package enum SecretReply: Sendable {
    case found([SecretRow], nextCursor: UInt64)
    /// The row may be missing for a repeated write.
    case added([UInt8], wasReplaced: Bool, SecretRow?)
    case updated(SecretRow?)
    case deleted(count: UInt32)
    case deletedCollection(count: UInt32)
    /// Also as news on a channel that watches.
    case lockState(isLocked: Bool)
}

/// An item of the Secret Service, as a channel sees it.
package struct SecretRow: Sendable {
    /// What of it can be had now.
    package enum State: UInt8, Sendable {
        case usable = 0
        /// Its class is locked.
        case locked = 1
        /// A client has locked the secrets.
        case lockedByClient = 2
        /// Another owner's.
        case foreign = 3
        /// It doesn't open and never will.
        case gone = 4
    }

    /// What is told of an item that opens.
    package struct Attributes: Sendable, Equatable {
        package var group = ""
        package var label = ""
        package var fields: SecretFields
        package var accessibility = Accessibility.afterFirstUnlock
        /// Seconds since 2001.
        package var created = 0.0
        package var modified = 0.0

        package init(_ fields: SecretFields) { self.fields = fields }
    }

    /// 16 bytes.
    package var reference: [UInt8]
    package var state = State.usable
    package var attributes: Attributes?
    package var secret: Secret?

    package init(_ reference: [UInt8]) { self.reference = reference }

    /// About how many bytes of a page it takes.
    package var byteCount: Int {
        let fixed = 64
        guard let attributes else { return fixed + (secret?.bytes.byteCount ?? 0) }
        return fixed + attributes.group.utf8.count + attributes.label.utf8.count
            + attributes.fields.pairs.pairs.reduce(512) { $0 + $1.name.count + $1.value.count + 8 }
            + (secret?.bytes.byteCount ?? 0)
    }
}

// MARK: - Coding

extension SecretReply {
    /// The bytes of the message; no protobuf.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(SecretLayout.version)
        switch self {
        case .found(let rows, let nextCursor):
            writer.u8(SecretLayout.Action.find.rawValue)
            writer.u64(nextCursor)
            writer.u32(UInt32(clamping: rows.count))
            for row in rows { row.append(to: &writer) }
        case .added(let reference, let wasReplaced, let row):
            writer.u8(SecretLayout.Action.add.rawValue)
            writer.bytes(reference)
            writer.u8(wasReplaced ? 1 : 0)
            row?.withoutSecret.append(to: &writer)
        case .updated(let row):
            writer.u8(SecretLayout.Action.update.rawValue)
            row?.withoutSecret.append(to: &writer)
        case .deleted(let count):
            writer.u8(SecretLayout.Action.delete.rawValue)
            writer.u32(count)
        case .deletedCollection(let count):
            writer.u8(SecretLayout.Action.deleteCollection.rawValue)
            writer.u32(count)
        case .lockState(let isLocked):
            writer.u8(SecretLayout.Action.lockState.rawValue)
            writer.u8(isLocked ? 1 : 0)
        }
        return writer.bytes
    }

    /// How many rows a write changed; nil of another reply.
    var writtenRowCount: UInt64? {
        switch self {
        case .added, .updated: 1
        case .deleted(let count), .deletedCollection(let count): UInt64(count)
        case .found, .lockState: nil
        }
    }

    /// The secret section.
    var secrets: [Secret] {
        guard case .found(let rows, _) = self else { return [] }
        return rows.compactMap(\.secret)
    }

    /// Reads a message.
    /// - Throws: ``WireError/malformed``.
    init(_ content: FrameContent) throws(WireError) {
        var secrets = unsafe content.secret
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(content.message)
            guard try unsafe reader.u8() == SecretLayout.version,
                let action = SecretLayout.Action(rawValue: try unsafe reader.u8())
            else { throw DecodingFailure() }
            self = try unsafe Self.read(action, &reader, &secrets)
            try unsafe reader.finish()
        } catch { throw .malformed }
        guard unsafe secrets.isEmpty else { throw .malformed }
    }

    private static func read(
        _ action: SecretLayout.Action, _ reader: inout ByteReader,
        _ secrets: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> SecretReply {
        switch action {
        case .find:
            let cursor = try unsafe reader.u64()
            var rows: [SecretRow] = []
            for _ in 0..<(try unsafe reader.u32()) {
                rows.append(try unsafe SecretRow(&reader, &secrets))
            }
            return .found(rows, nextCursor: cursor)
        case .add:
            let reference = try unsafe reader.reference()
            let wasReplaced = try unsafe reader.flag()
            let row =
                unsafe reader.remaining > 0 ? try unsafe SecretRow(&reader, &secrets) : nil
            return .added(reference, wasReplaced: wasReplaced, row)
        case .update:
            guard unsafe reader.remaining > 0 else { return .updated(nil) }
            return .updated(try unsafe SecretRow(&reader, &secrets))
        case .delete: return .deleted(count: try unsafe reader.u32())
        case .deleteCollection: return .deletedCollection(count: try unsafe reader.u32())
        case .lockState: return .lockState(isLocked: try unsafe reader.flag())
        }
    }
}

extension SecretRow {
    private enum Flag {
        static let attributes: UInt8 = 1
        static let secret: UInt8 = 2
    }

    fileprivate var withoutSecret: SecretRow {
        var row = self
        row.secret = nil
        return row
    }

    fileprivate func append(to writer: inout ByteWriter) {
        writer.bytes(reference)
        writer.u8(state.rawValue)
        writer.u8(
            (attributes == nil ? 0 : Flag.attributes) | (secret == nil ? 0 : Flag.secret))
        if let attributes {
            writer.append(text: attributes.group)
            writer.append(short: attributes.fields.collection)
            writer.append(text: attributes.label)
            writer.append(short: attributes.fields.contentType)
            writer.append(attributes.fields.pairs)
            writer.u8(attributes.accessibility.rawValue)
            writer.u64(attributes.created.bitPattern)
            writer.u64(attributes.modified.bitPattern)
        }
        if let secret { writer.u32(UInt32(clamping: secret.bytes.byteCount)) }
    }

    fileprivate init(
        _ reader: inout ByteReader, _ secrets: inout UnsafeRawBufferPointer
    ) throws(DecodingFailure) {
        self.init(try unsafe reader.reference())
        guard let state = State(rawValue: try unsafe reader.u8()) else { throw DecodingFailure() }
        self.state = state
        let flags = try unsafe reader.u8()
        guard flags <= Flag.attributes | Flag.secret else { throw DecodingFailure() }
        if flags & Flag.attributes != 0 { attributes = try unsafe Attributes(&reader) }
        guard flags & Flag.secret != 0 else { return }
        guard let count = Int(exactly: try unsafe reader.u32()), count <= secrets.count else {
            throw DecodingFailure()
        }
        secret = unsafe Secret(
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: secrets[..<count])))
        unsafe secrets = UnsafeRawBufferPointer(rebasing: secrets[count...])
    }
}

extension SecretRow.Attributes {
    fileprivate init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let group = try unsafe reader.text()
        let collection = try unsafe reader.short()
        let label = try unsafe reader.text()
        let contentType = try unsafe reader.short()
        guard let pairs = try? unsafe reader.pairs().get(),
            let fields = SecretFields(pairs, collection: collection, contentType: contentType),
            let accessibility = Accessibility(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        self.init(fields)
        self.group = group
        self.label = label
        self.accessibility = accessibility
        created = Double(bitPattern: try unsafe reader.u64())
        modified = Double(bitPattern: try unsafe reader.u64())
    }
}

extension ByteReader {
    fileprivate mutating func flag() throws(DecodingFailure) -> Bool {
        let byte = try unsafe u8()
        guard byte <= 1 else { throw DecodingFailure() }
        return byte == 1
    }
}
