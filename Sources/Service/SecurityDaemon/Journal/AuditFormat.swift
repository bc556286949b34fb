// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import IPC
import SecurityWire

/// The chain value of an audit file up to a position: a digest of the previous digest and one
/// record.
struct AuditChain: Equatable {
    static let byteCount = 32
    /// Before the first record of the log.
    static let none = AuditChain(bytes: [UInt8](repeating: 0, count: byteCount))

    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// At the beginning of a file.
    init(header: AuditHeader) {
        var hash = SHA256()
        hash.update(data: AuditFormat.label)
        hash.update(data: header.encoded())
        bytes = [UInt8](hash.finalize())
    }

    /// The value after one more record.
    func adding(_ record: UnsafeRawBufferPointer) -> AuditChain {
        var hash = SHA256()
        unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        unsafe hash.update(bufferPointer: record)
        return AuditChain(bytes: hash.finalizedBytes())
    }
}

/// Numbers of the format (STORAGE.md, "Audit log").
enum AuditFormat {
    static let label = [UInt8]("llavero.audit.1".utf8)
    /// Records begin and end at multiples of this.
    static let unitByteCount = 64
    static let unitLimit = 64
    static let recordFormat: UInt16 = 1
    /// The bytes of a record in clear before its nonce.
    static let headByteCount = 12
    static let nonceByteCount = 12
    static let tagByteCount = 16
    /// How many bytes a record has besides its plaintext.
    static let overheadByteCount = headByteCount + nonceByteCount + tagByteCount
}

/// The head of an audit file.
struct AuditHeader: Equatable {
    static let byteCount = 128
    private static let magic = [UInt8]("LLVRAUDT".utf8)
    private static let version: UInt32 = 1
    private static let wrappedKeyByteCount = 60

    let userID: UInt32
    let number: UInt32
    /// The number of the file's first record.
    let firstSequence: UInt64
    /// The chain value of the last record of the file before.
    let previous: AuditChain
    let wrappedKey: [UInt8]

    init(
        userID: UInt32, number: UInt32, firstSequence: UInt64, previous: AuditChain,
        wrappedKey: [UInt8]
    ) {
        self.userID = userID
        self.number = number
        self.firstSequence = firstSequence
        self.previous = previous
        self.wrappedKey = wrappedKey
    }

    /// The bytes of the file.
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: Self.byteCount)
        writer.bytes(Self.magic)
        writer.u32(Self.version)
        writer.u32(userID)
        writer.u32(number)
        writer.u32(0)
        writer.u64(firstSequence)
        writer.bytes(previous.bytes)
        writer.bytes(wrappedKey)
        writer.u32(0)
        return writer.bytes
    }

    /// Parses the header of a file.
    /// - Returns: Nil for bytes that aren't a header of this version.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount else { return nil }
        let header = unsafe bytes.withUnsafeBytes { source -> AuditHeader? in
            var reader = unsafe ByteReader(source)
            do throws(DecodingFailure) {
                let magic = try unsafe reader.array(Self.magic.count)
                let version = try unsafe reader.u32()
                let userID = try unsafe reader.u32()
                let number = try unsafe reader.u32()
                let reserved = try unsafe reader.u32()
                let firstSequence = try unsafe reader.u64()
                let previous = AuditChain(bytes: try unsafe reader.array(AuditChain.byteCount))
                let wrappedKey = try unsafe reader.array(Self.wrappedKeyByteCount)
                let end = try unsafe reader.u32()
                guard magic == Self.magic, version == Self.version, reserved == 0, end == 0,
                    firstSequence > 0, firstSequence < UInt64(Int64.max)
                else { return nil }
                return AuditHeader(
                    userID: userID, number: number, firstSequence: firstSequence,
                    previous: previous, wrappedKey: wrappedKey)
            } catch { return nil }
        }
        guard let header else { return nil }
        self = header
    }
}

/// Seals and opens the records of one file.
struct AuditSealer {
    private let key: SymmetricKey
    private let context: [UInt8]

    init(key: SymmetricKey, userID: UInt32, number: UInt32) {
        self.key = key
        var writer = ByteWriter()
        writer.bytes(AuditFormat.label)
        writer.u32(userID)
        writer.u32(number)
        context = writer.bytes
    }

    /// A record in the file's format; nil when the library refuses, which it shouldn't.
    func seal(_ record: AuditRecord, after chain: AuditChain) -> [UInt8]? {
        let needed = record.plaintextByteCount + AuditFormat.overheadByteCount
        let units = (needed + AuditFormat.unitByteCount - 1) / AuditFormat.unitByteCount
        let byteCount = units * AuditFormat.unitByteCount
        var writer = ByteWriter(reserving: byteCount)
        writer.u16(UInt16(units))
        writer.u16(AuditFormat.recordFormat)
        writer.u64(record.sequence)
        let plaintext = record.plaintext(
            after: chain, byteCount: byteCount - AuditFormat.overheadByteCount)
        guard
            let box = try? AES.GCM.seal(
                plaintext, using: key, authenticating: context + writer.bytes)
        else { return nil }
        // Nonce, ciphertext and tag: the box has them together, since its nonce has 12 bytes.
        guard let combined = box.combined else { return nil }
        unsafe combined.withUnsafeBytes { unsafe writer.bytes($0) }
        return writer.bytes
    }

    /// The clear fields of a record, which aren't authenticated.
    static func head(_ bytes: UnsafeRawBufferPointer) -> (byteCount: Int, sequence: UInt64)? {
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            let units = try unsafe Int(reader.u16())
            let format = try unsafe reader.u16()
            let sequence = try unsafe reader.u64()
            let byteCount = units * AuditFormat.unitByteCount
            guard format == AuditFormat.recordFormat, (2...AuditFormat.unitLimit).contains(units),
                byteCount <= bytes.count
            else { return nil }
            return (byteCount, sequence)
        } catch { return nil }
    }

    /// The result of reading at an offset of a file.
    struct Opened {
        let record: AuditRecord
        /// The chain value before it.
        let chain: AuditChain
        let byteCount: Int
    }

    /// Opens the record at the beginning of the bytes.
    /// - Parameters:
    ///   - bytes: From the offset to the end of the file.
    ///   - sequences: The allowed record numbers at this place.
    /// - Returns: Nil when there is none, or it was changed.
    func open(
        _ bytes: UnsafeRawBufferPointer, sequences: ClosedRange<UInt64>
    ) -> Opened? {
        guard let (byteCount, sequence) = unsafe Self.head(bytes), sequences.contains(sequence)
        else {
            return nil
        }
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            let head = try unsafe reader.bytes(AuditFormat.headByteCount)
            let nonce = try unsafe reader.bytes(AuditFormat.nonceByteCount)
            let ciphertext = try unsafe reader.bytes(byteCount - AuditFormat.overheadByteCount)
            let tag = try unsafe reader.bytes(AuditFormat.tagByteCount)
            guard
                let box = unsafe try? AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: unsafe nonce), ciphertext: unsafe ciphertext,
                    tag: unsafe tag),
                let plaintext = unsafe try? AES.GCM.open(
                    box, using: key, authenticating: context + [UInt8](unsafe head)),
                let (record, chain) = unsafe plaintext.withUnsafeBytes({
                    unsafe AuditRecord.decode($0, sequence: sequence)
                })
            else { return nil }
            return Opened(record: record, chain: chain, byteCount: byteCount)
        } catch { return nil }
    }
}
