// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Stores an item.
@_cdecl("SecItemAdd")
public func interfaceSecItemAdd(
    _ attributes: UnsafeRawPointer?, _ result: ObjectSlot?
) -> Int32 {
    guard let attributesObject = unsafe Taken.required(attributes, as: NSDictionary.self)
    else { return errSecParam }
    guard unsafe result != nil else {
        return LlaveroSecurity.SecItemAdd(attributesObject, nil)
    }
    var resultObject: CFTypeRef?
    let answer = unsafe LlaveroSecurity.SecItemAdd(attributesObject, &resultObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(resultObject, result)
    return answer
}

/// Finds items.
@_cdecl("SecItemCopyMatching")
public func interfaceSecItemCopyMatching(
    _ query: UnsafeRawPointer?, _ result: ObjectSlot?
) -> Int32 {
    guard let queryObject = unsafe Taken.required(query, as: NSDictionary.self)
    else { return errSecParam }
    guard unsafe result != nil else {
        return LlaveroSecurity.SecItemCopyMatching(queryObject, nil)
    }
    var resultObject: CFTypeRef?
    let answer = unsafe LlaveroSecurity.SecItemCopyMatching(queryObject, &resultObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(resultObject, result)
    return answer
}

/// Changes every item that a query matches, or none.
@_cdecl("SecItemUpdate")
public func interfaceSecItemUpdate(
    _ query: UnsafeRawPointer?, _ attributesToUpdate: UnsafeRawPointer?
) -> Int32 {
    guard let queryObject = unsafe Taken.required(query, as: NSDictionary.self),
        let attributesToUpdateObject = unsafe Taken.required(attributesToUpdate, as: NSDictionary.self)
    else { return errSecParam }
    return LlaveroSecurity.SecItemUpdate(queryObject, attributesToUpdateObject)
}

/// Deletes every item that a query matches.
@_cdecl("SecItemDelete")
public func interfaceSecItemDelete(
    _ query: UnsafeRawPointer?
) -> Int32 {
    guard let queryObject = unsafe Taken.required(query, as: NSDictionary.self)
    else { return errSecParam }
    return LlaveroSecurity.SecItemDelete(queryObject)
}
