// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import IPC
import SecretBytes

/// The keys that the device key alone gives for one user's keybag.
struct KeybagKeys {
    /// Signs the keybag.
    let signing: Secret
    /// Authenticates the count of wrong passcodes.
    let attempts: Secret
    /// Authenticates what is remembered of the database.
    let anchor: Secret
    private let root: Secret

    /// One use of the device key; the rest is derived here.
    init(deviceKey: any DeviceKey, user: UInt32) throws(DeviceKeyFailure) {
        let input = SecretBytes(copying: Self.rootInput(user: user))
        self.init(root: try deviceKey.tangle(.keybag, input))
    }

    /// What the device key makes the root of.
    static func rootInput(user: UInt32) -> [UInt8] {
        var input: [UInt8] = []
        input.append(littleEndian: user)
        return input
    }

    /// Derives the rest from what the device key made.
    init(root: Secret) {
        self.root = root
        signing = Self.derive(root, "llavero.keybag.signature.1", [])
        attempts = Self.derive(root, "llavero.keybag.attempts.1", [])
        anchor = Self.derive(root, "llavero.keybag.anchor.1", [])
    }

    /// Wraps class keys that no passcode protects.
    func wrappingKey(uuid: [UInt8]) -> SymmetricKey {
        Self.derive(root, "llavero.keybag.device.1", uuid).bytes.symmetricKey()
    }

    /// Wraps class keys that a passcode protects: Kp = HKDF(A || B || E).
    /// - Parameters:
    ///   - derived: A, from the passcode.
    ///   - tangled: B, A through the device key.
    ///   - entropy: E, which the device key releases.
    /// - Returns: 32 bytes.
    static func passcodeKey(derived: Secret, tangled: Secret, entropy: Secret) -> SymmetricKey {
        combine([derived, tangled, entropy], "llavero.passcodekey.1")
    }

    /// Wraps the class keys of an escrow record.
    /// - Parameters:
    ///   - key: The record's key.
    ///   - tangled: The same through the device key.
    /// - Returns: 32 bytes.
    static func escrowKey(key: Secret, tangled: Secret) -> SymmetricKey {
        combine([key, tangled], "llavero.escrowkey.1")
    }

    /// Wraps the class keys of a recovery code: no device key takes part.
    static func protectorKey(code: Secret, salt: [UInt8]) -> SymmetricKey {
        Cryptography.derive(
            from: code.bytes.symmetricKey(), info: [UInt8]("llavero.recovery.1".utf8) + salt)
    }

    /// Wraps the class keys of a protector with a key of its own.
    /// - Parameters:
    ///   - key: The protector's.
    ///   - tangled: The same through the device key.
    ///   - salt: The protector's.
    /// - Returns: 32 bytes.
    static func protectorKey(key: Secret, tangled: Secret, salt: [UInt8]) -> SymmetricKey {
        Cryptography.derive(from: combine([key, tangled], "llavero.protectorkey.1"), info: salt)
    }

    /// Wraps the class keys of a protector that a TPM opens.
    static func protectorKey(_ material: PasscodeMaterial) -> SymmetricKey {
        combine(
            [material.derived, material.tangled, material.entropy], "llavero.protectorkey.tpm.1")
    }

    /// Wraps the key of a keychain's secrets.
    /// - Parameters:
    ///   - derived: From its password.
    ///   - tangled: The same through class dku.
    /// - Returns: 32 bytes.
    static func keychainKey(derived: Secret, tangled: Secret) -> SymmetricKey {
        combine([derived, tangled], "llavero.keychainkey.1")
    }

    private static func combine(_ parts: [Secret], _ label: String) -> SymmetricKey {
        var material = SecretBytes(byteCount: parts.reduce(0) { $0 + $1.bytes.byteCount })
        var offset = 0
        for part in parts {
            unsafe part.bytes.withUnsafeBytes { source in
                unsafe material.withUnsafeMutableBytes { target in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...])
                        .copyMemory(from: source)
                }
            }
            offset += part.bytes.byteCount
        }
        return Cryptography.derive(
            from: material.symmetricKey(), info: [UInt8](label.utf8))
    }

    private static func derive(_ root: Secret, _ label: String, _ suffix: [UInt8]) -> Secret {
        Secret(
            Cryptography.derive(
                from: root.bytes.symmetricKey(), info: [UInt8](label.utf8) + suffix))
    }
}
