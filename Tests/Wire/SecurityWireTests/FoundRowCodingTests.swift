// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import SecurityWire
import SwiftProtobuf
import TestSupport
import Testing

private func randomBytes(_ count: Int, using numbers: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
}

private func randomSecret(using numbers: inout SeededGenerator) -> Secret {
    let bytes = randomBytes(Int.random(in: 0...300, using: &numbers), using: &numbers)
    return unsafe Secret(SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
}

private func randomAttributes(using numbers: inout SeededGenerator) -> ItemAttributes {
    var attributes = ItemAttributes()
    attributes[.account] = .data(
        randomBytes(Int.random(in: 0...200, using: &numbers), using: &numbers))
    if Bool.random(using: &numbers) { attributes[.label] = .text("señal") }
    return attributes
}

private func randomRow(using numbers: inout SeededGenerator) -> OutgoingRow {
    let classes: [ItemClass] = [
        .genericPassword, .internetPassword, .certificate, .key, .identity,
    ]
    var row = OutgoingRow(itemClass: classes[Int.random(in: 0..<5, using: &numbers)])
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &numbers) ? value : nil }
    row.attributes = maybe(randomAttributes(using: &numbers).serialized())
    row.uuid = maybe(randomBytes(16, using: &numbers))
    row.secret = maybe(randomSecret(using: &numbers))
    row.generation = maybe(UInt32.random(in: 0...UInt32.max, using: &numbers)) ?? 0
    row.lastUsed = maybe(Double.random(in: -1e9...1e9, using: &numbers))
    row.accessControl = maybe(
        randomBytes(Int.random(in: 1...300, using: &numbers), using: &numbers))
    if row.itemClass == .identity {
        row.certificate = (
            maybe(randomAttributes(using: &numbers).serialized()),
            maybe(randomSecret(using: &numbers))
        )
    }
    return row
}

/// The message inside a frame.
private func message(_ frame: EncodedFrame) -> [UInt8] {
    Array(frame.bytes[FrameHeader.byteCount...])
}

@Suite struct FoundRowCodingTests {
    private static let seed: UInt64 = 0xF0D

    private func read(_ message: [UInt8], secrets: [UInt8] = []) throws -> [FoundItem] {
        try unsafe message.withUnsafeBytes { message in
            try unsafe secrets.withUnsafeBytes { secrets in
                let reply = try unsafe ReceivedReply(
                    decoding: .findReply, message: message, secret: secrets)
                guard case .found(let items, _, _) = reply else { throw WireError.malformed }
                return items
            }
        }
    }

    @Test func rowsAreTheProtobufMessage() throws {
        var numbers = SeededGenerator(seed: Self.seed)
        for round in 0..<1000 {
            let rows = (0..<Int.random(in: 0...5, using: &numbers)).map { _ in
                randomRow(using: &numbers)
            }
            let cursor = UInt64.random(in: 0...3, using: &numbers) << 40
            let frame = try ServiceReply.found(
                OutgoingRows(rows), nextCursor: cursor, openedRowCount: UInt64(rows.count)
            ).encoded(sequence: 1)
            let generated = try WireFindReply(serializedBytes: message(frame))
            #expect(generated.unknownFields.data.isEmpty, "round \(round)")
            #expect(try generated.serializedBytes() == message(frame), "round \(round)")
            #expect(generated.nextCursor == cursor)
            #expect(generated.rows.count == rows.count)
            for (row, sent) in zip(generated.rows, rows) {
                #expect(row.unknownFields.data.isEmpty)
                #expect((row.hasAttributes ? row.attributes : nil) == sent.attributes)
                #expect((row.hasPersistentUuid ? [UInt8](row.persistentUuid) : nil) == sent.uuid)
                #expect(row.generation == sent.generation)
                #expect([UInt8](row.accessControl) == sent.accessControl ?? [])
                #expect((row.hasLastUsed ? row.lastUsed : nil) == sent.lastUsed)
                let byteCount = row.hasSecretByteCount ? Int(row.secretByteCount) : nil
                #expect(byteCount == sent.secret?.bytes.byteCount)
                let dataByteCount =
                    row.hasCertificateByteCount ? Int(row.certificateByteCount) : nil
                #expect(dataByteCount == sent.certificate?.data?.bytes.byteCount)
            }
        }
    }

