// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import SecurityWire

extension KeychainConnection {
    /// Lets a user of the machine set his first passcode within ten minutes. Only root can, and only
    /// the system service asks for it.
    /// - Throws: ``FailureReason/administratorNeeded`` unless the caller is root;
    ///   ``FailureReason/unreachable`` when there is no system service;
    ///   ``FailureReason/internalFailure`` when the permit can't be written.
    public func permitFirstPasscode(ofUser userID: UInt32) throws(KeychainError) {
        guard geteuid() == 0 else {
            throw KeychainError(status: SecurityStatus.authFailed, reason: .administratorNeeded)
        }
        guard let directory = location.permitsDirectory else { throw .unreachable }
        let failure = KeychainError(status: SecurityStatus.io, reason: .internalFailure)
        _ = unsafe mkdir(directory, 0o755)
        let path = "\(directory)/\(userID)"
        _ = unsafe unlink(path)
        let file = unsafe llavero_open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure }
        close(file)
    }
}
