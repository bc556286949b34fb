// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Why something can't be done with a sealed file.
public enum SealedFileError: Error, Equatable, Sendable {
    /// What of a file isn't as it was sealed.
    public enum Part: Equatable, Sendable {
        /// The first bytes, or another key was used.
        case header
        /// A chunk, counted from 0: it was changed, or put in another's place.
        case chunk(UInt64)
        /// The end: the file was cut off or appended to, or its last chunk was changed.
        case end
    }

    /// It isn't a sealed file.
    case notSealed
    /// A newer version made it.
    case newerVersion(UInt16)
    /// It isn't what was sealed.
    case damaged(Part)
    /// The key can't be had: ``FailureReason/absent`` when its item was deleted, or is another
    /// program's; ``FailureReason/locked``; ``FailureReason/keyGone`` when the item is there but can
    /// never be opened again; ``FailureReason/unreachable``; ``FailureReason/denied``.
    case keychain(KeychainError)
    /// The key's item has something else in it than a key.
    case badKey
    /// Something has the target's name, and it wasn't to be replaced.
    case exists
    /// A directory, a pipe or a device where a file must be.
    case notRegularFile
    /// A system call failed; its error number.
    case system(Int32)
    /// An earlier write of the same file failed, or it is finished.
    case ended
    /// The process is a child, made by `fork`, of the one that made the writer, handle or stream:
    /// only that one goes on with it. Open the file anew, or write another one.
    case otherProcess

    /// The error of the call that has just failed.
    static var lastSystemError: SealedFileError { .system(errno) }
}

extension SealedFileError {
    /// Runs what asks the keychain.
    static func keychain<R>(
        _ body: () throws(KeychainError) -> R
    ) throws(SealedFileError) -> R {
        do throws(KeychainError) { return try body() } catch { throw .keychain(error) }
    }
}
