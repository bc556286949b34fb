// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// A line that a pinentry sends (Assuan protocol, as in Libassuan's manual).
package enum AssuanLine: ~Copyable {
    /// `OK`: the command was carried out.
    case done
    /// `ERR`, with the number of the error.
    case failed(UInt32)
    /// `D`: data, without its escapes.
    case data(SecretBytes)
    /// A status or a comment.
    case remark

    /// The maximum byte count of a line with its end, in both directions.
    package static let byteCountLimit = 1000

    /// Reads a line without its end. Data go straight into locked memory.
    /// - Returns: Nil for anything else: what a pinentry can't send here.
    package static func parse(_ line: UnsafeRawBufferPointer) -> AssuanLine? {
        if unsafe isCommand("OK", line) { return .done }
        if unsafe isCommand("ERR", line) {
            guard line.count > 4 else { return nil }
            let digits = unsafe line[4...].prefix { (0x30...0x39).contains($0) }
            guard let number = UInt32(unsafe String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            return .failed(number)
        }
        if unsafe line.count >= 2 && line[0] == 0x44 && line[1] == 0x20 {
            return unsafe unescaped(UnsafeRawBufferPointer(rebasing: line[2...]))
        }
        if unsafe line.first == 0x23 || isCommand("S", line) { return .remark }
        return nil
    }

    private static func isCommand(_ word: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
        let count = word.utf8CodeUnitCount
        guard line.count >= count else { return false }
        for place in 0..<count where unsafe line[place] != word.utf8Start[place] { return false }
        return unsafe line.count == count || line[count] == 0x20
    }

    private static func unescaped(_ escaped: UnsafeRawBufferPointer) -> AssuanLine? {
        var plain = SecretBytes(byteCount: escaped.count)
        var place = 0
        var count = 0
        while place < escaped.count {
            var byte = unsafe escaped[place]
            place += 1
            if byte == 0x25 {
                guard place + 1 < escaped.count, let high = unsafe digit(escaped[place]),
                    let low = unsafe digit(escaped[place + 1])
                else { return nil }
                byte = high << 4 | low
                place += 2
            }
            let (target, value) = (count, byte)
            unsafe plain.withUnsafeMutableBytes { unsafe $0[target] = value }
            count += 1
        }
        return .data(plain.prefix(count))
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// A command with its end; a longer text is cut. Texts are escaped, so that none ends the line.
    package static func command(_ word: String, _ text: String = "") -> [UInt8] {
        var bytes = Array(word.utf8)
        if !text.isEmpty { bytes.append(0x20) }
        for scalar in text.unicodeScalars {
            var escaped: [UInt8] = []
            for byte in String(scalar).utf8 {
                guard byte < 0x20 || byte == 0x25 || byte == 0x7F else {
                    escaped.append(byte)
                    continue
                }
                let digits = Array("0123456789ABCDEF".utf8)
                escaped += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
            guard bytes.count + escaped.count < byteCountLimit else { break }
            bytes += escaped
        }
        bytes.append(0x0A)
        return bytes
    }
}
