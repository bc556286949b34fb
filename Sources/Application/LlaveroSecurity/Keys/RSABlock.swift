// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

/// The paddings of RSA blocks (RFC 8017) that the library lacks: signatures with SHA-224 and
/// without a digest's name, and OAEP with SHA-224, SHA-384 and SHA-512.
///
/// The exponentiation is elsewhere: with a private key the library computes it
/// (Documentation/decisions/0049-rsa-without-the-librarys-padding.md).
enum RSABlock {
    // MARK: - Signatures

    /// EMSA-PKCS1-v1_5 around bytes that already are a DigestInfo, or whatever the caller signs.
    /// - Returns: Nil for more bytes than fit.
    static func pkcs1(_ content: [UInt8], blockByteCount: Int) -> [UInt8]? {
        let fill = blockByteCount - content.count - 3
        guard fill >= 8 else { return nil }
        return [0, 1] + [UInt8](repeating: 0xff, count: fill) + [0] + content
    }

    /// The DigestInfo of a SHA-224 digest (RFC 8017 §9.2, note 1).
    static func digestInfo224(_ digest: [UInt8]) -> [UInt8] {
        [
            0x30, 0x2d, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x04, 0x05, 0x00, 0x04, 0x1c,
        ] + digest
    }

    /// EMSA-PSS (RFC 8017 §9.1.1) with a salt as long as the digest, for a modulus of whole bytes.
    /// - Returns: Nil if the block is too small.
    static func pss(
        _ digest: [UInt8], _ name: DigestName, salt: [UInt8], blockByteCount: Int
    ) -> [UInt8]? {
        let fill = blockByteCount - digest.count - salt.count - 2
        guard fill >= 0 else { return nil }
        let hash = saltedDigest(digest, name, salt)
        var masked = [UInt8](repeating: 0, count: fill) + [1] + salt
        mask(&masked, name, seed: hash)
        masked[0] &= 0x7f
        return masked + hash + [0xbc]
    }

    /// Whether a block is the EMSA-PSS of a digest (RFC 8017 §9.1.2). All of it is public.
    static func isPSS(_ block: [UInt8], of digest: [UInt8], _ name: DigestName) -> Bool {
        let count = name.byteCount
        let fill = block.count - 2 * count - 2
        guard fill >= 0, block.last == 0xbc, block[0] & 0x80 == 0 else { return false }
        var masked = [UInt8](block.prefix(block.count - count - 1))
        let hash = [UInt8](block.dropLast().suffix(count))
        mask(&masked, name, seed: hash)
        masked[0] &= 0x7f
        guard masked.prefix(fill).allSatisfy({ $0 == 0 }), masked[fill] == 1 else { return false }
        return hash == saltedDigest(digest, name, [UInt8](masked.suffix(count)))
    }

    private static func saltedDigest(
        _ digest: [UInt8], _ name: DigestName, _ salt: [UInt8]
    ) -> [UInt8] {
        let input = [UInt8](repeating: 0, count: 8) + digest + salt
        return unsafe input.withUnsafeBytes { unsafe name.digest(of: $0) }
    }

