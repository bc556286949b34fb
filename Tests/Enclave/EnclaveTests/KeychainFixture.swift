// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import KeychainVocabulary
import SecretBytes

/// What tests of keychains ask the enclave for.
extension EnclaveFixture {
    static let number: UInt32 = 0x7000_0001
    static let other: UInt32 = 0x1000_0002

    static func uuid(_ number: UInt32) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)
    }

    static func settings(
        sleep: Bool = true, seconds: UInt32 = KeychainSettings.never
    ) -> KeychainSettings {
        guard
            let settings = KeychainSettings(
                locksOnSleep: sleep, usesInterval: false, intervalSeconds: seconds)
        else { preconditionFailure("an interval up to never is accepted") }
        return settings
    }

    func keychain(
        _ request: KeychainRequest, user: UInt32 = user, deriving: Bool = true
    ) -> Outcome { send(.keychain(request), user: user, deriving: deriving) }

    /// A letter with passwords and a keychain's UUID.
    func keychainLetter(
        _ operation: PasscodeOperation, _ passwords: [String], _ uuid: [UInt8],
        user: UInt32 = user
    ) -> [UInt8] {
        guard case .bytes(let nonce) = send(.challenge, user: user) else { return [] }
        let letter = Self.letter(
            operation, nonce: nonce,
            parts: passwords.map { Self.counted([UInt8]($0.utf8)) } + [uuid],
            key: enclave.publicKey, user: user)
        guard case .passcode(_, let key, let ciphertext, _, _) = letter else { return [] }
        return key + ciphertext
    }

    func create(
        _ number: UInt32 = number, _ password: String = "right",
        _ settings: KeychainSettings = settings(), user: UInt32 = user, deriving: Bool = true
    ) -> Outcome {
        let letter = keychainLetter(.createKeychain, [password], Self.uuid(number), user: user)
        return keychain(
            .create(number: number, settings, letter: letter), user: user, deriving: deriving)
    }

    func unlock(
        _ number: UInt32 = number, _ password: String = "right", uuid: [UInt8]? = nil,
        user: UInt32 = user, deriving: Bool = true
    ) -> Outcome {
        let letter = keychainLetter(
            .unlockKeychain, [password], uuid ?? Self.uuid(number), user: user)
        return keychain(.unlock(number: number, letter: letter), user: user, deriving: deriving)
    }

    func change(
        _ number: UInt32 = number, _ old: String, _ new: String, deriving: Bool = true
    ) -> Outcome {
        let letter = keychainLetter(.changeKeychainPassword, [old, new], Self.uuid(number))
        return keychain(.changePassword(number: number, letter: letter), deriving: deriving)
    }

    func lock(_ number: UInt32 = number) -> Outcome { keychain(.lock(number: number)) }

    func store(
        _ secret: [UInt8], _ number: UInt32 = number, context: UInt8 = 1, user: UInt32 = user
    ) -> Outcome {
        keychain(
            .seal(
                number: number, Self.binding(.dku, context),
                Secret(SecretBytes(copying: secret))), user: user)
    }

    /// The numbers of the keychains that exist, and whether each is unlocked.
    var listed: [UInt32: Bool] {
        guard case .keychains(let list) = keychain(.list) else { return [0: false] }
        return Dictionary(uniqueKeysWithValues: list.map { ($0.number, $0.isUnlocked) })
    }

    func openInKeychain(_ sealed: Outcome, context: UInt8 = 1, user: UInt32 = user) -> Outcome {
        open(sealed, .dku, context: context, user: user)
    }
}
