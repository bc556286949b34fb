// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import IPC

/// What ties the enclave's files to the device key's counter: the number that the counter stands at
/// since this was written, and how new each user's anchor was then.
///
/// The record is written before the counter counts up to its number. So a record is the present one
/// if the counter stands at its number, or just before it where a crash came between.
///
/// The file: u32 1, u64 counter, u32 count, of each user u32 user and u32 sequence of the anchor
/// (little-endian), 32 bytes HMAC-SHA-256 over these.
package struct BindingRecord: Hashable, Sendable {
    /// Instead of a sequence: nobody has accepted the user's files since they were put back.
    static let isRefused = UInt32.max

    private static let version: UInt32 = 1
    private static let headByteCount = 16
    private static let macByteCount = 32

    /// The counter's number.
    package var counter: UInt64
    /// By user.
    package var sequences: [UInt32: UInt32]

    /// Makes a record.
    package init(counter: UInt64, sequences: [UInt32: UInt32]) {
        self.counter = counter
        self.sequences = sequences
    }

    /// The file's bytes.
    package func file(key: SymmetricKey) -> [UInt8] {
        var file: [UInt8] = []
        file.append(littleEndian: Self.version)
        file.append(littleEndian: counter)
        file.append(littleEndian: UInt32(truncatingIfNeeded: sequences.count))
        for (user, sequence) in sequences.sorted(by: { $0.key < $1.key }) {
            file.append(littleEndian: user)
            file.append(littleEndian: sequence)
        }
        return file + Cryptography.authenticate(file, using: key)
    }

    /// Reads a file; nothing when it isn't one.
    package init?(_ file: [UInt8], key: SymmetricKey) {
        let end = file.count - Self.macByteCount
        guard end >= Self.headByteCount,
            Cryptography.isAuthentic(file[end...], for: file[..<end], using: key),
            file.integer(UInt32.self, littleEndianAt: 0) == Self.version,
            end == Self.headByteCount + 8 * Int(file.integer(UInt32.self, littleEndianAt: 12))
        else { return nil }
        counter = file.integer(UInt64.self, littleEndianAt: 4)
        sequences = [:]
        for offset in stride(from: Self.headByteCount, to: end, by: 8) {
            let user = file.integer(UInt32.self, littleEndianAt: offset)
            sequences[user] = file.integer(UInt32.self, littleEndianAt: offset + 4)
        }
    }
}
