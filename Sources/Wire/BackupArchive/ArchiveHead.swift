// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import IPC

/// Why bytes are not an archive of a backup.
package enum ArchiveError: Error, Hashable, Sendable {
    /// They begin otherwise than an archive does.
    case noArchive
    /// A newer version made it: this one.
    case newerVersion(UInt16)
    /// The head is damaged.
    case damagedHead
    /// A chunk is damaged, or isn't this archive's at this place.
    case damagedChunk(UInt64)
    /// The archive ends too early: after so many chunks.
    case cutOff(UInt64)
    /// There are bytes behind the last chunk.
    case trailingBytes
    /// A record inside can't be read.
    case damagedRecord
}

/// The head of an archive, which is in clear (BACKUP.md, "Head").
package struct ArchiveHead: Hashable, Sendable {
    /// What an archive has.
    package enum Kind: UInt8, Sendable {
        /// Everything.
        case full = 1
    }

    /// `LLVRBACK`.
    package static let magic = [UInt8]("LLVRBACK".utf8)
    /// The version that this writes.
    package static let version: UInt16 = 1
    /// Magic, version and byte count.
    package static let prefixByteCount = 12
    /// The largest head: a bag has some 600 bytes.
    package static let byteCountLimit = 8192
    /// Of the tag, which only the archive's key makes.
    package static let tagByteCount = 32
    package static let checksumByteCount = 8
    package static let saltByteCount = 32
    private static let uuidByteCount = 16

    /// What it has.
    package var kind: Kind
    /// Whether a backup password opens it on another device.
    package var hasPassword: Bool
    /// The set that it belongs to: 16 bytes.
    package var set: [UInt8]
    /// Its number in the set.
    package var number: UInt32
    /// When it was begun: seconds since 1970.
    package var date: UInt64
    /// 32 random bytes.
    package var salt: [UInt8]
    /// Its keys, as securityd and enclaved read them.
    package var keys: [UInt8]
    /// Authenticates what comes before it.
    package private(set) var tag: [UInt8]

    /// A head whose tag is still to be made.
    package init(
        kind: Kind, hasPassword: Bool, set: [UInt8], number: UInt32, date: UInt64, salt: [UInt8],
        keys: [UInt8]
    ) {
        self.kind = kind
        self.hasPassword = hasPassword
        self.set = set
        self.number = number
        self.date = date
        self.salt = salt
        self.keys = keys
        tag = [UInt8](repeating: 0, count: Self.tagByteCount)
    }

    /// Makes the tag.
    package mutating func sign(_ archiveKey: SymmetricKey) {
        tag = [UInt8](
            HMAC<SHA256>.authenticationCode(
                for: untagged, using: ArchiveKeyMaterial.headKey(archiveKey, salt)))
    }

    /// Whether the archive's key has made it.
    package func isAuthentic(_ archiveKey: SymmetricKey) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            tag, authenticating: untagged, using: ArchiveKeyMaterial.headKey(archiveKey, salt))
    }

    /// What chunks are tied to.
    package var digest: [UInt8] { [UInt8](SHA256.hash(data: untagged + tag)) }

    // MARK: - Coding

    private var untagged: [UInt8] {
        var writer = ByteWriter()
        writer.bytes(Self.magic)
        writer.u16(Self.version)
        let count =
            Self.prefixByteCount + 2 + Self.uuidByteCount + 4 + 8 + Self.saltByteCount + 2
            + keys.count + Self.tagByteCount + Self.checksumByteCount
        writer.u16(UInt16(clamping: count))
        writer.u8(kind.rawValue)
        writer.u8(hasPassword ? 1 : 0)
        writer.bytes(set)
        writer.u32(number)
        writer.u64(date)
        writer.bytes(salt)
        writer.u16(UInt16(clamping: keys.count))
        writer.bytes(keys)
        return writer.bytes
    }

    /// The bytes at the beginning of the file.
    package var bytes: [UInt8] {
        let signed = untagged + tag
        return signed + Self.checksum(signed)
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(data: bytes).prefix(checksumByteCount))
    }

    /// How many bytes the head of a file has, from its first 12.
    /// - Throws: ``ArchiveError/noArchive``, ``ArchiveError/newerVersion(_:)``,
    ///   ``ArchiveError/damagedHead``.
    package static func byteCount(prefix: [UInt8]) throws(ArchiveError) -> Int {
        guard prefix.count >= prefixByteCount, prefix.starts(with: magic),
            let version = UInt16(littleEndianBytes: prefix[8..<10]),
            let count = UInt16(littleEndianBytes: prefix[10..<12])
        else { throw .noArchive }
        guard version <= Self.version else { throw .newerVersion(version) }
        guard version == Self.version, Int(count) > prefixByteCount, Int(count) <= byteCountLimit
        else { throw .damagedHead }
        return Int(count)
    }

    /// Reads a head. The checksum tells damage; only ``isAuthentic(_:)`` tells a forgery.
    /// - Throws: as ``byteCount(prefix:)``.
    package init(_ bytes: [UInt8]) throws(ArchiveError) {
        guard try Self.byteCount(prefix: bytes) == bytes.count else { throw .damagedHead }
        let signed = Array(bytes.dropLast(Self.checksumByteCount))
        guard Self.checksum(signed) == Array(bytes.suffix(Self.checksumByteCount)) else {
            throw .damagedHead
        }
        let read = unsafe signed.withUnsafeBytes { try? unsafe Self.read($0) } ?? nil
        guard let read else { throw .damagedHead }
        self = read
    }

    private static func read(
        _ buffer: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> ArchiveHead? {
        var reader = unsafe ByteReader(buffer)
        _ = try unsafe reader.bytes(prefixByteCount)
        let kind = Kind(rawValue: try unsafe reader.u8())
        let hasPassword = try unsafe reader.u8()
        let set = try unsafe reader.array(uuidByteCount)
        let number = try unsafe reader.u32()
        let date = try unsafe reader.u64()
        let salt = try unsafe reader.array(saltByteCount)
        let count = try unsafe Int(reader.u16())
        let keys = try unsafe reader.array(count)
        let tag = try unsafe reader.array(tagByteCount)
        try unsafe reader.finish()
        guard let kind, hasPassword <= 1 else { return nil }
        var head = ArchiveHead(
            kind: kind, hasPassword: hasPassword == 1, set: set, number: number, date: date,
            salt: salt, keys: keys)
        head.tag = tag
        return head
    }
}

/// What an archive's key makes.
enum ArchiveKeyMaterial {
    private static let label = [UInt8]("llavero.backup.1".utf8)

    private enum Purpose: UInt8 {
        case head = 1
        case chunks = 2
    }

    static func headKey(_ archiveKey: SymmetricKey, _ salt: [UInt8]) -> SymmetricKey {
        derive(archiveKey, salt, .head, [])
    }

    static func chunkKey(
        _ archiveKey: SymmetricKey, _ salt: [UInt8], headDigest: [UInt8]
    ) -> SymmetricKey {
        derive(archiveKey, salt, .chunks, headDigest)
    }

    private static func derive(
        _ key: SymmetricKey, _ salt: [UInt8], _ purpose: Purpose, _ context: [UInt8]
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: salt, info: label + [purpose.rawValue] + context,
            outputByteCount: 32)
    }
}
