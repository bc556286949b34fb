// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes

/// A code that opens a keychain without its device key: 26 random symbols of 5 bits each, and two
/// check symbols. People write it in groups of four.
///
/// The symbols are the digits and the letters except I, L, O and U, in this order. When reading, O
/// counts as 0, and I and L count as 1. The two check symbols are the remainder of the other
/// symbols' number divided by 1021. They detect every single wrong symbol, and every exchange of
/// two symbols.
public struct RecoveryCode: Sendable {
    /// The number of symbols of a code, including the two check symbols.
    public static let symbolCount = 28

    private static let alphabet = [UInt8]("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let keyCount = symbolCount - 2
    private static let modulus = 1021
    private static let groupCount = 4

    /// The first 26, in capitals.
    let symbols: Secret

    private init(symbols: consuming SecretBytes) { self.symbols = Secret(symbols) }

    /// A new one.
    static func random() -> RecoveryCode {
        var bytes = SecretBytes.random(byteCount: keyCount)
        unsafe bytes.withUnsafeMutableBytes { bytes in
            for index in 0..<keyCount { unsafe bytes[index] = alphabet[Int(bytes[index] % 32)] }
        }
        return RecoveryCode(symbols: bytes)
    }

    /// The text of a new one, as a password that nobody guesses: 130 bits.
    package static func generated() -> Secret { random().text }

    /// Reads a code that a person has typed; case, spaces and hyphens don't count.
    /// - Returns: Nil when it isn't a code, or has a mistake.
    public init?(_ text: borrowing SecretBytes) {
        var values = SecretBytes(byteCount: Self.symbolCount)
        var count = 0
        for index in 0..<text.byteCount {
            let character = unsafe text.withUnsafeBytes { unsafe $0[index] }
            if [UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\r")].contains(character) {
                continue
            }
            guard count < Self.symbolCount, let value = Self.value(character) else { return nil }
            let place = count
            unsafe values.withUnsafeMutableBytes { unsafe $0[place] = value }
            count += 1
        }
        guard count == Self.symbolCount else { return nil }
        var remainder = 0
        var check = 0
        var key = SecretBytes(byteCount: Self.keyCount)
        for index in 0..<Self.symbolCount {
            let value = Int(unsafe values.withUnsafeBytes { unsafe $0[index] })
            guard index < Self.keyCount else {
                check = check * 32 + value
                continue
            }
            remainder = (remainder * 32 + value) % Self.modulus
            unsafe key.withUnsafeMutableBytes { unsafe $0[index] = Self.alphabet[value] }
        }
        guard remainder == check else { return nil }
        self.init(symbols: key)
    }

    /// The code in groups of four with hyphens between: 34 bytes.
    public var text: Secret {
        let byteCount = Self.symbolCount + Self.symbolCount / Self.groupCount - 1
        return Secret(unsafe SecretBytes(byteCount: byteCount) { unsafe write(into: $0) })
    }

    private func write(into room: UnsafeMutableRawBufferPointer) {
        var remainder = 0
        var offset = 0
        for index in 0..<Self.symbolCount {
            if index > 0, index.isMultiple(of: Self.groupCount) {
                unsafe room[offset] = UInt8(ascii: "-")
                offset += 1
            }
            var symbol = Self.alphabet[index == Self.keyCount ? remainder / 32 : remainder % 32]
            if index < Self.keyCount {
                symbol = unsafe symbols.bytes.withUnsafeBytes { unsafe $0[index] }
                remainder = (remainder * 32 + Int(Self.value(symbol) ?? 0)) % Self.modulus
            }
            unsafe room[offset] = symbol
            offset += 1
        }
    }

    private static func value(_ character: UInt8) -> UInt8? {
        let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
        switch isSmall ? character - 32 : character {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case let capital: return alphabet.firstIndex(of: capital).map { UInt8($0) }
        }
    }
}
