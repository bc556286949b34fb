// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Why an operation on a sealed file failed.
public enum SealedFileError: Error, Equatable, Sendable {
    /// The part of a file that isn't as it was sealed.
    public enum Part: Equatable, Sendable {
        /// The header, or another key was used.
        case header
        /// A chunk, counted from 0: it was changed, or moved here from another place.
        case chunk(UInt64)
        /// The end: the file was truncated or extended, or its last chunk was changed.
        case end
    }

    /// It isn't a sealed file.
    case notSealed
    /// A newer version made it.
    case newerVersion(UInt16)
    /// The content isn't what was sealed.
    case damaged(Part)
    /// The key can't be read: ``FailureReason/absent`` when its item was deleted, or belongs to
    /// another program; ``FailureReason/locked``; ``FailureReason/keyGone`` when the item exists
    /// but can never be opened again; ``FailureReason/unreachable``; ``FailureReason/denied``.
    case keychain(KeychainError)
    /// The key's item contains something else.
    case badKey
    /// A file with the target's name exists, and the call may not replace it.
    case exists
    /// A directory, a pipe or a device instead of a regular file.
    case notRegularFile
    /// A system call failed; its error number.
    case system(Int32)
    /// An earlier write of the same file failed, or it is finished.
    case ended
    /// The process is a child, made by `fork`, of the one that made the writer, handle or stream,
    /// which only that process can use. Open the file again, or write a new one.
    case otherProcess

    /// The error of the system call that has just failed.
    static var lastSystemError: SealedFileError { .system(errno) }
}

extension SealedFileError {
    /// Runs code that calls the keychain, and converts its errors.
    static func keychain<R>(
        _ body: () throws(KeychainError) -> R
    ) throws(SealedFileError) -> R {
        do throws(KeychainError) { return try body() } catch { throw .keychain(error) }
    }
}
