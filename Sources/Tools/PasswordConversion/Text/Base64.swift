// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Base 64 and hexadecimal digits (RFC 4648), without Foundation.
enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Decodes with padding; white space between letters is skipped.
    /// - Returns: Nil for anything else.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.underestimatedCount / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        var paddingCount = 0
        for letter in text where !ASCII.isSpace(letter) {
            if letter == ASCII.equal {
                paddingCount += 1
                continue
            }
            let value = values[Int(letter)]
            guard value != 0xFF, paddingCount == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            guard count == 4 else { continue }
            for shift: UInt32 in [16, 8, 0] {
                result.append(UInt8(truncatingIfNeeded: bits >> shift))
            }
            bits = 0
            count = 0
        }
        switch (count, paddingCount) {
        case (0, 0): break
        case (2, 2): result.append(UInt8(truncatingIfNeeded: bits >> 4))
        case (3, 1):
            result.append(UInt8(truncatingIfNeeded: bits >> 10))
            result.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return result
    }

    /// Encodes with padding.
    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let part = bytes[index..<min(index + 3, bytes.count)]
            let bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                let value = Int(bits >> (18 - 6 * place)) & 0x3F
                result.append(place <= part.count ? letters[value] : ASCII.equal)
            }
            index += 3
        }
        return result
    }

    /// Decodes an even number of hexadecimal digits; white space is skipped.
    static func hexadecimal(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var high: UInt8?
        for letter in text where !ASCII.isSpace(letter) {
            guard let value = ASCII.hexadecimal(letter) else { return nil }
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? result : nil
    }
}
