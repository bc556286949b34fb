// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import KeychainVocabulary
package import SecretBytes
package import SecurityWire

// Keychains with a password of their own. Their markers are the caller's business: the service never
// looks at a path.
extension KeychainConnection {
    /// More than any user has.
    private static let partLimit = 1 + KeychainLimits.count

    /// The user's keychains but login, the search list and the default keychain.
    /// - Throws: ``FailureReason/unreachable``; ``FailureReason/internalFailure`` when the list of their
    ///   keys can't be read.
    package func keychains() throws(KeychainError) -> KeychainListing {
        var listing = try part(after: .login)
        var hasMore = listing.hasMore
        for _ in 0..<Self.partLimit where hasMore {
            guard let last = listing.keychains.last else { throw .unreachable }
            let next = try part(after: last.id)
            listing.keychains += next.keychains
            hasMore = next.hasMore && !next.keychains.isEmpty
        }
        listing.hasMore = false
        return listing
    }

    private func part(after id: KeychainID) throws(KeychainError) -> KeychainListing {
        guard case .keychains(let listing?) = try read(.keychains(.list(after: id))) else {
            throw .unreachable
        }
        return listing
    }

    /// Makes a keychain, which is unlocked then.
    /// - Parameters:
    ///   - id: A random one: by it the caller finds out what became of a call without an answer.
    ///   - path: Where its marker will be.
    ///   - settings: When it locks by itself.
    ///   - password: 0 to 1023 bytes.
    /// - Throws: ``FailureReason/keychainExists``; ``FailureReason/tooManyKeychains``;
    ///   ``FailureReason/denied`` for a program that may not; ``FailureReason/unknownOutcome``.
    package func createKeychain(
        _ id: KeychainID, path: [UInt8], _ settings: KeychainSettings, password: Secret
    ) throws(KeychainError) {
        try send { () throws(KeychainError) in
            .create(
                id, path: path, settings,
                letter: try sealed(.createKeychain, [password], for: id))
        }
    }

    /// Unlocks a keychain. The connection may then delete and configure it.
    /// - Throws: ``FailureReason/wrongPasscode``; ``FailureReason/noSuchKeychain``;
    ///   ``FailureReason/tooManyKeychains``.
    package func unlockKeychain(_ id: KeychainID, password: Secret) throws(KeychainError) {
        try send { () throws(KeychainError) in
            .unlock(id, letter: try sealed(.unlockKeychain, [password], for: id))
        }
    }

    /// Gives a keychain another password. It stays locked or unlocked.
    /// - Throws: as ``unlockKeychain(_:password:)``; ``FailureReason/unknownOutcome``.
    package func changeKeychainPassword(
        _ id: KeychainID, from old: Secret, to new: Secret
    ) throws(KeychainError) {
        try send { () throws(KeychainError) in
            .changePassword(
                id, letter: try sealed(.changeKeychainPassword, [old, new], for: id))
        }
    }

    /// Locks a keychain, or with nil all but login.
    /// - Throws: ``FailureReason/noSuchKeychain``.
    package func lockKeychain(_ id: KeychainID?) throws(KeychainError) {
        try send { () throws(KeychainError) in .lock(id) }
    }

    /// Changes when a keychain locks by itself.
    /// - Throws: ``FailureReason/noSuchKeychain``; ``FailureReason/keychainLocked``;
    ///   ``FailureReason/denied`` for a program of another group on a connection without the password.
    package func configureKeychain(
        _ id: KeychainID, _ settings: KeychainSettings
    ) throws(KeychainError) {
        try send { () throws(KeychainError) in .configure(id, settings) }
    }

    /// Deletes a keychain and destroys its keys. It leaves the marker to the caller.
    /// - Throws: as ``configureKeychain(_:_:)``, but also of a locked one; ``FailureReason/unknownOutcome``.
    package func deleteKeychain(_ id: KeychainID, force: Bool = false) throws(KeychainError) {
        try send { () throws(KeychainError) in .delete(id, force: force) }
    }

    /// Replaces the search list.
    /// - Throws: ``FailureReason/denied`` for a program that may not.
    package func setSearchList(_ list: [KeychainID]) throws(KeychainError) {
        try send { () throws(KeychainError) in .setSearchList(list) }
    }

    /// Sets the default keychain; nil: none.
    /// - Throws: ``FailureReason/denied`` for a program that may not.
    package func setDefaultKeychain(_ id: KeychainID?) throws(KeychainError) {
        try send { () throws(KeychainError) in .setDefault(id) }
    }

    private func send(
        _ call: () throws(KeychainError) -> KeychainCall
    ) throws(KeychainError) {
        let reply = try once { () throws(KeychainError) in .keychains(try call()) }
        guard case .keychains(nil) = reply else { throw .unknownOutcome }
    }
}
