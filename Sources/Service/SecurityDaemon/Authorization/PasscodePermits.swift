// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Crypto
import Foundation
import IPC
import SecurityWire
import Synchronization

/// Root's permits for users to set their first passcode (`security device permit-passcode`): files
/// that only root can make, named by the user's number, each good for ten minutes and one use. A file
/// has a digest of the code that root hands to the user.
package final class PasscodePermits: Sendable {
    private static let seconds = 600

    /// Their directory; root's.
    private let directory: String
    /// Where the digest of the last one that a user has used is kept.
    private let stateDirectory: String
    /// One at a time: a code isn't used twice.
    private let isUsing = Mutex(())

    /// - Parameters:
    ///   - directory: Where root puts them.
    ///   - stateDirectory: Where it is kept which were used.
    package init(directory: String, stateDirectory: String) {
        self.directory = directory
        self.stateDirectory = stateDirectory
    }

    /// Uses up a user's permit.
    /// - Parameters:
    ///   - code: What came with the request.
    ///   - userID: The user.
    /// - Returns: Whether it is the one that root has made, still fresh and not used yet.
    package func use(_ code: String, of userID: UInt32) -> Bool {
        guard let code = PermitCode(code) else { return false }
        return isUsing.withLock { _ in
            guard let digest = freshDigest(of: userID),
                Self.areEqual(digest, SHA256.hash(data: code.digestInput(userID: userID))),
                digest != usedDigest(of: userID)
            else { return false }
            return note(digest, of: userID)
        }
    }

    private func freshDigest(of userID: UInt32) -> [UInt8]? {
        var status = stat()
        guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == 0, status.st_mode & 0o022 == 0
        else { return nil }
        guard let (bytes, file) = Self.read("\(directory)/\(userID)"), file.st_uid == 0 else {
            return nil
        }
        let age = time(nil) - file.st_mtim.tv_sec
        return (0...Self.seconds).contains(age) ? bytes : nil
    }

    // MARK: - One use

    private func usedPath(_ userID: UInt32) -> String { "\(stateDirectory)/permit.\(userID)" }

    private func usedDigest(of userID: UInt32) -> [UInt8]? { Self.read(usedPath(userID))?.bytes }

    /// - Returns: Whether it is durable.
    private func note(_ digest: [UInt8], of userID: UInt32) -> Bool {
        let raw = unsafe llavero_open(
            usedPath(userID), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard raw >= 0 else { return false }
        let file = Descriptor(owning: raw)
        return unsafe pwrite(file.rawValue, digest, digest.count, 0) == digest.count
            && fsync(file.rawValue) == 0
    }

    // MARK: - Files

    /// The digest in a regular file; nil where there is none.
    private static func read(_ path: String) -> (bytes: [UInt8], status: stat)? {
        let raw = unsafe llavero_open(
            path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: SHA256.byteCount)
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == SHA256.byteCount,
            unsafe pread(file.rawValue, &bytes, bytes.count, 0) == bytes.count
        else { return nil }
        return (bytes, status)
    }

    /// In a time that doesn't depend on where they differ.
    private static func areEqual(_ left: [UInt8], _ right: SHA256.Digest) -> Bool {
        zip(left, right).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }
}
