// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto

/// The count of wrong passcodes as it lies on the disk: two slots of 512 bytes, written in turn, so
/// that counting is one write in place and a slot that a crash tore leaves the count before it.
///
/// A slot: u32 2, u32 sequence, u32 failures (little-endian), 16 bytes keybag UUID, 32 bytes
/// HMAC-SHA-256 over these, zeros. The later one of those that are whole holds.
package struct AttemptRecord: Hashable, Sendable {
    /// A sector of the oldest disks: what is written whole or not at all.
    package static let slotByteCount = 512
    /// Both slots.
    package static let byteCount = 2 * slotByteCount

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
    package var offset: Int { Int(sequence % 2) * Self.slotByteCount }

    /// The slot's bytes.
    package func slot(uuid: [UInt8], key: SymmetricKey) -> [UInt8] {
        var slot: [UInt8] = []
        slot.append(littleEndian: Self.version)
        slot.append(littleEndian: sequence)
        slot.append(littleEndian: failures)
        slot += uuid
        slot += Cryptography.authenticate(slot, using: key)
        return slot + [UInt8](repeating: 0, count: max(Self.slotByteCount - slot.count, 0))
    }

    /// A file with this slot and an empty one.
    package func file(uuid: [UInt8], key: SymmetricKey) -> [UInt8] {
        let empty = [UInt8](repeating: 0, count: Self.slotByteCount)
        let slot = slot(uuid: uuid, key: key)
        return offset == 0 ? slot + empty : empty + slot
    }

    /// Reads a file; nothing when no slot of it is this keybag's.
    package init?(_ file: [UInt8], uuid: [UInt8], key: SymmetricKey) {
        if file.count == Self.firstVersionByteCount {
            guard let first = Self.first(file, key) else { return nil }
            self = first
            return
        }
        guard file.count == Self.byteCount else { return nil }
        let slots = [file[..<Self.slotByteCount], file[Self.slotByteCount...]].compactMap {
            Self.read([UInt8]($0), uuid, key)
        }
        guard let latest = slots.max(by: { $0.sequence < $1.sequence }) else { return nil }
        self = latest
    }

    private static func read(_ slot: [UInt8], _ uuid: [UInt8], _ key: SymmetricKey) -> Self? {
        let end = signedByteCount + 32
        guard
            Cryptography.isAuthentic(
                slot[signedByteCount..<end], for: slot[..<signedByteCount], using: key),
            number(slot, 0) == version, slot[12..<signedByteCount].elementsEqual(uuid)
        else { return nil }
        return Self(sequence: number(slot, 4), failures: number(slot, 8))
    }

    /// Version 1: u32 1, u32 failures, 32 bytes HMAC-SHA-256; one of it, replaced as a whole.
    private static func first(_ file: [UInt8], _ key: SymmetricKey) -> Self? {
        guard Cryptography.isAuthentic(file[8...], for: file[..<8], using: key),
            number(file, 0) == firstVersion
        else { return nil }
        return Self(sequence: 0, failures: number(file, 4))
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
