// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSecurityObjects
import Foundation
import LlaveroSecurity

// The results of failed calls, and of calls that can fail.

private func osStatusError(_ status: OSStatus) -> NSError {
    NSError(domain: NSOSStatusErrorDomain, code: Int(status))
}

/// The result of a call with an unacceptable argument: NULL, with `errSecParam`.
func refused(_ slot: ObjectSlot?) -> UnsafeRawPointer? {
    unsafe put(osStatusError(errSecParam), slot)
    return nil
}

/// The same for a call that returns a truth value.
func refusedFlag(_ slot: ObjectSlot?) -> UInt8 {
    unsafe put(osStatusError(errSecParam), slot)
    return 0
}

/// The result of a call, or the reason why there is none.
func givenWithReason(
    _ slot: ObjectSlot?, _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> AnyObject?
) -> UnsafeRawPointer? {
    var reason: Unmanaged<CFError>?
    let object = unsafe call(&reason)
    unsafe put(reason: reason, slot)
    return unsafe given(object)
}

/// The same for a call that returns a truth value.
func flagWithReason(
    _ slot: ObjectSlot?, _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Bool
) -> UInt8 {
    var reason: Unmanaged<CFError>?
    let flag = unsafe call(&reason)
    unsafe put(reason: reason, slot)
    return flag ? 1 : 0
}

/// A call that can return an error doesn't change the caller's pointer if it succeeds.
private func put(reason: Unmanaged<CFError>?, _ slot: ObjectSlot?) {
    guard let reason = unsafe reason else { return }
    unsafe put(reason.takeRetainedValue(), slot)
}

// MARK: - Called by the C part

/// Whether the contents of two boxes are equal.
@_cdecl("llavero_objects_equal")
public func objectsEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    unsafe object(left).isEqual(object(right))
}

/// The hash value of a box's content.
@_cdecl("llavero_object_hash")
public func objectHash(_ pointer: UnsafeRawPointer) -> UInt {
    UInt(bitPattern: unsafe object(pointer).hash)
}

/// The error of a status.
@_cdecl("llavero_error")
public func statusError(_ status: Int32) -> UnsafeRawPointer? {
    unsafe given(osStatusError(status))
}

private func object(_ pointer: UnsafeRawPointer) -> NSObject {
    unsafe Unmanaged<NSObject>.fromOpaque(pointer).takeUnretainedValue()
}
