// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The version of this interface.
@_cdecl("SecKeychainGetVersion")
public func interfaceSecKeychainGetVersion(
    _ returnVers: UnsafeMutablePointer<UInt32>?
) -> Int32 {
    guard let returnVers = unsafe returnVers
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainGetVersion(returnVers)
}

/// Makes the object of a keychain, whether or not there is one at the path.
@_cdecl("SecKeychainOpen")
public func interfaceSecKeychainOpen(
    _ pathName: UnsafePointer<CChar>?, _ keychain: ObjectSlot?
) -> Int32 {
    guard let pathName = unsafe pathName,
        unsafe keychain != nil
    else { return errSecParam }
    var keychainObject: SecKeychain?
    let answer = unsafe LlaveroSecurity.SecKeychainOpen(pathName, &keychainObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(keychainObject, keychain)
    return answer
}

/// Makes a keychain.
@_cdecl("SecKeychainCreate")
public func interfaceSecKeychainCreate(
    _ pathName: UnsafePointer<CChar>?, _ passwordLength: UInt32, _ password: UnsafeRawPointer?, _ promptUser: UInt8, _ initialAccess: UnsafeRawPointer?, _ keychain: ObjectSlot?
) -> Int32 {
    guard let pathName = unsafe pathName,
        unsafe initialAccess == nil,
        unsafe keychain != nil
    else { return errSecParam }
    var keychainObject: SecKeychain?
    let answer = unsafe LlaveroSecurity.SecKeychainCreate(pathName, passwordLength, password, promptUser != 0, nil, &keychainObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(keychainObject, keychain)
    return answer
}

/// Deletes a keychain with its items and its keys, for good.
@_cdecl("SecKeychainDelete")
public func interfaceSecKeychainDelete(
    _ keychainOrArray: UnsafeRawPointer?
) -> Int32 {
    guard let keychainOrArrayObject = unsafe Taken.optional(keychainOrArray, as: SecKeychain.self)
    else { return errSecParam }
    return LlaveroSecurity.SecKeychainDelete(keychainOrArrayObject.value)
}

/// Changes when a keychain locks by itself.
@_cdecl("SecKeychainSetSettings")
public func interfaceSecKeychainSetSettings(
    _ keychain: UnsafeRawPointer?, _ newSettings: UnsafeMutableRawPointer?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self),
        let newSettings = unsafe newSettings
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainSetSettings(keychainObject.value, UnsafePointer(newSettings.assumingMemoryBound(to: (SecKeychainSettings).self)))
}

/// When a keychain locks by itself.
@_cdecl("SecKeychainCopySettings")
public func interfaceSecKeychainCopySettings(
    _ keychain: UnsafeRawPointer?, _ outSettings: UnsafeMutableRawPointer?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self),
        let outSettings = unsafe outSettings
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainCopySettings(keychainObject.value, outSettings.assumingMemoryBound(to: (SecKeychainSettings).self))
}

/// Unlocks a keychain.
@_cdecl("SecKeychainUnlock")
public func interfaceSecKeychainUnlock(
    _ keychain: UnsafeRawPointer?, _ passwordLength: UInt32, _ password: UnsafeRawPointer?, _ usePassword: UInt8
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self)
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainUnlock(keychainObject.value, passwordLength, password, usePassword != 0)
}

/// Locks a keychain; login with the device.
@_cdecl("SecKeychainLock")
public func interfaceSecKeychainLock(
    _ keychain: UnsafeRawPointer?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self)
    else { return errSecParam }
    return LlaveroSecurity.SecKeychainLock(keychainObject.value)
}

/// Locks all keychains of the user, and the device.
@_cdecl("SecKeychainLockAll")
public func interfaceSecKeychainLockAll(
    
) -> Int32 {
    return LlaveroSecurity.SecKeychainLockAll()
}

