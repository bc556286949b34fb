// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The type of objects that stand for passwords.
@_cdecl("SecKeychainItemGetTypeID")
public func interfaceSecKeychainItemGetTypeID(
    
) -> UInt {
    return typeID(of: SecKeychainItem.self)
}

/// Changes a password's attributes, its secret, or both.
@_cdecl("SecKeychainItemModifyContent")
public func interfaceSecKeychainItemModifyContent(
    _ itemRef: UnsafeRawPointer?, _ attrList: UnsafeMutableRawPointer?, _ length: UInt32, _ data: UnsafeRawPointer?
) -> Int32 {
    guard let itemRefObject = unsafe Taken.required(itemRef, as: SecKeychainItem.self)
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainItemModifyContent(itemRefObject, attrList.map { unsafe UnsafePointer($0.assumingMemoryBound(to: (SecKeychainAttributeList).self)) }, length, data)
}

/// A password's class, attributes and secret.
@_cdecl("SecKeychainItemCopyContent")
public func interfaceSecKeychainItemCopyContent(
    _ itemRef: UnsafeRawPointer?, _ itemClass: UnsafeMutableRawPointer?, _ attrList: UnsafeMutableRawPointer?, _ length: UnsafeMutablePointer<UInt32>?, _ outData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let itemRefObject = unsafe Taken.required(itemRef, as: SecKeychainItem.self)
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecKeychainItemCopyContent(itemRefObject, itemClass?.assumingMemoryBound(to: (SecItemClass).self), attrList?.assumingMemoryBound(to: (SecKeychainAttributeList).self), length, outData?.assumingMemoryBound(to: (UnsafeMutableRawPointer?).self))
}

/// Frees what ``SecKeychainItemCopyContent(_:_:_:_:_:)`` and the functions that find passwords have given, and wipes it.
@_cdecl("SecKeychainItemFreeContent")
public func interfaceSecKeychainItemFreeContent(
    _ attrList: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    return unsafe LlaveroSecurity.SecKeychainItemFreeContent(attrList?.assumingMemoryBound(to: (SecKeychainAttributeList).self), data)
}

/// Deletes a password.
@_cdecl("SecKeychainItemDelete")
public func interfaceSecKeychainItemDelete(
    _ itemRef: UnsafeRawPointer?
) -> Int32 {
    guard let itemRefObject = unsafe Taken.required(itemRef, as: SecKeychainItem.self)
    else { return errSecParam }
    return LlaveroSecurity.SecKeychainItemDelete(itemRefObject)
}

/// The keychain of a password.
@_cdecl("SecKeychainItemCopyKeychain")
public func interfaceSecKeychainItemCopyKeychain(
    _ itemRef: UnsafeRawPointer?, _ keychainRef: ObjectSlot?
) -> Int32 {
    guard let itemRefObject = unsafe Taken.required(itemRef, as: SecKeychainItem.self),
        unsafe keychainRef != nil
    else { return errSecParam }
    var keychainRefObject: SecKeychain?
    let answer = unsafe LlaveroSecurity.SecKeychainItemCopyKeychain(itemRefObject, &keychainRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(keychainRefObject, keychainRef)
    return answer
}
