// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import IPC

/// Something that a TPM keeps outside the enclave's files: what guards a passcode, or a counter.
package struct HeldIndex: Hashable, Sendable {
    /// The part of a TPM's number space that its owner gives out.
    /// Source: TCG registry of reserved handles.
    package static let numbers: ClosedRange<UInt32> = 0x0180_0000...0x01BF_FFFF
    /// Instead of a place: any TPM. What nobody has used yet may be taken away wherever it is.
    package static let anywhere = [UInt8](repeating: 0, count: placeByteCount)
    static let placeByteCount = 32

    /// Whose passcode's it is; nothing for a counter.
    package let user: UInt32?
    /// Its number.
    package let number: UInt32
    /// What tells that TPM from another: 32 bytes.
    package let place: [UInt8]

    /// Names one.
    package init(user: UInt32?, number: UInt32, place: [UInt8]) {
        self.user = user
        self.number = number
        self.place = place
    }

    /// One that is to be made.
    static func chosen(user: UInt32?) -> HeldIndex {
        HeldIndex(user: user, number: .random(in: numbers), place: anywhere)
    }
}

/// What is to be taken out of a TPM, unless it is in use: written before what uses it is replaced, and
/// before it is made for something that isn't stored yet.
///
/// The file: `LLREL1` and two zeros; u32 count, 1 to 64; of each u32 user (all ones: a counter),
/// u32 number, 32 bytes place (little-endian); the first 16 bytes of an HMAC over all that, which
/// tells damage.
package struct ReleaseList: Hashable, Sendable {
    /// More come together only where a TPM is out of reach for ever: the oldest go.
    static let limit = 64
    private static let magic = [UInt8]("LLREL1\0\0".utf8)
    private static let headByteCount = 12
    private static let entryByteCount = 8 + HeldIndex.placeByteCount
    private static let checkByteCount = 16
    private static let checkLabel = [UInt8]("llavero.releases.1".utf8)
    private static let noUser = UInt32.max

    /// The oldest first; none is there twice.
    package private(set) var indexes: [HeldIndex] = []

    /// Makes a list.
    package init(_ indexes: [HeldIndex] = []) { add(indexes) }

    mutating func add(_ more: [HeldIndex]) {
        for index in more where !indexes.contains(index) { indexes.append(index) }
        indexes = indexes.suffix(Self.limit)
    }

    /// The file's bytes; of an empty list there is no file.
    package var file: [UInt8] {
        var file = Self.magic
        file.append(littleEndian: UInt32(indexes.count))
        for index in indexes {
            file.append(littleEndian: index.user ?? Self.noUser)
            file.append(littleEndian: index.number)
            file += index.place
        }
        return file + Self.check(file)
    }

    private static func check(_ bytes: [UInt8]) -> [UInt8] {
        Array(
            Cryptography.authenticate(bytes, using: SymmetricKey(data: checkLabel))
                .prefix(checkByteCount))
    }

    /// Reads a file; nothing when it isn't one.
    package init?(_ file: [UInt8]) {
        let end = file.count - Self.checkByteCount
        guard end > Self.headByteCount, Self.check(Array(file[..<end])) == Array(file[end...]),
            Array(file[..<Self.magic.count]) == Self.magic
        else { return nil }
        let count = Int(file.integer(UInt32.self, littleEndianAt: Self.magic.count))
        guard (1...Self.limit).contains(count),
            end == Self.headByteCount + count * Self.entryByteCount
        else { return nil }
        for offset in stride(from: Self.headByteCount, to: end, by: Self.entryByteCount) {
            let user = file.integer(UInt32.self, littleEndianAt: offset)
            let index = HeldIndex(
                user: user == Self.noUser ? nil : user,
                number: file.integer(UInt32.self, littleEndianAt: offset + 4),
                place: Array(file[(offset + 8)..<(offset + Self.entryByteCount)]))
            guard HeldIndex.numbers.contains(index.number), !indexes.contains(index) else {
                return nil
            }
            indexes.append(index)
        }
    }
}
