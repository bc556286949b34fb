// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Crypto
import Glibc
import IPC
public import SecurityWire

extension KeychainConnection {
    /// Lets a user of the machine set a first passcode within ten minutes, once. Only root can, and
    /// only the system service asks for it.
    /// - Returns: The code that the user gives with the passcode. A new one replaces it.
    /// - Throws: ``FailureReason/administratorNeeded`` unless the caller is root;
    ///   ``FailureReason/unreachable`` when there is no system service;
    ///   ``FailureReason/internalFailure`` when the permit can't be written.
    public func permitFirstPasscode(ofUser userID: UInt32) throws(KeychainError) -> PermitCode {
        guard geteuid() == 0 else {
            throw KeychainError(status: SecurityStatus.authFailed, reason: .administratorNeeded)
        }
        guard let directory = location.permitsDirectory else { throw .unreachable }
        let failure = KeychainError(status: SecurityStatus.io, reason: .internalFailure)
        _ = unsafe mkdir(directory, 0o755)
        let path = "\(directory)/\(userID)"
        _ = unsafe unlink(path)
        let raw = unsafe llavero_open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard raw >= 0 else { throw failure }
        let file = Descriptor(owning: raw)
        let code = PermitCode.random()
        let digest = Array(SHA256.hash(data: code.digestInput(userID: userID)))
        // securityd has a user of its own. The digest tells nobody the code.
        guard fchmod(file.rawValue, 0o644) == 0,
            unsafe Glibc.write(file.rawValue, digest, digest.count) == digest.count
        else { throw failure }
        return code
    }
}
