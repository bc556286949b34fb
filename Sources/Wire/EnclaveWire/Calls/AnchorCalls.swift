// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A request is the number of a commit, and so is its reply.

extension EnclaveClient {
    /// Makes the enclave record a commit of the user's database, unless a later one is recorded
    /// already.
    /// - Parameters:
    ///   - commit: The commit's number; 0 only asks.
    ///   - userID: The user.
    ///   - binds: Whether to increment the device key's counter: no earlier state of the enclave's
    ///     files is valid afterwards, if the device key has a counter.
    /// - Returns: The latest recorded commit; 0 when there is none.
    /// - Throws: `undecodable` when the record is damaged; or that the call failed.
    package mutating func anchor(
        _ commit: UInt64, userID: UInt32, binds: Bool = false
    ) throws(EnclaveCallError) -> UInt64 {
        switch try call(binds ? .bindAnchor(commit) : .anchor(commit), userID: userID) {
        case .anchored(let commit): return commit
        case let reply: throw link.unexpected(reply)
        }
    }
}
