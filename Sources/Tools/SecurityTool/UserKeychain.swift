// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

/// A keychain of the user, as the command line names it.
struct UserKeychain: Equatable {
    /// As it was typed; nil for the default one.
    let name: String?
    /// Where its marker is.
    let path: [UInt8]
    /// Which.
    let id: KeychainID

    /// In requests: nil for login.
    var requested: KeychainID? { id.isLogin ? nil : id }

    /// The name in messages.
    var shownName: String { name ?? "<NULL>" }

    /// Login.
    static let login = UserKeychain(.login, at: KeychainPath.login(home: home))

    private init(_ id: KeychainID, at path: [UInt8]) {
        name = nil
        self.path = path
        self.id = id
    }

    /// The keychain that a word names.
    /// - Throws: `errSecNoSuchKeychain`; `errSecInvalidKeychain` for a file that isn't its marker, such
    ///   as a copy elsewhere.
    init(_ word: Word, _ connection: KeychainConnection) throws(KeychainError) {
        name = word.string
        let path = Self.path(of: word)
        guard !KeychainPath.isLogin(path, home: Self.home) else {
            self.path = KeychainPath.login(home: Self.home)
            id = .login
            return
        }
        let marker = try KeychainMarker.read(at: path, userID: geteuid())
        let known = try connection.keychains().keychains.first { $0.id == marker.id }
        guard let known else { throw .noSuchKeychain }
        guard known.path == path else { throw .invalidKeychain }
        self.path = path
        id = marker.id
    }

    /// The default keychain.
    /// - Throws: `errSecNoDefaultKeychain`; `errSecNoSuchKeychain` when its marker is missing.
    static func preferred(_ connection: KeychainConnection) throws(KeychainError) -> UserKeychain {
        guard hasOthers else { return login }
        let listing = try connection.keychains()
        guard let id = listing.defaultKeychain else { throw .noDefaultKeychain }
        guard let keychain = listing.keychain(id), keychain.isMarked else { throw .noSuchKeychain }
        return keychain
    }

    /// The search list, without keychains whose markers are missing.
    static func searchList(
        _ connection: KeychainConnection
    ) throws(KeychainError) -> [UserKeychain] {
        guard hasOthers else { return [login] }
        let listing = try connection.keychains()
        return listing.searchList.compactMap { listing.keychain($0) }.filter(\.isMarked)
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

    // MARK: - Paths

    /// The home directory.
    static var home: [UInt8] { [UInt8](HomeDirectory.path.utf8) }

    /// The path that a word means.
    static func path(of word: Word) -> [UInt8] {
        path(of: unsafe word.withBytes { unsafe [UInt8]($0) })
    }

    /// The path that a name means.
    static func path(of name: [UInt8]) -> [UInt8] {
        KeychainPath.path(of: name, home: home) { KeychainMarker.exists(at: $0) }
    }

    /// Login's marker comes with the first other keychain. Without it the service isn't asked which
    /// others there are.
    static var hasOthers: Bool { KeychainMarker.exists(at: KeychainPath.login(home: home)) }

    /// Whether its marker is where it should be; login needs none.
    var isMarked: Bool {
        guard !id.isLogin else { return true }
        let marker = try? KeychainMarker.read(at: path, userID: geteuid())
        return marker?.id == id
    }

    /// The line of a list.
    func printLine(to output: inout Output) {
        output.put("    \"")
        for byte in path { output.put(byte) }
        output.put("\"\n")
    }
}

extension KeychainListing {
    /// A keychain of the list, or login.
    func keychain(_ id: KeychainID) -> UserKeychain? {
        id.isLogin ? .login : keychains.first { $0.id == id }.map { UserKeychain($0) }
    }
}

extension UserKeychain {
    init(_ entry: KeychainEntry) { self.init(entry.id, at: entry.path) }
}

extension KeychainError {
    /// The command line names a keychain that doesn't exist.
    static let noSuchKeychain = KeychainError(
        status: SecurityStatus.noSuchKeychain, reason: .noSuchKeychain)

    /// The file isn't the marker of a keychain at this path.
    static let invalidKeychain = KeychainError(
        status: SecurityStatus.invalidKeychain, reason: .invalidKeychain)

    /// There is a file, or a keychain, at this path.
    static let keychainExists = KeychainError(
        status: SecurityStatus.duplicateKeychain, reason: .keychainExists)

    /// No keychain takes new items.
    static let noDefaultKeychain = KeychainError(
        status: SecurityStatus.noDefaultKeychain, reason: .noSuchKeychain)

    /// What can't be done with login.
    static let readOnlyKeychain = KeychainError(
        status: SecurityStatus.readOnly, reason: .denied)
}
