// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The kind of an item. Raw values are Apple's `kSecClass…` strings.
public enum ItemClass: String, CaseIterable, Sendable {
    /// A password, token or other secret of an application.
    case genericPassword = "genp"
    /// A password for a server.
    case internetPassword = "inet"
    /// An X.509 certificate.
    case certificate = "cert"
    /// A cryptographic key.
    case key = "keys"
    /// A certificate with its private key.
    case identity = "idnt"

    /// The number on the wire: 1 … 5.
    package var wireValue: UInt32 {
        switch self {
        case .genericPassword: 1
        case .internetPassword: 2
        case .certificate: 3
        case .key: 4
        case .identity: 5
        }
    }

    /// The class of a number on the wire.
    package init?(wireValue: UInt32) {
        guard let match = Self.allCases.first(where: { $0.wireValue == wireValue }) else {
            return nil
        }
        self = match
    }
}
