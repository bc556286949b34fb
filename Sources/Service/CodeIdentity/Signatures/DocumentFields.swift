// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// Reads the fields of a document from bytes that anybody may have written: little-endian, never
/// past the end, without pointers.
struct DocumentFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

    /// Whether everything has been read.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int) throws(SignatureProblem) -> [UInt8] {
        guard count >= 0, count <= rest.count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The next integer.
    mutating func integer<I: FixedWidthInteger>(_ type: I.Type) throws(SignatureProblem) -> I {
        guard let value = I(littleEndianBytes: try bytes(I.bitWidth / 8)) else { throw .malformed }
        return value
    }

    /// A text with its length, in one byte, before it.
    mutating func shortText() throws(SignatureProblem) -> String {
        let bytes = try bytes(Int(integer(UInt8.self)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// A team identifier.
    mutating func team() throws(SignatureProblem) -> TeamIdentifier {
        let text = String(decoding: try bytes(TeamIdentifier.byteCount), as: UTF8.self)
        guard let team = TeamIdentifier(text) else { throw .malformed }
        return team
    }

    /// Checks that nothing is left.
    func finish() throws(SignatureProblem) {
        guard isAtEnd else { throw .malformed }
    }
}
