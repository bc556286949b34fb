// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC

/// An output file of a command, which is complete or missing.
///
/// It replaces only a regular file: root may pass a device node by mistake, or a name in a
/// directory that another user can write.
enum OutputFile {
    /// Refuses anything but a regular file.
    /// - Parameter path: There may be no file yet.
    /// - Throws: ``DeveloperDirectory/Failure``, which says what was found and what to do.
    static func examine(_ path: String) throws { _ = try replaceable(path) }

    /// Writes a new file beside the old one and renames it to the old one's name.
    /// - Parameters:
    ///   - bytes: Its content.
    ///   - path: Its name; a regular file there is replaced, and its owner is kept if possible.
    ///   - mode: Its rights. Set-user-ID and set-group-ID are dropped if the owner can't be kept.
    /// - Throws: ``DeveloperDirectory/Failure``; then nothing has changed.
    static func write(_ bytes: [UInt8], _ path: String, mode: mode_t) throws {
        let old = try replaceable(path)
        let temporary = unusedName(beside: path)
        let raw = unsafe open(
            temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw failure(path) }
        let file = Descriptor(owning: raw)
        do {
            try fill(file, bytes, like: old, mode: mode, path)
            // A file that appeared meanwhile isn't replaced either.
            _ = try replaceable(path)
            guard unsafe rename(temporary, path) == 0 else { throw failure(path) }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    private static func fill(
        _ file: borrowing Descriptor, _ bytes: [UInt8], like old: stat?, mode: mode_t,
        _ path: String
    ) throws {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    file.rawValue, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw failure(path)
            }
            done += count
        }
        var mode = mode
        if let old {
            let isOwners = fchown(file.rawValue, old.st_uid, old.st_gid) == 0
            // Otherwise a user's set-user-ID program would become one of root's.
            if !isOwners { mode &= ~(S_ISUID | S_ISGID) }
        }
        guard fchmod(file.rawValue, mode) == 0, fsync(file.rawValue) == 0 else {
            throw failure(path)
        }
    }

    /// An unpredictable name; if a file has it anyway, that isn't opened.
    private static func unusedName(beside path: String) -> String {
        path + "." + String(UInt64.random(in: .min ... .max), radix: 16) + ".new"
    }

    /// - Returns: The status of the regular file there; nil when there is none.
    private static func replaceable(_ path: String) throws -> stat? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(path) }
            return nil
        }
        let kind: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status
        case S_IFLNK:
            throw DeveloperDirectory.Failure(
                "\(path) is a symbolic link, which is never replaced or followed; "
                    + "name the file that it points to, or remove it")
        case S_IFDIR: kind = "a directory"
        case S_IFIFO: kind = "a FIFO"
        case S_IFSOCK: kind = "a socket"
        default: kind = "a device"
        }
        throw DeveloperDirectory.Failure(
            "\(path) is \(kind); only a regular file is replaced: name another one")
    }

    private static func failure(_ path: String) -> DeveloperDirectory.Failure {
        DeveloperDirectory.Failure(
            "\(path) can't be written: \(unsafe String(cString: strerror(errno)))")
    }
}
