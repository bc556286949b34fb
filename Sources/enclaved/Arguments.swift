// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The command line: `enclaved --state DIR --connections N`.
struct Arguments {
    static let usage = "usage: enclaved --state DIR --connections N"

    /// The most connections: far more than securityd has threads.
    private static let connectionLimit: Int32 = 64

    /// The state directory.
    let statePath: String
    /// How many connections there are, from descriptor 3 on.
    let connectionCount: Int32

    /// Reads the words after the program's name; nothing when they aren't as the usage says.
    init?(_ words: some Sequence<String>) {
        var statePath: String?
        var connectionCount: Int32?
        var words = words.makeIterator()
        while let option = words.next() {
            guard let value = words.next() else { return nil }
            switch option {
            case "--state" where statePath == nil: statePath = value
            case "--connections" where connectionCount == nil: connectionCount = Int32(value)
            case _: return nil
            }
        }
        guard let statePath, !statePath.isEmpty, let connectionCount,
            (1...Self.connectionLimit).contains(connectionCount)
        else { return nil }
        self.statePath = statePath
        self.connectionCount = connectionCount
    }
}
