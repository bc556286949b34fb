// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A request is empty; its reply is the nonce.

extension EnclaveClient {
    /// A nonce for one passcode of this user, valid once, for 60 s.
    package mutating func challenge(userID: UInt32) throws(EnclaveCallError) -> [UInt8] {
        switch try call(.challenge, userID: userID) {
        case .challenge(let nonce): return nonce
        case let reply: throw link.unexpected(reply)
        }
    }
}
