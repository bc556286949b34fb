// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

/// What of a device only its administrator decides.
package enum Administration: Sendable {
    /// The device is the user's own.
    case user
    /// All users of a machine share the service. A program that sets the first passcode can lock a user out
    /// of his keychain, so root permits it; and the device key is everybody's.
    case root(permitsFirstPasscode: @Sendable (_ userID: UInt32) -> Bool)

    private static let root: UInt32 = 0

    /// - Throws: ``DaemonError/administratorNeeded``. Nothing else.
    func authorize(_ operation: PasscodeOperation, of userID: UInt32) throws(DaemonError) {
        guard case .root(let permitsFirstPasscode) = self, userID != Self.root else { return }
        switch operation {
        case .set:
            guard permitsFirstPasscode(userID) else { throw .administratorNeeded }
        case .migrate: throw .administratorNeeded
        case .unlock, .change, .remove, .configure, .makeEscrow, .reset, .acceptRollback,
            .makeRecoveryCode, .recover, .bindRegisters:
            return
        }
    }
}
