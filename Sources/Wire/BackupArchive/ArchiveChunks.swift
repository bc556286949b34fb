// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import FoundationEssentials
import IPC

/// The chunks of an archive (BACKUP.md, "Chunks"): 64 KiB of plaintext each but the last, 16 bytes tag,
/// 8 bytes checksum. The checksum tells damage without the key; the tag tells a forgery.
package enum ArchiveChunk {
    /// The plaintext of each chunk but the last.
    package static let plainByteCount = 64 * 1024
    private static let tagByteCount = 16
    private static let checksumByteCount = 8
    /// What each chunk has besides its plaintext.
    package static let overhead = tagByteCount + checksumByteCount
    /// Each chunk but the last.
    package static let byteCount = plainByteCount + overhead

    fileprivate static func nonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
        let counter = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return [0, 0, 0] + counter + [isLast ? 1 : 0]
    }

    fileprivate static func checksum(
        _ sealed: ArraySlice<UInt8>, _ number: UInt64, isLast: Bool, _ headDigest: [UInt8]
    ) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: headDigest + nonce(number, isLast: isLast))
        hash.update(data: sealed)
        return [UInt8](hash.finalize().prefix(checksumByteCount))
    }

    /// Whether a chunk is undamaged, and whether it is the last one.
    /// - Returns: Nil for a damaged one.
    package static func isLast(
        _ chunk: ArraySlice<UInt8>, number: UInt64, headDigest: [UInt8]
    ) -> Bool? {
        guard chunk.count >= overhead, chunk.count <= byteCount else { return nil }
        let sealed = chunk.dropLast(checksumByteCount)
        let found = Array(chunk.suffix(checksumByteCount))
        return [false, true].first {
            checksum(sealed, number, isLast: $0, headDigest) == found
        }
    }

    fileprivate static func seal(
        _ plaintext: [UInt8], _ number: UInt64, isLast: Bool, _ key: SymmetricKey,
        _ headDigest: [UInt8]
    ) -> [UInt8]? {
        guard let nonce = try? AES.GCM.Nonce(data: nonce(number, isLast: isLast)),
            let box = try? AES.GCM.seal(plaintext, using: key, nonce: nonce)
        else { return nil }
        let sealed = [UInt8](box.ciphertext) + [UInt8](box.tag)
        return sealed + checksum(sealed[...], number, isLast: isLast, headDigest)
    }

    fileprivate static func open(
        _ chunk: ArraySlice<UInt8>, _ number: UInt64, isLast: Bool, _ key: SymmetricKey
    ) -> [UInt8]? {
        let sealed = chunk.dropLast(checksumByteCount)
        guard let nonce = try? AES.GCM.Nonce(data: nonce(number, isLast: isLast)),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(tagByteCount),
                tag: sealed.suffix(tagByteCount)),
            let plaintext = try? AES.GCM.open(box, using: key)
        else { return nil }
        return [UInt8](plaintext)
    }
}

/// Seals an archive's content, chunk by chunk.
package struct ArchiveSealer {
    private let key: SymmetricKey
    private let headDigest: [UInt8]
    private var number: UInt64 = 0
    private var pending: [UInt8] = []

    /// Begins behind a signed head.
    package init(_ head: ArchiveHead, _ archiveKey: SymmetricKey) {
        headDigest = head.digest
        key = ArchiveKeyMaterial.chunkKey(archiveKey, head.salt, headDigest: headDigest)
    }

    /// Takes more content.
    /// - Returns: The chunks that are full now.
    package mutating func append(_ content: [UInt8]) -> [UInt8] {
        pending += content
        var chunks: [UInt8] = []
        var offset = 0
        // One byte stays for the last chunk, so that it is never empty where there is content.
        while pending.count - offset > ArchiveChunk.plainByteCount {
            let end = offset + ArchiveChunk.plainByteCount
            chunks += seal(Array(pending[offset..<end]), isLast: false)
            offset = end
        }
        if offset > 0 { pending.removeFirst(offset) }
        return chunks
    }

    /// The last chunk.
    package mutating func finish() -> [UInt8] {
        defer { pending = [] }
        return seal(pending, isLast: true)
    }

    private mutating func seal(_ plaintext: [UInt8], isLast: Bool) -> [UInt8] {
        defer { number += 1 }
        // AES-256-GCM with a nonce of 12 bytes has no other failure than a wrong key size.
        return ArchiveChunk.seal(plaintext, number, isLast: isLast, key, headDigest) ?? []
    }
}

/// Opens an archive's content, in parts of whole chunks.
package struct ArchiveOpener {
    private let key: SymmetricKey
    private let headDigest: [UInt8]
    private var number: UInt64 = 0
    /// Whether the last chunk was opened.
    package private(set) var isAtEnd = false

    /// Begins behind an authentic head.
    package init(_ head: ArchiveHead, _ archiveKey: SymmetricKey) {
        headDigest = head.digest
        key = ArchiveKeyMaterial.chunkKey(archiveKey, head.salt, headDigest: headDigest)
    }

    /// Opens whole chunks.
    /// - Throws: ``ArchiveError/damagedChunk(_:)``; ``ArchiveError/trailingBytes``.
    package mutating func open(_ part: [UInt8]) throws(ArchiveError) -> [UInt8] {
        var content: [UInt8] = []
        var rest = part[...]
        while !rest.isEmpty {
            guard !isAtEnd else { throw .trailingBytes }
            let chunk = rest.prefix(ArchiveChunk.byteCount)
            rest = rest.dropFirst(chunk.count)
            guard
                let isLast = ArchiveChunk.isLast(chunk, number: number, headDigest: headDigest),
                let plaintext = ArchiveChunk.open(chunk, number, isLast: isLast, key)
            else { throw .damagedChunk(number) }
            content += plaintext
            isAtEnd = isLast
            number += 1
        }
        return content
    }

    /// - Throws: ``ArchiveError/cutOff(_:)`` unless the last chunk was there.
    package func finish() throws(ArchiveError) {
        guard isAtEnd else { throw .cutOff(number) }
    }
}

/// Finds damage without the key.
package struct ArchiveVerifier {
    private let headDigest: [UInt8]
    private var number: UInt64 = 0
    private var isAtEnd = false

    /// Begins behind a head.
    package init(_ head: ArchiveHead) { headDigest = head.digest }

    /// Looks at one chunk.
    /// - Throws: ``ArchiveError/damagedChunk(_:)``; ``ArchiveError/trailingBytes``.
    package mutating func verify(_ chunk: ArraySlice<UInt8>) throws(ArchiveError) {
        guard !isAtEnd else { throw .trailingBytes }
        guard let isLast = ArchiveChunk.isLast(chunk, number: number, headDigest: headDigest)
        else { throw .damagedChunk(number) }
        isAtEnd = isLast
        number += 1
    }

    /// - Throws: ``ArchiveError/cutOff(_:)`` unless the last chunk was there.
    package func finish() throws(ArchiveError) {
        guard isAtEnd else { throw .cutOff(number) }
    }
}
