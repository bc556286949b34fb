// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes
import SecurityWire

/// A password that the command line brings: itself, or as `--password-fd N` the first line of a
/// descriptor, where other processes don't see it.
struct PasswordOption {
    static let usage = "--password-fd N  The password is the first line of the descriptor N"

    private static let byteLimit = 1024
    private let name: String

    /// Nil when there was none, or it couldn't be read: see ``take(_:)``.
    private(set) var secret: Secret?
    /// Whether it is among the words.
    private(set) var isInWords = false

    /// - Parameter name: Of the long option.
    init(_ name: String = "password-fd") { self.name = name }

    /// Takes a password among the words.
    mutating func takeWord(_ word: Word) { takeWord(Secret(word.secret)) }

    /// Takes one that a word means.
    mutating func takeWord(_ meant: Secret) {
        secret = meant
        isInWords = true
    }

    /// Takes the option `--password-fd N`, which getopt reads as `-` with the argument `password-fd`.
    /// - Returns: False for another option, and for a descriptor without a line.
    mutating func take(_ reader: inout OptionReader) -> Bool {
        guard reader.argument.string == name, let word = reader.takeValue(),
            let descriptor = Int32(word.string), descriptor >= 0,
            let line = Line.readSecret(from: descriptor, limit: Self.byteLimit)
        else { return false }
        secret = Secret(line)
        isInWords = false
        return true
    }

    /// Whoever types a password into the arguments is warned, once.
    func warn(_ session: Session, advice: String) {
        guard isInWords, !session.isInteractive, isatty(STDERR_FILENO) != 0 else { return }
        complain(
            "security: warning: other processes can read a password on the command line; \(advice)"
        )
    }

    /// The same, with the usual advice.
    func warn(_ session: Session) { warn(session, advice: "--\(name) N reads it elsewhere") }
}
