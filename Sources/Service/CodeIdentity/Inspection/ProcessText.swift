// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Lines of files below `/proc`, read in place: with each connection there are some hundred of them,
/// and making texts of all would take longer than everything else.
struct TextLines {
    private let bytes: [UInt8]
    private var start = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next line, without its end; nil after the last.
    mutating func next() -> ArraySlice<UInt8>? {
        guard start < bytes.count else { return nil }
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        defer { start = end + 1 }
        return bytes[start..<end]
    }
}

/// What stands between spaces and tabs in a line.
struct LineFields {
    private let line: ArraySlice<UInt8>
    private var place: Int

    init(_ line: ArraySlice<UInt8>) {
        self.line = line
        place = line.startIndex
    }

    /// The next field; nil after the last.
    mutating func next() -> ArraySlice<UInt8>? {
        skipSpace()
        let start = place
        while place < line.endIndex, !Self.isSpace(line[place]) { place += 1 }
        return start < place ? line[start..<place] : nil
    }

    /// All that follows, spaces in it included; may be nothing.
    mutating func rest() -> ArraySlice<UInt8> {
        skipSpace()
        defer { place = line.endIndex }
        return line[place...]
    }

    private mutating func skipSpace() {
        while place < line.endIndex, Self.isSpace(line[place]) { place += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension UInt64 {
    /// A number of ASCII digits, with no sign and nothing else; nil for anything that isn't one.
    init?(digits: some Collection<UInt8>, radix: UInt64) {
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            let digit: UInt64
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                digit = UInt64(byte - UInt8(ascii: "a")) + 10
            default: return nil
            }
            let (high, low) = value.multipliedFullWidth(by: radix)
            let (sum, isOver) = low.addingReportingOverflow(digit)
            guard digit < radix, high == 0, !isOver else { return nil }
            value = sum
        }
        self = value
    }
}
