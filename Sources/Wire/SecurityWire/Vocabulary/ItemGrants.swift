// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// Which programs an item's owner has granted its secret (STORAGE.md, "Grants"). Each entry grants by
/// itself; what has no meaning here is kept, and grants nothing.
package struct ItemGrants: Equatable, Sendable {
    /// The programs of the item's group have the secret only where it is granted to them, too.
    package var withholdsFromGroup = false
    /// Every program of the user has it.
    package var admitsAll = false
    /// Single programs: `TEAM.identifier` of a signed application, or `path:` and the path of one that
    /// only root can replace.
    package var applications: [String] = []
    /// Kinds of programs, as macOS writes them: `apple-tool:`, `unsigned:`, `teamid:TEAM` and others.
    package var partitions: [String] = []

    /// Grants nothing.
    package init() {}

    /// At most so many entries.
    package static let entryLimit = 64
    /// Each of at most so many bytes.
    package static let entryByteLimit = 1024

    /// Whether nothing is granted, nor withheld.
    package var isEmpty: Bool { self == ItemGrants() }

    /// Whether it is within the limits.
    package var isSound: Bool {
        let entries = applications + partitions
        return entries.count <= Self.entryLimit
            && entries.allSatisfy { entry in
                1...Self.entryByteLimit ~= entry.utf8.count && !entry.utf8.contains(0)
            }
    }
}

// MARK: - Coding

extension ItemGrants {
    private enum Kind {
        static let application: UInt8 = 1
        static let partition: UInt8 = 2
    }
    private static let withholdsFlag: UInt8 = 1
    private static let allFlag: UInt8 = 2

    /// The stored form; in changes also of no grants: a byte of flags; for each entry its kind, its byte count (2 bytes) and its UTF-8.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.u8(
            (withholdsFromGroup ? Self.withholdsFlag : 0) | (admitsAll ? Self.allFlag : 0))
        for (kind, entries) in [(Kind.application, applications), (Kind.partition, partitions)] {
            for entry in entries {
                writer.u8(kind)
                writer.u16(UInt16(entry.utf8.count))
                writer.bytes(Array(entry.utf8))
            }
        }
        return writer.bytes
    }

    /// Reads the stored form.
    /// - Throws: ``WireError/malformed`` for anything that ``encoded`` doesn't write.
    init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        self.init()
        do throws(DecodingFailure) {
            var reader = unsafe ByteReader(bytes)
            let flags = try unsafe reader.u8()
            guard flags & ~(Self.withholdsFlag | Self.allFlag) == 0 else {
                throw DecodingFailure()
            }
            withholdsFromGroup = flags & Self.withholdsFlag != 0
            admitsAll = flags & Self.allFlag != 0
            var last: UInt8 = 0
            while unsafe reader.remaining > 0 {
                let kind = try unsafe reader.u8()
                let count = Int(try unsafe reader.u16())
                let text = try unsafe reader.array(count)
                guard kind >= last, let entry = String(validating: text, as: UTF8.self) else {
                    throw DecodingFailure()
                }
                last = kind
                switch kind {
                case Kind.application: applications.append(entry)
                case Kind.partition: partitions.append(entry)
                default: throw DecodingFailure()
                }
            }
        } catch { throw .malformed }
        guard isSound else { throw .malformed }
    }
}
