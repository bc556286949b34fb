// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A policy by which a chain is judged. All policies of a question must hold.
package struct TrustPolicy: Equatable, Sendable {
    /// The kinds, with their numbers on the wire.
    package enum Kind: UInt8, Sendable {
        /// Signatures, dates and constraints alone.
        case basic = 1
        /// A TLS server.
        case sslServer = 2
        /// A TLS client.
        case sslClient = 3
        /// Mail.
        case mail = 4
        /// Signed code.
        case codeSigning = 5
        /// A server that admits to a network.
        case eapServer = 6
        /// A client of such a server.
        case eapClient = 7
        /// IPsec, either side.
        case ipsec = 8
        /// Time stamps.
        case timeStamping = 9
        /// Revocation, beside other policies.
        case revocation = 10
    }

    /// How revocation is checked; Apple's `kSecRevocation…` numbers.
    package struct RevocationFlags: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let ocsp = RevocationFlags(rawValue: 1)
        package static let crl = RevocationFlags(rawValue: 2)
        package static let prefersCRL = RevocationFlags(rawValue: 4)
        package static let requiresPositiveAnswer = RevocationFlags(rawValue: 8)
        package static let noNetwork = RevocationFlags(rawValue: 16)
    }

    /// The kind.
    package var kind: Kind
    /// The names of which the leaf must have one; empty for any name. Hosts or, of mail, addresses.
    package var names: [String]
    /// For a policy of the kind ``Kind/revocation``.
    package var revocation: RevocationFlags

    /// A policy.
    package init(_ kind: Kind, names: [String] = [], revocation: RevocationFlags = []) {
        self.kind = kind
        self.names = names
        self.revocation = revocation
    }
}
