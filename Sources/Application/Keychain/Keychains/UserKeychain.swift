// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
package import SecretBytes
package import SecurityWire

/// A keychain of the user, with the path by which people and programs name it.
package struct UserKeychain: Hashable, Sendable {
    /// Where its marker is.
    package let path: [UInt8]
    /// Which.
    package let id: KeychainID

    /// In requests: nil for login.
    package var requested: KeychainID? { id.isLogin ? nil : id }

    /// Login.
    package static var login: UserKeychain {
        UserKeychain(.login, at: KeychainPath.login(home: home))
    }

    private init(_ id: KeychainID, at path: [UInt8]) {
        self.path = path
        self.id = id
    }

    /// A keychain of a listing.
    package init(_ entry: KeychainEntry) { self.init(entry.id, at: entry.path) }

    /// The keychain at a path, as ``path(of:)`` gives it.
    /// - Throws: `errSecNoSuchKeychain`; `errSecInvalidKeychain` for a file that isn't its marker, such
    ///   as a copy elsewhere.
    package init(
        at path: [UInt8], _ connection: KeychainConnection
    ) throws(KeychainError) {
        guard !KeychainPath.isLogin(path, home: Self.home) else {
            self = .login
            return
        }
        let marker = try KeychainMarker.read(at: path, userID: geteuid())
        let known = try connection.keychains().keychains.first { $0.id == marker.id }
        guard let known else { throw .noSuchKeychain }
        guard known.path == path else { throw .invalidKeychain }
        self.init(marker.id, at: path)
    }

    /// The default keychain.
    /// - Throws: `errSecNoDefaultKeychain`; `errSecNoSuchKeychain` when its marker is missing.
    package static func preferred(
        _ connection: KeychainConnection
    ) throws(KeychainError) -> UserKeychain {
        guard hasOthers else { return login }
        let listing = try connection.keychains()
        guard let id = listing.defaultKeychain else { throw .noDefaultKeychain }
        guard let keychain = listing.keychain(id), keychain.isMarked else { throw .noSuchKeychain }
        return keychain
    }

    /// The search list, without keychains whose markers are missing.
    package static func searchList(
        _ connection: KeychainConnection
    ) throws(KeychainError) -> [UserKeychain] {
        guard hasOthers else { return [login] }
        let listing = try connection.keychains()
        return listing.searchList.compactMap { listing.keychain($0) }.filter(\.isMarked)
    }

    // MARK: - Paths

    /// The home directory.
    package static var home: [UInt8] { [UInt8](HomeDirectory.path.utf8) }

    /// The path that a name means.
    package static func path(of name: [UInt8]) -> [UInt8] {
        KeychainPath.path(of: name, home: home) { KeychainMarker.exists(at: $0) }
    }

    /// Login's marker comes with the first other keychain. Without it the service isn't asked which
    /// others there are.
    package static var hasOthers: Bool {
        KeychainMarker.exists(at: KeychainPath.login(home: home))
    }

    /// Whether its marker is where it should be; login needs none.
    package var isMarked: Bool {
        guard !id.isLogin else { return true }
        let marker = try? KeychainMarker.read(at: path, userID: geteuid())
        return marker?.id == id
    }
}

// MARK: - One keychain

extension UserKeychain {
    /// Whether its secrets can be read now.
    package func isUnlocked(_ connection: KeychainConnection) throws(KeychainError) -> Bool {
        guard id.isLogin else {
            return try connection.keychains().keychains.contains { $0.id == id && $0.isUnlocked }
        }
        switch try connection.deviceStatus().state {
        case .noPasscode, .unlocked: return true
        case .beforeFirstUnlock, .locked: return false
        }
    }

    /// Unlocks it. Login's password is the device's passcode; where none is set, there is nothing to
    /// unlock.
    /// - Throws: ``FailureReason/wrongPasscode``; ``FailureReason/noSuchKeychain``.
    package func unlock(
        _ password: Secret, _ connection: KeychainConnection
    ) throws(KeychainError) {
        guard id.isLogin else {
            return try connection.unlockKeychain(id, password: password)
        }
        guard try connection.deviceStatus().state != .noPasscode else { return }
        try connection.unlock(passcode: password.bytes)
    }

    /// Locks it; login with the device.
    package func lock(_ connection: KeychainConnection) throws(KeychainError) {
        if id.isLogin {
            try connection.lock()
        } else {
            try connection.lockKeychain(id)
        }
    }

    /// Locks all keychains.
    package static func lockAll(_ connection: KeychainConnection) throws(KeychainError) {
        try connection.lockKeychain(nil)
        try connection.lock()
    }

    /// Deletes it, its keys and its marker.
    /// - Throws: `errSecReadOnly` for login; as ``KeychainConnection/deleteKeychain(_:force:)``.
    package func delete(
        _ connection: KeychainConnection, force: Bool = false
    ) throws(KeychainError) {
        guard !id.isLogin else { throw .readOnlyKeychain }
        try connection.deleteKeychain(id, force: force)
        KeychainMarker(id).remove(from: path, userID: geteuid())
    }
}

extension KeychainListing {
    /// A keychain of the list, or login.
    package func keychain(_ id: KeychainID) -> UserKeychain? {
        id.isLogin ? .login : keychains.first { $0.id == id }.map { UserKeychain($0) }
    }
}

extension KeychainError {
    /// No keychain takes new items.
    package static let noDefaultKeychain = KeychainError(
        status: SecurityStatus.noDefaultKeychain, reason: .noSuchKeychain)

    /// There is a file, or a keychain, at this path.
    package static let keychainExists = KeychainError(
        status: SecurityStatus.duplicateKeychain, reason: .keychainExists)

    /// What can't be done with login.
    package static let readOnlyKeychain = KeychainError(
        status: SecurityStatus.readOnly, reason: .denied)
}
