// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

/// Whether an issuer, or one of its own issuers among the stored certificates, is in a list.
struct IssuerChain {
    /// How many certificates up the chain is followed. Source: Apple's SecItem, as observed.
    private static let maximumLevelCount = 10

    private let names: Set<[UInt8]>
    private let connection: KeychainConnection
    /// By subject: the issuers of the stored certificates with that subject.
    private var known: [[UInt8]: Set<[UInt8]>] = [:]

    /// A list of normalized names, and where the certificates are.
    init(names: Set<[UInt8]>, connection: KeychainConnection) {
        self.names = names
        self.connection = connection
    }

    /// Whether a normalized name or one above it is in the list.
    mutating func reaches(from issuer: [UInt8]) throws(ItemFailure) -> Bool {
        var level: Set = [issuer]
        var seen = level
        for _ in 0..<Self.maximumLevelCount {
            if !level.isDisjoint(with: names) { return true }
            var next: Set<[UInt8]> = []
            for name in level { next.formUnion(try issuers(of: name)) }
            level = next.subtracting(seen)
            if level.isEmpty { return false }
            seen.formUnion(level)
        }
        return !level.isDisjoint(with: names)
    }

    private mutating func issuers(of subject: [UInt8]) throws(ItemFailure) -> Set<[UInt8]> {
        if let known = known[subject] { return known }
        var query = ItemQuery(.certificate)
        query.attributes[.subject] = .data(subject)
        query.synchronizable = .any
        query.limit = nil
        query.returning = .attributes
        var issuers: Set<[UInt8]> = []
        do throws(KeychainError) {
            for certificate in try connection.find(query) {
                if case .data(let name)? = certificate.attributes[.issuer] { issuers.insert(name) }
            }
        } catch  where error.reason == .absent {
            // The chain ends here.
        } catch { throw ItemFailure(error.status) }
        known[subject] = issuers
        return issuers
    }
}
