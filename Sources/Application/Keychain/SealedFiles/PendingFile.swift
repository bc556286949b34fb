// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import SecretBytes

/// A file without a name, or with a temporary one, until it is complete.
struct PendingFile: ~Copyable {
    private let directory: Descriptor
    private let file: Descriptor
    private let name: String
    private let replaces: Bool
    /// The temporary name, if the file system doesn't support files without a name.
    private var temporaryName: String?
    /// The owning process: a child that drops its copy must not delete the parent's file.
    private let maker = ProcessMark()

    private static let mode: mode_t = 0o600
    /// `O_TMPFILE` without the `O_DIRECTORY` in it: a macro that Swift doesn't import. It has the
    /// same value on all of Linux's current architectures.
    private static let noName: Int32 = 0o20000000 | O_DIRECTORY

    /// Prepares a file beside its target.
    /// - Parameters:
    ///   - path: The target. A symbolic link at this path is replaced, never followed.
    ///   - replaces: Whether to replace a file at this path.
    /// - Returns: The file, empty.
    /// - Throws: ``SealedFileError/exists``; ``SealedFileError/notRegularFile``;
    ///   ``SealedFileError/system(_:)``.
    static func beside(
        _ path: String, replaces: Bool
    ) throws(SealedFileError) -> PendingFile {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let name = String(parts.last ?? "")
        guard !path.utf8.contains(0), !name.isEmpty, name != ".", name != ".." else {
            throw .notRegularFile
        }
        let parent = parts.dropLast().joined(separator: "/")
        let raw = unsafe llavero_open(
            parent.isEmpty ? (parts.count > 1 ? "/" : ".") : parent,
            O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard raw >= 0 else { throw .lastSystemError }
        let directory = Descriptor(owning: raw)
        try examine(name, in: raw, replaces: replaces)
        let hidden = unsafe llavero_openat(raw, ".", noName | O_WRONLY | O_CLOEXEC, mode)
        if hidden >= 0 {
            let file = Descriptor(owning: hidden)
            if canLink(file) { return PendingFile(directory, file, name, replaces, nil) }
        }
        let temporary = newName()
        let named = unsafe llavero_openat(
            raw, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard named >= 0 else { throw .lastSystemError }
        return PendingFile(directory, Descriptor(owning: named), name, replaces, temporary)
    }

    private init(
        _ directory: consuming Descriptor, _ file: consuming Descriptor, _ name: String,
        _ replaces: Bool, _ temporaryName: String?
    ) {
        self.directory = directory
        self.file = file
        self.name = name
        self.replaces = replaces
        self.temporaryName = temporaryName
    }

    deinit {
        guard maker.isThisProcess else { return }
        if let temporaryName { unsafe unlinkat(directory.rawValue, temporaryName, 0) }
    }

    /// The descriptor, for writing.
    var descriptor: Int32 { file.rawValue }

    /// Makes the file durable, and gives it its name atomically.
    mutating func publish() throws(SealedFileError) {
        guard fsync(file.rawValue) == 0 else { throw .lastSystemError }
        if replaces {
            try Self.examine(name, in: directory.rawValue, replaces: true)
            try replace()
        } else {
            try publishAsNew()
        }
        guard fsync(directory.rawValue) == 0 else { throw .lastSystemError }
    }

    private mutating func publishAsNew() throws(SealedFileError) {
        do throws(SealedFileError) { try link(to: name) } catch {
            // On a file system without links, first reserve the name.
            guard temporaryName != nil, [.system(EPERM), .system(EOPNOTSUPP)].contains(error)
            else { throw error }
            let placeholder = unsafe llavero_openat(
                directory.rawValue, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, Self.mode)
            guard placeholder >= 0 else { throw errno == EEXIST ? .exists : .lastSystemError }
            close(placeholder)
            try replace()
        }
    }

    private mutating func replace() throws(SealedFileError) {
        let temporary: String
        if let temporaryName {
            temporary = temporaryName
        } else {
            temporary = Self.newName()
            try link(to: temporary)
            temporaryName = temporary
        }
        guard unsafe renameat(directory.rawValue, temporary, directory.rawValue, name) == 0 else {
            throw .lastSystemError
        }
        temporaryName = nil
    }

    private func link(to name: String) throws(SealedFileError) {
        let result =
            if let temporaryName {
                unsafe linkat(directory.rawValue, temporaryName, directory.rawValue, name, 0)
            } else {
                unsafe linkat(
                    AT_FDCWD, Self.path(file), directory.rawValue, name,
                    AT_SYMLINK_FOLLOW)
            }
        guard result == 0 else { throw errno == EEXIST ? .exists : .lastSystemError }
    }

    private static func examine(
        _ name: String, in directory: Int32, replaces: Bool
    ) throws(SealedFileError) {
        var status = stat()
        guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw .lastSystemError }
            return
        }
        guard replaces else { throw .exists }
        guard [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else { throw .notRegularFile }
    }

    /// A file without a name gets one through /proc.
    private static func canLink(_ file: borrowing Descriptor) -> Bool {
        unsafe access(path(file), F_OK) == 0
    }

    private static func path(_ file: borrowing Descriptor) -> String {
        "/proc/self/fd/\(file.rawValue)"
    }

    private static func newName() -> String {
        ".llavero-" + String(UInt64.random(in: .min ... .max), radix: 16) + ".new"
    }
}
