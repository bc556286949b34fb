// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto

/// The tag of the signature, always the last one.
private let signatureTag = "SIGN"

/// Writes tagged values.
struct TagWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ tag: String, _ value: UInt32) {
        self.value(tag, Self.bigEndian(value))
    }

    mutating func value(_ tag: String, _ value: [UInt8]) {
        bytes += tag.utf8
        bytes += Self.bigEndian(UInt32(truncatingIfNeeded: value.count))
        bytes += value
    }

    /// All of it, and the signature over it.
    consuming func signed(_ signingKey: SymmetricKey) -> [UInt8] {
        value(signatureTag, Cryptography.authenticate(bytes, using: signingKey))
        return bytes
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}

/// Reads tagged values in the order in which they must come.
struct TagReader {
    static let signatureByteCount = 32
    static let signatureRecordByteCount = 8 + signatureByteCount

    private let bytes: [UInt8]
    private var offset = 0

    /// Begins to read what another key signed: the caller compares the signature.
    init(_ bytes: [UInt8], byteCountLimit: Int) throws(KeybagError) {
        guard bytes.count <= byteCountLimit, bytes.count >= Self.signatureRecordByteCount else {
            throw .wrongByteCount(bytes.count)
        }
        self.bytes = bytes
    }

    /// Begins to read; the signature comes first.
    init(
        signed bytes: [UInt8], byteCountLimit: Int, signingKey: SymmetricKey
    ) throws(KeybagError) {
        try self.init(bytes, byteCountLimit: byteCountLimit)
        let signedByteCount = bytes.count - Self.signatureRecordByteCount
        guard
            Cryptography.isAuthentic(
                bytes.suffix(Self.signatureByteCount), for: bytes[..<signedByteCount],
                using: signingKey)
        else { throw .badSignature }
    }

    /// Nothing but the signature is left.
    mutating func finish() throws(KeybagError) {
        _ = try value(
            signatureTag, byteCount: Self.signatureByteCount...Self.signatureByteCount)
        guard offset == bytes.count else { throw .trailingBytes }
    }

    mutating func value(
        _ tag: String, byteCount: ClosedRange<Int>
    ) throws(KeybagError) -> [UInt8] {
        guard bytes.count - offset >= 8 else { throw .truncated }
        guard bytes[offset..<offset + 4].elementsEqual(tag.utf8) else { throw .tagExpected(tag) }
        let length = bytes[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
        guard byteCount.contains(length) else { throw .wrongLength(tag) }
        guard bytes.count - offset - 8 >= length else { throw .truncated }
        let start = offset + 8
        offset = start + length
        return [UInt8](bytes[start..<offset])
    }

    /// Whether the next value has this tag.
    func hasNext(_ tag: String) throws(KeybagError) -> Bool {
        guard bytes.count - offset >= 8 else { throw .truncated }
        return bytes[offset..<offset + 4].elementsEqual(tag.utf8)
    }

    mutating func number(_ tag: String) throws(KeybagError) -> UInt32 {
        try value(tag, byteCount: 4...4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func expect(_ tag: String, _ expected: UInt32) throws(KeybagError) {
        guard try number(tag) == expected else { throw .wrongValue(tag) }
    }
}