    @Test func whatTheGeneratedCodeWritesIsRead() throws {
        var row = WireFoundRow()
        row.itemClass = 1
        var attributes = ItemAttributes()
        attributes[.service] = .text("s")
        row.attributes = attributes.serialized()
        row.persistentUuid = Data(1...16)
        row.secretByteCount = 2
        row.lastUsed = 1.5
        var reply = WireFindReply()
        reply.rows = [row, row]
        reply.nextCursor = 1 << 62
        let items = try read(reply.serializedBytes(), secrets: [1, 2, 3, 4])
        #expect(items.count == 2)
        #expect(items.last?.attributes == attributes)
        #expect(items.last?.lastUsed == 1.5)
        #expect(items.last?.secret?.bytes.byteCount == 2)
        #expect(items.last?.persistentReference?.uuid == Array(1...16))
    }

    @Test func aFieldOfANewerServiceIsPassedOver() throws {
        // Row: class 1; then field 60 as a number, 61 as 8 bytes, 62 as bytes, 63 as 4 bytes.
        let row: [UInt8] =
            [8, 1, 0xE0, 3, 5, 0xE9, 3, 1, 2, 3, 4, 5, 6, 7, 8, 0xF2, 3, 1, 9]
            + [0xFD, 3, 1, 2, 3, 4]
        let items = try read([0x0A, UInt8(row.count)] + row + [0x78, 1])
        #expect(items.count == 1)
        #expect(items.first?.itemClass == .genericPassword)
    }

    @Test(
        arguments: [
            [0x0A], [0x0A, 2, 8], [0x0A, 0], [0x0A, 2, 8, 9], [0x0A, 3, 8, 0x81, 0], [8, 1, 0x0B],
            [0x0A, 4, 8, 1, 0x1A, 0], [0x0A, 4, 8, 1, 0x20, 1],
        ] as [[UInt8]])
    func brokenRowsAreMalformed(_ message: [UInt8]) {
        #expect(throws: WireError.malformed) { try read(message) }
    }

    @Test func attributesOfARowReadAsThoseThatWereSent() throws {
        var numbers = SeededGenerator(seed: Self.seed)
        for round in 0..<500 {
            var sent = randomAttributes(using: &numbers)
            sent[.creationDate] = .date(Double.random(in: -1e9...1e9, using: &numbers))
            sent[.synchronizable] = .integer(Int64.random(in: -2...2, using: &numbers))
            sent.accessibility = .whenUnlocked
            sent.hasSecret = Bool.random(using: &numbers)
            var row = OutgoingRow(itemClass: .genericPassword)
            row.attributes = sent.serialized()
            let frame = try ServiceReply.found(
                OutgoingRows([row]), nextCursor: 0, openedRowCount: 1
            ).encoded(sequence: 1)
            var received = try #require(try read(message(frame)).first).attributes
            for attribute in Attribute.allCases {
                #expect(received[attribute] == sent[attribute], "round \(round)")
            }
            #expect(received == sent)
            #expect(received.entries == sent.entries)
            #expect(received.accessibility == .whenUnlocked)
            #expect(received.serializedBytes() == sent.serializedBytes())
            var visited: [Attribute] = []
            received.forEachValue { attribute, value in
                visited.append(attribute)
                #expect(value == sent[attribute])
            }
            #expect(visited == sent.entries.map(\.attribute))
            // After a change they are an independent value.
            let before = received
            received[.label] = .text("another")
            received[.account] = nil
            sent[.label] = .text("another")
            sent[.account] = nil
            #expect(received == sent)
            #expect(received.serializedBytes() == sent.serializedBytes())
            #expect(before[.account] != nil)
            received = before
            received.hasSecret.toggle()
            #expect(received != before)
            #expect(received.serializedBytes() != before.serializedBytes())
        }
    }

