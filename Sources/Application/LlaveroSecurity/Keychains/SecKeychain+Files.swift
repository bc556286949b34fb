// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Glibc
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// The version of this interface.
/// - Parameter returnVers: Set to 0x02028000, that of macOS.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainGetVersion(_ returnVers: UnsafeMutablePointer<UInt32>) -> OSStatus {
    unsafe returnVers.pointee = 0x0202_8000
    return errSecSuccess
}

/// Makes the object of a keychain, whether or not there is one at the path.
/// - Parameters:
///   - pathName: A path; one that doesn't begin with a slash is below `~/Library/Keychains`.
///   - keychain: Set to the object.
/// - Returns: `errSecSuccess`; `errSecParam` for an empty path.
@discardableResult
public func SecKeychainOpen(
    _ pathName: UnsafePointer<CChar>, _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    guard let path = unsafe keychainPath(pathName) else { return errSecParam }
    unsafe keychain.pointee = SecKeychain(path: path)
    return errSecSuccess
}

/// Makes a keychain. It is unlocked then, and isn't in the search list.
/// - Parameters:
///   - pathName: As in ``SecKeychainOpen(_:_:)``. The file there is a mark; the items are in the service.
///   - passwordLength: The byte count of the password: 0 to 1023.
///   - password: The password.
///   - promptUser: True: the person chooses the password. There is no such question here.
///   - initialAccess: Nil.
///   - keychain: Set to the keychain.
/// - Returns: `errSecSuccess`; `errSecDuplicateKeychain`; `errSecParam` without a password;
///   `errSecInteractionNotAllowed` where the person is to be asked; `errSecWrPerm` for a folder that
///   can't be written; `errSecNotAvailable` when no service answers.
@discardableResult
public func SecKeychainCreate(
    _ pathName: UnsafePointer<CChar>, _ passwordLength: UInt32, _ password: UnsafeRawPointer?,
    _ promptUser: Bool, _ initialAccess: SecAccess?,
    _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    guard let path = unsafe keychainPath(pathName) else { return errSecParam }
    if promptUser { return errSecInteractionNotAllowed }
    guard let secret = unsafe Secret(password, passwordLength) else { return errSecParam }
    let status = keychainStatus { () throws(KeychainError) in
        try KeychainCreation.make(path, secret, processConnection)
    }
    if status == errSecSuccess { unsafe keychain.pointee = SecKeychain(path: path) }
    return status
}

/// Deletes a keychain with its items and its keys, for good. It leaves the search list. The object stays
/// valid.
/// - Parameter keychainOrArray: The keychain.
/// - Returns: `errSecSuccess`; `errSecInvalidKeychain` for nil; `errSecNoSuchKeychain`;
///   `errSecReadOnly` for login; `errSecMissingEntitlement` when it has items of another program's group,
///   or another program has made it and this one hasn't unlocked it.
@discardableResult
public func SecKeychainDelete(_ keychainOrArray: SecKeychain?) -> OSStatus {
    guard let keychainOrArray else { return errSecInvalidKeychain }
    return keychainStatus { () throws(KeychainError) in
        try SecKeychain.meant(keychainOrArray).delete(processConnection)
    }
}

/// Changes when a keychain locks by itself.
/// - Parameters:
///   - keychain: The keychain; nil is the default one.
///   - newSettings: The settings, of version ``SEC_KEYCHAIN_SETTINGS_VERS1``.
/// - Returns: `errSecSuccess`; `errSecParam` for another version; `errSecNoSuchKeychain`;
///   `errSecInteractionNotAllowed` for a locked one; `errSecUnimplemented` for login, which locks with the
///   device.
@discardableResult
public func SecKeychainSetSettings(
    _ keychain: SecKeychain?, _ newSettings: UnsafePointer<SecKeychainSettings>
) -> OSStatus {
    let given = unsafe newSettings.pointee
    guard given.version == SEC_KEYCHAIN_SETTINGS_VERS1,
        let settings = KeychainSettings(
            locksOnSleep: given.lockOnSleep.boolValue,
            usesInterval: given.useLockInterval.boolValue,
            intervalSeconds: min(given.lockInterval, KeychainSettings.never))
    else { return errSecParam }
    return keychainStatus { () throws(KeychainError) in
        let keychain = try SecKeychain.meant(keychain)
        guard !keychain.id.isLogin else { throw .unimplementedForKeychain }
        try processConnection.configureKeychain(keychain.id, settings)
    }
}

