// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation

/// A digest that was handed in, whatever computed it. ECDSA takes one of any size and uses its
/// leading bits (FIPS 186-5 §6.4).
struct GivenDigest: Digest {
    let bytes: [UInt8]

    /// What the library asks of a kind of digest; it doesn't look at it for ECDSA.
    static var byteCount: Int { 32 }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    var description: String { "<\(bytes.count) bytes>" }
}

/// Makes one of the library's digests from its bytes, which the library itself doesn't offer: it is
/// a structure of nothing but these bytes.
/// - Returns: Nil if the library's digest should ever be something else.
func libraryDigest<D: Digest>(_ type: D.Type, _ bytes: [UInt8]) -> D? {
    // Whole words: the last of SHA-1 is used by half.
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
