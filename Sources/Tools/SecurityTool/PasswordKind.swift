// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// The two kinds of password items: the common parts of their commands, and the differences.
enum PasswordKind {
    case generic, internet

    var itemClass: ItemClass { self == .generic ? .genericPassword : .internetPassword }

    /// The options that name attributes, in the form for `getopt`.
    var options: String { self == .generic ? "a:c:C:D:G:j:l:s:" : "a:c:C:d:D:j:l:p:P:r:s:t:" }

    /// The attributes that identify an item: if all are given, the search uses only them.
    var identifyingAttributes: [Attribute] {
        switch self {
        case .generic: [.account, .service]
        case .internet:
            [
                .account, .securityDomain, .server, .networkProtocol, .authenticationType, .port,
                .path,
            ]
        }
    }

    /// Where the item is used: `-s`.
    var place: Attribute { self == .generic ? .service : .server }

    /// The default of a new item.
    var addedDefaults: ItemAttributes {
        var defaults = ItemAttributes()
        if self == .internet { defaults[.authenticationType] = .text("dflt") }
        return defaults
    }

    /// The prefix of macOS's messages about a new item.
    func addingPlace(_ keychain: String?) -> String {
        self == .generic
            ? "SecKeychainItemCreateFromContent (\(keychain ?? "<default>"))"
            : "SecKeychainAddInternetPassword \(keychain ?? "<NULL>")"
    }

    /// The lines of a usage text for the options of a search.
    var matchingUsage: String { self == .generic ? Self.genericUsage : Self.internetUsage }

    private static let genericUsage = """
            -a  Match "account" string
            -c  Match "creator" (four-character code)
            -C  Match "type" (four-character code)
            -D  Match "kind" string
            -G  Match "generic attribute" value
            -j  Match "comment" string
            -l  Match "label" string
            -s  Match "service" string
        """

    private static let internetUsage = """
            -a  Match "account" string
            -c  Match "creator" (four-character code)
            -C  Match "type" (four-character code)
            -d  Match "securityDomain" string
            -D  Match "kind" string
            -j  Match "comment" string
            -l  Match "label" string
            -p  Match "path" string
            -P  Match port number
            -r  Match "protocol" (four-character code)
            -s  Match "server" string
            -t  Match "authenticationType" (four-character code)
        """
}
