// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import SecurityWire
import Testing

/// A frame's bytes, secrets included.
private func bytes(_ frame: EncodedFrame) -> [UInt8] {
    frame.secrets.reduce(into: frame.bytes) { bytes, secret in
        unsafe secret.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}

private func secret(_ text: String) -> Secret {
    let bytes = Array(text.utf8)
    return Secret(unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
}

/// Names of groups in replies.
@Suite struct GroupNamingTests {
    /// A list of an application's items is returned with the application's own names; nothing else
    /// changes.
    @Test func rowsGetOtherNamesOfGroupsAndNothingElse() throws {
        func row(_ group: String?, _ certificateGroup: String?) -> OutgoingRow {
            var attributes = ItemAttributes()
            attributes[.account] = .text("zoë")
            attributes[.accessGroup] = group.map { .text($0) }
            attributes[.creationDate] = .date(12.5)
            attributes[.synchronizable] = .integer(-1)
            attributes.hasSecret = true
            var row = OutgoingRow(itemClass: .genericPassword)
            row.attributes = attributes.serialized()
            row.uuid = Array(1...16)
            row.secret = secret("hunter2")
            row.generation = 300
            row.lastUsed = 0.5
            guard let certificateGroup else { return row }
            attributes[.accessGroup] = .text(certificateGroup)
            row.itemClass = .identity
            row.certificate = (attributes.serialized(), secret("certificate"))
            return row
        }
        var bare = OutgoingRow(itemClass: .key)
        bare.secret = secret("x")
        var before = OutgoingRows([row("OLD.a", nil), row("B", "OLD.c"), bare, row(nil, nil)])
        before.append(.certificate, attributes: try #require(row("OLD.d", nil).attributes))
        var after = OutgoingRows([row("a", nil), row("B", "c"), bare, row(nil, nil)])
        after.append(.certificate, attributes: try #require(row("d", nil).attributes))
        let renamed = try before.namingGroups { $0.replacing("OLD.", with: "") }
        #expect(renamed.count == before.count && renamed.byteCount == after.byteCount)
        let told = ServiceReply.found(renamed, nextCursor: 9, openedRowCount: 4)
        let expected = ServiceReply.found(after, nextCursor: 9, openedRowCount: 4)
        #expect(
            bytes(try told.encoded(sequence: 1)) == bytes(try expected.encoded(sequence: 1)))
        let one = try row("OLD.a", "OLD.b").namingGroups { $0.replacing("OLD.", with: "") }
        #expect(one.attributes == row("a", "b").attributes)
        #expect(one.certificate?.attributes == row("a", "b").certificate?.attributes)
    }
}
