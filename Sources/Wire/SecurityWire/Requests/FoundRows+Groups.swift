// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

// A program may use other names of its access groups than the stored ones.

extension OutgoingRows {
    /// The same rows with other names of access groups.
    /// - Throws: ``WireError/malformed`` for rows in a form that this type never writes.
    package func namingGroups(_ name: (String) -> String) throws(WireError) -> OutgoingRows {
        var renamed = self
        renamed.bytes = try unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try unsafe Self.namingGroups(bytes, name) }
        }.get()
        return renamed
    }

    private static func namingGroups(
        _ rows: UnsafeRawBufferPointer, _ name: (String) -> String
    ) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.count)
        var reader = unsafe FieldReader(rows)
        while unsafe !reader.isAtEnd {
            guard unsafe try reader.varint() == FindReplyField.rows << 3 | WireType.bytes else {
                throw .malformed
            }
            let row = unsafe try namingGroup(ofRow: reader.content(), name)
            bytes.appendFieldHead(FindReplyField.rows, byteCount: row.count)
            bytes.append(contentsOf: row)
        }
        return bytes
    }

    /// A `FoundRow` message with other names: only attributes change.
    private static func namingGroup(
        ofRow row: UnsafeRawBufferPointer, _ name: (String) -> String
    ) throws(WireError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.count)
        var reader = unsafe FieldReader(row)
        while unsafe !reader.isAtEnd {
            let key = unsafe try reader.varint()
            switch (key >> 3, key & 7) {
            case (FoundRowField.attributes, WireType.bytes),
                (FoundRowField.certificateAttributes, WireType.bytes):
                let content = unsafe Data(unsafe try reader.content())
                bytes.append(try content.namingGroup(name), as: key >> 3)
            case (_, WireType.varint):
                bytes.appendField(key >> 3, unsafe try reader.varint())
            case (_, WireType.fixed64):
                bytes.appendFixedField(key >> 3, unsafe try reader.fixed64())
            case (_, WireType.bytes):
                let content = unsafe try reader.content()
                bytes.appendFieldHead(key >> 3, byteCount: content.count)
                unsafe bytes.append(contentsOf: content)
            default: throw .malformed
            }
        }
        return bytes
    }
}

extension OutgoingRow {
    /// The same row with other names of access groups.
    /// - Throws: As ``OutgoingRows/namingGroups(_:)``.
    package func namingGroups(_ name: (String) -> String) throws(WireError) -> OutgoingRow {
        var row = self
        if let attributes { row.attributes = try attributes.namingGroup(name) }
        if let certificate {
            row.certificate?.attributes = try certificate.attributes?.namingGroup(name)
        }
        return row
    }
}

extension Data {
    /// Attributes in their stored form, with another name of their access group.
    fileprivate func namingGroup(_ name: (String) -> String) throws(WireError) -> Data {
        let stored = try StoredAttributes(self)
        guard let group = stored.accessGroup else { return self }
        let other = name(group)
        guard !other.utf8.elementsEqual(group.utf8) else { return self }
        var attributes = try stored.decoded()
        attributes[.accessGroup] = .text(other)
        return attributes.serialized()
    }
}
