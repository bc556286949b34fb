// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import IPC

/// A record of two slots of 512 bytes, written in turn: a change is one write in place, and a slot
/// that a crash tore leaves the state before it.
///
/// A slot has what is said of it, in little-endian numbers, beginning with u32 version and u32
/// sequence; 32 bytes HMAC-SHA-256 over that; zeros. The later one of those that are whole holds.
enum TwoSlots {
    /// A sector of the oldest disks: what is written whole or not at all.
    static let slotByteCount = 512
    static let byteCount = 2 * slotByteCount
    private static let macByteCount = 32

    /// Where the slot of this sequence begins.
    static func offset(_ sequence: UInt32) -> Int { Int(sequence % 2) * slotByteCount }

    /// A slot's bytes.
    static func slot(_ content: [UInt8], key: SymmetricKey) -> [UInt8] {
        let slot = content + Cryptography.authenticate(content, using: key)
        return slot + [UInt8](repeating: 0, count: max(slotByteCount - slot.count, 0))
    }

    /// A new file: both slots say the same, so that one damaged byte costs nothing.
    static func file(_ slot: [UInt8]) -> [UInt8] {
        slot + slot
    }

    /// What whole slots of a version say, the earlier one first.
    static func contents(
        _ file: [UInt8], byteCount: Int, version: UInt32, key: SymmetricKey
    ) -> [[UInt8]] {
        guard file.count == Self.byteCount else { return [] }
        let slots = [file[..<slotByteCount], file[slotByteCount...]].map { [UInt8]($0) }
        return slots.filter { slot in
            Cryptography.isAuthentic(
                slot[byteCount..<byteCount + macByteCount], for: slot[..<byteCount], using: key)
                && slot.integer(UInt32.self, littleEndianAt: 0) == version
        }.map { [UInt8]($0[..<byteCount]) }.sorted {
            $0.integer(UInt32.self, littleEndianAt: 4) < $1.integer(UInt32.self, littleEndianAt: 4)
        }
    }
}
