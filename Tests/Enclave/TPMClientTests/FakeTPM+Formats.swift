// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import CryptoExtras

/// Big-endian numbers and bytes preceded by their count.
enum FakeBytes {
    static func u16(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
    static func u32(_ value: Int) -> [UInt8] { u16(value >> 16) + u16(value) }
    static func sized(_ bytes: [UInt8]) -> [UInt8] { u16(bytes.count) + bytes }
    static func number(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Parses the client's bytes; a missing value is empty, or zero.
struct FakeReader {
    private var left: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { left = bytes[...] }

    var rest: [UInt8] { [UInt8](left) }

    mutating func raw(_ count: Int) -> [UInt8] {
        defer { left = left.dropFirst(count) }
        return [UInt8](left.prefix(count))
    }
    mutating func number(_ count: Int) -> UInt32 { FakeBytes.number(raw(count)) }
    mutating func sized() -> [UInt8] { raw(Int(number(2))) }
}

/// The computations of a TPM.
/// Source: TPM 2.0 Library, part 1, 11.4.10, 21.3 and annex C.
enum FakeCryptography {
    /// ECC, SHA-256, its attributes, no policy, AES-128-CFB, no scheme, P-256, no derivation.
    static let storageKeyHead: [UInt8] =
        FakeBytes.u16(0x23) + FakeBytes.u16(0x0B) + FakeBytes.u32(0x3_0472) + FakeBytes.u16(0)
        + [6, 128, 0x43, 0x10, 3, 0x10].flatMap { FakeBytes.u16($0) }

    static func digest(_ bytes: [UInt8]) -> [UInt8] { [UInt8](SHA256.hash(data: bytes)) }

    static func name(_ area: [UInt8]) -> [UInt8] { FakeBytes.u16(0x0B) + digest(area) }

    static func authenticate(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        [UInt8](HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
    }

    /// KDFa.
    static func derive(_ key: [UInt8], _ label: String, _ context: [UInt8]) -> [UInt8] {
        authenticate(
            FakeBytes.u32(1) + [UInt8](label.utf8) + [0] + context + FakeBytes.u32(256), key)
    }

    /// KDFe of a salt.
    static func agree(_ shared: SharedSecret, _ context: [UInt8]) -> [UInt8] {
        let secret = unsafe shared.withUnsafeBytes { unsafe [UInt8]($0) }
        return digest(FakeBytes.u32(1) + secret + [UInt8]("SECRET".utf8) + [0] + context)
    }

    /// AES-128-CFB; the key consists of a 16-byte key and a 16-byte initialization vector.
    static func transform(_ bytes: [UInt8], _ key: [UInt8], isEncrypting: Bool) -> [UInt8] {
        let cipher = SymmetricKey(data: key[..<16])
        var vector = [UInt8](key[16...])
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 16) {
            guard (try? AES.permute(&vector, key: cipher)) != nil else { return [] }
            let part = bytes[start..<min(start + 16, bytes.count)]
            let made = zip(part, vector).map { $0 ^ $1 }
            result += made
            vector = isEncrypting ? made : [UInt8](part)
        }
        return result
    }
}
