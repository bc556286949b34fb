// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Addresses with the same first bits: `10.0.0.0/8`, `2001:db8::/32`, or a single one.
package struct AddressRange: Equatable, Sendable {
    private let bytes: [UInt8]
    private let bitCount: Int

    /// - Returns: Nil for what isn't a range.
    package init?(_ text: Substring) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let address = Self.bytes(first), parts.count <= 2 else {
            return nil
        }
        bytes = address
        guard parts.count == 2 else {
            bitCount = address.count * 8
            return
        }
        guard parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(parts[1]),
            count <= address.count * 8
        else { return nil }
        bitCount = count
    }

    /// Whether an address, 4 or 16 bytes, is one of them.
    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        for index in 0..<bytes.count {
            let count = min(max(bitCount - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - count))
            if address[index] & mask != bytes[index] & mask { return false }
        }
        return true
    }

    /// The bytes of an address; nil for what isn't one.
    private static func bytes(_ text: Substring) -> [UInt8]? {
        text.contains(":") ? longBytes(text) : shortBytes(text)
    }

    private static func shortBytes(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in
            part.allSatisfy { $0.isASCII && $0.isNumber } ? UInt8(part) : nil
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func longBytes(_ text: Substring) -> [UInt8]? {
        // Where the zeros are left out, the halves are apart.
        var halves: [[UInt8]] = [[]]
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)[...]
        if parts.first?.isEmpty == true {
            guard parts.count > 2, parts.dropFirst().first?.isEmpty == true else { return nil }
            parts = parts.dropFirst()
        }
        if parts.last?.isEmpty == true {
            guard parts.count > 1 else { return nil }
            let isAfterGap = parts.dropLast().last?.isEmpty == true
            guard isAfterGap || parts.count == 2 && parts.first?.isEmpty == true else {
                return nil
            }
            parts = parts.dropLast()
        }
        for part in parts {
            if part.isEmpty {
                guard halves.count == 1 else { return nil }
                halves.append([])
                continue
            }
            guard part.count <= 4, part.allSatisfy(\.isHexDigit),
                let number = UInt16(part, radix: 16)
            else { return nil }
            halves[halves.count - 1] += [UInt8(number >> 8), UInt8(number & 0xFF)]
        }
        let count = halves.reduce(0) { $0 + $1.count }
        guard halves.count == 1 ? count == 16 : count <= 14 else { return nil }
        return halves[0] + Array(repeating: 0, count: 16 - count)
            + (halves.count > 1 ? halves[1] : [])
    }
}
