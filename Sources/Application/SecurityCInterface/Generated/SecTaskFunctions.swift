// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The type of tasks.
@_cdecl("SecTaskGetTypeID")
public func interfaceSecTaskGetTypeID(
    
) -> UInt {
    return typeID(of: SecTask.self)
}

/// This program.
@_cdecl("SecTaskCreateFromSelf")
public func interfaceSecTaskCreateFromSelf(
    _ allocator: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    return unsafe given(LlaveroSecurity.SecTaskCreateFromSelf(nil))
}

/// The value of a program's entitlement that the service honors: a text, an array of texts or a truth value, as far as the program's provisioning profile allows it.
@_cdecl("SecTaskCopyValueForEntitlement")
public func interfaceSecTaskCopyValueForEntitlement(
    _ task: UnsafeRawPointer?, _ entitlement: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let taskObject = unsafe Taken.required(task, as: SecTask.self),
        let entitlementObject = unsafe Taken.required(entitlement, as: NSString.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecTaskCopyValueForEntitlement(taskObject, entitlementObject, $0)
    }
}

/// The values of several entitlements, as ``SecTaskCopyValueForEntitlement(_:_:_:)`` returns them.
@_cdecl("SecTaskCopyValuesForEntitlements")
public func interfaceSecTaskCopyValuesForEntitlements(
    _ task: UnsafeRawPointer?, _ entitlements: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let taskObject = unsafe Taken.required(task, as: SecTask.self),
        let entitlementsObject = unsafe Taken.required(entitlements, as: NSArray.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecTaskCopyValuesForEntitlements(taskObject, entitlementsObject, $0)
    }
}

/// The program's identifier in its signature, without the team's prefix.
@_cdecl("SecTaskCopySigningIdentifier")
public func interfaceSecTaskCopySigningIdentifier(
    _ task: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let taskObject = unsafe Taken.required(task, as: SecTask.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecTaskCopySigningIdentifier(taskObject, $0)
    }
}
