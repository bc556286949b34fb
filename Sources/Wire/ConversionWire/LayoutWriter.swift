// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes

/// Writes a layout with secrets in it, little-endian: first it counts the bytes, then it fills memory
/// for secrets. So no array has a copy.
@safe struct LayoutWriter {
    /// Nil while it counts.
    private let target: UnsafeMutableRawBufferPointer?
    private var offset = 0

    private init(_ target: UnsafeMutableRawBufferPointer?) { unsafe self.target = target }

    /// The bytes that a closure writes; it runs twice, and must write the same each time.
    static func secret(_ body: (inout LayoutWriter) -> Void) -> Secret {
        var counter = unsafe LayoutWriter(nil)
        body(&counter)
        return Secret(
            unsafe SecretBytes(byteCount: counter.offset) { target in
                var writer = unsafe LayoutWriter(target)
                body(&writer)
            })
    }

    mutating func u8(_ value: UInt8) {
        if let target = unsafe target { unsafe target[offset] = value }
        offset += 1
    }

    mutating func u16(_ value: Int) { integer(UInt64(UInt16(clamping: value)), byteCount: 2) }
    mutating func u32(_ value: UInt32) { integer(UInt64(value), byteCount: 4) }
    mutating func i64(_ value: Int64) { integer(UInt64(bitPattern: value), byteCount: 8) }

    /// A count of 4 bytes, and the bytes.
    mutating func text(_ text: String) {
        u32(UInt32(clamping: text.utf8.count))
        for byte in text.utf8 { u8(byte) }
    }

    /// The same, of a secret.
    mutating func secret(_ secret: Secret) {
        u32(UInt32(clamping: secret.bytes.byteCount))
        unsafe secret.bytes.withUnsafeBytes { bytes in
            if let target = unsafe target {
                unsafe UnsafeMutableRawBufferPointer(
                    rebasing: target[offset..<offset + bytes.count]
                ).copyMemory(from: bytes)
            }
            offset += bytes.count
        }
    }

    /// A byte that says whether it is there, and the secret.
    mutating func optional(_ value: Secret?) {
        u8(value == nil ? 0 : 1)
        if let value { secret(value) }
    }

    private mutating func integer(_ value: UInt64, byteCount: Int) {
        for place in 0..<byteCount { u8(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
    }
}

extension ByteReader {
    /// A count of 4 bytes, and as many bytes of UTF-8.
    mutating func text() throws(DecodingFailure) -> String {
        guard let text = unsafe String(validating: try field(), as: UTF8.self) else {
            throw DecodingFailure()
        }
        return text
    }

    /// A count of 4 bytes, and as many bytes, as a secret.
    mutating func secret() throws(DecodingFailure) -> Secret {
        Secret(unsafe SecretBytes(copying: try field()))
    }

    /// A byte that says whether it is there, and the secret.
    mutating func optional() throws(DecodingFailure) -> Secret? {
        switch try unsafe u8() {
        case 0: nil
        case 1: try unsafe secret()
        default: throw DecodingFailure()
        }
    }

    /// A count of 2 bytes, within the limit of parts.
    mutating func partCount() throws(DecodingFailure) -> Int {
        let count = Int(try unsafe u16())
        guard count <= ConversionLimits.partCount else { throw DecodingFailure() }
        return count
    }

    private mutating func field() throws(DecodingFailure) -> UnsafeRawBufferPointer {
        let count = Int(try unsafe u32())
        guard count <= ConversionLimits.fieldByteCount else { throw DecodingFailure() }
        return try unsafe bytes(count)
    }
}
