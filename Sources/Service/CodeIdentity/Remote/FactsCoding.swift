// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// What a front is told of a process, as peerinspector tells it (PROTOCOL.md, "Inspecting").
extension ProcessFacts {
    /// Three paths, and the rest.
    static let byteLimit = 3 * textByteLimit + 64
    /// The longest path that the kernel gives.
    private static let textByteLimit = 4096
    private static let noText = UInt16.max

    private enum Flag {
        static let isTraced: UInt8 = 1
        static let isOfUser: UInt8 = 2
        static let hasProgram: UInt8 = 4
        static let all: UInt8 = isTraced | isOfUser | hasProgram
    }

    /// The bytes.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        append(to: &writer)
        return writer.bytes
    }

    /// Reads all of the bytes.
    /// - Returns: Nil for anything but the facts of a process of this user.
    package init?(decoding bytes: [UInt8], userID: UInt32) {
        let facts = unsafe bytes.withUnsafeBytes { bytes -> ProcessFacts? in
            var reader = unsafe ByteReader(bytes)
            return try? unsafe ProcessFacts(&reader, userID: userID)
        }
        guard let facts else { return nil }
        self = facts
    }

    func append(to writer: inout ByteWriter) {
        writer.u8(
            (isTraced ? Flag.isTraced : 0) | (isOfUser ? Flag.isOfUser : 0)
                | (program == nil ? 0 : Flag.hasProgram))
        writer.u64(program?.device ?? 0)
        writer.u64(program?.inode ?? 0)
        for text in [rootsPath, flatpak, snap] {
            guard let text, text.utf8.count <= Self.textByteLimit else {
                writer.u16(Self.noText)
                continue
            }
            writer.u16(UInt16(text.utf8.count))
            writer.bytes(text.utf8)
        }
        writer.bytes(IdentityCoding.encode(identity))
    }

    /// Reads to the end.
    init(_ reader: inout ByteReader, userID: UInt32) throws(DecodingFailure) {
        let flags = try unsafe reader.u8()
        guard flags & ~Flag.all == 0 else { throw DecodingFailure() }
        let device = try unsafe reader.u64()
        let inode = try unsafe reader.u64()
        let rootsPath = try unsafe Self.text(&reader)
        let flatpak = try unsafe Self.text(&reader)
        let snap = try unsafe Self.text(&reader)
        let rest = try unsafe reader.array(unsafe reader.remaining)
        guard let identity = IdentityCoding.decode(rest, userID: userID) else {
            throw DecodingFailure()
        }
        self.init(identity)
        isTraced = flags & Flag.isTraced != 0
        isOfUser = flags & Flag.isOfUser != 0
        if flags & Flag.hasProgram != 0 { program = ProgramFile(device: device, inode: inode) }
        self.rootsPath = rootsPath
        self.flatpak = flatpak
        self.snap = snap
    }

    private static func text(_ reader: inout ByteReader) throws(DecodingFailure) -> String? {
        let count = try unsafe reader.u16()
        guard count != noText else { return nil }
        guard Int(count) <= textByteLimit,
            let text = String(validating: try unsafe reader.array(Int(count)), as: UTF8.self)
        else { throw DecodingFailure() }
        return text
    }
}