    @Test func attributesOfARowAreRefusedWhereStoredOnesAre() throws {
        var numbers = SeededGenerator(seed: Self.seed)
        var refused = 0
        for _ in 0..<5_000 {
            var attributes = randomAttributes(using: &numbers)
            attributes[.creationDate] = .date(1)
            attributes[.subject] = .data([1, 2])
            attributes.accessibility = .always
            var bytes = attributes.serializedBytes()
            bytes[Int.random(in: 0..<bytes.count, using: &numbers)] =
                UInt8.random(in: 0...255, using: &numbers)
            let isStored = (try? ItemAttributes(serialized: Data(bytes))) != nil
            var row = OutgoingRow(itemClass: .certificate)
            row.attributes = Data(bytes)
            let frame = try ServiceReply.found(
                OutgoingRows([row]), nextCursor: 0, openedRowCount: 1
            ).encoded(sequence: 1)
            #expect(((try? read(message(frame))) != nil) == isStored)
            if !isStored { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test func cursorIsReadWithoutTheRows() throws {
        func cursor(_ message: [UInt8]) -> UInt64 {
            unsafe message.withUnsafeBytes { unsafe ReceivedReply.nextCursor($0) }
        }
        var numbers = SeededGenerator(seed: Self.seed)
        for _ in 0..<500 {
            let rows = (0..<Int.random(in: 0...5, using: &numbers)).map { _ in
                randomRow(using: &numbers)
            }
            let next = UInt64.random(in: 0...3, using: &numbers) << 40
            let frame = try ServiceReply.found(
                OutgoingRows(rows), nextCursor: next, openedRowCount: 5
            ).encoded(sequence: 1)
            var bytes = message(frame)
            #expect(cursor(bytes) == next)
            // For a changed message it may be any, and for one that is truncated in a row it is 0.
            if !rows.isEmpty { #expect(cursor(Array(bytes.prefix(3))) == 0) }
            bytes[Int.random(in: 0..<bytes.count, using: &numbers)] =
                UInt8.random(in: 0...255, using: &numbers)
            _ = cursor(bytes)
        }
        #expect(cursor([]) == 0)
    }

    @Test func changedBytesNeverDoMoreThanFail() throws {
        var numbers = SeededGenerator(seed: Self.seed)
        var accepted = 0
        for _ in 0..<5_000 {
            let row = randomRow(using: &numbers)
            let frame = try ServiceReply.found(
                OutgoingRows([row]), nextCursor: 1, openedRowCount: 1
            ).encoded(sequence: 1)
            var bytes = message(frame)
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let offset = Int.random(in: 0..<bytes.count, using: &numbers)
                bytes[offset] = UInt8.random(in: 0...255, using: &numbers)
            }
            if (try? read(bytes, secrets: [UInt8](repeating: 1, count: 64))) != nil {
                accepted += 1
            }
        }
        #expect(accepted < 5_000)
    }

    @Test func storedAttributesAreSoundExactlyWhenTheyCanBeTakenApart() throws {
        var numbers = SeededGenerator(seed: Self.seed)
        var sound = 0
        for _ in 0..<5_000 {
            var attributes = randomAttributes(using: &numbers)
            attributes[.accessGroup] = .text("group")
            attributes[.accessible] = .text("ak")
            attributes[.creationDate] = .date(1)
            attributes[.synchronizable] = .integer(-2)
            attributes[.multiUser] = .data([])
            attributes.hasSecret = Bool.random(using: &numbers)
            var bytes = attributes.serialized()
            for _ in 0..<Int.random(in: 0...2, using: &numbers) {
                let offset = Int.random(in: 0..<bytes.count, using: &numbers)
                bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            }
            let taken = try? ItemAttributes(serialized: bytes)
            let stored = try? StoredAttributes(bytes)
            #expect((taken == nil) == (stored == nil))
            guard let taken, let stored else { continue }
            sound += 1
            #expect(stored.hasSecret == taken.hasSecret)
            #expect(stored.accessGroup.map { .text($0) } == taken[.accessGroup])
            #expect(try stored.decoded().serialized() == taken.serialized())
        }
        #expect(sound > 1000 && sound < 5_000)
    }
}
