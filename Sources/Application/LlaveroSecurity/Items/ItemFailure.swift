// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

/// Why a call on items fails, before or after it is sent.
struct ItemFailure: Error {
    /// Which check speaks when several fail: the first of this order. Source: Apple's SecItem, as observed.
    enum Rank: Int, Comparable {
        case accessControl
        case reference
        case authentication
        case filter
        case skippedAuthentication
        case entitlement
        case forbidden
        case itemClass
        case key

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    let status: OSStatus
    let rank: Rank

    init(_ status: OSStatus, _ rank: Rank = .key) {
        self.status = status
        self.rank = rank
    }

    /// Whether this failure speaks before another one. Two of one rank are put in order, too, so
    /// that the answer doesn't depend on the dictionary's.
    func precedes(_ other: ItemFailure) -> Bool {
        rank == other.rank ? status > other.status : rank < other.rank
    }
}

/// Sends a request; what the service or the way to it says is the call's failure.
@discardableResult
func sent<Value>(
    _ request: () throws(KeychainError) -> Value
) throws(ItemFailure) -> Value {
    do throws(KeychainError) { return try request() } catch { throw ItemFailure(error.status) }
}
