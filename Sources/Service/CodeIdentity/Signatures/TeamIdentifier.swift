// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a developer team goes by: ten letters and digits, the prefix of its access groups.
package struct TeamIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of the text.
    package static let byteCount = 10
    /// The text.
    package let text: String

    /// Takes an identifier; nil unless it is 10 of `[A-Z0-9]`.
    package init?(_ text: String) {
        let isFine = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard text.utf8.count == Self.byteCount, isFine else { return nil }
        self.text = text
    }

    /// The text.
    package var description: String { text }
    /// How every access group of the team begins.
    package var prefix: String { text + "." }
}
