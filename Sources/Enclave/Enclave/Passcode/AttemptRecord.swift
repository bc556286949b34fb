// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto

/// The count of wrong passcodes as it lies on the disk: two slots, so that counting is one write in
/// place.
///
/// A slot: u32 version, u32 sequence, u32 failures, 16 bytes keybag UUID. Version 3 says that each of
/// the failures came from an identified program; version 2, which older ones write too, doesn't.
package struct AttemptRecord: Hashable, Sendable {
    /// One slot.
    package static let slotByteCount = TwoSlots.slotByteCount
    /// Both slots.
    package static let byteCount = TwoSlots.byteCount

    private static let version: UInt32 = 2
    private static let versionOfIdentified: UInt32 = 3
    private static let signedByteCount = 12 + Keybag.uuidByteCount
    private static let firstVersion: UInt32 = 1
    private static let firstVersionByteCount = 40

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
        let isPlain = hasUnidentified || failures == 0
        slot.append(littleEndian: isPlain ? Self.version : Self.versionOfIdentified)
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
        let slots = [Self.version, Self.versionOfIdentified].flatMap { version in
            TwoSlots.contents(
                file, byteCount: Self.signedByteCount, version: version, key: key)
        }.sorted { TwoSlots.number($0, 4) < TwoSlots.number($1, 4) }
        guard let slot = slots.last(where: { $0[12...].elementsEqual(uuid) }) else { return nil }
        self.init(
            sequence: TwoSlots.number(slot, 4), failures: TwoSlots.number(slot, 8),
            hasUnidentified: TwoSlots.number(slot, 0) == Self.version)
    }

    /// Version 1: u32 1, u32 failures, 32 bytes HMAC-SHA-256; one of it, replaced as a whole.
    private static func first(_ file: [UInt8], _ key: SymmetricKey) -> Self? {
        guard Cryptography.isAuthentic(file[8...], for: file[..<8], using: key),
            TwoSlots.number(file, 0) == firstVersion
        else { return nil }
        return Self(sequence: 0, failures: TwoSlots.number(file, 4))
    }
}
