// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Writes the fields of a document, little-endian.
struct DocumentBody {
    private(set) var bytes: [UInt8] = []

    mutating func bytes(_ source: some Sequence<UInt8>) { bytes.append(contentsOf: source) }

    mutating func integer(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<value.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            if value.bitWidth > 8 { rest >>= 8 }
        }
    }

    /// At most 255 bytes; what is longer is cut between characters.
    mutating func shortText(_ text: String) {
        var text = text
        while text.utf8.count > 255 { text.removeLast() }
        bytes.append(UInt8(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}
