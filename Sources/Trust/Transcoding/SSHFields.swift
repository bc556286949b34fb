// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Reads and writes OpenSSH's fields: counts are 4 bytes, big-endian (RFC 4251 §5).
struct SSHFields {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func field() -> ArraySlice<UInt8>? {
        guard let count = number(), Int(count) <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    mutating func text() -> String? {
        field().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// A number that isn't negative, without its leading zeros.
    mutating func magnitude() -> [UInt8]? {
        guard let bytes = field(), (bytes.first ?? 0) < 0x80 else { return nil }
        return Array(bytes.drop { $0 == 0 })
    }

    static func encoded(_ field: [UInt8]) -> [UInt8] {
        let count = UInt32(clamping: field.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + field
    }

    static func encoded(magnitude: [UInt8]) -> [UInt8] {
        let bytes = Array(magnitude.drop { $0 == 0 })
        return encoded((bytes.first ?? 0) >= 0x80 ? [0] + bytes : bytes)
    }
}
