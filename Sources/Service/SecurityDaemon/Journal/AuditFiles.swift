// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// The files of one user's audit log in the state directory.
struct AuditFiles {
    private let directory: String
    private let prefix: String

    /// More than the maximum size of a file; a larger one is not read.
    private static let readLimit = 64 << 20

    init(directory: String, userID: UInt32) {
        self.directory = directory
        prefix = "audit.\(userID)."
    }

    private func path(_ number: UInt32) -> String { directory + "/" + prefix + "\(number)" }

    /// The numbers of the existing files, in ascending order.
    func numbers() throws(SystemError) -> [UInt32] {
        guard let stream = unsafe opendir(directory) else { throw SystemError("opendir") }
        defer { unsafe closedir(stream) }
        var numbers: [UInt32] = []
        while let entry = unsafe llavero_next_entry_name(UnsafeMutableRawPointer(stream)) {
            let name = unsafe String(cString: entry)
            guard name.hasPrefix(prefix), let number = UInt32(name.dropFirst(prefix.count)),
                name == prefix + "\(number)", number > 0
            else { continue }
            numbers.append(number)
        }
        return numbers.sorted()
    }

    /// Deletes them.
    func removeAll() {
        for number in (try? numbers()) ?? [] { unsafe unlink(path(number)) }
    }

    /// Opens a file for reading and writing.
    /// - Throws: also when it isn't a regular file of this user.
    func open(_ number: UInt32) throws(SystemError) -> Descriptor {
        let raw = unsafe llavero_open(
            path(number), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        guard raw >= 0 else { throw SystemError("open") }
        let file = Descriptor(owning: raw)
        let status = try Self.status(file.rawValue)
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw SystemError("open", errno: EPERM)
        }
        return file
    }

    /// All bytes of an open file.
    static func contents(_ file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
        let size = try Int(status(file.rawValue).st_size)
        guard size <= readLimit else { throw SystemError("read", errno: EFBIG) }
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        let raw = file.rawValue
        while filled < size {
            let count = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe pread(
                    raw, room.baseAddress.map { unsafe $0 + filled }, size - filled, off_t(filled))
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("pread") }
            guard count > 0 else { break }
            filled += count
        }
        bytes.removeLast(size - filled)
        return bytes
    }

    /// Writes at an offset; truncates again if it can't write all bytes.
    static func write(
        _ bytes: [UInt8], to file: borrowing Descriptor, at offset: Int
    ) throws(SystemError) {
        let raw = file.rawValue
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { source in
                unsafe pwrite(
                    raw, source.baseAddress.map { unsafe $0 + written }, source.count - written,
                    off_t(offset + written))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let failure = SystemError("pwrite")
                _ = ftruncate(raw, off_t(offset))
                throw failure
            }
            written += count
        }
    }

    /// Truncates a file.
    static func cut(_ file: borrowing Descriptor, to byteCount: Int) throws(SystemError) {
        guard ftruncate(file.rawValue, off_t(byteCount)) == 0 else {
            throw SystemError("ftruncate")
        }
    }

    /// Makes the written bytes durable.
    static func synchronize(_ file: borrowing Descriptor) throws(SystemError) {
        guard fdatasync(file.rawValue) == 0 else { throw SystemError("fdatasync") }
    }

    /// Whether the file is still in the directory and has the expected size.
    static func isIntact(_ file: borrowing Descriptor, byteCount: Int) -> Bool {
        var status = stat()
        return unsafe fstat(file.rawValue, &status) == 0 && status.st_nlink > 0
            && status.st_size == byteCount
    }

    /// Creates a file: it is complete or missing, and durable.
    func begin(_ number: UInt32, _ header: [UInt8]) throws(SystemError) -> Descriptor {
        let temporary = path(number) + ".new"
        unsafe unlink(temporary)
        let raw = unsafe llavero_open(
            temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw SystemError("open") }
        let file = Descriptor(owning: raw)
        do throws(SystemError) {
            try Self.write(header, to: file, at: 0)
            try Self.synchronize(file)
            guard unsafe rename(temporary, path(number)) == 0 else { throw SystemError("rename") }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        try Self.synchronizeDirectory(directory)
        return file
    }

    /// Removes the oldest of the files before `newest` that exceed the limits.
    func prune(before newest: UInt32, byteLimit: Int, countLimit: Int) {
        guard let numbers = try? numbers() else { return }
        var byteCount = 0
        var count = 0
        for number in numbers.reversed() where number < newest {
            var status = stat()
            guard unsafe lstat(path(number), &status) == 0 else { continue }
            byteCount += Int(status.st_size)
            count += 1
            if byteCount > byteLimit || count > countLimit { unsafe unlink(path(number)) }
        }
    }

    /// Makes the directory's list of files durable.
    static func synchronizeDirectory(_ directory: String) throws(SystemError) {
        let raw = unsafe llavero_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard raw >= 0 else { throw SystemError("open") }
        let descriptor = Descriptor(owning: raw)
        guard fsync(descriptor.rawValue) == 0 else { throw SystemError("fsync") }
    }

    private static func status(_ descriptor: Int32) throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
        return status
    }
}

extension SystemError {
    /// Whether the stored file is the cause, and not a lack of system resources.
    var concernsTheFile: Bool {
        [EPERM, EACCES, ELOOP, EISDIR, ENXIO, EFBIG, ENOENT].contains(errno)
    }
}
