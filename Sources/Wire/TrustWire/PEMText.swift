// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Certificates as text (RFC 7468).
package enum PEMText {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    /// Whether bytes begin as DER or BER does. Such a file isn't text, even if a name or a comment in
    /// it has the lines of a block.
    package static func isElement(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        let head = bytes.prefix(2)
        guard head.count == 2, head.first == DERTag.sequence, let length = head.last else {
            return false
        }
        // No text has a byte from 0x80 after a digit.
        return length < 0x80 ? bytes.count == 2 + Int(length) : length <= 0x84
    }

    /// The contents of the blocks with a label, in order. Blocks of other kinds, text between blocks
    /// and blocks that aren't base64 are left out. DER has none.
    /// - Parameters:
    ///   - label: The label, as `CERTIFICATE`.
    ///   - text: The text.
    /// - Returns: The contents, usually DER.
    package static func blocks(_ label: String, in text: [UInt8]) -> [[UInt8]] {
        guard !isElement(text) else { return [] }
        let wanted = Array(label.utf8)
        var found: [[UInt8]] = []
        var content: [UInt8]?
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = trimmed(line)
            if let name = name(line, after: begin) {
                content = name.elementsEqual(wanted) ? [] : nil
            } else if let name = name(line, after: end) {
                if let content, name.elementsEqual(wanted), let bytes = decoded(content) {
                    found.append(bytes)
                }
                content = nil
            } else {
                content?.append(contentsOf: line)
            }
        }
        return found
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
        while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
        return line
    }

    private static func name(
        _ line: ArraySlice<UInt8>, after mark: [UInt8]
    ) -> ArraySlice<UInt8>? {
        guard line.starts(with: mark), line.count >= mark.count + dashes.count,
            line.suffix(dashes.count).elementsEqual(dashes)
        else { return nil }
        return line.dropFirst(mark.count).dropLast(dashes.count)
    }

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, letter) in letters.utf8.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// - Returns: Nil for text that isn't padded base64.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        let padding = text.suffix(2).filter { $0 == 0x3D }.count
        var group: UInt32 = 0
        for (place, letter) in text.enumerated() {
            if place >= text.count - padding {
                guard letter == 0x3D else { return nil }
                group <<= 6
            } else {
                guard let value = values[Int(letter)] else { return nil }
                group = group << 6 | UInt32(value)
            }
            guard place % 4 == 3 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
            group = 0
        }
        bytes.removeLast(padding)
        return bytes
    }

    /// The text of a block.
    package static func block(_ label: String, _ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = "-----BEGIN \(label)-----\n"
        for start in stride(from: 0, to: bytes.count, by: 48) {
            let line = bytes[start..<min(start + 48, bytes.count)]
            for place in stride(from: line.startIndex, to: line.endIndex, by: 3) {
                let group = line[place..<min(place + 3, line.endIndex)]
                let number =
                    group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                    << UInt32(8 * (3 - group.count))
                for digit in 0..<4 {
                    text.append(
                        digit <= group.count
                            ? letters[Int(number >> UInt32(18 - 6 * digit) & 0x3F)] : "=")
                }
            }
            text += "\n"
        }
        return text + "-----END \(label)-----\n"
    }
}
