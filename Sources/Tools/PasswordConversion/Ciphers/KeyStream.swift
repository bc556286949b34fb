// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Crypto
import CryptoExtras

/// A stream cipher: its bytes are combined with a text's by exclusive or, in either direction.
struct KeyStream {
    private enum Cipher {
        case salsa20(Salsa20)
        case chaCha20(SymmetricKey, Insecure.ChaCha20CTR.Nonce)
    }

    /// A multiple of both ciphers' blocks of 64 bytes.
    private static let partByteCount = 16 << 10
    private static let blockByteCount = 64
    /// The nonce of KeePass's inner Salsa20.
    private static let salsaNonce: [UInt8] = [0xE8, 0x30, 0x09, 0x4B, 0x97, 0x20, 0x5D, 0x2A]

    private let cipher: Cipher
    private var part: [UInt8] = []
    /// Which part is in memory.
    private var partNumber = -1
    private var position = 0

    /// ChaCha20 with a key of 32 bytes and a nonce of 12, from block 0 on (RFC 8439 §2.4).
    init(chaCha20 key: [UInt8], nonce: [UInt8]) throws(ConversionFailure) {
        guard key.count == 32, nonce.count == 12 else { throw ConversionFailure(.damaged) }
        do {
            cipher = .chaCha20(
                SymmetricKey(data: key), try Insecure.ChaCha20CTR.Nonce(data: nonce))
        } catch { throw ConversionFailure(.failed) }
    }

    /// KeePass's inner stream of version 4: the key is hashed.
    init(innerChaCha20 key: [UInt8]) throws(ConversionFailure) {
        let hash = Digests.sha512(key)
        try self.init(chaCha20: Array(hash[..<32]), nonce: Array(hash[32..<44]))
    }

    /// KeePass's inner stream of version 3.1.
    init(innerSalsa20 key: [UInt8]) {
        cipher = .salsa20(Salsa20(key: Digests.sha256(key), nonce: Self.salsaNonce))
    }

    /// Encrypts or decrypts the next bytes.
    mutating func apply(to bytes: inout [UInt8]) throws(ConversionFailure) {
        var index = 0
        while index < bytes.count {
            try load()
            let offset = position % Self.partByteCount
            let count = min(bytes.count - index, Self.partByteCount - offset)
            for place in 0..<count { bytes[index + place] ^= part[offset + place] }
            index += count
            position += count
        }
    }

    /// Leaves out bytes that aren't needed.
    mutating func skip(_ count: Int) { position += count }

    private mutating func load() throws(ConversionFailure) {
        let number = position / Self.partByteCount
        guard number != partNumber else { return }
        let block = number * (Self.partByteCount / Self.blockByteCount)
        switch cipher {
        case .salsa20(let salsa20):
            part = []
            for place in 0..<Self.partByteCount / Self.blockByteCount {
                part += salsa20.block(UInt64(block + place))
            }
        case .chaCha20(let key, let nonce):
            do {
                part = Array(
                    try Insecure.ChaCha20CTR.encrypt(
                        [UInt8](repeating: 0, count: Self.partByteCount), using: key,
                        counter: .init(offset: UInt32(truncatingIfNeeded: block)), nonce: nonce))
            } catch { throw ConversionFailure(.failed) }
        }
        partNumber = number
    }
}

/// Salsa20 with 20 rounds and a key of 32 bytes. Source: the specification of D. J. Bernstein, 2005.
/// Vectors: `Tests/Tools/PasswordConversionTests/CipherTests.swift`.
struct Salsa20 {
    private let start: [UInt32]

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 8 bytes.
    init(key: [UInt8], nonce: [UInt8]) {
        precondition(key.count == 32 && nonce.count == 8)
        let constant = Self.words(Array("expand 32-byte k".utf8))
        let key = Self.words(key)
        let nonce = Self.words(nonce)
        start =
            [constant[0]] + key[0..<4] + [constant[1]] + nonce + [0, 0, constant[2]] + key[4..<8]
            + [constant[3]]
    }

    /// One block of the stream.
    func block(_ number: UInt64) -> [UInt8] {
        var words = start
        words[8] = UInt32(truncatingIfNeeded: number)
        words[9] = UInt32(truncatingIfNeeded: number >> 32)
        let first = words
        for _ in 0..<10 {
            // Columns, then rows.
            Self.quarter(&words, 0, 4, 8, 12)
            Self.quarter(&words, 5, 9, 13, 1)
            Self.quarter(&words, 10, 14, 2, 6)
            Self.quarter(&words, 15, 3, 7, 11)
            Self.quarter(&words, 0, 1, 2, 3)
            Self.quarter(&words, 5, 6, 7, 4)
            Self.quarter(&words, 10, 11, 8, 9)
            Self.quarter(&words, 15, 12, 13, 14)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for (word, original) in zip(words, first) {
            let sum = word &+ original
            for shift: UInt32 in [0, 8, 16, 24] {
                bytes.append(UInt8(truncatingIfNeeded: sum >> shift))
            }
        }
        return bytes
    }

    private static func quarter(_ x: inout [UInt32], _ a: Int, _ b: Int, _ c: Int, _ d: Int) {
        x[b] ^= rotated(x[a] &+ x[d], 7)
        x[c] ^= rotated(x[b] &+ x[a], 9)
        x[d] ^= rotated(x[c] &+ x[b], 13)
        x[a] ^= rotated(x[d] &+ x[c], 18)
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }

    private static func words(_ bytes: [UInt8]) -> [UInt32] {
        stride(from: 0, to: bytes.count, by: 4).map { index in
            bytes[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