    private static func mask(_ bytes: inout [UInt8], _ name: DigestName, seed: [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { target in
            unsafe seed.withUnsafeBytes { unsafe mask(target, name, seed: $0) }
        }
    }

    /// MGF1 (RFC 8017 §B.2.1): bytes that a seed determines are added to those there.
    private static func mask(
        _ target: UnsafeMutableRawBufferPointer, _ name: DigestName, seed: UnsafeRawBufferPointer
    ) {
        var input = unsafe [UInt8](seed) + [0, 0, 0, 0]
        for (counter, start) in stride(from: 0, to: target.count, by: name.byteCount).enumerated() {
            for byte in 0..<4 {
                input[seed.count + byte] = UInt8(truncatingIfNeeded: counter >> (24 - 8 * byte))
            }
            let block = unsafe input.withUnsafeBytes { unsafe name.digest(of: $0) }
            for (offset, byte) in block.prefix(target.count - start).enumerated() {
                unsafe target[start + offset] ^= byte
            }
        }
        unsafe input.withUnsafeMutableBytes { unsafe SecretMemory.wipe($0) }
    }

    // MARK: - Encryption

    /// EME-OAEP (RFC 8017 §7.1.1) without a label, with one digest for both of its uses.
    /// - Returns: Nil for more bytes than fit.
    static func oaep(
        _ message: UnsafeRawBufferPointer, _ name: DigestName, blockByteCount: Int
    ) -> Secret? {
        let count = name.byteCount
        guard message.count <= blockByteCount - 2 * count - 2 else { return nil }
        let seed = SecretBytes.random(byteCount: count)
        let label = unsafe name.digest(of: UnsafeRawBufferPointer(start: nil, count: 0))
        let block = unsafe SecretBytes(byteCount: blockByteCount) { block in
            let (maskedSeed, masked) = unsafe parts(block, count)
            unsafe masked.copyBytes(from: label)
            unsafe masked[masked.count - message.count - 1] = 1
            unsafe UnsafeMutableRawBufferPointer(rebasing: masked.suffix(message.count))
                .copyMemory(from: message)
            unsafe seed.withUnsafeBytes { seed in
                unsafe maskedSeed.copyMemory(from: seed)
                unsafe mask(masked, name, seed: seed)
            }
            unsafe mask(maskedSeed, name, seed: UnsafeRawBufferPointer(masked))
        }
        return Secret(block)
    }

    /// The message of an EME-OAEP block.
    ///
    /// Which of its parts is wrong can't be seen, neither by the answer nor by the time: all are
    /// looked at in any case (Manger 2001).
    /// - Returns: Nil for another block.
    static func openOAEP(_ block: borrowing SecretBytes, _ name: DigestName) -> Secret? {
        let count = name.byteCount
        guard block.byteCount >= 2 * count + 2 else { return nil }
        var opened = block.slice(0..<block.byteCount)
        let label = unsafe name.digest(of: UnsafeRawBufferPointer(start: nil, count: 0))
        let (isWrong, start) = unsafe opened.withUnsafeMutableBytes { block -> (UInt, UInt) in
            let (seed, content) = unsafe parts(block, count)
            unsafe mask(seed, name, seed: UnsafeRawBufferPointer(content))
            unsafe mask(content, name, seed: UnsafeRawBufferPointer(seed))
            var wrong = unsafe UInt(block[0])
            for index in 0..<count { wrong |= unsafe UInt(content[index] ^ label[index]) }
            var (found, start) = (UInt(0), UInt(0))
            for index in count..<content.count {
                let byte = unsafe UInt(content[index])
                let isOne = allOnes(ifZero: byte ^ 1)
                start |= ~found & isOne & UInt(1 + count + index + 1)
                wrong |= ~found & ~isOne & ~allOnes(ifZero: byte)
                found |= isOne
            }
            return (wrong | ~found, start)
        }
        guard isWrong == 0 else { return nil }
        return Secret(opened.slice(Int(start)..<opened.byteCount))
    }

    /// The two masked parts behind the first byte.
    private static func parts(
        _ block: UnsafeMutableRawBufferPointer, _ digestByteCount: Int
    ) -> (seed: UnsafeMutableRawBufferPointer, content: UnsafeMutableRawBufferPointer) {
        let border = 1 + digestByteCount
        return unsafe (
            UnsafeMutableRawBufferPointer(rebasing: block[1..<border]),
            UnsafeMutableRawBufferPointer(rebasing: block[border...])
        )
    }

    /// All bits set for 0, none for any other number, without a branch.
    private static func allOnes(ifZero number: UInt) -> UInt {
        ((number | (0 &- number)) >> UInt(UInt.bitWidth - 1)) &- 1
    }
}
