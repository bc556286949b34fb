// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecurityWire

/// What of a device only its administrator decides.
package enum Administration: Sendable {
    /// The device is the user's own.
    case user
    /// All users of a machine share the service. A program that sets the first passcode can lock a user
    /// out of his keychain, so root permits it: `permits` says whether root gave the user this code, and
    /// uses it up. The device key is everybody's.
    case root(
        permits: @Sendable (_ userID: UInt32, _ code: String) -> Bool,
        /// The user of `llavero-session`, who may lock every user; nil when there is none.
        locker: UInt32? = nil)

    private static let root: UInt32 = 0

    /// - Parameters:
    ///   - operation: What is asked for.
    ///   - userID: Whose keychain it concerns.
    ///   - permit: The code that came with the request; may be empty.
    ///   - isPasscodeSet: Whether the user has a passcode.
    /// - Throws: ``DaemonError/administratorNeeded``; what `isPasscodeSet` throws.
    func authorize(
        _ operation: PasscodeOperation, of userID: UInt32, permit: String,
        isPasscodeSet: () throws(DaemonError) -> Bool
    ) throws(DaemonError) {
        guard case .root(let permits, _) = self, userID != Self.root else { return }
        switch operation {
        case .set:
            guard permits(userID, permit) else { throw .administratorNeeded }
        case .makeRecoveryCode:
            // With a passcode, enclaved asks for that.
            guard try isPasscodeSet() || permits(userID, permit) else {
                throw .administratorNeeded
            }
        case .migrate: throw .administratorNeeded
        case .unlock, .change, .remove, .configure, .makeEscrow, .reset, .acceptRollback,
            .recover, .bindRegisters, .addProtector, .removeProtector, .unlockByProtector,
            .testProtector:
            return
        }
    }

    /// Decides whose device a user may lock. Nobody unlocks another's.
    /// - Throws: ``DaemonError/administratorNeeded``. Nothing else.
    func authorizeLock(of subject: LockSubject, by userID: UInt32) throws(DaemonError) {
        guard subject != .caller else { return }
        guard case .root(_, let locker) = self, userID == locker else {
            throw .administratorNeeded
        }
    }
}
