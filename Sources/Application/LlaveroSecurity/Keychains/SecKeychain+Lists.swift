// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Keychain
import SecurityWire

// The search list and the default keychain. The user's can be changed; of the machine there is the name of
// its keychain alone.

/// The keychain that takes new items.
/// - Parameter keychain: Set to the keychain.
/// - Returns: `errSecSuccess`; `errSecNoDefaultKeychain`; `errSecNoSuchKeychain` when it isn't there.
@discardableResult
public func SecKeychainCopyDefault(_ keychain: UnsafeMutablePointer<SecKeychain?>) -> OSStatus {
    unsafe SecKeychainCopyDomainDefault(KeychainPreferences.domain, keychain)
}

/// Sets the keychain that takes new items of this user's programs.
/// - Parameter keychain: The keychain; nil: none.
/// - Returns: `errSecSuccess`; `errSecNoSuchKeychain`; `errSecInvalidKeychain`;
///   `errSecMissingEntitlement` for a program that may not.
@discardableResult
public func SecKeychainSetDefault(_ keychain: SecKeychain?) -> OSStatus {
    SecKeychainSetDomainDefault(KeychainPreferences.domain, keychain)
}

/// The keychains that are searched, in their order.
/// - Parameter searchList: Set to an array of ``SecKeychain``.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainCopySearchList(_ searchList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    unsafe SecKeychainCopyDomainSearchList(KeychainPreferences.domain, searchList)
}

/// Sets the keychains that this user's programs search. Those that aren't there are left out.
/// - Parameter searchList: An array of ``SecKeychain``.
/// - Returns: `errSecSuccess`; `errSecParam` for another array; `errSecMissingEntitlement` for a program
///   that may not.
@discardableResult
public func SecKeychainSetSearchList(_ searchList: CFArray) -> OSStatus {
    SecKeychainSetDomainSearchList(KeychainPreferences.domain, searchList)
}

/// The keychain of a domain that takes new items.
/// - Parameters:
///   - domain: The domain.
///   - keychain: Set to the keychain.
/// - Returns: As ``SecKeychainCopyDefault(_:)``; `errSecInvalidPrefsDomain`.
@discardableResult
public func SecKeychainCopyDomainDefault(
    _ domain: SecPreferencesDomain, _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    var found: SecKeychain?
    let status = keychainStatus { () throws(KeychainError) in
        switch domain {
        case .user: found = SecKeychain(try UserKeychain.preferred(processConnection))
        case .system, .common: found = .system
        case .dynamic: throw .noDefaultKeychain
        default: throw .ofKeychain(errSecInvalidPrefsDomain)
        }
    }
    if status == errSecSuccess { unsafe keychain.pointee = found }
    return status
}

/// Sets the keychain of a domain that takes new items.
/// - Parameters:
///   - domain: The user's.
///   - keychain: The keychain; nil: none.
/// - Returns: As ``SecKeychainSetDefault(_:)``; `errSecUnimplemented` for another domain.
@discardableResult
public func SecKeychainSetDomainDefault(
    _ domain: SecPreferencesDomain, _ keychain: SecKeychain?
) -> OSStatus {
    keychainStatus { () throws(KeychainError) in
        try checkIsUsers(domain)
        let id = try keychain.map { keychain throws(KeychainError) in
            try SecKeychain.meant(keychain).id
        }
        try processConnection.setDefaultKeychain(id)
    }
}

/// The keychains of a domain that are searched.
/// - Parameters:
///   - domain: The domain.
///   - searchList: Set to an array of ``SecKeychain``.
/// - Returns: `errSecSuccess`; `errSecInvalidPrefsDomain`.
@discardableResult
public func SecKeychainCopyDomainSearchList(
    _ domain: SecPreferencesDomain, _ searchList: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    var found: [SecKeychain] = []
    let status = keychainStatus { () throws(KeychainError) in
        switch domain {
        case .user: found = try usersSearchList().map { SecKeychain($0) }
        case .system, .common: found = [.system]
        case .dynamic: found = []
        default: throw .ofKeychain(errSecInvalidPrefsDomain)
        }
    }
    if status == errSecSuccess { unsafe searchList.pointee = found as NSArray }
    return status
}

/// Sets the keychains of a domain that are searched.
/// - Parameters:
///   - domain: The user's.
///   - searchList: An array of ``SecKeychain``.
/// - Returns: As ``SecKeychainSetSearchList(_:)``; `errSecUnimplemented` for another domain.
@discardableResult
public func SecKeychainSetDomainSearchList(
    _ domain: SecPreferencesDomain, _ searchList: CFArray
) -> OSStatus {
    let keychains: [SecKeychain]
    do throws(ItemFailure) { keychains = try SecKeychain.list(searchList) } catch {
        return error.status
    }
    return keychainStatus { () throws(KeychainError) in
        try checkIsUsers(domain)
        var list: [KeychainID] = []
        for keychain in keychains {
            do throws(KeychainError) {
                let id = try SecKeychain.meant(keychain).id
                if !list.contains(id) { list.append(id) }
            } catch {
                guard error.reason == .noSuchKeychain || error.reason == .invalidKeychain else {
                    throw error
                }
            }
        }
        try processConnection.setSearchList(list)
    }
}

/// Chooses the domain of calls that name none, in this process.
/// - Parameter domain: The domain.
/// - Returns: `errSecSuccess`; `errSecInvalidPrefsDomain`.
@discardableResult
public func SecKeychainSetPreferenceDomain(_ domain: SecPreferencesDomain) -> OSStatus {
    guard (0...3).contains(domain.rawValue) else { return errSecInvalidPrefsDomain }
    KeychainPreferences.domain = domain
    return errSecSuccess
}

/// The domain of calls that name none, in this process.
/// - Parameter domain: Set to the domain; at first the user's.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecKeychainGetPreferenceDomain(
    _ domain: UnsafeMutablePointer<SecPreferencesDomain>
) -> OSStatus {
    unsafe domain.pointee = KeychainPreferences.domain
    return errSecSuccess
}

/// With keychains whose markers are missing.
private func usersSearchList() throws(KeychainError) -> [UserKeychain] {
    guard UserKeychain.hasOthers else { return [.login] }
    let listing = try processConnection.keychains()
    return listing.searchList.compactMap { listing.keychain($0) }
}

private func checkIsUsers(_ domain: SecPreferencesDomain) throws(KeychainError) {
    switch domain {
    case .user: return
    case .system, .common, .dynamic: throw .unimplementedForKeychain
    default: throw .ofKeychain(errSecInvalidPrefsDomain)
    }
}

extension SecKeychain {
    /// The machine's. It has no file, so that no call finds a keychain of the user there.
    fileprivate static let system = SecKeychain(
        path: [UInt8]("/Library/Keychains/System.keychain".utf8))
}
