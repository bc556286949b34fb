// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// A number modulo 2²⁵⁶: the sum of the keyed digests of the ledger's leaves.
struct LeafSum: Equatable, Sendable {
    static let byteCount = 32

    /// The least significant word first.
    private var words: [UInt64] = [0, 0, 0, 0]

    /// Zero.
    init() {}

    /// Reads 32 bytes, the least significant first.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        for (position, byte) in bytes.enumerated() {
            words[position / 8] |= UInt64(byte) << UInt64(8 * (position % 8))
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for word in words { bytes.append(littleEndian: word) }
        return bytes
    }

    static func += (sum: inout Self, other: Self) {
        var carry = false
        for place in sum.words.indices {
            let (first, overflows) = sum.words[place].addingReportingOverflow(other.words[place])
            let (second, overflowsToo) = first.addingReportingOverflow(carry ? 1 : 0)
            sum.words[place] = second
            carry = overflows || overflowsToo
        }
    }

    static func -= (sum: inout Self, other: Self) {
        var borrow = false
        for place in sum.words.indices {
            let (first, overflows) = sum.words[place].subtractingReportingOverflow(
                other.words[place])
            let (second, overflowsToo) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            sum.words[place] = second
            borrow = overflows || overflowsToo
        }
    }
}
