// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import FoundationEssentials
package import SecretBytes

/// The keys of one sealed file, and the operations with them.
///
/// Chunks are sealed as in the STREAM construction. The nonce is the chunk's number and whether it
/// is the last, so that no chunk can be left out, moved, or taken for the end. Each file has its
/// own key, so no chunk can come from another file.
package struct SealedFileKeys: Sendable {
    /// How many bytes each chunk has besides its plaintext.
    package static let tagByteCount = 16
    static let nonceByteCount = 12

    private static let label = [UInt8]("llavero.sealed-file.1".utf8)
    let header: SymmetricKey
    private let payload: SymmetricKey

    /// Derives the keys.
    /// - Parameters:
    ///   - secret: 32 bytes: the item's, or the shared secret.
    ///   - header: The file's.
    ///   - recipient: For `completeUnlessOpen`: the class's public key; else empty.
    /// Source: RFC 5869; Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and
    /// its Nonce-Reuse Misuse-Resistance (2015), §7.
    package init(
        secret: borrowing SecretBytes, header: SealedFileHeader, recipient: [UInt8]
    ) {
        let secret = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        let context = header.described + recipient
        self.header = Self.derive(secret, header.salt, 1, context)
        payload = Self.derive(secret, header.salt, 2, context)
    }

    private static func derive(
        _ secret: SymmetricKey, _ salt: [UInt8], _ purpose: UInt8, _ context: [UInt8]
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, salt: salt, info: label + [purpose] + context,
            outputByteCount: 32)
    }

    /// Writes the nonce of a chunk to the first 12 bytes of a buffer: three zeros, the number as 8
    /// big-endian bytes, and 1 for the last one.
    static func writeNonce(
        _ index: UInt64, isLast: Bool, to buffer: UnsafeMutableRawBufferPointer
    ) {
        unsafe buffer.storeBytes(of: 0, as: UInt32.self)
        unsafe buffer.storeBytes(of: index.bigEndian, toByteOffset: 3, as: UInt64.self)
        unsafe buffer[11] = isLast ? 1 : 0
    }

    /// Seals a chunk and lends ciphertext and tag to `body`.
    /// - Throws: what `body` does, and ``SealedFileError/badKey`` if the library refuses.
    package func seal(
        _ plaintext: UnsafeRawBufferPointer, index: UInt64, isLast: Bool,
        _ body: (UnsafeRawBufferPointer) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        var nonce: (UInt64, UInt32) = (0, 0)
        let box = unsafe withUnsafeMutableBytes(of: &nonce) { bytes in
            let bytes = unsafe UnsafeMutableRawBufferPointer(
                rebasing: bytes[..<Self.nonceByteCount])
            unsafe Self.writeNonce(index, isLast: isLast, to: bytes)
            return unsafe (try? AES.GCM.Nonce(data: UnsafeRawBufferPointer(bytes))).flatMap {
                unsafe try? AES.GCM.seal(plaintext, using: payload, nonce: $0)
            }
        }
        guard let sealed = box?.combined else { throw .badKey }
        let result: Result<Void, SealedFileError> = unsafe sealed.withUnsafeBytes { bytes in
            do throws(SealedFileError) {
                let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes[Self.nonceByteCount...])
                return .success(try unsafe body(bytes))
            } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Opens a chunk into a buffer of its plaintext's size.
    /// - Parameters:
    ///   - combined: Room for the nonce, then ciphertext and tag.
    ///   - index: The chunk's number.
    ///   - isLast: Whether it must be the last.
    ///   - target: Receives the plaintext; nothing is written if the chunk isn't authentic.
    /// - Returns: Whether the chunk is what was sealed with this number.
    package func open(
        _ combined: UnsafeMutableRawBufferPointer, index: UInt64, isLast: Bool,
        into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard combined.count == Self.nonceByteCount + target.count + Self.tagByteCount else {
            return false
        }
        unsafe Self.writeNonce(index, isLast: isLast, to: combined)
        guard
            let box = try? unsafe AES.GCM.SealedBox(
                combined: UnsafeRawBufferPointer(combined)),
            var plaintext = try? AES.GCM.open(box, using: payload),
            plaintext.count == target.count
        else { return false }
        unsafe plaintext.withUnsafeMutableBytes { bytes in
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(bytes))
            unsafe SecretMemory.wipe(bytes)
        }
        return true
    }
}
