// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CredentialFiles
import SecretBytes

/// A login with its password in clear, for comparison.
struct Login: Equatable {
    var server: String
    var account: String
    var secret: [UInt8]
    var networkProtocol: String?
    var port = 0
    var path = ""

    init(
        _ server: String, _ account: String, _ secret: String, networkProtocol: String? = nil,
        port: Int = 0, path: String = ""
    ) {
        self.server = server
        self.account = account
        self.secret = [UInt8](secret.utf8)
        self.networkProtocol = networkProtocol
        self.port = port
        self.path = path
    }

    init(_ login: FileLogin) {
        server = login.server
        account = login.account
        secret = unsafe login.secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        networkProtocol = login.networkProtocol
        port = login.port
        path = login.path
    }
}

/// The result of a parser, for comparison.
struct Parsed: Equatable {
    var logins: [Login]
    var lines: [Int]
    var omissions: [CredentialFile.Omission]
    var lineCount: Int
}

/// The formats.
enum Format: CaseIterable {
    case netrc, gitCredentials

    /// Parses bytes.
    func parse(_ bytes: [UInt8]) throws(BadLine) -> Parsed {
        var content = SecretBytes(byteCount: bytes.count)
        unsafe content.withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes) }
        let file =
            switch self {
            case .netrc: try Netrc.parse(content)
            case .gitCredentials: try GitCredentials.parse(content)
            }
        return Parsed(
            logins: file.logins.map(Login.init), lines: file.logins.map(\.line),
            omissions: file.omissions, lineCount: file.lineCount)
    }

    /// Parses a text.
    func parse(_ text: String) throws(BadLine) -> Parsed { try parse([UInt8](text.utf8)) }
}
