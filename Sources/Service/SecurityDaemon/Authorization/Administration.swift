// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
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
        locker: UInt32? = nil,
        /// The accounts that keybags were made for; nil where they aren't compared.
        accounts: AccountNames? = nil)

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
        guard case .root(let permits, _, _) = self, userID != Self.root else { return }
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
            .testProtector, .forget, .approve, .supply, .approveByTouch, .configureBiometry,
            .createKeychain, .unlockKeychain, .changeKeychainPassword, .setBackupPassword,
            .removeBackupPassword, .openBackup:
            return
        }
    }

    /// Whose rows the machine's are. A service of one user has no other keybag than the user's: rows
    /// that the device key alone protects are the same in both.
    func machineUserID(of userID: UInt32) -> UInt32 {
        switch self {
        case .user: userID
        case .root: MachineKeybag.userID
        }
    }

    /// Decides who changes what belongs to the machine: root, or the owner of a service of one user.
    /// - Throws: ``DaemonError/administratorNeeded``. Nothing else.
    func authorizeMachine(by userID: UInt32) throws(DaemonError) {
        guard case .root = self, userID != Self.root else { return }
        throw .administratorNeeded
    }

    /// Whether a user need not give the passcode: root in the service of a machine.
    func isExemptFromProof(_ userID: UInt32) -> Bool {
        if case .root = self { userID == Self.root } else { false }
    }

    /// Whether all users of a machine share the service.
    var isOfMachine: Bool { if case .root = self { true } else { false } }

    /// The accounts that keybags were made for.
    var accounts: AccountNames? {
        guard case .root(_, _, let accounts) = self else { return nil }
        return accounts
    }

    /// Refuses an account that has the number of another one, whose keybag it isn't.
    /// - Parameters:
    ///   - userID: Its number.
    ///   - makesKeybag: Whether the request may be the first of a new account.
    /// - Throws: ``DaemonError/administratorNeeded``. Nothing else.
    func admitAccount(of userID: UInt32, makesKeybag: Bool) throws(DaemonError) {
        guard let accounts, userID != Self.root else { return }
        guard accounts.admits(userID) else { throw .administratorNeeded }
        if makesKeybag { accounts.note(userID) }
    }

    /// Decides whose device a user may lock. Nobody unlocks another's.
    /// - Throws: ``DaemonError/administratorNeeded``. Nothing else.
    func authorizeLock(of subject: LockSubject, by userID: UInt32) throws(DaemonError) {
        guard subject != .caller else { return }
        guard case .root(_, let locker, _) = self, userID == locker else {
            throw .administratorNeeded
        }
    }
}
