// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import FoundationEssentials
import SecretBytes

/// The header of a sealed file (Documentation/STORAGE.md, "Sealed files").
package struct SealedFileHeader: Equatable, Sendable {
    /// Its byte count.
    package static let byteCount = 168
    /// Chunks of 4 KiB to 1 MiB.
    package static let chunkBitsBounds: ClosedRange<UInt8> = 12...20
    /// 64 KiB: smaller chunks are slower to seal, larger ones make small reads slower.
    package static let defaultChunkBits: UInt8 = 16

    private static let magic = [UInt8]("LLVRSEAL".utf8)
    private static let version: UInt16 = 1
    /// The salt of the key derivation.
    private static let describedByteCount = 128
    private static let checksumByteCount = 8
    private static let tagByteCount = 32
    static let keyIDByteCount = 16
    static let saltByteCount = 32
    static let pointByteCount = 64

    /// The file's class.
    package let protection: FileProtection
    /// The base-2 logarithm of a chunk's byte count.
    package let chunkBits: UInt8
    /// Identifies the item with the key.
    let keyID: [UInt8]
    /// Random, so that each file has its own keys.
    let salt: [UInt8]
    /// The file's public key, for `completeUnlessOpen`; else zeros.
    let point: [UInt8]
    /// Over all bytes before it, under a key of the file.
    private(set) var tag = [UInt8](repeating: 0, count: tagByteCount)

    /// The plaintext size of each chunk but the last.
    package var chunkByteCount: Int { 1 << Int(chunkBits) }

    /// A header of a new file, without its tag.
    package init(
        protection: FileProtection, chunkBits: UInt8, keyID: [UInt8], point: [UInt8]?
    ) {
        self.protection = protection
        self.chunkBits = chunkBits
        self.keyID = keyID
        salt = unsafe SecretBytes.random(byteCount: Self.saltByteCount).withUnsafeBytes {
            unsafe [UInt8]($0)
        }
        self.point = point ?? [UInt8](repeating: 0, count: Self.pointByteCount)
    }

    /// Reads a header; it can be trusted only after ``isAuthentic(_:)``.
    package init(decoding bytes: some Collection<UInt8>) throws(SealedFileError) {
        let bytes = [UInt8](bytes)
        guard bytes.count >= Self.magic.count + 2, bytes.starts(with: Self.magic) else {
            throw .notSealed
        }
        let version = UInt16(bytes[8]) | UInt16(bytes[9]) << 8
        guard version == Self.version else { throw .newerVersion(version) }
        guard bytes.count == Self.byteCount else { throw .damaged(.header) }
        let described = bytes[..<Self.describedByteCount]
        let checksumEnd = Self.describedByteCount + Self.checksumByteCount
        guard bytes[Self.describedByteCount..<checksumEnd].elementsEqual(Self.checksum(described)),
            let protection = FileProtection(rawValue: bytes[10]),
            Self.chunkBitsBounds.contains(bytes[11]),
            bytes[12..<16].allSatisfy({ $0 == 0 }),
            protection == .completeUnlessOpen || bytes[64..<128].allSatisfy({ $0 == 0 })
        else { throw .damaged(.header) }
        self.protection = protection
        chunkBits = bytes[11]
        keyID = [UInt8](bytes[16..<32])
        salt = [UInt8](bytes[32..<64])
        point = [UInt8](bytes[64..<128])
        tag = [UInt8](bytes[checksumEnd...])
    }

    /// The bytes that are input to the key derivation.
    var described: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(UInt8(truncatingIfNeeded: Self.version))
        bytes.append(UInt8(truncatingIfNeeded: Self.version >> 8))
        bytes += [protection.rawValue, chunkBits, 0, 0, 0, 0]
        bytes += keyID
        bytes += salt
        bytes += point
        return bytes
    }

    private var untagged: [UInt8] {
        let described = described
        return described + Self.checksum(described)
    }

    /// The whole header.
    package var bytes: [UInt8] { untagged + tag }

    /// Adds the checksum that makes these bytes a valid header; for tests.
    package static func checked(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= byteCount else { return bytes }
        var bytes = bytes
        bytes.replaceSubrange(
            describedByteCount..<describedByteCount + checksumByteCount,
            with: checksum(bytes[..<describedByteCount]))
        return bytes
    }

    /// Detects damage without the key, so that a damaged header isn't taken for a missing key.
    private static func checksum(_ bytes: some Collection<UInt8>) -> [UInt8] {
        [UInt8](SHA256.hash(data: [UInt8](bytes)).prefix(checksumByteCount))
    }

    /// Binds the header to the file's keys.
    package mutating func authenticate(_ keys: SealedFileKeys) {
        tag = [UInt8](HMAC<SHA256>.authenticationCode(for: untagged, using: keys.header))
    }

    /// Whether it was made with these keys.
    package func isAuthentic(_ keys: SealedFileKeys) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(tag, authenticating: untagged, using: keys.header)
    }
}

/// The positions of a sealed file's chunks.
package struct SealedFileLayout: Equatable, Sendable {
    /// The plaintext's byte count.
    package let size: UInt64
    /// The number of chunks; at least one.
    package let chunkCount: UInt64
    private let chunkByteCount: UInt64

    /// The layout of a file of this many bytes.
    /// - Throws: ``SealedFileError/damaged(_:)`` when no sealed file has this size.
    package init(fileByteCount: UInt64, header: SealedFileHeader) throws(SealedFileError) {
        let tag = UInt64(SealedFileKeys.tagByteCount)
        chunkByteCount = UInt64(header.chunkByteCount)
        let start = UInt64(SealedFileHeader.byteCount)
        guard fileByteCount >= start + tag, fileByteCount <= UInt64(Int64.max) else {
            throw .damaged(.end)
        }
        let body = fileByteCount - start
        let stride = chunkByteCount + tag
        chunkCount = (body + stride - 1) / stride
        let last = body - (chunkCount - 1) * stride
        // Only an empty file ends with an empty chunk.
        guard last >= tag, last > tag || chunkCount == 1 else { throw .damaged(.end) }
        size = body - chunkCount * tag
    }

    /// Where a chunk begins in the file.
    package func offset(of index: UInt64) -> UInt64 {
        let stride = chunkByteCount + UInt64(SealedFileKeys.tagByteCount)
        return UInt64(SealedFileHeader.byteCount) + index * stride
    }

    /// The plaintext's byte count of a chunk.
    package func byteCount(of index: UInt64) -> Int {
        Int(index == chunkCount - 1 ? size - index * chunkByteCount : chunkByteCount)
    }

    /// Whether a chunk is the last.
    package func isLast(_ index: UInt64) -> Bool { index == chunkCount - 1 }
}
