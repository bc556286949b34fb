// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire
import Crypto
import CryptoExtras

/// AES-256-CBC, a part after another.
struct AESChain {
    static let blockByteCount = 16
    static let keyByteCount = 32
    /// Parts keep the library's copies small.
    private static let partByteCount = 1 << 20

    private let key: SymmetricKey
    private var vector: ArraySlice<UInt8>

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - vector: 16 bytes.
    /// - Throws: `damaged` for other counts.
    init(key: [UInt8], vector: [UInt8]) throws(ConversionFailure) {
        guard key.count == Self.keyByteCount, vector.count == Self.blockByteCount else {
            throw ConversionFailure(.damaged)
        }
        self.key = SymmetricKey(data: key)
        self.vector = vector[...]
    }

    /// Decrypts whole blocks; their padding stays.
    mutating func decrypt(_ bytes: ArraySlice<UInt8>) throws(ConversionFailure) -> [UInt8] {
        try eachPart(of: bytes) { part, key, vector throws(ConversionFailure) in
            do {
                return Array(
                    try AES._CBC.decrypt(
                        Array(part), using: key, iv: AES._CBC.IV(ivBytes: vector), noPadding: true))
            } catch { throw ConversionFailure(.failed) }
        } next: { part, _ in
            part
        }
    }

    /// Encrypts whole blocks; their padding is there already.
    mutating func encrypt(_ bytes: ArraySlice<UInt8>) throws(ConversionFailure) -> [UInt8] {
        try eachPart(of: bytes) { part, key, vector throws(ConversionFailure) in
            do {
                return Array(
                    try AES._CBC.encrypt(
                        Array(part), using: key, iv: AES._CBC.IV(ivBytes: vector), noPadding: true))
            } catch { throw ConversionFailure(.failed) }
        } next: { _, result in
            result[...]
        }
    }

    private mutating func eachPart(
        of bytes: ArraySlice<UInt8>,
        _ body: (ArraySlice<UInt8>, SymmetricKey, ArraySlice<UInt8>) throws(ConversionFailure) ->
            [UInt8],
        next: (ArraySlice<UInt8>, [UInt8]) -> ArraySlice<UInt8>
    ) throws(ConversionFailure) -> [UInt8] {
        guard bytes.count % Self.blockByteCount == 0 else { throw ConversionFailure(.damaged) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let part = bytes[index..<min(index + Self.partByteCount, bytes.endIndex)]
            let done = try body(part, key, vector)
            vector = next(part, done).suffix(Self.blockByteCount)
            result += done
            index = part.endIndex
        }
        return result
    }

    /// Adds the padding of PKCS #7.
    static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let count = blockByteCount - bytes.count % blockByteCount
        return bytes + [UInt8](repeating: UInt8(count), count: count)
    }

    /// How many bytes of padding a plaintext ends with; nil for none. The ciphertext was
    /// authenticated, or the next layer is checked, so its time tells nothing.
    static func paddingCount(_ bytes: [UInt8]) -> Int? {
        guard let last = bytes.last, (1...16).contains(last), bytes.count >= Int(last),
            bytes.suffix(Int(last)).allSatisfy({ $0 == last })
        else { return nil }
        return Int(last)
    }
}

/// Compares MACs and digests in a time that depends only on their count.
func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// Digests as arrays.
enum Digests {
    static func sha256(_ parts: [UInt8]...) -> [UInt8] {
        var hash = SHA256()
        for part in parts { hash.update(data: part) }
        return Array(hash.finalize())
    }

    static func sha512(_ parts: [UInt8]...) -> [UInt8] {
        var hash = SHA512()
        for part in parts { hash.update(data: part) }
        return Array(hash.finalize())
    }

    /// HMAC-SHA-256.
    static func mac(_ key: [UInt8], _ parts: ArraySlice<UInt8>...) -> [UInt8] {
        var mac = HMAC<SHA256>(key: SymmetricKey(data: key))
        for part in parts { mac.update(data: part) }
        return Array(mac.finalize())
    }

    /// Bytes from the kernel.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
