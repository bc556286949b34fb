// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Enclave
import Glibc
package import IPC
package import SecretBytes

/// Why the enclave's directory or a file in it can't be used.
package enum StateDirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A call failed on a file; the directory itself is ".".
    case failed(file: String, SystemError)
    /// Another user owns it, or other users may enter it.
    case notPrivate
    /// Another enclaved uses it.
    case inUse
    /// Not a regular file of this user.
    case notOurs(file: String)
    /// Larger or smaller than allowed.
    case wrongSize(file: String)
    /// There are keybags, but their device key is missing.
    case deviceKeyMissing
    /// The content isn't what was written.
    case damaged(file: String)
    /// Two files that should be equal are both intact, and different.
    case differ(file: String, copy: String)
    /// The replacement of files was interrupted: a power cut may bring back the old or the new
    /// ones.
    case outcomeUnknown(file: String, SystemError)

    /// One line.
    package var description: String {
        switch self {
        case .failed(let file, let error): "enclave directory: \(file): \(error)"
        case .notPrivate:
            "enclave directory: must be owned by this user and have mode 0700"
        case .inUse: "enclave directory: in use by another enclaved"
        case .notOurs(let file): "enclave directory: \(file): not a regular file of this user"
        case .wrongSize(let file): "enclave directory: \(file): has the wrong size"
        case .deviceKeyMissing:
            "enclave directory: the device key is missing, but there are keybags that need it"
        case .damaged(let file): "enclave directory: \(file): damaged"
        case .differ(let file, let copy):
            "enclave directory: \(file) and \(copy) differ: keep the right one, move the other away"
        case .outcomeUnknown(let file, let error):
            "enclave directory: \(file): \(error): what is on the disk is not known"
        }
    }
}

