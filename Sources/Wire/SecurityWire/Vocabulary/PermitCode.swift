// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A code with which root lets one user of the system service set a first passcode, once. 16 random
/// symbols of 5 bits: nobody guesses it, so wrong ones aren't counted. A program of the user could
/// otherwise use a count up.
///
/// The symbols are those of a recovery code. Root's file has a digest of the code (STORAGE.md).
public struct PermitCode: Equatable, Sendable {
    /// How long the text of one is at most, with hyphens and spaces that a person adds.
    package static let textByteLimit = 64
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let symbolCount = 16
    private static let groupCount = 4

    private let symbols: [Character]

    /// A new one.
    package static func random() -> PermitCode {
        var generator = SystemRandomNumberGenerator()
        return PermitCode(
            symbols: (0..<symbolCount).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            })
    }

    private init(symbols: [Character]) { self.symbols = symbols }

    /// Reads a code; case, spaces and hyphens don't count. O counts as 0, and I and L as 1.
    /// - Returns: Nil when it isn't one.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.textByteLimit else { return nil }
        var symbols: [Character] = []
        for character in text.uppercased() where !"- \r\n".contains(character) {
            let symbol: Character =
                switch character {
                case "O": "0"
                case "I", "L": "1"
                default: character
                }
            guard Self.alphabet.contains(symbol) else { return nil }
            symbols.append(symbol)
        }
        guard symbols.count == Self.symbolCount else { return nil }
        self.symbols = symbols
    }

    /// In groups of four with hyphens between.
    public var text: String {
        stride(from: 0, to: symbols.count, by: Self.groupCount).map {
            String(symbols[$0..<$0 + Self.groupCount])
        }.joined(separator: "-")
    }

    /// Of what root's file has the SHA-256 digest.
    package func digestInput(userID: UInt32) -> [UInt8] {
        [UInt8]("llavero permit 1 \(userID) \(String(symbols))".utf8)
    }
}
