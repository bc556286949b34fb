// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Writes the TPM's layouts: big-endian. Not for secrets: its buffer is an ordinary array.
struct TPMWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }
    mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }
    mutating func raw(_ value: [UInt8]) { bytes += value }
    /// A u16 byte count, then the bytes.
    mutating func sized(_ value: [UInt8]) {
        u16(UInt16(truncatingIfNeeded: value.count))
        bytes += value
    }

    /// The bytes that a closure writes.
    static func bytes(_ body: (inout TPMWriter) -> Void) -> [UInt8] {
        var writer = TPMWriter()
        body(&writer)
        return writer.bytes
    }
}

/// Reads the TPM's layouts from untrusted bytes; never reads past the end.
struct TPMReader: Sendable {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    mutating func u8() throws(TPMFailure) -> UInt8 {
        guard let first = rest.popFirst() else { throw .garbage }
        return first
    }
    mutating func u16() throws(TPMFailure) -> UInt16 {
        UInt16(try u8()) << 8 | UInt16(try u8())
    }
    mutating func u32() throws(TPMFailure) -> UInt32 {
        UInt32(try u16()) << 16 | UInt32(try u16())
    }
    mutating func u64() throws(TPMFailure) -> UInt64 {
        UInt64(try u32()) << 32 | UInt64(try u32())
    }
    mutating func raw(_ count: Int) throws(TPMFailure) -> [UInt8] {
        guard count >= 0, rest.count >= count else { throw .garbage }
        defer { rest = rest.dropFirst(count) }
        return [UInt8](rest.prefix(count))
    }
    /// A u16 byte count, then the bytes.
    mutating func sized(_ limit: Int = 1024) throws(TPMFailure) -> [UInt8] {
        let count = Int(try u16())
        guard count <= limit else { throw .garbage }
        return try raw(count)
    }
    mutating func all() -> [UInt8] {
        defer { rest = [] }
        return [UInt8](rest)
    }
    func finish() throws(TPMFailure) {
        guard rest.isEmpty else { throw .garbage }
    }
}
