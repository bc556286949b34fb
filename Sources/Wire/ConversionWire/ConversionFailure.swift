// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why a file isn't read or written. It has nothing of the file's content.
package struct ConversionFailure: Error, Equatable, Sendable {
    /// The kind of a failure. The numbers are on the wire.
    package enum Reason: UInt8, CaseIterable, Sendable {
        /// The file is encrypted, and there is neither a password nor a key file.
        case passwordNeeded = 1
        /// The password or the key file is another one. A few bytes of an old KeePass file or of
        /// Bitwarden's can't be told from the password: the salt, the rounds.
        case passwordWrong = 2
        /// The file has no known format, or another one than was asked for.
        case unknownFormat = 3
        /// An algorithm, a version or an encryption that isn't supported.
        case unsupported = 4
        /// It was changed or cut off.
        case damaged = 5
        /// It is over a limit, which the failure names.
        case overLimit = 6
        /// A line has another number of columns than the first one.
        case wrongColumnCount = 7
        /// A byte that isn't UTF-8, or a zero byte.
        case invalidText = 8
        /// A quote where none may be, one that isn't closed, or a carriage return alone.
        case badQuote = 9
        /// A column is there twice.
        case columnTwice = 10
        /// A document type or an entity of XML.
        case entity = 11
        /// A path of an archive that leads out of it, or an entry that isn't a file.
        case badPath = 12
        /// It failed for no fault of the file.
        case failed = 13
    }

    package let reason: Reason
    /// The line of the file, from 1; 0 where there are none.
    package let line: UInt32
    /// With ``Reason/overLimit``, which one.
    package let limit: ConversionLimit?

    /// A failure, at a line.
    package init(_ reason: Reason, line: Int = 0) {
        self.reason = reason
        self.line = UInt32(clamping: line)
        limit = nil
    }

    /// A file is over a limit.
    package init(over limit: ConversionLimit, line: Int = 0) {
        reason = .overLimit
        self.line = UInt32(clamping: line)
        self.limit = limit
    }
}
