// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import IPC

/// What the enclave remembers of a user's database and keybag as it lies on the disk, so that an
/// older one of them that is put back shows: two slots, as those of ``AttemptRecord``.
///
/// A slot: u32 1, u32 sequence, u64 commit number, u32 keybag generation.
package struct AnchorRecord: Hashable, Sendable {
    /// Both slots.
    package static let byteCount = TwoSlots.byteCount

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
    package var offset: Int { TwoSlots.offset(sequence) }

    /// The slot's bytes.
    package func slot(key: SymmetricKey) -> [UInt8] {
        var slot: [UInt8] = []
        slot.append(littleEndian: Self.version)
        slot.append(littleEndian: sequence)
        slot.append(littleEndian: commit)
        slot.append(littleEndian: keybagGeneration)
        return TwoSlots.slot(slot, key: key)
    }

    /// A new file, with this in both slots.
    package func file(key: SymmetricKey) -> [UInt8] {
        TwoSlots.file(slot(key: key))
    }

    /// Reads a file; nothing when no slot of it is one.
    package init?(_ file: [UInt8], key: SymmetricKey) {
        guard
            let slot = TwoSlots.contents(
                file, byteCount: Self.signedByteCount, version: Self.version, key: key
            ).last
        else { return nil }
        self.init(
            sequence: slot.integer(UInt32.self, littleEndianAt: 4),
            commit: slot.integer(UInt64.self, littleEndianAt: 8),
            keybagGeneration: slot.integer(UInt32.self, littleEndianAt: 16))
    }
}
