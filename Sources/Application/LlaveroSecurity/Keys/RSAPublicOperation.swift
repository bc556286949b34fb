// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SwiftASN1

/// The exponentiation with a public RSA key, for paddings that the library lacks: it offers this
/// operation with its own paddings only.
///
/// The key is public, the number may be a message: the steps depend on the key alone (Montgomery
/// 1985, with a subtraction that is always computed and masked). Nothing here touches a private
/// key.
struct RSAPublicOperation {
    private let modulus: [UInt64]
    private let exponent: UInt64
    private let blockByteCount: Int
    /// -1/modulus, of the lowest word.
    private let inverse: UInt64

    /// As BoringSSL: larger exponents only cost time.
    private static let largestExponentBitCount = 33

    /// Reads a key; nil for bytes that aren't an RSA key of PKCS #1, for a larger exponent, and for a
    /// modulus that isn't of whole bytes.
    init?(publicKey: [UInt8]) {
        guard let parts = (try? DER.parse(publicKey))?.elements(.sequence), parts.count == 2,
            let modulus = parts[0].integerBytes?.drop(while: { $0 == 0 }),
            let exponent = parts[1].integerBytes?.drop(while: { $0 == 0 }),
            modulus.first ?? 0 >= 0x80, let last = modulus.last, last & 1 == 1,
            exponent.count <= 5
        else { return nil }
        let number = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number >= 3, 64 - number.leadingZeroBitCount <= Self.largestExponentBitCount else {
            return nil
        }
        self.exponent = number
        blockByteCount = modulus.count
        self.modulus = Self.words(modulus)
        // Newton: each step doubles the right bits, beginning with three.
        var inverse = self.modulus[0]
        for _ in 0..<5 { inverse = inverse &* (2 &- self.modulus[0] &* inverse) }
        self.inverse = 0 &- inverse
    }

    /// Raises a block to the key's exponent.
    /// - Parameter block: As many bytes as the modulus has.
    /// - Returns: As many; nil for a number that isn't below the modulus.
    func callAsFunction(_ block: UnsafeRawBufferPointer) -> [UInt8]? {
        guard block.count == blockByteCount else { return nil }
        var number = unsafe Self.words(block)
        defer {
            unsafe number.withUnsafeMutableBytes { unsafe SecretMemory.wipe($0) }
        }
        // The borrow of the subtraction says whether it is below.
        guard Self.subtracting(modulus, from: number).borrow == 1 else { return nil }
        let square = squareOfRadix()
        let base = product(number, square)
        var result = base
        for bit in (0..<(63 - exponent.leadingZeroBitCount)).reversed() {
            result = product(result, result)
            if exponent >> UInt64(bit) & 1 == 1 { result = product(result, base) }
        }
        var one = [UInt64](repeating: 0, count: modulus.count)
        one[0] = 1
        return bytes(product(result, one))
    }

    /// Little-endian words of big-endian bytes.
    private static func words(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
        for (index, byte) in bytes.reversed().enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
        }
        return words
    }

    private func bytes(_ words: [UInt64]) -> [UInt8] {
        (0..<blockByteCount).reversed().map {
            UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64($0 % 8 * 8))
        }
    }

    private static func subtracting(
        _ other: [UInt64], from number: [UInt64]
    ) -> (difference: [UInt64], borrow: UInt64) {
        var difference = number
        var borrow: UInt64 = 0
        for index in other.indices {
            let (first, one) = number[index].subtractingReportingOverflow(other[index])
            let (second, two) = first.subtractingReportingOverflow(borrow)
            difference[index] = second
            borrow = (one ? 1 : 0) | (two ? 1 : 0)
        }
        return (difference, borrow)
    }

    /// The square of 2^64^words, reduced; only the key determines it.
    private func squareOfRadix() -> [UInt64] {
        var number = [UInt64](repeating: 0, count: modulus.count)
        number[0] = 1
        for _ in 0..<(2 * 64 * modulus.count) {
            var carry: UInt64 = 0
            for index in number.indices {
                let top = number[index] >> 63
                number[index] = number[index] << 1 | carry
                carry = top
            }
            number = reduced(number, carry: carry)
        }
        return number
    }

    /// A number below twice the modulus, less the modulus unless it is below.
    private func reduced(_ number: [UInt64], carry: UInt64) -> [UInt64] {
        let (difference, borrow) = Self.subtracting(modulus, from: number)
        // All ones if the number stays: no carry, and a borrow.
        let stays = 0 &- (borrow & ~carry & 1)
        return number.indices.map { (number[$0] & stays) | (difference[$0] & ~stays) }
    }

    /// Montgomery's product of two numbers below the modulus.
    private func product(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        let count = modulus.count
        var sum = [UInt64](repeating: 0, count: count + 2)
        for index in 0..<count {
            Self.add(other, times: one[index], to: &sum)
            Self.add(modulus, times: sum[0] &* inverse, to: &sum)
            for position in 0..<(count + 1) { sum[position] = sum[position + 1] }
            sum[count + 1] = 0
        }
        return reduced([UInt64](sum.prefix(count)), carry: sum[count])
    }

    private static func add(_ words: [UInt64], times factor: UInt64, to sum: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in words.indices {
            let (high, low) = words[index].multipliedFullWidth(by: factor)
            let (first, one) = sum[index].addingReportingOverflow(low)
            let (second, two) = first.addingReportingOverflow(carry)
            sum[index] = second
            carry = high &+ (one ? 1 : 0) &+ (two ? 1 : 0)
        }
        let (first, one) = sum[words.count].addingReportingOverflow(carry)
        sum[words.count] = first
        sum[words.count + 1] &+= one ? 1 : 0
    }
}
