// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Keys in the form of PKCS #1 (RFC 8017 appendix A.1), checked without being copied. A private key
/// never leaves the memory for secrets, so the parser that reads certificates isn't used for the
/// DER of RSA keys.
///
/// It checks the exact encoding, and the relative sizes of the numbers. It doesn't check whether
/// the primes are prime.
enum RSAKeyEncoding {
    /// Sizes of the modulus.
    static let modulusBitCounts = 512...16384

    /// The size in bits of an `RSAPublicKey`'s modulus; nil for anything else.
    static func modulusBitCount(ofPublicKey bytes: UnsafeRawBufferPointer) -> Int? {
        guard var numbers = unsafe DERNumbers(bytes) else { return nil }
        guard let modulus = numbers.next(), let exponent = numbers.next(), numbers.isAtEnd,
            arePublic(modulus, exponent)
        else { return nil }
        return modulus.bitCount
    }

    /// The size in bits of the modulus of an `RSAPrivateKey` with two primes, and its public half
    /// as an `RSAPublicKey`; nil for anything else.
    static func publicKey(
        ofPrivateKey bytes: UnsafeRawBufferPointer
    ) -> (modulusBitCount: Int, publicKey: [UInt8])? {
        guard var numbers = unsafe DERNumbers(bytes) else { return nil }
        // Version 1 has more than two primes.
        guard let version = numbers.next(), version.bitCount == 0,
            let modulus = numbers.next(), let exponent = numbers.next(),
            arePublic(modulus, exponent),
            let privateExponent = numbers.next(), let prime1 = numbers.next(),
            let prime2 = numbers.next(), let exponent1 = numbers.next(),
            let exponent2 = numbers.next(), let coefficient = numbers.next(), numbers.isAtEnd
        else { return nil }
        let product = prime1.bitCount + prime2.bitCount
        guard prime1.isOdd, prime2.isOdd,
            [modulus.bitCount, modulus.bitCount + 1].contains(product),
            (1...modulus.bitCount).contains(privateExponent.bitCount), privateExponent.isOdd,
            (1...prime1.bitCount).contains(exponent1.bitCount),
            (1...prime2.bitCount).contains(exponent2.bitCount),
            (1...prime1.bitCount).contains(coefficient.bitCount)
        else { return nil }
        let publicNumbers = unsafe bytes[modulus.encoding.lowerBound..<exponent.encoding.upperBound]
        return (modulus.bitCount, derElement(tag: 0x30, unsafe [UInt8](publicNumbers)))
    }

    private static func arePublic(_ modulus: DERNumbers.Number, _ exponent: DERNumbers.Number)
        -> Bool
    {
        modulusBitCounts.contains(modulus.bitCount) && modulus.isOdd && exponent.isOdd
            && (2...modulus.bitCount).contains(exponent.bitCount)
    }
}

/// The numbers of a SEQUENCE of non-negative INTEGERs that fills all bytes.
@safe private struct DERNumbers {
    struct Number {
        /// The range of the INTEGER, with its header.
        let encoding: Range<Int>
        let bitCount: Int
        let isOdd: Bool
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// Reads the header of the SEQUENCE; nil unless it fills the bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = bytes
        guard let content = header(tag: 0x30), content.upperBound == bytes.count else {
            return nil
        }
    }

    var isAtEnd: Bool { unsafe position == bytes.count }

    mutating func next() -> Number? {
        let start = position
        guard let content = header(tag: 0x02), let first = content.first.map({ unsafe bytes[$0] }),
            let last = content.last.map({ unsafe bytes[$0] })
        else { return nil }
        // Not negative, and no leading zero except one that keeps the number from being negative.
        guard first < 0x80 else { return nil }
        if first == 0, content.count > 1 {
            guard unsafe bytes[content.lowerBound + 1] >= 0x80 else { return nil }
        }
        position = content.upperBound
        return Number(
            encoding: start..<position,
            bitCount: bitCount(content.drop { unsafe bytes[$0] == 0 }), isOdd: last & 1 == 1)
    }

    /// The size of a number without leading zeros.
    private func bitCount(_ content: Range<Int>) -> Int {
        guard let first = content.first else { return 0 }
        return unsafe content.count * 8 - bytes[first].leadingZeroBitCount
    }

    /// Skips a header with a definite, minimal length of at most 65 535.
    /// - Returns: Where the content is, all of it within the bytes.
    private mutating func header(tag: UInt8) -> Range<Int>? {
        guard let found = byte(), found == tag, let first = byte() else { return nil }
        var length = Int(first)
        switch first {
        case 0..<0x80: break
        case 0x81:
            guard let low = byte(), low >= 0x80 else { return nil }
            length = Int(low)
        case 0x82:
            guard let high = byte(), let low = byte(), high > 0 else { return nil }
            length = Int(high) << 8 | Int(low)
        default: return nil
        }
        guard unsafe length <= bytes.count - position else { return nil }
        return position..<position + length
    }

    private mutating func byte() -> UInt8? {
        guard unsafe position < bytes.count else { return nil }
        defer { position += 1 }
        return unsafe bytes[position]
    }
}
