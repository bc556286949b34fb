// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import KeychainVocabulary
package import SecretBytes
package import SecurityWire

// Backups: archives of everything, and what restores them. The service reads and writes the content of
// archives; the caller keeps the files.
extension KeychainConnection {
    /// What is known of the user's backups.
    package func backupStatus() throws(KeychainError) -> BackupStatus {
        guard case .backup(.status(let status)) = try read(.backup(.status)) else {
            throw .unreachable
        }
        return status
    }

    /// Shows that the program may write in the service's state directory, as the owner of a service of
    /// one user and root can.
    /// - Returns: False in the service of a machine, and where the file can't be written.
    package func proveOwner() throws(KeychainError) -> Bool {
        let reply: ReceivedReply
        do throws(KeychainError) { reply = try read(.backup(.challenge)) } catch {
            guard error.reason == .administratorNeeded else { throw error }
            return false
        }
        guard case .backup(.challenge(let nonce, let directory)) = reply else {
            throw .unreachable
        }
        let digits = [UInt8]("0123456789abcdef".utf8)
        let name = nonce.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        let path = directory + [UInt8]("/owner.".utf8) + name
        let raw = unsafe path.withPath {
            unsafe llavero_open(
                $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { return false }
        close(raw)
        do throws(KeychainError) {
            guard case .backup(.done) = try send(.prove(nonce: nonce)) else { throw .unreachable }
            return true
        } catch {
            _ = unsafe path.withPath { unsafe unlink($0) }
            throw error
        }
    }

    /// Sets the backup password: with it archives open on another device.
    /// - Parameters:
    ///   - password: 10 to 1023 bytes.
    ///   - passcode: The device's; empty where none is set, after ``proveOwner()``.
    /// - Throws: ``FailureReason/wrongPasscode``; ``FailureReason/administratorNeeded``;
    ///   ``FailureReason/invalidRequest`` for a password of another length.
    package func setBackupPassword(
        _ password: Secret, passcode: Secret
    ) throws(KeychainError) {
        try change { () throws(KeychainError) in
            .setPassword(
                letter: try sealedForBackup(.setBackupPassword, [passcode, password]))
        }
    }

    /// Removes the backup password. Archives that were made with it still open with it.
    /// - Throws: as ``setBackupPassword(_:passcode:)``; ``FailureReason/wrongState`` without one.
    package func removeBackupPassword(passcode: Secret) throws(KeychainError) {
        try change { () throws(KeychainError) in
            .removePassword(letter: try sealedForBackup(.removeBackupPassword, [passcode]))
        }
    }

    private func change(
        _ call: () throws(KeychainError) -> BackupCall
    ) throws(KeychainError) {
        let reply = try once { () throws(KeychainError) in .backup(try call()) }
        guard case .backup(.done) = reply else { throw .unknownOutcome }
    }

    private func send(_ call: BackupCall) throws(KeychainError) -> ReceivedReply {
        try once { () throws(KeychainError) in .backup(call) }
    }

    // MARK: - Archives

    /// A backup or a restore under way.
    package struct BackupSession: Hashable, Sendable {
        let token: [UInt8]
    }

    /// Begins an archive of everything.
    /// - Returns: The archive's head, which comes first in its file.
    /// - Throws: ``FailureReason/denied`` before ``proveOwner()`` or ``unlock(passcode:)`` on the same
    ///   connection.
    package func beginBackup() throws(KeychainError) -> (session: BackupSession, head: [UInt8]) {
        guard case .backup(.begun(let token, let head)) = try send(.begin) else {
            throw .unreachable
        }
        return (BackupSession(token: token), head)
    }

    /// The next part of an archive.
    /// - Returns: Its bytes, whether they are the last, and what the archive has so far.
    package func readBackup(
        _ session: BackupSession
    ) throws(KeychainError) -> (bytes: [UInt8], isLast: Bool, counts: BackupCounts) {
        guard
            case .backup(.part(let bytes, let isLast, let counts)) = try send(
                .read(session: session.token))
        else { throw .unreachable }
        return (bytes, isLast, counts)
    }

    // MARK: - Restoring

    /// Begins to restore an archive.
    /// - Parameters:
    ///   - head: The archive's.
    ///   - options: What counts where both have an item.
    ///   - password: The backup password; empty for an archive of this device.
    ///   - passcode: The device's; empty where none is set, after ``proveOwner()``.
    /// - Returns: What the archive's parts are given with.
    /// - Throws: ``FailureReason/locked``; ``FailureReason/wrongPasscode`` for passcode and password;
    ///   ``FailureReason/archiveForeign``; ``FailureReason/archiveOlder``;
    ///   ``FailureReason/archiveDamaged``; ``FailureReason/administratorNeeded``.
    package func beginRestore(
        _ head: [UInt8], _ options: RestoreOptions, password: Secret, passcode: Secret
    ) throws(KeychainError) -> BackupSession {
        let reply = try once { () throws(KeychainError) in
            .backup(
                .open(
                    head: head, options,
                    letter: try sealedForBackup(.openBackup, [passcode, password])))
        }
        guard case .backup(.begun(let token, _)) = reply else { throw .unreachable }
        return BackupSession(token: token)
    }

    /// Gives the service the next part of the archive: whole chunks, at most
    /// ``SecurityWire/BackupCall/partByteCount`` bytes.
    package func restore(
        _ part: [UInt8], _ session: BackupSession
    ) throws(KeychainError) {
        guard case .backup(.restored) = try send(.part(session: session.token, part)) else {
            throw .unreachable
        }
    }

    /// Stores everything that was given, in one step.
    /// - Returns: What was done, or in a dry run what would be.
    /// - Throws: ``FailureReason/unknownOutcome``.
    package func finishRestore(
        _ session: BackupSession
    ) throws(KeychainError) -> RestoreCounts {
        guard case .backup(.restored(let counts)) = try send(.finish(session: session.token))
        else { throw .unknownOutcome }
        return counts
    }

    /// Ends a backup or a restore; nothing was changed.
    package func abandon(_ session: BackupSession) {
        _ = try? read(.backup(.abandon(session: session.token)))
    }
}
