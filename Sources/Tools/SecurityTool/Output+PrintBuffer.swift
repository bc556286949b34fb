// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecurityWire

// The two ways in which macOS prints bytes. Source: macOS's security, as observed.

extension Output {
    private static let upperDigits = [UInt8]("0123456789ABCDEF".utf8)
    private static let lowerDigits = [UInt8]("0123456789abcdef".utf8)

    /// Prints bytes as an attribute's value: `"text"`, or `0xHEX` with the text after it, in which
    /// bytes that aren't printable are `\ooo`. No bytes print nothing.
    mutating func putBuffer(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        let backslash = UInt8(ascii: "\\")
        if unsafe bytes.allSatisfy({ Self.isPrintable($0) && $0 != backslash }) {
            unsafe putQuoted(bytes)
            return
        }
        put("0x")
        unsafe putHex(bytes, Self.upperDigits)
        put(" ")
        if unsafe bytes.contains(where: Self.isPrintable) {
            put(" ")
            unsafe putQuoted(bytes)
        }
    }

    /// Prints bytes as ``putBuffer(_:)-(UnsafeRawBufferPointer)`` does.
    mutating func putBuffer(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe putBuffer($0) }
    }

    /// Prints a secret alone: unchanged if every byte is printable ASCII, else in lower-case hex.
    mutating func putSecret(_ bytes: UnsafeRawBufferPointer) {
        if unsafe bytes.allSatisfy(Self.isPrintable) {
            unsafe put(bytes)
        } else {
            unsafe putHex(bytes, Self.lowerDigits)
        }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    private mutating func putQuoted(_ bytes: UnsafeRawBufferPointer) {
        put(UInt8(ascii: "\""))
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            if Self.isPrintable(byte), byte != UInt8(ascii: "\\") {
                put(byte)
            } else {
                put(UInt8(ascii: "\\"))
                for shift in [6, 3, 0] { put(UInt8(ascii: "0") + (byte >> shift & 7)) }
            }
        }
        put(UInt8(ascii: "\""))
    }

    private mutating func putHex(_ bytes: UnsafeRawBufferPointer, _ digits: [UInt8]) {
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            put(digits[Int(byte >> 4)])
            put(digits[Int(byte & 15)])
        }
    }
}
