// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The protocols with a code in the keychain.
package enum NetworkProtocol {
    /// The code of a URL's scheme, as in `kSecAttrProtocol`: 4 characters, some of them spaces.
    /// Source: Apple's SecItem.h.
    /// - Parameter scheme: In any case.
    /// - Returns: Nil for a scheme without one.
    package static func code(ofScheme scheme: some StringProtocol) -> String? {
        codes[scheme.lowercased()]
    }

    private static let codes = [
        "afp": "afp ", "daap": "daap", "ftp": "ftp ", "ftps": "ftps", "http": "http",
        "https": "htps", "imap": "imap", "imaps": "imps", "ipp": "ipp ", "irc": "irc ",
        "ircs": "ircs", "ldap": "ldap", "ldaps": "ldps", "nntp": "nntp", "nntps": "ntps",
        "pop3": "pop3", "pop3s": "pops", "rtsp": "rtsp", "smb": "smb ", "smtp": "smtp",
        "ssh": "ssh ", "telnet": "teln", "telnets": "tels",
    ]
}
