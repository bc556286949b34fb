// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// Writes a layout with secrets in it, little-endian, into memory for secrets.
package struct SecretParts {
    private enum Part {
        case plain([UInt8])
        case secret(Secret)

        var byteCount: Int {
            switch self {
            case .plain(let bytes): bytes.count
            case .secret(let secret): secret.bytes.byteCount
            }
        }
    }

    private var parts: [Part] = []

    /// Nothing yet.
    package init() {}

    /// One byte.
    package mutating func u8(_ value: UInt8) { parts.append(.plain([value])) }

    /// 4 bytes.
    package mutating func u32(_ value: UInt32) {
        var writer = ByteWriter()
        writer.u32(value)
        parts.append(.plain(writer.bytes))
    }

    /// A count of 4 bytes, and the bytes.
    package mutating func object(_ bytes: [UInt8]) {
        u32(UInt32(clamping: bytes.count))
        parts.append(.plain(bytes))
    }

    /// The same, of a secret.
    package mutating func object(_ secret: Secret) {
        u32(UInt32(clamping: secret.bytes.byteCount))
        parts.append(.secret(secret))
    }

    /// All of it.
    package func joined() -> Secret {
        let byteCount = parts.reduce(0) { $0 + $1.byteCount }
        return Secret(
            unsafe SecretBytes(byteCount: byteCount) { target in
                var offset = 0
                for part in parts {
                    let place = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: target[offset..<offset + part.byteCount])
                    switch part {
                    case .plain(let bytes): unsafe place.copyBytes(from: bytes)
                    case .secret(let secret):
                        unsafe secret.bytes.withUnsafeBytes { unsafe place.copyMemory(from: $0) }
                    }
                    offset += part.byteCount
                }
            })
    }
}

extension ByteReader {
    /// A count of 4 bytes, and as many bytes, as a secret.
    mutating func secretObject() throws(DecodingFailure) -> Secret {
        let count = Int(try unsafe u32())
        let source = try unsafe bytes(count)
        return Secret(unsafe SecretBytes(copying: source))
    }

    /// A count of 4 bytes, and as many bytes; no secret.
    mutating func object(limit: Int) throws(DecodingFailure) -> [UInt8] {
        let count = Int(try unsafe u32())
        guard count <= limit else { throw DecodingFailure() }
        return try unsafe array(count)
    }
}
