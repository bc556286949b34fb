// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import IPC
import KeychainVocabulary

/// A user's keychains with passwords of their own, in the order of their numbers.
///
/// The file: `LLKEYCH1`; 16 bytes keybag UUID; u16 count, 1 to 1000; the entries. The keybag has its
/// digest, so that a list that was replaced by an older one isn't used: a deleted keychain stays
/// deleted, and an earlier password opens nothing.
package struct KeychainList: Hashable {
    /// The largest file.
    package static let byteCountLimit = 256 * 1024
    private static let magic = [UInt8]("LLKEYCH1".utf8)

    let uuid: [UInt8]
    private(set) var entries: [KeychainEntry] = []

    /// An empty list.
    init(of keybag: Keybag) { uuid = keybag.uuid }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether another one can be added.
    var hasRoom: Bool { entries.count < KeychainLimits.count }

    subscript(number: UInt32) -> KeychainEntry? {
        let place = place(of: number)
        guard place < entries.count, entries[place].number == number else { return nil }
        return entries[place]
    }

    private func place(of number: UInt32) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The list with another one, or with one changed.
    func putting(_ entry: KeychainEntry) -> KeychainList {
        var list = removing(entry.number)
        list.entries.insert(entry, at: list.place(of: entry.number))
        return list
    }

    /// The list without one.
    func removing(_ number: UInt32) -> KeychainList {
        var list = self
        list.entries.removeAll { $0.number == number }
        return list
    }

    // MARK: - Coding

    /// The file's bytes; there is no file of an empty list.
    var file: [UInt8] {
        var bytes = Self.magic + uuid
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: entries.count))
        for entry in entries { bytes += entry.bytes }
        return bytes
    }

    /// What the keybag keeps of it: 32 bytes; nil for an empty list.
    var digest: [UInt8]? { isEmpty ? nil : [UInt8](SHA256.hash(data: file)) }

    /// Reads a file.
    /// - Returns: Nil when it isn't one.
    package init?(_ file: [UInt8]) {
        guard file.count <= Self.byteCountLimit, file.starts(with: Self.magic) else { return nil }
        let parsed = unsafe file.withUnsafeBytes { bytes in
            try? unsafe Self.parse(UnsafeRawBufferPointer(rebasing: bytes[Self.magic.count...]))
        }
        guard let (uuid, entries) = parsed else { return nil }
        self.uuid = uuid
        self.entries = entries
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) throws(DecodingFailure) -> ([UInt8], [KeychainEntry]) {
        var reader = unsafe ByteReader(bytes)
        let uuid = try unsafe reader.array(Keybag.uuidByteCount)
        let count = try unsafe Int(reader.u16())
        guard (1...KeychainLimits.count).contains(count) else { throw DecodingFailure() }
        var entries: [KeychainEntry] = []
        for _ in 0..<count {
            let entry = try unsafe KeychainEntry(&reader)
            if let last = entries.last, last.number >= entry.number { throw DecodingFailure() }
            entries.append(entry)
        }
        try unsafe reader.finish()
        guard Set(entries.map(\.uuid)).count == count else { throw DecodingFailure() }
        return (uuid, entries)
    }
}
