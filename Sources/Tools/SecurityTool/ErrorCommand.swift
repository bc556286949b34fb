// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecurityWire

extension Command {
    /// `security error`: what a status means.
    static let error = Command(
        name: "error", usage: "code...",
        help: "Display a descriptive message for the given error code(s).",
        run: { words, _ in StatusNumber.explain(words) })
}

/// A status, as a person writes it.
private enum StatusNumber {
    /// - Returns: 1 as on macOS: scripts know no other exit status of this command.
    static func explain(_ words: Words) -> Int32 {
        guard words.count > 1 else { return Command.error.usageError() }
        for index in 1..<words.count {
            let word = words[index].string
            guard let status = read(word) else {
                complain("security: error: \(word) isn't a number")
                continue
            }
            Output.write(line(status), to: STDOUT_FILENO)
        }
        return 1
    }

    /// Reads a status.
    /// - Parameter word: Decimal, or hexadecimal after `0x`; either may be negative.
    /// - Returns: Nil for what isn't a number of 32 bits.
    private static func read(_ word: String) -> Int32? {
        let isNegative = word.hasPrefix("-")
        let digits = isNegative ? word.dropFirst() : Substring(word)
        let isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let body = isHex ? digits.dropFirst(2) : digits
        guard body.first?.isHexDigit == true,
            let magnitude = UInt32(body, radix: isHex ? 16 : 10)
        else { return nil }
        let bits = isNegative ? 0 &- magnitude : magnitude
        let status = Int32(bitPattern: bits)
        // A decimal number has its own sign; a hexadecimal one may be a status's bits.
        guard isHex || status == 0 || (status < 0) == isNegative else { return nil }
        return status
    }

    private static func line(_ status: Int32) -> String {
        let hex = String(UInt32(bitPattern: status), radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 8 - hex.count) + hex
        return "Error: 0x\(padded) \(status) \(SecurityStatus.message(for: status))\n"
    }
}