/// The enclave's own directory, held open: every file is reached through its descriptor.
package final class StateDirectory: Sendable {
    private static let name = "enclave"

    private let directory: Descriptor
    /// Asked once: later the system call filter forbids the question.
    private let owner = geteuid()

    /// Opens `<state>/enclave`, makes it if it doesn't exist, and locks out other enclaveds.
    /// - Parameter path: The state directory, which exists.
    /// - Throws: when it isn't private to this user, is in use, or can't be opened.
    package init(statePath path: String) throws(StateDirectoryError) {
        let parent = try Self.openDirectory(AT_FDCWD, path)
        if unsafe mkdirat(parent.rawValue, Self.name, 0o700) != 0 && errno != EEXIST {
            throw .failed(file: ".", SystemError("mkdirat"))
        }
        directory = try Self.openDirectory(parent.rawValue, Self.name)
        try Self.checkPrivate(directory.rawValue)
        guard flock(directory.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw .inUse }
    }

    /// Opens a directory for what every user may read.
    /// - Parameter path: The directory, which exists.
    /// - Throws: when it isn't this user's, others can write to it, or it can't be opened.
    package init(publicPath path: String) throws(StateDirectoryError) {
        directory = try Self.openDirectory(AT_FDCWD, path)
        var status = stat()
        guard unsafe fstat(directory.rawValue, &status) == 0 else {
            throw .failed(file: ".", SystemError("fstat"))
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { throw .notPrivate }
    }

    /// For the sandbox, which allows the files below it.
    package var rawValue: Int32 { directory.rawValue }

    private static func openDirectory(
        _ parent: Int32, _ path: String
    ) throws(StateDirectoryError) -> Descriptor {
        let descriptor = unsafe llavero_openat(
            parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .failed(file: ".", SystemError("open")) }
        return Descriptor(owning: descriptor)
    }

    private static func checkPrivate(_ descriptor: Int32) throws(StateDirectoryError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .failed(file: ".", SystemError("fstat"))
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o7777 == 0o700 else {
            throw .notPrivate
        }
    }
}

// MARK: - Reading

extension StateDirectory {
    /// A file's bytes; nil when there is no such file.
    /// - Parameters:
    ///   - name: The file's name in the directory.
    ///   - limit: The file's maximum size.
    /// - Returns: The whole file, or nil.
    /// - Throws: when it can't be read, is too large, or isn't a regular file of this user.
    package func read(_ name: String, limit: Int) throws(StateDirectoryError) -> [UInt8]? {
        guard let secret = try readSecret(name, limit: limit) else { return nil }
        return unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// A file's bytes, straight into pages for secrets.
    package func readSecret(_ name: String, limit: Int) throws(StateDirectoryError) -> Secret? {
        let number = unsafe llavero_openat(
            directory.rawValue, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        guard number >= 0 else {
            guard errno == ENOENT else { throw .failed(file: name, SystemError("open")) }
            return nil
        }
        let file = Descriptor(owning: number)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else {
            throw .failed(file: name, SystemError("fstat"))
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner else {
            throw .notOurs(file: name)
        }
        guard (0...limit).contains(Int(status.st_size)) else { throw .wrongSize(file: name) }
        var bytes = SecretBytes(byteCount: Int(status.st_size))
        try Self.fill(&bytes, from: file, name)
        return Secret(bytes)
    }

    private static func fill(
        _ bytes: inout SecretBytes, from file: borrowing Descriptor, _ name: String
    ) throws(StateDirectoryError) {
        let number = file.rawValue
        try unsafe bytes.withUnsafeMutableBytes { (room) throws(StateDirectoryError) in
            var filled = 0
            while filled < room.count {
                let count = unsafe Glibc.read(
                    number, room.baseAddress.map { unsafe $0 + filled }, room.count - filled)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw .failed(file: name, SystemError("read")) }
                guard count > 0 else { throw .wrongSize(file: name) }
                filled += count
            }
        }
    }

    /// Whether there is a file of this name.
    package func hasFile(_ name: String) throws(StateDirectoryError) -> Bool {
        try hasFile { $0 == name }
    }

    /// Whether there is a file whose name begins with this.
    package func hasFile(prefix: String) throws(StateDirectoryError) -> Bool {
        try hasFile { $0.hasPrefix(prefix) }
    }

    /// The users whose numbers follow a prefix in the names of files.
    func users(withFiles prefix: String) throws(StateDirectoryError) -> Set<UInt32> {
        var users: Set<UInt32> = []
        _ = try hasFile { name in
            if name.hasPrefix(prefix),
                let user = UInt32(name.dropFirst(prefix.count).prefix { $0 != "." })
            {
                users.insert(user)
            }
            return false
        }
        return users
    }

    private func hasFile(
        where isWanted: (String) -> Bool
    ) throws(StateDirectoryError) -> Bool {
        let copy = unsafe llavero_openat(
            directory.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else {
            throw .failed(file: ".", SystemError("open"))
        }
        defer { unsafe closedir(stream) }
        while let entry = unsafe llavero_next_entry_name(UnsafeMutableRawPointer(stream)) {
            let name = unsafe String(cString: entry)
            if isWanted(name) { return true }
        }
        return false
    }
}

// MARK: - Writing

extension StateDirectory {
    /// Replaces a file so that a power cut leaves the old or the new one complete.
    /// - Throws: `outcomeUnknown` when it isn't known which; otherwise the old one is in place.
    package func write(
        _ name: String, _ bytes: [UInt8], mode: UInt32 = 0o600
    ) throws(StateDirectoryError) {
        try write(name, SecretBytes(copying: bytes), mode: mode)
    }

    /// Replaces a file by a secret.
    func write(
        _ name: String, _ bytes: borrowing SecretBytes, mode: UInt32 = 0o600
    ) throws(StateDirectoryError) {
        do throws(StateDirectoryError) {
            try writeNew(name.temporary, bytes, mode: mode)
            try rename(name.temporary, name)
        } catch {
            unsafe unlinkat(directory.rawValue, name.temporary, 0)
            throw error
        }
        try synchronize(afterChanging: name)
    }

    /// Replaces files, and removes those without bytes, in their order.
    ///
    /// Everything that needs disk space is done before the first change. Afterwards the old files'
    /// content is overwritten in place, as far as the disk supports that.
    /// - Throws: `outcomeUnknown` when something may have changed; otherwise all old ones are in
    ///   place.
    package func apply(
        _ changes: [(name: String, bytes: [UInt8]?)]
    ) throws(StateDirectoryError) {
        var old: [Int32] = []
        defer { for descriptor in old { close(descriptor) } }
        var isChanging = false
        do throws(StateDirectoryError) {
            for case (let name, let bytes?) in changes {
                try writeNew(name.temporary, SecretBytes(copying: bytes), mode: 0o600)
            }
            old = changes.compactMap { openToOverwrite($0.name) }
            for (name, bytes) in changes {
                if bytes == nil { try remove(name) } else { try rename(name.temporary, name) }
                isChanging = true
            }
        } catch {
            for (name, _) in changes { unsafe unlinkat(directory.rawValue, name.temporary, 0) }
            guard isChanging, case .failed(let file, let reason) = error else { throw error }
            throw .outcomeUnknown(file: file, reason)
        }
        try synchronize(afterChanging: changes.first?.name ?? ".")
        for descriptor in old { Self.overwrite(descriptor) }
    }

    /// Overwrites a part of a file in place.
    /// - Returns: False when there is no file of this size; nothing has changed then.
    /// - Throws: `outcomeUnknown` when the new bytes may not be durable.
    package func overwrite(
        _ name: String, byteCount: Int, at offset: Int, _ bytes: [UInt8]
    ) throws(StateDirectoryError) -> Bool {
        guard let number = openToOverwrite(name) else { return false }
        let file = Descriptor(owning: number)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else {
            throw .failed(file: name, SystemError("fstat"))
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == owner,
            Int(status.st_size) == byteCount, offset + bytes.count <= byteCount
        else { return false }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { source in
                unsafe pwrite(
                    file.rawValue, source.baseAddress.map { unsafe $0 + written },
                    source.count - written, off_t(offset + written))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .failed(file: name, SystemError("pwrite")) }
            written += count
        }
        guard fdatasync(file.rawValue) == 0 else {
            throw .outcomeUnknown(file: name, SystemError("fdatasync"))
        }
        return true
    }

    func rename(_ source: String, _ target: String) throws(StateDirectoryError) {
        guard unsafe renameat(directory.rawValue, source, directory.rawValue, target) == 0 else {
            throw .failed(file: target, SystemError("rename"))
        }
    }

    func remove(_ name: String) throws(StateDirectoryError) {
        guard unsafe unlinkat(directory.rawValue, name, 0) == 0 || errno == ENOENT else {
            throw .failed(file: name, SystemError("unlink"))
        }
    }

    /// Removes an unfinished file, and overwrites its content. If it also has its final name, which
    /// `create` links before it removes the temporary one, it isn't unfinished, and only the
    /// temporary name is removed.
    func discard(_ name: String) {
        let old = openToOverwrite(name)
        unsafe unlinkat(directory.rawValue, name, 0)
        guard let old else { return }
        defer { close(old) }
        var status = stat()
        guard unsafe fstat(old, &status) == 0, status.st_nlink == 0 else { return }
        Self.overwrite(old)
    }

    /// Removes every unfinished file of a process that ended: no other process writes here.
    package func discardUnfinished() throws(StateDirectoryError) {
        var names: [String] = []
        _ = try hasFile { name in
            if name.hasSuffix("".temporary) { names.append(name) }
            return false
        }
        for name in names { discard(name) }
    }

    func openToOverwrite(_ name: String) -> Int32? {
        let descriptor = unsafe llavero_openat(
            directory.rawValue, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Writes zeros over a file that has no name any more.
    static func overwrite(_ descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        let zeros = [UInt8](repeating: 0, count: 4096)
        var left = Int(status.st_size)
        while left > 0 {
            let count = unsafe Glibc.write(descriptor, zeros, min(left, zeros.count))
            guard count > 0 else { break }
            left -= count
        }
        _ = fdatasync(descriptor)
    }

    /// Makes a file from a secret; never replaces an existing one.
    package func create(
        _ name: String, _ secret: borrowing SecretBytes
    ) throws(StateDirectoryError) {
        let temporary = name.temporary
        defer { unsafe unlinkat(directory.rawValue, temporary, 0) }
        try writeNew(temporary, secret, mode: 0o600)
        guard unsafe linkat(directory.rawValue, temporary, directory.rawValue, name, 0) == 0 else {
            throw .failed(file: name, SystemError("link"))
        }
        guard fsync(directory.rawValue) == 0 else {
            throw .failed(file: ".", SystemError("fsync"))
        }
    }

    /// Writes a new file, never into an existing one, which may have another name, too.
    func writeNew(
        _ name: String, _ bytes: borrowing SecretBytes, mode: UInt32
    ) throws(StateDirectoryError) {
        unsafe unlinkat(directory.rawValue, name, 0)
        let number = unsafe llavero_openat(
            directory.rawValue, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard number >= 0 else { throw .failed(file: name, SystemError("open")) }
        let file = Descriptor(owning: number)
        try Self.writeAll(bytes, to: file.rawValue, name)
        guard fsync(file.rawValue) == 0 else { throw .failed(file: name, SystemError("fsync")) }
    }

    private static func writeAll(
        _ bytes: borrowing SecretBytes, to descriptor: Int32, _ name: String
    ) throws(StateDirectoryError) {
        try unsafe bytes.withUnsafeBytes { (source) throws(StateDirectoryError) in
            var written = 0
            while written < source.count {
                let count = unsafe Glibc.write(
                    descriptor, source.baseAddress.map { unsafe $0 + written },
                    source.count - written)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw .failed(file: name, SystemError("write")) }
                written += count
            }
        }
    }

    func synchronize(afterChanging name: String) throws(StateDirectoryError) {
        guard fsync(directory.rawValue) == 0 else {
            throw .outcomeUnknown(file: name, SystemError("fsync"))
        }
    }
}

extension String {
    /// The name under which a file is written before it takes its place.
    var temporary: String { self + ".new" }
}
