// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes

extension SHA256 {
    /// The digest of bytes that lie together. The library's general call goes through collections of
    /// regions, which costs more than the digest.
    static func bytes(of message: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        unsafe message.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return hash.finalizedBytes()
    }

    /// The digest of what was added so far.
    func finalizedBytes() -> [UInt8] {
        unsafe finalize().withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

/// HMAC with SHA-256 and a key that is absorbed once: each tag starts from copies of two states. Source:
/// RFC 2104 §4.
struct KeyedDigest: Sendable {
    private static let blockByteCount = 64
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter key: At most 64 bytes.
    init(key: SymmetricKey) {
        precondition(key.bitCount <= Self.blockByteCount * 8, "a longer key is digested first")
        inner = Self.absorbing(key, 0x36)
        outer = Self.absorbing(key, 0x5C)
    }

    private static func absorbing(_ key: SymmetricKey, _ pad: UInt8) -> SHA256 {
        let block = unsafe SecretBytes(byteCount: blockByteCount) { block in
            unsafe key.withUnsafeBytes { unsafe block.copyMemory(from: $0) }
            for index in block.indices { unsafe block[index] ^= pad }
        }
        var hash = SHA256()
        unsafe block.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return hash
    }

    /// Passes the 32 bytes of a message's tag.
    func withTag<R>(of message: [UInt8], _ body: (UnsafeRawBufferPointer) -> R) -> R {
        var inner = inner
        unsafe message.withUnsafeBytes { unsafe inner.update(bufferPointer: $0) }
        var outer = outer
        unsafe inner.finalize().withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return unsafe outer.finalize().withUnsafeBytes { unsafe body($0) }
    }
}
