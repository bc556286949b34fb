// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
package import IPC

/// Directories that only this user can enter.
package enum PrivateDirectory {
    /// Makes a directory with mode 0700 if there is none, then checks it.
    /// - Throws: ``SupervisionError`` when it belongs to another user, other users can enter it, or
    ///   it is no directory (a link to one counts as none).
    package static func prepare(_ path: String) throws(SupervisionError) {
        if unsafe mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw .directoryUnusable(path, SystemError("mkdir"))
        }
        try check(path)
    }

    /// Makes the missing directories above a path.
    package static func prepareParents(of path: String) throws(SupervisionError) {
        let parent = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true)
        } catch { throw .directoryUnusable(parent, SystemError("mkdir", errno: ENOENT)) }
    }

    /// Checks that a path is a directory of this user that other users can't enter.
    package static func check(_ path: String) throws(SupervisionError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            throw .directoryUnusable(path, SystemError("stat"))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notADirectory(path) }
        guard status.st_uid == geteuid() else {
            throw .directoryNotOurs(path, owner: status.st_uid)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .directoryNotPrivate(path, mode: status.st_mode & 0o7777)
        }
    }

    /// Takes the lock of a directory. It is held until the descriptor is closed, so at most until
    /// the process ends.
    /// - Returns: Nil when another process has it, or removed it with its directory.
    /// - Throws: ``SupervisionError/directoryUnusable(_:_:)`` when no process could take it: the
    ///   directory can't be written, or the disk is full.
    package static func lock(_ path: String) throws(SupervisionError) -> Descriptor? {
        let raw = unsafe llavero_open(
            path + "/supervisor.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else {
            if errno == ENOENT { return nil }
            throw .directoryUnusable(path, SystemError("open"))
        }
        let file = Descriptor(owning: raw)
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw .directoryUnusable(path, SystemError("flock"))
        }
        // Locked, but the previous holder may have removed it in between.
        var status = stat()
        guard unsafe fstat(raw, &status) == 0, status.st_nlink > 0 else { return nil }
        return file
    }
}
