// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
package import SecurityWire

/// The file at a keychain's path. It says which keychain the path means, and has no secret: scripts that
/// test for the file find it. Only programs of the user read and write it, never a daemon.
///
/// `LLVRKEYCHAIN 1`, a newline, the UUID as 32 hexadecimal digits, a newline, and a sentence for people.
package struct KeychainMarker: Equatable, Sendable {
    /// A longer file isn't one.
    package static let byteCountLimit = 1024
    private static let head = [UInt8]("LLVRKEYCHAIN 1\n".utf8)
    private static let note = [UInt8](
        """

        This file marks a keychain of Llavero. The items are in the keychain service, not here: a copy
        of this file is no copy of the keychain. `security delete-keychain` deletes both.

        """.utf8)

    /// The keychain.
    package let id: KeychainID

    /// The marker of a keychain.
    package init(_ id: KeychainID) { self.id = id }

    /// The file's bytes.
    package var content: [UInt8] {
        Self.head + id.uuid.flatMap { [Self.digit($0 >> 4), Self.digit($0 & 15)] } + Self.note
    }

    /// Reads a file's bytes. What follows the UUID's line is for people, and may change.
    /// - Returns: Nil for another file.
    package init?(content: [UInt8]) {
        let end = Self.head.count + 32
        guard content.count <= Self.byteCountLimit, content.count > end,
            content.starts(with: Self.head), content[end] == UInt8(ascii: "\n")
        else { return nil }
        var uuid: [UInt8] = []
        for place in stride(from: Self.head.count, to: end, by: 2) {
            guard let high = Self.value(content[place]), let low = Self.value(content[place + 1])
            else { return nil }
            uuid.append(high << 4 | low)
        }
        guard let id = KeychainID(uuid) else { return nil }
        self.id = id
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Lower case alone: each UUID has one form.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

// MARK: - On the disk

extension KeychainMarker {
    /// Reads the marker at a path, without following a link and without waiting for a fifo's writer.
    /// - Parameters:
    ///   - path: An absolute path, without a zero byte.
    ///   - userID: The user whose file it must be.
    /// - Returns: The marker.
    /// - Throws: `errSecNoSuchKeychain` when there is no file; `errSecInvalidKeychain` for what isn't a
    ///   marker of the user; `errSecIO` for what can't be read.
    package static func read(at path: [UInt8], userID: UInt32) throws(KeychainError)
        -> KeychainMarker
    {
        let raw = unsafe path.withPath {
            unsafe llavero_open(
                $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)
        }
        guard raw >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR, ENAMETOOLONG: throw .noSuchKeychain
            // A link.
            case ELOOP: throw .invalidKeychain
            default: throw .unreadableMarker
            }
        }
        let file = Descriptor(owning: raw)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { throw .unreadableMarker }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == userID,
            status.st_size <= byteCountLimit
        else { throw .invalidKeychain }
        var content = [UInt8](repeating: 0, count: byteCountLimit + 1)
        let count = unsafe pread(file.rawValue, &content, content.count, 0)
        guard count >= 0 else { throw .unreadableMarker }
        guard let marker = KeychainMarker(content: Array(content.prefix(count))) else {
            throw .invalidKeychain
        }
        return marker
    }

    /// Writes the marker to a path. After a crash there is the whole file or none.
    /// - Parameters:
    ///   - path: An absolute path; a file of the user at it is replaced.
    ///   - suffix: Of the file under construction, for this call alone.
    /// - Throws: `errSecWrPerm` for a folder that can't be written, `errSecDiskFull`, `errSecIO`.
    package func write(to path: [UInt8], suffix: [UInt8]) throws(KeychainError) {
        let unfinished = path + suffix
        let raw = unsafe unfinished.withPath {
            unsafe llavero_open(
                $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw .ofMarker(errno) }
        let file = Descriptor(owning: raw)
        let bytes = content
        var failure: Int32 = 0
        let written = unsafe Glibc.write(file.rawValue, bytes, bytes.count)
        if written != bytes.count {
            failure = written < 0 ? errno : ENOSPC
        } else if fsync(file.rawValue) != 0 {
            failure = errno
        } else {
            let isRenamed = unsafe unfinished.withPath { source in
                unsafe path.withPath { target in unsafe rename(source, target) == 0 }
            }
            if !isRenamed { failure = errno }
        }
        guard failure == 0 else {
            _ = unsafe unfinished.withPath { unsafe unlink($0) }
            throw .ofMarker(failure)
        }
        Self.synchronizeFolder(of: path)
    }

    /// Without it a power cut may bring the state before back, which `list-keychains --repair` mends.
    private static func synchronizeFolder(of path: [UInt8]) {
        let end = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        let folder = end == 0 ? [UInt8(ascii: "/")] : Array(path[..<end])
        let raw = unsafe folder.withPath {
            unsafe llavero_open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        guard raw >= 0 else { return }
        let directory = Descriptor(owning: raw)
        _ = fsync(directory.rawValue)
    }

    /// Whether there is something at a path, even a link to nothing.
    package static func exists(at path: [UInt8]) -> Bool {
        var status = stat()
        return unsafe path.withPath { unsafe lstat($0, &status) } == 0
    }

    /// Makes the folder of keychains without a path of their own. Where that fails, the marker says why.
    package static func makeFolder(home: [UInt8]) {
        for folder in ["/Library", "/Library/Keychains"] {
            _ = unsafe (home + [UInt8](folder.utf8)).withPath { unsafe mkdir($0, 0o700) }
        }
    }

    /// Removes the marker at a path, if it is this one.
    package func remove(from path: [UInt8], userID: UInt32) {
        guard let found = try? Self.read(at: path, userID: userID), found == self else { return }
        _ = unsafe path.withPath { unsafe unlink($0) }
        Self.synchronizeFolder(of: path)
    }
}

extension [UInt8] {
    /// Passes the bytes as a C string.
    func withPath<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
        let text = map { CChar(bitPattern: $0) } + [0]
        return unsafe text.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                preconditionFailure("a string with its end has an address")
            }
            return unsafe body(base)
        }
    }
}

extension KeychainError {
    /// No keychain has this path.
    package static let noSuchKeychain = KeychainError(
        status: SecurityStatus.noSuchKeychain, reason: .noSuchKeychain)
    /// The file isn't the marker of a keychain at this path.
    package static let invalidKeychain = KeychainError(
        status: SecurityStatus.invalidKeychain, reason: .invalidKeychain)
    fileprivate static let unreadableMarker = KeychainError(
        status: SecurityStatus.io, reason: .invalidKeychain)

    fileprivate static func ofMarker(_ error: Int32) -> KeychainError {
        let status =
            switch error {
            case EACCES, EPERM, EROFS: SecurityStatus.wrPerm
            case ENOSPC, EDQUOT: SecurityStatus.diskFull
            case ENOENT, ENOTDIR, ENAMETOOLONG: SecurityStatus.noSuchKeychain
            default: SecurityStatus.io
            }
        return KeychainError(status: status, reason: .invalidKeychain)
    }
}
