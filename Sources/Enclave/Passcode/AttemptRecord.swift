// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto

/// The count of wrong passcodes as it lies on the disk: two slots, so that counting is one write in
/// place.
///
/// A slot: u32 2, u32 sequence, u32 failures, 16 bytes keybag UUID.
package struct AttemptRecord: Hashable, Sendable {
    /// One slot.
    package static let slotByteCount = TwoSlots.slotByteCount
    /// Both slots.
    package static let byteCount = TwoSlots.byteCount

    private static let version: UInt32 = 2
    private static let signedByteCount = 12 + Keybag.uuidByteCount
    private static let firstVersion: UInt32 = 1
    private static let firstVersionByteCount = 40

    /// Counts the writes.
    package let sequence: UInt32
    /// Wrong passcodes since the last right one.
    package let failures: UInt32

    /// Makes a record.
    package init(sequence: UInt32, failures: UInt32) {
        self.sequence = sequence
        self.failures = failures
    }

    /// Where the slot begins in the file.
    package var offset: Int { TwoSlots.offset(sequence) }

    /// The slot's bytes.
    package func slot(uuid: [UInt8], key: SymmetricKey) -> [UInt8] {
        var slot: [UInt8] = []
        slot.append(littleEndian: Self.version)
        slot.append(littleEndian: sequence)
        slot.append(littleEndian: failures)
        return TwoSlots.slot(slot + uuid, key: key)
    }

    /// A new file, with this in both slots.
    package func file(uuid: [UInt8], key: SymmetricKey) -> [UInt8] {
        TwoSlots.file(slot(uuid: uuid, key: key))
    }

    /// Reads a file; nothing when no slot of it is this keybag's.
    package init?(_ file: [UInt8], uuid: [UInt8], key: SymmetricKey) {
        if file.count == Self.firstVersionByteCount {
            guard let first = Self.first(file, key) else { return nil }
            self = first
            return
        }
        let slots = TwoSlots.contents(
            file, byteCount: Self.signedByteCount, version: Self.version, key: key)
        guard let slot = slots.last(where: { $0[12...].elementsEqual(uuid) }) else { return nil }
        self.init(sequence: TwoSlots.number(slot, 4), failures: TwoSlots.number(slot, 8))
    }

    /// Version 1: u32 1, u32 failures, 32 bytes HMAC-SHA-256; one of it, replaced as a whole.
    private static func first(_ file: [UInt8], _ key: SymmetricKey) -> Self? {
        guard Cryptography.isAuthentic(file[8...], for: file[..<8], using: key),
            TwoSlots.number(file, 0) == firstVersion
        else { return nil }
        return Self(sequence: 0, failures: TwoSlots.number(file, 4))
    }
}
