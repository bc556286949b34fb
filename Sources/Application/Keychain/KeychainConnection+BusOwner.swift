// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
package import SecurityWire

extension KeychainConnection {
    /// Reports what a process of this program's user is to the Secret Service: whose the secrets are
    /// that it stores, and which it reaches.
    /// - Throws: ``FailureReason/notRepresented`` for a process that isn't there, or isn't the user's.
    package func busOwner(ofProcess process: Int32) throws(KeychainError) -> Representation {
        // What there is to prove is proven with the first request.
        _ = try callerIdentity()
        let raw = llavero_pidfd_open(process)
        guard raw >= 0 else {
            throw KeychainError(status: SecurityStatus.param, reason: .notRepresented)
        }
        let descriptor = Descriptor(owning: raw)
        let reply = try read(.busOwner, attaching: descriptor.rawValue)
        guard case .represented(let representation) = reply else { throw .unreachable }
        return representation
    }
}
