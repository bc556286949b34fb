// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The type of access controls.
@_cdecl("SecAccessControlGetTypeID")
public func interfaceSecAccessControlGetTypeID(
    
) -> UInt {
    return typeID(of: SecAccessControl.self)
}

/// Makes an access control.
@_cdecl("SecAccessControlCreateWithFlags")
public func interfaceSecAccessControlCreateWithFlags(
    _ allocator: UnsafeRawPointer?, _ protection: UnsafeRawPointer?, _ flags: UInt, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let protectionObject = unsafe Taken.object(protection)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecAccessControlCreateWithFlags(nil, protectionObject, SecAccessControlCreateFlags(rawValue: flags), $0)
    }
}
