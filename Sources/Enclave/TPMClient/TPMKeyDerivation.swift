// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import CryptoExtras
import SecretBytes

/// The TPM's own key derivations and cipher mode.
/// Source: TPM 2.0 Library, part 1, 11.4.10 and annex B, C; part 1, 21.3.
enum TPMKeyDerivation {
    static let digestByteCount = 32

    static func digest(_ bytes: [UInt8]) -> [UInt8] { [UInt8](SHA256.hash(data: bytes)) }

    static func authenticate(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        [UInt8](HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }

    /// KDFa for 256 bits.
    static func derive(
        _ key: SymmetricKey, _ label: String, _ first: [UInt8], _ second: [UInt8]
    ) -> SymmetricKey {
        let input = TPMWriter.bytes { writer in
            writer.u32(1)
            writer.raw([UInt8](label.utf8) + [0])
            writer.raw(first)
            writer.raw(second)
            writer.u32(256)
        }
        let code = HMAC<SHA256>.authenticationCode(for: input, using: key)
        return unsafe code.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// KDFe for 256 bits.
    static func agree(_ shared: SharedSecret, _ label: String, _ first: [UInt8], _ second: [UInt8])
        -> SymmetricKey
    {
        var hash = SHA256()
        hash.update(data: [0, 0, 0, 1])
        unsafe shared.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        hash.update(data: [UInt8](label.utf8) + [0] + first + second)
        let digest = hash.finalize()
        return unsafe digest.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// Two keys, concatenated.
    static func join(_ first: SymmetricKey, _ second: Secret?) -> SymmetricKey {
        guard let second else { return first }
        let count = first.bitCount / 8
        let joined = unsafe SecretBytes(byteCount: count + second.bytes.byteCount) { room in
            unsafe first.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
            unsafe second.bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
                    .copyMemory(from: source)
            }
        }
        return joined.symmetricKey()
    }

    // MARK: - Parameters

    /// AES-128-CFB in place; the key consists of a 16-byte key and a 16-byte initialization vector.
    private static func transform(
        _ bytes: UnsafeMutableRawBufferPointer, _ key: SymmetricKey, isEncrypting: Bool
    ) {
        var (cipherKey, vector) = unsafe key.withUnsafeBytes { material in
            (
                unsafe SymmetricKey(data: UnsafeRawBufferPointer(rebasing: material[..<16])),
                unsafe [UInt8](material[16...])
            )
        }
        var offset = 0
        while offset < bytes.count {
            // The vector and the key always have 16 bytes, so the call can't fail.
            guard (try? AES.permute(&vector, key: cipherKey)) != nil else { break }
            let count = min(16, bytes.count - offset)
            for index in 0..<count {
                let given = unsafe bytes[offset + index]
                let made = given ^ vector[index]
                unsafe bytes[offset + index] = made
                vector[index] = isEncrypting ? made : given
            }
            offset += count
        }
        cipherKey = SymmetricKey(size: .bits128)
    }

    static func encrypt(_ secret: borrowing SecretBytes, _ key: SymmetricKey) -> [UInt8] {
        var copy = secret.prefix(secret.byteCount)
        return unsafe copy.withUnsafeMutableBytes { bytes in
            unsafe transform(bytes, key, isEncrypting: true)
            return unsafe [UInt8](bytes)
        }
    }

    static func decrypt(_ encrypted: [UInt8], _ key: SymmetricKey) -> Secret {
        var plain = SecretBytes(copyingPublic: encrypted)
        unsafe plain.withUnsafeMutableBytes { unsafe transform($0, key, isEncrypting: false) }
        return Secret(plain)
    }
}

extension SecretBytes {
    /// A key for swift-crypto, which wipes it after the last use.
    borrowing func symmetricKey() -> SymmetricKey {
        unsafe withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// Parts, each preceded by its u16 byte count.
    static func sized(_ parts: [Secret]) -> SecretBytes {
        let count = parts.reduce(0) { $0 + 2 + $1.bytes.byteCount }
        return unsafe SecretBytes(byteCount: count) { room in
            var offset = 0
            for part in parts {
                let partCount = part.bytes.byteCount
                unsafe room[offset] = UInt8(truncatingIfNeeded: partCount >> 8)
                unsafe room[offset + 1] = UInt8(truncatingIfNeeded: partCount)
                offset += 2
                unsafe part.bytes.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset...])
                        .copyMemory(from: source)
                }
                offset += partCount
            }
        }
    }
}

extension Secret {
    /// HKDF-SHA-256 of this secret, 32 bytes.
    func derived(_ label: String, _ context: [UInt8] = []) -> Secret {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: bytes.symmetricKey(), info: [UInt8](label.utf8) + context,
            outputByteCount: TPMKeyDerivation.digestByteCount)
        return unsafe key.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }
}