/// When a keychain locks by itself.
/// - Parameters:
///   - keychain: The keychain; nil is the default one.
///   - outSettings: Set to the settings.
/// - Returns: `errSecSuccess`; `errSecNoSuchKeychain`; `errSecInteractionNotAllowed` for a locked one.
@discardableResult
public func SecKeychainCopySettings(
    _ keychain: SecKeychain?, _ outSettings: UnsafeMutablePointer<SecKeychainSettings>
) -> OSStatus {
    unsafe settings(of: keychain, outSettings)
}

private func settings(
    of keychain: SecKeychain?, _ target: UnsafeMutablePointer<SecKeychainSettings>
) -> OSStatus {
    var found = SecKeychainSettings(
        version: 1, lockOnSleep: false, useLockInterval: false,
        lockInterval: KeychainSettings.never)
    let status = keychainStatus { () throws(KeychainError) in
        let keychain = try SecKeychain.meant(keychain)
        guard !keychain.id.isLogin else { return }
        let entry = try processConnection.keychains().keychains.first { $0.id == keychain.id }
        guard let entry else { throw .noSuchKeychain }
        guard entry.isUnlocked else {
            throw KeychainError(status: errSecInteractionNotAllowed, reason: .keychainLocked)
        }
        found.lockOnSleep = DarwinBoolean(entry.settings.locksOnSleep)
        found.useLockInterval = DarwinBoolean(entry.settings.usesInterval)
        found.lockInterval = entry.settings.intervalSeconds
    }
    if status == errSecSuccess { unsafe target.pointee = found }
    return status
}

/// Unlocks a keychain.
/// - Parameters:
///   - keychain: The keychain; nil is the default one.
///   - passwordLength: The byte count of the password.
///   - password: The password; of login, the device's passcode.
///   - usePassword: False: the person is asked, for which there is no question here.
/// - Returns: `errSecSuccess`; `errSecAuthFailed` for a wrong password, for none, and where the person is
///   to be asked; `errSecNoSuchKeychain`.
@discardableResult
public func SecKeychainUnlock(
    _ keychain: SecKeychain?, _ passwordLength: UInt32, _ password: UnsafeRawPointer?,
    _ usePassword: Bool
) -> OSStatus {
    let secret = unsafe usePassword ? Secret(password, passwordLength) : nil
    return keychainStatus { () throws(KeychainError) in
        let keychain = try SecKeychain.meant(keychain)
        if let secret { return try keychain.unlock(secret, processConnection) }
        guard !usePassword, try keychain.isUnlocked(processConnection) else {
            throw .ofKeychain(errSecAuthFailed)
        }
    }
}

/// Locks a keychain; login with the device.
/// - Parameter keychain: The keychain; nil is the default one.
/// - Returns: `errSecSuccess`; `errSecNoSuchKeychain`.
@discardableResult
public func SecKeychainLock(_ keychain: SecKeychain?) -> OSStatus {
    keychainStatus { () throws(KeychainError) in
        try SecKeychain.meant(keychain).lock(processConnection)
    }
}

/// Locks all keychains of the user, and the device.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainLockAll() -> OSStatus {
    keychainStatus { () throws(KeychainError) in try UserKeychain.lockAll(processConnection) }
}

