// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import IPC

/// The count of wrong passcodes as it lies on the disk: two slots, so that counting is one write in
/// place.
///
/// A slot: u32 version, u32 sequence, u32 failures, u32 1 if one of them may have come from an
/// unidentified program, else 0; 16 bytes keybag UUID.
package struct AttemptRecord: Hashable, Sendable {
    /// One slot.
    package static let slotByteCount = TwoSlots.slotByteCount
    /// Both slots.
    package static let byteCount = TwoSlots.byteCount

    private static let version: UInt32 = 1
    private static let numbersByteCount = 16
    private static let signedByteCount = numbersByteCount + Keybag.uuidByteCount

    /// Counts the writes.
    package let sequence: UInt32
    /// Wrong passcodes since the last right one.
    package let failures: UInt32
    /// Whether one of them came from a program that isn't known, or may have.
    package let hasUnidentified: Bool

    /// Makes a record.
    package init(sequence: UInt32, failures: UInt32, hasUnidentified: Bool = true) {
        self.sequence = sequence
        self.failures = failures
        self.hasUnidentified = hasUnidentified && failures > 0
    }

    /// Where the slot begins in the file.
    package var offset: Int { TwoSlots.offset(sequence) }

    /// The slot's bytes.
    package func slot(uuid: [UInt8], key: SymmetricKey) -> [UInt8] {
        var slot: [UInt8] = []
        slot.append(littleEndian: Self.version)
        slot.append(littleEndian: sequence)
        slot.append(littleEndian: failures)
        slot.append(littleEndian: hasUnidentified ? 1 : UInt32(0))
        return TwoSlots.slot(slot + uuid, key: key)
    }

    /// A new file, with this in both slots.
    package func file(uuid: [UInt8], key: SymmetricKey) -> [UInt8] {
        TwoSlots.file(slot(uuid: uuid, key: key))
    }

    /// Reads a file; nothing when no slot of it is this keybag's.
    package init?(_ file: [UInt8], uuid: [UInt8], key: SymmetricKey) {
        let slots = TwoSlots.contents(
            file, byteCount: Self.signedByteCount, version: Self.version, key: key)
        guard
            let slot = slots.last(where: { $0[Self.numbersByteCount...].elementsEqual(uuid) })
        else { return nil }
        self.init(
            sequence: slot.integer(UInt32.self, littleEndianAt: 4),
            failures: slot.integer(UInt32.self, littleEndianAt: 8),
            hasUnidentified: slot.integer(UInt32.self, littleEndianAt: 12) != 0)
    }
}