/// The state of a keychain.
@_cdecl("SecKeychainGetStatus")
public func interfaceSecKeychainGetStatus(
    _ keychain: UnsafeRawPointer?, _ keychainStatus: UnsafeMutableRawPointer?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self),
        let keychainStatus = unsafe keychainStatus
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainGetStatus(keychainObject.value, keychainStatus.assumingMemoryBound(to: (SecKeychainStatus).self))
}

/// The path of a keychain.
@_cdecl("SecKeychainGetPath")
public func interfaceSecKeychainGetPath(
    _ keychain: UnsafeRawPointer?, _ ioPathLength: UnsafeMutablePointer<UInt32>?, _ pathName: UnsafeMutablePointer<CChar>?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self),
        let ioPathLength = unsafe ioPathLength,
        let pathName = unsafe pathName
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainGetPath(keychainObject.value, ioPathLength, pathName)
}

/// Says whether the person may be asked to unlock a keychain.
@_cdecl("SecKeychainSetUserInteractionAllowed")
public func interfaceSecKeychainSetUserInteractionAllowed(
    _ state: UInt8
) -> Int32 {
    return LlaveroSecurity.SecKeychainSetUserInteractionAllowed(state != 0)
}

/// Whether the person may be asked to unlock a keychain.
@_cdecl("SecKeychainGetUserInteractionAllowed")
public func interfaceSecKeychainGetUserInteractionAllowed(
    _ state: UnsafeMutableRawPointer?
) -> Int32 {
    guard let state = unsafe state
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainGetUserInteractionAllowed(state.assumingMemoryBound(to: (DarwinBoolean).self))
}

/// The keychain that takes new items.
@_cdecl("SecKeychainCopyDefault")
public func interfaceSecKeychainCopyDefault(
    _ keychain: ObjectSlot?
) -> Int32 {
    guard unsafe keychain != nil
    else { return errSecParam }
    var keychainObject: SecKeychain?
    let answer = unsafe LlaveroSecurity.SecKeychainCopyDefault(&keychainObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(keychainObject, keychain)
    return answer
}

/// Sets the keychain that takes new items of this user's programs.
@_cdecl("SecKeychainSetDefault")
public func interfaceSecKeychainSetDefault(
    _ keychain: UnsafeRawPointer?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self)
    else { return errSecParam }
    return LlaveroSecurity.SecKeychainSetDefault(keychainObject.value)
}

