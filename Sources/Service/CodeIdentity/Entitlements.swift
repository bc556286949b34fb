// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a program was granted, by the names of Apple's entitlements.
package struct Entitlements: Sendable {
    /// The value of one entitlement.
    package enum Value: Equatable, Sendable {
        case text(String)
        case list([Value])
        case flag(Bool)
        /// A number, a dictionary or anything else that no rule about items asks for.
        case other
    }

    private let values: [String: Value]

    /// Takes entitlements; which ones count is decided where they are asked for.
    package init(_ values: [String: Value] = [:]) { self.values = values }

    /// The names of all of them.
    package var names: Set<String> { Set(values.keys) }

    /// What an entitlement has for a value; nil when it is absent.
    package func value(_ name: String) -> Value? { values[name] }

    /// A text; nil when the entitlement is absent or something else.
    package func text(_ name: String) -> String? {
        guard case .text(let text)? = values[name] else { return nil }
        return text
    }

    /// A list of texts. One that holds anything else counts as absent, as a whole.
    package func texts(_ name: String) -> [String]? {
        guard case .list(let list)? = values[name] else { return nil }
        var texts: [String] = []
        for value in list {
            guard case .text(let text) = value else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// Whether a flag is set.
    package func isSet(_ name: String) -> Bool { values[name] == .flag(true) }
}
