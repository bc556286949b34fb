// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

// Keychains as the command line names them.
extension UserKeychain {
    /// The keychain that a word names.
    /// - Throws: `errSecNoSuchKeychain`; `errSecInvalidKeychain` for a file that isn't its marker, such
    ///   as a copy elsewhere.
    init(_ word: Word, _ connection: KeychainConnection) throws(KeychainError) {
        let name = unsafe word.withBytes { unsafe [UInt8]($0) }
        try self.init(at: Self.path(of: name), connection)
    }

    /// The keychains that words name, or else the search list. A keychain that isn't there has no items.
    static func searched(
        _ words: Words, _ connection: KeychainConnection
    ) throws(KeychainError) -> [UserKeychain] {
        guard words.count > 0 else { return try searchList(connection) }
        var keychains: [UserKeychain] = []
        for index in 0..<words.count {
            do throws(KeychainError) {
                keychains.append(try UserKeychain(words[index], connection))
            } catch {
                guard error.reason == .noSuchKeychain || error.reason == .invalidKeychain else {
                    throw error
                }
            }
        }
        return keychains
    }

    /// The keychain that an optional word names, or else the default one.
    static func named(
        _ word: Word?, _ connection: KeychainConnection
    ) throws(KeychainError) -> UserKeychain {
        guard let word else { return try preferred(connection) }
        return try UserKeychain(word, connection)
    }

    /// The line of a list.
    func printLine(to output: inout Output) {
        output.put("    \"")
        for byte in path { output.put(byte) }
        output.put("\"\n")
    }
}
