// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecurityWire

/// The plaintext of a record (STORAGE.md, "Audit log").
extension AuditRecord {
    private static let uuidByteCount = 16
    private static let groupByteLimit = 255
    private static let applicationByteLimit = 64
    private static let grades = ["", "U", "P", "S", "S+"]

    /// Byte count of the plaintext, without the padding zeros.
    var plaintextByteCount: Int {
        76 + Self.cut(accessGroup, Self.groupByteLimit).count
            + Self.cut(application, Self.applicationByteLimit).count
            + namedItems.count * Self.uuidByteCount
    }

    /// Writes the plaintext.
    /// - Parameters:
    ///   - chain: The chain value before this record.
    ///   - byteCount: At least ``plaintextByteCount``; the rest is zeros.
    /// - Returns: This many bytes.
    func plaintext(after chain: AuditChain, byteCount: Int) -> [UInt8] {
        var writer = ByteWriter(reserving: byteCount)
        writer.bytes(chain.bytes)
        writer.u64(UInt64(bitPattern: microseconds))
        writer.u16(event.rawValue)
        writer.u8(UInt8(Self.grades.firstIndex(of: identityGrade) ?? 0))
        writer.u8(UInt8(itemClass?.wireValue ?? 0))
        writer.u32(UInt32(bitPattern: status))
        writer.u32(reason?.rawValue ?? 0)
        writer.u32(UInt32(bitPattern: processID))
        writer.u32(userID)
        writer.u32(includesSecrets ? 1 : 0)
        writer.u64(number)
        let group = Self.cut(accessGroup, Self.groupByteLimit)
        writer.u8(UInt8(group.count))
        writer.bytes(group)
        let name = Self.cut(application, Self.applicationByteLimit)
        writer.u8(UInt8(name.count))
        writer.bytes(name)
        let items = namedItems
        writer.u16(UInt16(items.count))
        for item in items { writer.bytes(item) }
        writer.zeros(max(byteCount - writer.bytes.count, 0))
        return writer.bytes
    }

    /// Whether bytes are the plaintext of a record; an entry point for fuzzers.
    package static func isPlaintext(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe decode(bytes, sequence: 1) != nil
    }

    /// Parses a plaintext.
    /// - Returns: Nil when it is invalid; else the record and the chain value before it.
    static func decode(
        _ plaintext: UnsafeRawBufferPointer, sequence: UInt64
    ) -> (record: AuditRecord, chain: AuditChain)? {
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(plaintext)
            let chain = AuditChain(bytes: try unsafe reader.array(AuditChain.byteCount))
            let moment = Int64(bitPattern: try unsafe reader.u64())
            let event = AuditEvent(rawValue: try unsafe reader.u16())
            var record = AuditRecord(event, userID: 0, microseconds: moment)
            record.sequence = sequence
            let grade = try unsafe Int(reader.u8())
            guard grades.indices.contains(grade) else { throw DecodingFailure() }
            record.identityGrade = grades[grade]
            record.itemClass = ItemClass(wireValue: UInt32(try unsafe reader.u8()))
            record.status = Int32(bitPattern: try unsafe reader.u32())
            let reason = try unsafe reader.u32()
            record.reason =
                reason == 0 ? nil : FailureReason(rawValue: reason) ?? .internalFailure
            record.processID = Int32(bitPattern: try unsafe reader.u32())
            record.userID = try unsafe reader.u32()
            record.includesSecrets = try unsafe reader.u32() & 1 != 0
            record.number = try unsafe reader.u64()
            record.accessGroup = try unsafe text(&reader)
            record.application = try unsafe text(&reader)
            let count = try unsafe Int(reader.u16())
            guard count <= itemLimit else { throw DecodingFailure() }
            for _ in 0..<count {
                record.items.append(try unsafe reader.array(uuidByteCount))
            }
            return (record, chain)
        } catch { return nil }
    }

    private static func text(_ reader: inout ByteReader) throws(DecodingFailure) -> String {
        let count = try unsafe Int(reader.u8())
        return String(decoding: try unsafe reader.array(count), as: UTF8.self)
    }

    /// The items that fit; an invalid UUID is left out.
    private var namedItems: [[UInt8]] {
        let fits = items.count <= Self.itemLimit && items.allSatisfy { $0.count == 16 }
        return fits ? items : Array(items.filter { $0.count == 16 }.prefix(Self.itemLimit))
    }

    /// The first bytes of a text, whole characters only.
    private static func cut(_ text: String, _ limit: Int) -> [UInt8] {
        guard text.utf8.count > limit else { return [UInt8](text.utf8) }
        var bytes = [UInt8](text.utf8.prefix(limit + 1))
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return bytes
    }
}
