// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSecurityObjects
import Foundation
import LlaveroSecurity

// How calls end that fail, and calls that may.

private func osStatusError(_ status: OSStatus) -> NSError {
    NSError(domain: NSOSStatusErrorDomain, code: Int(status))
}

/// What a call returns that got something which it doesn't take: NULL, with `errSecParam`.
func refused(_ slot: ObjectSlot?) -> UnsafeRawPointer? {
    unsafe put(osStatusError(errSecParam), slot)
    return nil
}

/// The same of a call that returns a truth value.
func refusedFlag(_ slot: ObjectSlot?) -> UInt8 {
    unsafe put(osStatusError(errSecParam), slot)
    return 0
}

/// What a call returns, or the reason why it returns nothing.
func givenWithReason(
    _ slot: ObjectSlot?, _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> AnyObject?
) -> UnsafeRawPointer? {
    var reason: Unmanaged<CFError>?
    let object = unsafe call(&reason)
    unsafe put(reason: reason, slot)
    return unsafe given(object)
}

/// The same of a call that returns a truth value.
func flagWithReason(
    _ slot: ObjectSlot?, _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Bool
) -> UInt8 {
    var reason: Unmanaged<CFError>?
    let flag = unsafe call(&reason)
    unsafe put(reason: reason, slot)
    return flag ? 1 : 0
}

/// A call that says why it fails leaves its caller's pointer alone when it doesn't.
private func put(reason: Unmanaged<CFError>?, _ slot: ObjectSlot?) {
    guard let reason = unsafe reason else { return }
    unsafe put(reason.takeRetainedValue(), slot)
}

// MARK: - For the part in C

/// Whether what is in two boxes is equal.
@_cdecl("llavero_objects_equal")
public func objectsEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    unsafe object(left).isEqual(object(right))
}

/// A digest of what is in a box.
@_cdecl("llavero_object_hash")
public func objectHash(_ pointer: UnsafeRawPointer) -> UInt {
    UInt(bitPattern: unsafe object(pointer).hash)
}

/// What a call says that isn't built.
@_cdecl("llavero_unimplemented_error")
public func unimplementedError() -> UnsafeRawPointer? {
    unsafe given(osStatusError(errSecUnimplemented))
}

private func object(_ pointer: UnsafeRawPointer) -> NSObject {
    unsafe Unmanaged<NSObject>.fromOpaque(pointer).takeUnretainedValue()
}
