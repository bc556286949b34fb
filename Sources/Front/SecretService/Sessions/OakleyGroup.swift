// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// The second Oakley group: numbers modulo a prime of 1024 bits.
///
/// Powers take the same steps and touch the same memory for every exponent of one length: neither
/// branches nor addresses depend on it.
/// Source: RFC 2409 §6.2.
package enum OakleyGroup {
    /// How many bytes a number of the group has.
    package static let byteCount = 128
    /// The longest public key that is looked at: leading zeros are allowed, pages of them aren't.
    package static let longestPublicKey = 1024

    static let prime = Number(limbs: [
        0xFFFF_FFFF_FFFF_FFFF, 0x4928_6651_ECE6_5381, 0xAE9F_2411_7C4B_1FE6,
        0xEE38_6BFB_5A89_9FA5, 0x0BFF_5CB6_F406_B7ED, 0xF44C_42E9_A637_ED6B,
        0xE485_B576_625E_7EC6, 0x4FE1_356D_6D51_C245, 0x302B_0A6D_F25F_1437,
        0xEF95_19B3_CD3A_431B, 0x514A_0879_8E34_04DD, 0x020B_BEA6_3B13_9B22,
        0x2902_4E08_8A67_CC74, 0xC4C6_628B_80DC_1CD1, 0xC90F_DAA2_2168_C234,
        0xFFFF_FFFF_FFFF_FFFF,
    ])

    /// The generator to the power of an exponent.
    /// - Parameter exponent: Big-endian bytes.
    /// - Returns: 128 bytes, big-endian.
    package static func publicKey(_ exponent: Secret) -> [UInt8] {
        let power = Number.two.power(exponent)
        return (0..<byteCount).map { power.byte(byteCount - 1 - $0) }
    }

    /// A peer's key to the power of an exponent.
    /// - Parameters:
    ///   - peerKey: Big-endian bytes, as many as the peer likes.
    ///   - exponent: Big-endian bytes.
    /// - Returns: 128 bytes, big-endian, with their leading zeros; nil for a key below 2 or above the
    ///   prime minus 2, whose powers anyone can guess.
    package static func sharedSecret(
        _ peerKey: [UInt8], _ exponent: Secret
    ) -> Secret? {
        guard let number = Number(bigEndian: peerKey), number.isPublicKey else { return nil }
        let power = number.power(exponent)
        return unsafe Secret(SecretBytes(byteCount: byteCount) { unsafe power.write(to: $0) })
    }
}

/// A number below 2¹⁰²⁴.
struct Number {
    typealias Limbs = InlineArray<16, UInt64>

    /// Little-endian.
    var limbs: Limbs

    static let zero = Number(limbs: Limbs(repeating: 0))
    static let one = Number(small: 1)
    static let two = Number(small: 2)
    /// 2²⁰⁴⁸ modulo the prime: brings numbers into Montgomery's form.
    private static let square = {
        var number = one
        for _ in 0..<2048 { number = number.doubled() }
        return number
    }()

    init(limbs: Limbs) { self.limbs = limbs }

    private init(small: UInt64) {
        limbs = Limbs(repeating: 0)
        limbs[0] = small
    }

    /// Reads bytes; nil when they are too many.
    init?(bigEndian bytes: [UInt8]) {
        guard bytes.count <= OakleyGroup.longestPublicKey else { return nil }
        let digits = bytes.drop { $0 == 0 }
        guard digits.count <= OakleyGroup.byteCount else { return nil }
        limbs = Limbs(repeating: 0)
        for (position, byte) in digits.reversed().enumerated() {
            limbs[position / 8] |= UInt64(byte) << UInt64(position % 8 * 8)
        }
    }

    /// Writes 128 bytes.
    func write(to target: UnsafeMutableRawBufferPointer) {
        for position in 0..<OakleyGroup.byteCount {
            unsafe target[OakleyGroup.byteCount - 1 - position] = byte(position)
        }
    }