/// The state of a keychain.
/// - Parameters:
///   - keychain: The keychain; nil is the default one.
///   - keychainStatus: Set to bits: ``kSecUnlockStateStatus`` and others. Without
///     ``kSecWritePermStatus`` the folder can't be written.
/// - Returns: `errSecSuccess`; `errSecNoSuchKeychain`; `errSecInvalidKeychain`.
@discardableResult
public func SecKeychainGetStatus(
    _ keychain: SecKeychain?, _ keychainStatus: UnsafeMutablePointer<SecKeychainStatus>
) -> OSStatus {
    var bits = kSecReadPermStatus
    let status = LlaveroSecurity.keychainStatus { () throws(KeychainError) in
        let keychain = try SecKeychain.meant(keychain)
        if try keychain.isUnlocked(processConnection) { bits |= kSecUnlockStateStatus }
        if keychain.id.isLogin || keychain.isInWritableFolder { bits |= kSecWritePermStatus }
    }
    if status == errSecSuccess { unsafe keychainStatus.pointee = bits }
    return status
}

/// The path of a keychain.
/// - Parameters:
///   - keychain: The keychain, which needn't be there; nil is the default one.
///   - ioPathLength: The size of the buffer; set to the byte count of the path.
///   - pathName: Set to the path and a zero byte.
/// - Returns: `errSecSuccess`; `errSecBufferTooSmall`; `errSecNoDefaultKeychain`.
@discardableResult
public func SecKeychainGetPath(
    _ keychain: SecKeychain?, _ ioPathLength: UnsafeMutablePointer<UInt32>,
    _ pathName: UnsafeMutablePointer<CChar>
) -> OSStatus {
    var path = keychain?.path ?? []
    if keychain == nil {
        let status = keychainStatus { () throws(KeychainError) in
            path = try UserKeychain.preferred(processConnection).path
        }
        guard status == errSecSuccess else { return status }
    }
    let room = unsafe Int(ioPathLength.pointee)
    unsafe ioPathLength.pointee = UInt32(path.count)
    guard room > path.count else { return errSecBufferTooSmall }
    for (index, byte) in path.enumerated() {
        unsafe pathName[index] = CChar(bitPattern: byte)
    }
    unsafe pathName[path.count] = 0
    return errSecSuccess
}

/// Says whether the person may be asked to unlock a keychain. Nobody is asked here: with false, what needs
/// a locked keychain answers `errSecAuthFailed`, and else `errSecInteractionNotAllowed`.
/// - Parameter state: Whether.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainSetUserInteractionAllowed(_ state: Bool) -> OSStatus {
    KeychainPreferences.isInteractionAllowed = state
    return errSecSuccess
}

/// Whether the person may be asked to unlock a keychain.
/// - Parameter state: Set to what ``SecKeychainSetUserInteractionAllowed(_:)`` has said; true at first.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainGetUserInteractionAllowed(
    _ state: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    unsafe state.pointee = DarwinBoolean(KeychainPreferences.isInteractionAllowed)
    return errSecSuccess
}

// MARK: - Arguments

/// - Returns: Nil for an empty path, and for one that is longer than Linux has them.
private func keychainPath(_ name: UnsafePointer<CChar>) -> [UInt8]? {
    let count = unsafe strnlen(name, KeychainCall.pathByteCountLimit + 1)
    guard count > 0, count <= KeychainCall.pathByteCountLimit else { return nil }
    let bytes = unsafe UnsafeBufferPointer(start: name, count: count).map {
        UInt8(bitPattern: $0)
    }
    return UserKeychain.path(of: bytes)
}

extension Secret {
    /// Copies a secret from an address.
    /// - Returns: Nil for nil.
    convenience init?(_ start: UnsafeRawPointer?, _ count: UInt32) {
        guard let start = unsafe start else { return nil }
        self.init(
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: Int(count))))
    }
}

extension UserKeychain {
    /// Whether this program may write the folder of the marker.
    fileprivate var isInWritableFolder: Bool {
        let end = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        let folder = end == 0 ? [UInt8(ascii: "/")] : Array(path[..<end])
        let text = folder.map { CChar(bitPattern: $0) } + [0]
        return unsafe access(text, W_OK) == 0
    }
}