/// The keychains that are searched, in their order.
@_cdecl("SecKeychainCopySearchList")
public func interfaceSecKeychainCopySearchList(
    _ searchList: ObjectSlot?
) -> Int32 {
    guard unsafe searchList != nil
    else { return errSecParam }
    var searchListObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecKeychainCopySearchList(&searchListObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(searchListObject, searchList)
    return answer
}

/// Sets the keychains that this user's programs search.
@_cdecl("SecKeychainSetSearchList")
public func interfaceSecKeychainSetSearchList(
    _ searchList: UnsafeRawPointer?
) -> Int32 {
    guard let searchListObject = unsafe Taken.required(searchList, as: NSArray.self)
    else { return errSecParam }
    return LlaveroSecurity.SecKeychainSetSearchList(searchListObject)
}

/// The keychain of a domain that takes new items.
@_cdecl("SecKeychainCopyDomainDefault")
public func interfaceSecKeychainCopyDomainDefault(
    _ domain: Int32, _ keychain: ObjectSlot?
) -> Int32 {
    guard unsafe keychain != nil
    else { return errSecParam }
    var keychainObject: SecKeychain?
    let answer = unsafe LlaveroSecurity.SecKeychainCopyDomainDefault(SecPreferencesDomain(rawValue: domain), &keychainObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(keychainObject, keychain)
    return answer
}

/// Sets the keychain of a domain that takes new items.
@_cdecl("SecKeychainSetDomainDefault")
public func interfaceSecKeychainSetDomainDefault(
    _ domain: Int32, _ keychain: UnsafeRawPointer?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self)
    else { return errSecParam }
    return LlaveroSecurity.SecKeychainSetDomainDefault(SecPreferencesDomain(rawValue: domain), keychainObject.value)
}

/// The keychains of a domain that are searched.
@_cdecl("SecKeychainCopyDomainSearchList")
public func interfaceSecKeychainCopyDomainSearchList(
    _ domain: Int32, _ searchList: ObjectSlot?
) -> Int32 {
    guard unsafe searchList != nil
    else { return errSecParam }
    var searchListObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecKeychainCopyDomainSearchList(SecPreferencesDomain(rawValue: domain), &searchListObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(searchListObject, searchList)
    return answer
}

/// Sets the keychains of a domain that are searched.
@_cdecl("SecKeychainSetDomainSearchList")
public func interfaceSecKeychainSetDomainSearchList(
    _ domain: Int32, _ searchList: UnsafeRawPointer?
) -> Int32 {
    guard let searchListObject = unsafe Taken.required(searchList, as: NSArray.self)
    else { return errSecParam }
    return LlaveroSecurity.SecKeychainSetDomainSearchList(SecPreferencesDomain(rawValue: domain), searchListObject)
}

/// Chooses the domain of calls that name none, in this process.
@_cdecl("SecKeychainSetPreferenceDomain")
public func interfaceSecKeychainSetPreferenceDomain(
    _ domain: Int32
) -> Int32 {
    return LlaveroSecurity.SecKeychainSetPreferenceDomain(SecPreferencesDomain(rawValue: domain))
}

/// The domain of calls that name none, in this process.
@_cdecl("SecKeychainGetPreferenceDomain")
public func interfaceSecKeychainGetPreferenceDomain(
    _ domain: UnsafeMutableRawPointer?
) -> Int32 {
    guard let domain = unsafe domain
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainGetPreferenceDomain(domain.assumingMemoryBound(to: (SecPreferencesDomain).self))
}

/// Stores a generic password.
@_cdecl("SecKeychainAddGenericPassword")
public func interfaceSecKeychainAddGenericPassword(
    _ keychain: UnsafeRawPointer?, _ serviceNameLength: UInt32, _ serviceName: UnsafePointer<CChar>?, _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?, _ passwordLength: UInt32, _ passwordData: UnsafeRawPointer?, _ itemRef: ObjectSlot?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self)
    else { return errSecParam }
    guard unsafe itemRef != nil else {
        return unsafe LlaveroSecurity.SecKeychainAddGenericPassword(keychainObject.value, serviceNameLength, serviceName, accountNameLength, accountName, passwordLength, passwordData, nil)
    }
    var itemRefObject: SecKeychainItem?
    let answer = unsafe LlaveroSecurity.SecKeychainAddGenericPassword(keychainObject.value, serviceNameLength, serviceName, accountNameLength, accountName, passwordLength, passwordData, &itemRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(itemRefObject, itemRef)
    return answer
}

/// Finds a generic password: the first in the order of the keychains.
@_cdecl("SecKeychainFindGenericPassword")
public func interfaceSecKeychainFindGenericPassword(
    _ keychainOrArray: UnsafeRawPointer?, _ serviceNameLength: UInt32, _ serviceName: UnsafePointer<CChar>?, _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?, _ passwordLength: UnsafeMutablePointer<UInt32>?, _ passwordData: UnsafeMutableRawPointer?, _ itemRef: ObjectSlot?
) -> Int32 {
    guard let keychainOrArrayObject = unsafe Taken.optional(keychainOrArray, as: AnyObject.self)
    else { return errSecParam }
    guard unsafe itemRef != nil else {
        return unsafe LlaveroSecurity.SecKeychainFindGenericPassword(keychainOrArrayObject.value, serviceNameLength, serviceName, accountNameLength, accountName, passwordLength, passwordData?.assumingMemoryBound(to: (UnsafeMutableRawPointer?).self), nil)
    }
    var itemRefObject: SecKeychainItem?
    let answer = unsafe LlaveroSecurity.SecKeychainFindGenericPassword(keychainOrArrayObject.value, serviceNameLength, serviceName, accountNameLength, accountName, passwordLength, passwordData?.assumingMemoryBound(to: (UnsafeMutableRawPointer?).self), &itemRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(itemRefObject, itemRef)
    return answer
}

/// Stores an internet password.
@_cdecl("SecKeychainAddInternetPassword")
public func interfaceSecKeychainAddInternetPassword(
    _ keychain: UnsafeRawPointer?, _ serverNameLength: UInt32, _ serverName: UnsafePointer<CChar>?, _ securityDomainLength: UInt32, _ securityDomain: UnsafePointer<CChar>?, _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?, _ port: UInt16, _ protocolType: UInt32, _ authenticationType: UInt32, _ passwordLength: UInt32, _ passwordData: UnsafeRawPointer?, _ itemRef: ObjectSlot?
) -> Int32 {
    guard let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self),
        let protocolTypeValue = SecProtocolType(rawValue: protocolType),
        let authenticationTypeValue = SecAuthenticationType(rawValue: authenticationType)
    else { return errSecParam }
    guard unsafe itemRef != nil else {
        return unsafe LlaveroSecurity.SecKeychainAddInternetPassword(keychainObject.value, serverNameLength, serverName, securityDomainLength, securityDomain, accountNameLength, accountName, pathLength, path, port, protocolTypeValue, authenticationTypeValue, passwordLength, passwordData, nil)
    }
    var itemRefObject: SecKeychainItem?
    let answer = unsafe LlaveroSecurity.SecKeychainAddInternetPassword(keychainObject.value, serverNameLength, serverName, securityDomainLength, securityDomain, accountNameLength, accountName, pathLength, path, port, protocolTypeValue, authenticationTypeValue, passwordLength, passwordData, &itemRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(itemRefObject, itemRef)
    return answer
}

/// Finds an internet password: the first in the order of the keychains.
@_cdecl("SecKeychainFindInternetPassword")
public func interfaceSecKeychainFindInternetPassword(
    _ keychainOrArray: UnsafeRawPointer?, _ serverNameLength: UInt32, _ serverName: UnsafePointer<CChar>?, _ securityDomainLength: UInt32, _ securityDomain: UnsafePointer<CChar>?, _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?, _ port: UInt16, _ protocolType: UInt32, _ authenticationType: UInt32, _ passwordLength: UnsafeMutablePointer<UInt32>?, _ passwordData: UnsafeMutableRawPointer?, _ itemRef: ObjectSlot?
) -> Int32 {
    guard let keychainOrArrayObject = unsafe Taken.optional(keychainOrArray, as: AnyObject.self),
        let protocolTypeValue = SecProtocolType(rawValue: protocolType),
        let authenticationTypeValue = SecAuthenticationType(rawValue: authenticationType)
    else { return errSecParam }
    guard unsafe itemRef != nil else {
        return unsafe LlaveroSecurity.SecKeychainFindInternetPassword(keychainOrArrayObject.value, serverNameLength, serverName, securityDomainLength, securityDomain, accountNameLength, accountName, pathLength, path, port, protocolTypeValue, authenticationTypeValue, passwordLength, passwordData?.assumingMemoryBound(to: (UnsafeMutableRawPointer?).self), nil)
    }
    var itemRefObject: SecKeychainItem?
    let answer = unsafe LlaveroSecurity.SecKeychainFindInternetPassword(keychainOrArrayObject.value, serverNameLength, serverName, securityDomainLength, securityDomain, accountNameLength, accountName, pathLength, path, port, protocolTypeValue, authenticationTypeValue, passwordLength, passwordData?.assumingMemoryBound(to: (UnsafeMutableRawPointer?).self), &itemRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(itemRefObject, itemRef)
    return answer
}

/// The type of keychains.
@_cdecl("SecKeychainGetTypeID")
public func interfaceSecKeychainGetTypeID(
    
) -> UInt {
    return typeID(of: SecKeychain.self)
}
