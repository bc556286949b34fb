// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation

/// A digest that the caller passed in, of any algorithm. ECDSA accepts one of any size and uses its
/// leading bits (FIPS 186-5 §6.4).
struct GivenDigest: Digest {
    let bytes: [UInt8]

    /// Requirements of the library on a digest type; ECDSA doesn't use them.
    static var byteCount: Int { 32 }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    var description: String { "<\(bytes.count) bytes>" }
}

/// Makes one of the library's digests from its bytes, since the library has no initializer for
/// that: the digest is a structure of only these bytes.
/// - Returns: Nil if the library's digest ever has another layout.
func libraryDigest<D: Digest>(_ type: D.Type, _ bytes: [UInt8]) -> D? {
    // Whole words: SHA-1 uses half of the last one.
    let size = MemoryLayout<D>.size
    guard bytes.count == D.byteCount, (D.byteCount..<D.byteCount + 8).contains(size) else {
        return nil
    }
    let digest = unsafe withUnsafeTemporaryAllocation(
        byteCount: size, alignment: MemoryLayout<D>.alignment
    ) { memory -> D? in
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe memory.copyBytes(from: bytes)
        return unsafe memory.baseAddress?.assumingMemoryBound(to: D.self).pointee
    }
    guard let digest, digest.elementsEqual(bytes) else { return nil }
    return digest
}
