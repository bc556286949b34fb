// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// One user's keybag in memory: the wrapped keys, and those class keys that are open now.
///
/// A class so that no second copy of the open keys comes about: dropping the reference wipes them.
final class UserKeybag {
    /// The state of one class key.
    enum Availability {
        case usable(Secret)
        case locked
        case missing
    }

    let user: UInt32
    let keys: KeybagKeys
    var attempts: AttemptCounter
    private(set) var keybag: Keybag
    private var openKeys: [ProtectionClass: Secret]

    /// Takes a keybag that has been read or written.
    /// - Throws: when a key that needs no passcode doesn't open under the device key.
    init(
        user: UInt32, keys: KeybagKeys, keybag: Keybag, attempts: AttemptCounter
    ) throws(KeybagError) {
        self.user = user
        self.keys = keys
        self.keybag = keybag
        self.attempts = attempts
        let wanted = Keybag.classes(withPasscode: keybag.passcode != nil).filter {
            keybag.passcode == nil || !$0.needsPasscode
        }
        guard let opened = keybag.unwrap(wanted, using: keys.wrappingKey(uuid: keybag.uuid)) else {
            throw .wrongValue("WPKY")
        }
        openKeys = opened
    }

    /// A new user's keybag, with no passcode; not yet stored.
    static func make(user: UInt32, keys: KeybagKeys, now: UInt64) -> UserKeybag? {
        let random = SecretBytes.random(byteCount: Keybag.uuidByteCount)
        let uuid = unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }
        let classKeys = Keybag.newKeys(Keybag.classes(withPasscode: false))
        guard
            let wrapped = Keybag.wrap(classKeys, using: keys.wrappingKey(uuid: uuid))
        else { return nil }
        let keybag = Keybag(uuid: uuid, generation: 1, passcode: nil, wrappedKeys: wrapped)
        return try? UserKeybag(
            user: user, keys: keys, keybag: keybag, attempts: AttemptCounter(failures: 0, now: now))
    }

    /// Whether a class key is usable; the one place that decides it.
    func availability(_ protectionClass: ProtectionClass) -> Availability {
        if let key = openKeys[protectionClass] { return .usable(key) }
        return keybag.wrappedKeys[protectionClass] == nil ? .missing : .locked
    }

    var state: EnclaveLockState {
        guard keybag.passcode != nil else { return .noPasscode }
        guard openKeys[.ak] == nil else { return .unlocked }
        return openKeys[.ck] == nil ? .beforeFirstUnlock : .locked
    }

    var usableClasses: ProtectionClassSet { Self.set(openKeys.keys) }
    var existingClasses: ProtectionClassSet { Self.set(keybag.wrappedKeys.keys) }

    private static func set(_ classes: some Sequence<ProtectionClass>) -> ProtectionClassSet {
        classes.reduce(into: []) { $0.formUnion(ProtectionClassSet($1)) }
    }

    // MARK: - Changes

    /// Drops the keys of class A; without a passcode there is nothing to lock with.
    func lock() {
        guard keybag.passcode != nil else { return }
        for protectionClass in ProtectionClass.allCases where protectionClass.isDroppedAtLock {
            openKeys[protectionClass] = nil
        }
    }

    /// Opens class keys that the passcode protects.
    /// - Parameters:
    ///   - passcodeKey: What they are wrapped under.
    ///   - withClassA: Whether those that a lock drops are opened as well.
    /// - Returns: Whether the passcode key was the right one; if not, nothing has changed.
    func unlock(passcodeKey: SymmetricKey, withClassA: Bool) -> Bool {
        let wanted = Keybag.classes(withPasscode: true).filter {
            $0.needsPasscode && (withClassA || !$0.isDroppedAtLock)
        }
        guard let opened = keybag.unwrap(wanted, using: passcodeKey) else { return false }
        openKeys.merge(opened) { _, new in new }
        return true
    }

    /// The next keybag, with the same class keys under a new passcode. All must be open.
    func protected(
        by passcode: Keybag.PasscodeProtection, passcodeKey: SymmetricKey
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        var classKeys = openKeys
        if classKeys[.akpu] == nil {
            guard keybag.passcode == nil else { return nil }
            classKeys.merge(Keybag.newKeys([.akpu])) { old, _ in old }
        }
        return rewrapped(classKeys, passcode: passcode) { protectionClass in
            protectionClass.needsPasscode ? passcodeKey : nil
        }
    }

    /// The next keybag, without a passcode. All class keys must be open; the one of akpu goes.
    func unprotected() -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        rewrapped(openKeys.filter { $0.key.exists == .always }, passcode: nil) { _ in nil }
    }

    private func rewrapped(
        _ classKeys: [ProtectionClass: Secret], passcode: Keybag.PasscodeProtection?,
        wrappingKey: (ProtectionClass) -> SymmetricKey?
    ) -> (keybag: Keybag, keys: [ProtectionClass: Secret])? {
        let classes = Keybag.classes(withPasscode: passcode != nil)
        guard classes.allSatisfy({ classKeys[$0] != nil }), keybag.generation < .max else {
            return nil
        }
        let deviceKey = keys.wrappingKey(uuid: keybag.uuid)
        var wrapped: [ProtectionClass: [UInt8]] = [:]
        for (protectionClass, key) in classKeys {
            wrapped[protectionClass] = Cryptography.wrap(
                key.bytes.symmetricKey(), using: wrappingKey(protectionClass) ?? deviceKey)
        }
        guard wrapped.count == classes.count else { return nil }
        let next = Keybag(
            uuid: keybag.uuid, generation: keybag.generation + 1, passcode: passcode,
            wrappedKeys: wrapped)
        return (next, classKeys)
    }

    /// Takes over a keybag that has been stored.
    func adopt(_ next: (keybag: Keybag, keys: [ProtectionClass: Secret])) {
        keybag = next.keybag
        openKeys = next.keys
    }
}

extension Keybag {
    /// Fresh random class keys.
    static func newKeys(_ classes: [ProtectionClass]) -> [ProtectionClass: Secret] {
        var keys: [ProtectionClass: Secret] = [:]
        for protectionClass in classes {
            keys[protectionClass] = Secret(.random(byteCount: Cryptography.keyByteCount))
        }
        return keys
    }

    /// All keys under one.
    static func wrap(
        _ keys: [ProtectionClass: Secret], using wrappingKey: SymmetricKey
    ) -> [ProtectionClass: [UInt8]]? {
        let wrapped = keys.compactMapValues {
            Cryptography.wrap($0.bytes.symmetricKey(), using: wrappingKey)
        }
        return wrapped.count == keys.count ? wrapped : nil
    }

    /// All of the classes, or nothing.
    func unwrap(
        _ classes: [ProtectionClass], using wrappingKey: SymmetricKey
    ) -> [ProtectionClass: Secret]? {
        var keys: [ProtectionClass: Secret] = [:]
        for protectionClass in classes {
            guard let wrapped = wrappedKeys[protectionClass] else { return nil }
            let key = unsafe wrapped.withUnsafeBytes { bytes in
                unsafe Cryptography.unwrap(bytes, using: wrappingKey)
            }
            guard let key else { return nil }
            keys[protectionClass] = Secret(key)
        }
        return keys
    }
}
