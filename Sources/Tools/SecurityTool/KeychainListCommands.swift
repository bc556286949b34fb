// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

extension Command {
    /// `security list-keychains`.
    static let listKeychains: Command = Command(
        name: "list-keychains",
        usage: """
            [-d user|system|common|dynamic] [-s [keychain...]] [--repair]
                -d  Use the specified preference domain
                -s  Set the search list to the specified keychains
                --repair  Write the missing files of keychains again
            """,
        help: "Display or manipulate the keychain search list.",
        run: { KeychainLists.searchList(.listKeychains, $0, $1) })

    /// `security default-keychain`.
    static let defaultKeychain: Command = Command(
        name: "default-keychain",
        usage: """
            [-d user|system|common|dynamic] [-s [keychain]]
                -d  Use the specified preference domain
                -s  Set the default keychain to the specified keychain; without one, unset it
            """,
        help: "Display or set the default keychain.",
        run: { KeychainLists.preferred(.defaultKeychain, $0, $1) })

    /// `security login-keychain`.
    static let loginKeychain: Command = Command(
        name: "login-keychain",
        usage: """
            [-d user|system|common|dynamic]
                -d  Use the specified preference domain
            """,
        help: "Display the login keychain.",
        run: { words, _ in KeychainLists.login(.loginKeychain, words) })
}

private enum KeychainLists {
    private static let systemLine = "    \"/Library/Keychains/System.keychain\"\n"

    /// Whose preferences.
    private enum Domain: String, CaseIterable {
        case user, system, common, dynamic

        /// - Returns: Nil unless the text begins one name.
        init?(prefix: String) {
            let matches = Self.allCases.filter { $0.rawValue.hasPrefix(prefix) }
            guard matches.count == 1, let match = matches.first else { return nil }
            self = match
        }
    }

    private struct Options {
        var domain: Domain?
        var sets = false
        var repairs = false

        /// - Returns: The status of wrong ones.
        mutating func take(_ reader: inout OptionReader, _ command: Command) -> Int32? {
            while let option = reader.next() {
                switch option {
                case "d":
                    let text = reader.argument.string
                    guard let domain = Domain(prefix: text) else {
                        complain("security: Invalid domain: \(text)")
                        return 2
                    }
                    self.domain = domain
                case "s": sets = true
                case "-" where reader.argument.string == "repair": repairs = true
                default: return command.usageError()
                }
            }
            return nil
        }
    }

    // MARK: - The search list

    static func searchList(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var options = Options()
        var reader = OptionReader(words, options: "+:hd:s-:")
        if let status = options.take(&reader, command) { return status }
        let rest = reader.rest
        guard options.sets || rest.count == 0 else { return command.usageError() }
        do throws(KeychainError) {
            if options.repairs { return try repair(session.connection) }
            if options.sets { return try set(options.domain, rest, session.connection) }
            var output = Output(STDOUT_FILENO)
            if options.domain == nil || options.domain == .user {
                let connection = session.connection
                for keychain in try UserKeychain.hasOthers
                    ? connection.keychains().wholeSearchList : [.login]
                { keychain.printLine(to: &output) }
            }
            switch options.domain {
            case nil, .system?, .common?: output.put(systemLine)
            case .user?, .dynamic?: break
            }
            return output.flush() ? 0 : SecurityStatus.io
        } catch {
            _ = complain(error, at: "SecKeychainCopySearchList")
            return 1
        }
    }

    private static func set(
        _ domain: Domain?, _ words: Words, _ connection: KeychainConnection
    ) throws(KeychainError) -> Int32 {
        guard domain == nil || domain == .user else {
            complain(
                "security: SecKeychainSetDomainSearchList: "
                    + SecurityStatus.message(for: SecurityStatus.unimplemented))
            return 1
        }
        var list: [KeychainID] = []
        for keychain in try words.count == 0 ? [] : UserKeychain.searched(words, connection)
        where !list.contains(keychain.id) { list.append(keychain.id) }
        do throws(KeychainError) {
            try connection.setSearchList(list)
            return 0
        } catch {
            _ = complain(error, at: "SecKeychainSetSearchList")
            return 1
        }
    }

    /// Writes the markers that are missing.
    private static func repair(_ connection: KeychainConnection) throws(KeychainError) -> Int32 {
        KeychainMarker.makeFolder(home: UserKeychain.home)
        var status: Int32 = 0
        for entry in try connection.keychains().keychains {
            guard !KeychainMarker.exists(at: entry.path) else { continue }
            do throws(KeychainError) {
                try KeychainMarker(entry.id).write(
                    to: entry.path, suffix: KeychainCreation.suffix())
            } catch {
                _ = complain(error, at: String(decoding: entry.path, as: UTF8.self))
                status = 1
            }
        }
        try KeychainCreation.markLogin()
        return status
    }

    // MARK: - Single ones

    static func preferred(_ command: Command, _ words: Words, _ session: Session) -> Int32 {
        var options = Options()
        var reader = OptionReader(words, options: "+:hd:s")
        if let status = options.take(&reader, command) { return status }
        let rest = reader.rest
        guard rest.count <= (options.sets ? 1 : 0) else { return command.usageError() }
        let place = options.sets ? "SecKeychainSetDefault" : "SecKeychainCopyDefault"
        do throws(KeychainError) {
            guard options.domain == nil || options.domain == .user else {
                throw KeychainError(
                    status: SecurityStatus.unimplemented, reason: .unimplemented)
            }
            if options.sets {
                let keychain: UserKeychain?
                if rest.count == 1 {
                    keychain = try UserKeychain(rest[0], session.connection)
                } else {
                    keychain = nil
                }
                try session.connection.setDefaultKeychain(keychain?.id)
                return 0
            }
            var output = Output(STDOUT_FILENO)
            try UserKeychain.preferred(session.connection).printLine(to: &output)
            return output.flush() ? 0 : SecurityStatus.io
        } catch {
            _ = complain(error, at: place)
            return 1
        }
    }

    static func login(_ command: Command, _ words: Words) -> Int32 {
        var options = Options()
        var reader = OptionReader(words, options: "+:hd:s")
        if let status = options.take(&reader, command) { return status }
        guard !options.sets, options.domain == nil || options.domain == .user else {
            complain(
                "security: SecKeychainSetLogin: "
                    + SecurityStatus.message(for: SecurityStatus.unimplemented))
            return 1
        }
        var output = Output(STDOUT_FILENO)
        UserKeychain.login.printLine(to: &output)
        return output.flush() ? 0 : SecurityStatus.io
    }
}

extension KeychainListing {
    /// With keychains whose markers are missing.
    fileprivate var wholeSearchList: [UserKeychain] { searchList.compactMap { keychain($0) } }
}
