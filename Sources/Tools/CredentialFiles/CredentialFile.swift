// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// The content of a file of credentials.
package struct CredentialFile: Sendable {
    /// The logins, in the file's order.
    package var logins: [FileLogin] = []
    /// Valid entries that can't be an item of one server.
    package var omissions: [Omission] = []
    /// How many lines the file has.
    package var lineCount = 0

    /// The maximum size of a file.
    package static let byteLimit = 16 * 1024 * 1024
    /// The maximum number of logins of a file.
    package static let loginLimit = 100_000
    /// The maximum size of one value; git has the same limit.
    package static let valueByteLimit = 65_535

    /// An entry that is left out.
    package struct Omission: Equatable, Sendable {
        /// Its first line, from 1.
        package let line: Int
        package let reason: Reason

        package init(line: Int, reason: Reason) {
            self.line = line
            self.reason = reason
        }

        /// Why; the end of a sentence, without any part of the file's content.
        package enum Reason: String, Sendable {
            /// netrc's login for all other machines.
            case anyServer = "the entry for any other machine belongs to no server"
            /// A login without a password.
            case noPassword = "the entry has no password"
            /// A URL without a host, such as a certificate's passphrase.
            case noServer = "the URL names no host"
            /// A protocol that the keychain has no code for.
            case unknownProtocol = "the keychain has no such protocol"
        }
    }

    mutating func add(_ login: FileLogin) throws(BadLine) {
        guard logins.count < Self.loginLimit else {
            throw BadLine(login.line, .tooManyLogins)
        }
        logins.append(login)
    }
}

/// One login of a file.
package struct FileLogin: Sendable {
    /// Its first line, from 1.
    package let line: Int
    /// The host, as written; an IPv6 address has no brackets.
    package let server: String
    /// The user; empty if the file has none.
    package let account: String
    /// Four characters, as in `kSecAttrProtocol`; nil if the file has none.
    package let networkProtocol: String?
    /// 0 if the file has none.
    package let port: Int
    /// Without the slash that begins it; empty if there is none.
    package let path: String
    /// The password.
    package let secret: Secret
}

/// An invalid line. The error never contains any of the file's content, which may be a password.
package struct BadLine: Error, Equatable, Sendable {
    /// From 1.
    package let line: Int
    package let reason: Reason

    init(_ line: Int, _ reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// Why; the end of a sentence.
    package enum Reason: String, CaseIterable, Sendable {
        case tooManyLogins = "the file has over 100000 logins"
        case tooLong = "a value has over 65535 bytes"
        case nul = "there is a NUL byte"
        case notText = "a name isn't UTF-8, or has a control character"
        case noKeyword =
            "a word that is no keyword; a password with a space must be in double quotes"
        case noValue = "nothing follows a keyword"
        case noMachine = "a keyword before any machine"
        case twice = "the entry has two values of one kind"
        case openQuote = "a double quote that isn't closed on its line"
        case joinedQuote = "a word begins right after a closing quote"
        case badPort = "the port is neither a number from 1 to 65535 nor a protocol's name"
        case noURL = "this is no URL"
        case noCredential =
            "the URL has no user and password; / ? # @ : within them must be percent-encoded"
        case badHost = "the URL's host can't be one"
        case newline = "a value has a line feed"
    }
}