    /// The byte at a position; the lowest one is at 0.
    func byte(_ position: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: limbs[position / 8] >> UInt64(position % 8 * 8))
    }

    /// Whether it lies between 2 and the prime minus 2. Public keys are no secrets.
    var isPublicKey: Bool {
        var limit = OakleyGroup.prime
        limit.limbs[0] -= 1
        return !isBelow(.two) && isBelow(limit)
    }

    private func isBelow(_ other: Number) -> Bool { subtracting(other).borrow == 1 }

    // MARK: - Arithmetic

    private func subtracting(_ other: Number) -> (difference: Number, borrow: UInt64) {
        var result = Number.zero
        var borrow: UInt64 = 0
        for index in 0..<16 {
            let (first, firstBorrow) = limbs[index].subtractingReportingOverflow(other.limbs[index])
            let (second, secondBorrow) = first.subtractingReportingOverflow(borrow)
            result.limbs[index] = second
            borrow = (firstBorrow ? 1 : 0) | (secondBorrow ? 1 : 0)
        }
        return (result, borrow)
    }

    /// The number, minus the prime if it and `carry` · 2¹⁰²⁴ are not below the prime.
    private func reduced(carry: UInt64) -> Number {
        let (difference, borrow) = subtracting(OakleyGroup.prime)
        // All ones: the difference is the result.
        let mask = 0 &- (carry | (borrow ^ 1))
        return choosing(difference, mask)
    }

    /// `other` where the mask has ones.
    private func choosing(_ other: Number, _ mask: UInt64) -> Number {
        var result = Number.zero
        for index in 0..<16 {
            result.limbs[index] = (other.limbs[index] & mask) | (limbs[index] & ~mask)
        }
        return result
    }

    private func doubled() -> Number {
        var result = Number.zero
        var carry: UInt64 = 0
        for index in 0..<16 {
            result.limbs[index] = limbs[index] << 1 | carry
            carry = limbs[index] >> 63
        }
        return result.reduced(carry: carry)
    }

    /// The product divided by 2¹⁰²⁴, modulo the prime (Montgomery). The prime's lowest limb is -1, so
    /// that the factor of each step is the lowest limb itself.
    private func times(_ other: Number) -> Number {
        let prime = OakleyGroup.prime
        var sum = Number.zero
        var high: UInt64 = 0
        for index in 0..<16 {
            var carry: UInt64 = 0
            for position in 0..<16 {
                (carry, sum.limbs[position]) = Self.step(
                    limbs[position], other.limbs[index], sum.limbs[position], carry)
            }
            let top = UInt128(high) &+ UInt128(carry)
            let factor = sum.limbs[0]
            (carry, _) = Self.step(factor, prime.limbs[0], sum.limbs[0], 0)
            for position in 1..<16 {
                (carry, sum.limbs[position - 1]) = Self.step(
                    factor, prime.limbs[position], sum.limbs[position], carry)
            }
            let last = top &+ UInt128(carry)
            sum.limbs[15] = UInt64(truncatingIfNeeded: last)
            high = UInt64(truncatingIfNeeded: last >> 64)
        }
        return sum.reduced(carry: high)
    }

    /// One limb's product, with two summands: it always fits.
    @inline(__always)
    private static func step(
        _ left: UInt64, _ right: UInt64, _ summand: UInt64, _ carry: UInt64
    ) -> (UInt64, UInt64) {
        let sum = UInt128(left) &* UInt128(right) &+ UInt128(summand) &+ UInt128(carry)
        return (UInt64(truncatingIfNeeded: sum >> 64), UInt64(truncatingIfNeeded: sum))
    }

    /// The number to the power of an exponent, modulo the prime: four bits at a time, each with four
    /// squares and one product with an entry of a table that is read as a whole.
    func power(_ exponent: Secret) -> Number {
        let unit = Number.one.times(.square)
        let base = times(.square)
        var table = InlineArray<16, Number>(repeating: unit)
        for index in 1..<16 { table[index] = table[index - 1].times(base) }
        var result = unit
        unsafe exponent.bytes.withUnsafeBytes { bytes in
            for position in 0..<bytes.count * 2 {
                let byte = unsafe bytes[position / 2]
                let digit = position % 2 == 0 ? byte >> 4 : byte & 15
                for _ in 0..<4 { result = result.times(result) }
                var entry = Number.zero
                for index in 0..<16 {
                    // All ones for the one entry that is wanted.
                    let difference = UInt64(UInt8(index) ^ digit)
                    entry = entry.choosing(table[index], (difference &- 1) >> 63 &* ~0)
                }
                result = result.times(entry)
            }
        }
        return result.times(.one)
    }
}
