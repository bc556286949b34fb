// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire
import Synchronization

/// What this process has set for its calls on keychains.
enum KeychainPreferences {
    private struct State {
        var isInteractionAllowed = true
        var domain = SecPreferencesDomain.user
    }

    private static let state = Mutex(State())

    /// Whether the person may be asked to unlock a keychain.
    static var isInteractionAllowed: Bool {
        get { state.withLock { $0.isInteractionAllowed } }
        set { state.withLock { $0.isInteractionAllowed = newValue } }
    }

    /// The domain of calls that name none.
    static var domain: SecPreferencesDomain {
        get { state.withLock { $0.domain } }
        set { state.withLock { $0.domain = newValue } }
    }
}

/// The status of a call on keychains.
func keychainStatus(_ call: () throws(KeychainError) -> Void) -> OSStatus {
    do throws(KeychainError) {
        try call()
        return errSecSuccess
    } catch { return error.keychainStatus }
}

extension SecKeychain {
    /// A keychain of the user.
    convenience init(_ keychain: UserKeychain) { self.init(path: keychain.path) }

    /// The keychain that an argument means; nil is the default one.
    /// - Throws: `errSecNoSuchKeychain`, `errSecInvalidKeychain`, `errSecNoDefaultKeychain`.
    static func meant(_ keychain: SecKeychain?) throws(KeychainError) -> UserKeychain {
        guard let keychain else { return try .preferred(processConnection) }
        return try UserKeychain(at: keychain.path, processConnection)
    }
}

extension KeychainError {
    static let unimplementedForKeychain = KeychainError(
        status: errSecUnimplemented, reason: .unimplemented)

    static func ofKeychain(_ status: OSStatus) -> KeychainError {
        KeychainError(status: status, reason: .invalidRequest)
    }
}
