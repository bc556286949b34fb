// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import KeychainVocabulary
package import SecretBytes

extension EnclaveClient {
    /// The user's keychains with a password of their own.
    /// - Throws: `stateNotWritten` when enclaved's list of them can't be read.
    package mutating func keychains(userID: UInt32) throws(EnclaveCallError) -> [ListedKeychain] {
        switch try keychain(.list, userID) {
        case .listed(let keychains): return keychains
        case .done, .sealed, .madeTableKey, .openedTableKey: throw link.broken()
        }
    }

    /// Makes the keys of a keychain, which is unlocked then. When this returns they are on the disk.
    /// - Parameters:
    ///   - number: Its number, not 0; no other keychain of the user has it.
    ///   - settings: When it locks by itself.
    ///   - letter: Its password and UUID, sealed for operation 22.
    ///   - userID: The user.
    /// - Throws: `keychainExists`, `tooManyKeychains`; as a passcode.
    package mutating func createKeychain(
        number: UInt32, _ settings: KeychainSettings, letter: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) {
        try finish(.create(number: number, settings, letter: letter), userID)
    }

    /// Opens a keychain's key.
    /// - Throws: `noSuchKeychain`, `wrongPasscode` for the password, `tooManyKeychains` when 64 are
    ///   unlocked; as a passcode.
    package mutating func unlockKeychain(
        number: UInt32, letter: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) { try finish(.unlock(number: number, letter: letter), userID) }

    /// Wraps a keychain's key under another password. When this returns the old one opens nothing.
    /// - Throws: as ``unlockKeychain(number:letter:userID:)``.
    package mutating func changeKeychainPassword(
        number: UInt32, letter: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) {
        try finish(.changePassword(number: number, letter: letter), userID)
    }

    /// Drops a keychain's key, or with the number 0 those of all keychains of the user.
    /// - Throws: `noSuchKeychain`.
    package mutating func lockKeychain(
        number: UInt32, userID: UInt32
    ) throws(EnclaveCallError) { try finish(.lock(number: number), userID) }

    /// Changes when a keychain locks by itself.
    /// - Throws: `noSuchKeychain`, `keychainLocked`.
    package mutating func configureKeychain(
        number: UInt32, _ settings: KeychainSettings, userID: UInt32
    ) throws(EnclaveCallError) { try finish(.configure(number: number, settings), userID) }

    /// Destroys a keychain's keys: nothing in it opens any more. One that has no keys is no error.
    package mutating func destroyKeychain(
        number: UInt32, userID: UInt32
    ) throws(EnclaveCallError) { try finish(.destroy(number: number), userID) }

    /// Seals a secret for a row of a keychain.
    /// - Parameters:
    ///   - secret: At most `secretLimit` bytes.
    ///   - binding: The class and the context.
    ///   - number: The keychain; it must be unlocked.
    ///   - userID: The user.
    /// - Returns: The sealed bytes; they name the keychain, so `open`, `verify` and `rebind` take them
    ///   as any others.
    /// - Throws: `noSuchKeychain`, `keychainLocked`; as ``seal(class:context:secret:userID:)``.
    package mutating func seal(
        _ secret: Secret, _ binding: SecretBinding, keychain number: UInt32, userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard secret.bytes.byteCount <= Self.secretLimit else { throw .malformed }
        switch try keychain(.seal(number: number, binding, secret), userID) {
        case .sealed(let sealed): return sealed
        case .done, .listed, .madeTableKey, .openedTableKey: throw link.broken()
        }
    }

    /// Makes a table key of a keychain; that takes no password.
    /// - Returns: 60 bytes wrapped, and the key's 32.
    /// - Throws: `noSuchKeychain`.
    package mutating func makeTableKey(
        _ name: TableKeyName, keychain number: UInt32, userID: UInt32
    ) throws(EnclaveCallError) -> (wrapped: [UInt8], key: Secret) {
        switch try keychain(.makeTableKey(number: number, name), userID) {
        case .madeTableKey(let wrapped, let key): return (wrapped, key)
        case .done, .listed, .sealed, .openedTableKey: throw link.broken()
        }
    }

    /// Opens a table key of a keychain; that takes no password.
    /// - Returns: 32 bytes.
    /// - Throws: `noSuchKeychain`, `undecodable`.
    package mutating func openTableKey(
        _ name: TableKeyName, wrapped: [UInt8], keychain number: UInt32, userID: UInt32
    ) throws(EnclaveCallError) -> Secret {
        guard wrapped.count == EnclaveRequest.wrappedTableKeyByteCount else { throw .undecodable }
        switch try keychain(.openTableKey(number: number, name, wrapped: wrapped), userID) {
        case .openedTableKey(let key): return key
        case .done, .listed, .sealed, .madeTableKey: throw link.broken()
        }
    }

    private mutating func finish(
        _ request: KeychainRequest, _ userID: UInt32
    ) throws(EnclaveCallError) {
        switch try keychain(request, userID) {
        case .done: return
        case .listed, .sealed, .madeTableKey, .openedTableKey: throw link.broken()
        }
    }

    private mutating func keychain(
        _ request: KeychainRequest, _ userID: UInt32
    ) throws(EnclaveCallError) -> KeychainReply {
        let milliseconds = request.derives ? Self.passcodeDeadlineMilliseconds : nil
        switch try call(.keychain(request), userID: userID, milliseconds: milliseconds) {
        case .keychain(let reply): return reply
        case let reply: throw link.unexpected(reply)
        }
    }
}

extension KeychainRequest {
    /// Whether enclaved derives a key from a password for it.
    fileprivate var derives: Bool {
        switch self {
        case .create, .unlock, .changePassword: true
        case .list, .lock, .configure, .destroy, .seal, .makeTableKey, .openTableKey: false
        }
    }
}
