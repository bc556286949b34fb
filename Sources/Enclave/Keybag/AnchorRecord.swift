// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto

/// What the enclave remembers of a user's database and keybag as it lies on the disk, so that an
/// older one of them that is put back shows: two slots of 512 bytes, written in turn, as those of
/// ``AttemptRecord``.
///
/// A slot: u32 1, u32 sequence, u64 commit number, u32 keybag generation (little-endian), 32 bytes
/// HMAC-SHA-256 over these, zeros. The later one of those that are whole holds.
package struct AnchorRecord: Hashable, Sendable {
    /// Both slots.
    package static let byteCount = 2 * AttemptRecord.slotByteCount

    private static let version: UInt32 = 1
    private static let signedByteCount = 20

    /// Counts the writes.
    package let sequence: UInt32
    /// A commit of the user's rows; no database of an earlier one is the user's present one.
    package let commit: UInt64
    /// A generation of the keybag; none of an earlier one is the present one.
    package let keybagGeneration: UInt32

    /// Makes a record.
    package init(sequence: UInt32, commit: UInt64, keybagGeneration: UInt32) {
        self.sequence = sequence
        self.commit = commit
        self.keybagGeneration = keybagGeneration
    }

    /// Where the slot begins in the file.
    package var offset: Int { Int(sequence % 2) * AttemptRecord.slotByteCount }

    /// The slot's bytes.
    package func slot(key: SymmetricKey) -> [UInt8] {
        var slot: [UInt8] = []
        slot.append(littleEndian: Self.version)
        slot.append(littleEndian: sequence)
        slot.append(littleEndian: UInt32(truncatingIfNeeded: commit))
        slot.append(littleEndian: UInt32(truncatingIfNeeded: commit >> 32))
        slot.append(littleEndian: keybagGeneration)
        slot += Cryptography.authenticate(slot, using: key)
        let padding = max(AttemptRecord.slotByteCount - slot.count, 0)
        return slot + [UInt8](repeating: 0, count: padding)
    }

    /// A file with this slot and an empty one.
    package func file(key: SymmetricKey) -> [UInt8] {
        let empty = [UInt8](repeating: 0, count: AttemptRecord.slotByteCount)
        let slot = slot(key: key)
        return offset == 0 ? slot + empty : empty + slot
    }

    /// Reads a file; nothing when no slot of it is one.
    package init?(_ file: [UInt8], key: SymmetricKey) {
        guard file.count == Self.byteCount else { return nil }
        let slots = [
            file[..<AttemptRecord.slotByteCount], file[AttemptRecord.slotByteCount...],
        ].compactMap { Self.read([UInt8]($0), key) }
        guard let latest = slots.max(by: { $0.sequence < $1.sequence }) else { return nil }
        self = latest
    }

    private static func read(_ slot: [UInt8], _ key: SymmetricKey) -> Self? {
        guard
            Cryptography.isAuthentic(
                slot[signedByteCount..<signedByteCount + 32], for: slot[..<signedByteCount],
                using: key),
            number(slot, 0) == version
        else { return nil }
        return Self(
            sequence: number(slot, 4),
            commit: UInt64(number(slot, 8)) | UInt64(number(slot, 12)) << 32,
            keybagGeneration: number(slot, 16))
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
