// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Where a C program wants an object.
public typealias ObjectSlot = UnsafeMutablePointer<UnsafeRawPointer?>

// Converts the results of the Swift functions to Core Foundation objects that the caller owns.
// Foundation's own classes would also be accepted. But a collection of Foundation's owns Swift
// values: the objects that `CFDictionaryGetValue` finds in it are temporary, and are freed before
// it returns.

/// An object for a C program, which owns it; NULL for nil.
func given(_ object: AnyObject?) -> UnsafeRawPointer? {
    switch object {
    case nil: return nil
    case let text as NSString: return unsafe given(text: text as String)
    case let data as NSData: return unsafe given(secret: data)
    case let number as NSNumber: return unsafe given(number: number)
    case let date as NSDate: return unsafe llavero_make_date(date.timeIntervalSinceReferenceDate)
    case let array as NSArray: return unsafe given(array: array)
    case let dictionary as NSDictionary: return unsafe given(dictionary: dictionary)
    case let error as NSError: return unsafe given(error: error)
    case is NSNull: return unsafe llavero_make_null()
    case let object?:
        let owned = unsafe UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque())
        guard let kind = boxKind(of: object) else { return unsafe owned }
        return unsafe llavero_box(kind.kind, owned)
    }
}

/// Stores an object at the caller's address, if there is one.
func put(_ object: AnyObject?, _ slot: ObjectSlot?) {
    if let slot = unsafe slot { unsafe slot.pointee = given(object) }
}

private func boxKind(of object: AnyObject) -> llavero_kind? {
    switch object {
    case is SecKey: LLAVERO_KEY
    case is SecCertificate: LLAVERO_CERTIFICATE
    case is SecIdentity: LLAVERO_IDENTITY
    case is SecAccessControl: LLAVERO_ACCESS_CONTROL
    case is SecPolicy: LLAVERO_POLICY
    case is SecTrust: LLAVERO_TRUST
    case is SecTask: LLAVERO_TASK
    case is SecKeychainItem: LLAVERO_KEYCHAIN_ITEM
    case is SecKeychain: LLAVERO_KEYCHAIN
    default: nil
    }
}

/// The type identifier of a class.
func typeID(of type: AnyClass) -> UInt {
    let kind: llavero_kind? =
        switch type {
        case is SecKey.Type: LLAVERO_KEY
        case is SecCertificate.Type: LLAVERO_CERTIFICATE
        case is SecIdentity.Type: LLAVERO_IDENTITY
        case is SecAccessControl.Type: LLAVERO_ACCESS_CONTROL
        case is SecPolicy.Type: LLAVERO_POLICY
        case is SecTrust.Type: LLAVERO_TRUST
        case is SecTask.Type: LLAVERO_TASK
        case is SecKeychainItem.Type: LLAVERO_KEYCHAIN_ITEM
        case is SecKeychain.Type: LLAVERO_KEYCHAIN
        default: nil
        }
    return kind.map { llavero_type_id($0.kind) } ?? 0
}

// MARK: - Values

/// A secret stays in the object that wipes it, and Core Foundation asks that for its bytes. A Core
/// Foundation copy couldn't be wiped, since it accepts no other allocator on this platform.
private func given(secret data: NSData) -> UnsafeRawPointer? {
    guard data is any ContiguousBytes else { return unsafe given(data: data) }
    return unsafe UnsafeRawPointer(Unmanaged.passRetained(data).toOpaque())
}

private func given(data: NSData) -> UnsafeRawPointer? {
    unsafe llavero_make_data(data.bytes, data.length)
}

private func given(text: String) -> UnsafeRawPointer? {
    var text = text
    return text.withUTF8 { unsafe llavero_make_string($0.baseAddress, $0.count) }
}

private func given(number: NSNumber) -> UnsafeRawPointer? {
    if isBoolean(number) { return unsafe llavero_make_boolean(number.boolValue) }
    let integer = number.int64Value
    if NSNumber(value: integer) == number { return unsafe llavero_make_integer(integer) }
    return unsafe llavero_make_real(number.doubleValue)
}

/// Foundation would first convert each element to a Swift value, and data to a copy that is never
/// wiped.
private func given(array: NSArray) -> UnsafeRawPointer? {
    var elements: [AnyObject] = []
    if type(of: array) == NSArray.self || type(of: array) == NSMutableArray.self {
        let count = array.count
        let pointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(array).toOpaque())
        unsafe withUnsafeTemporaryAllocation(
            of: UnsafeRawPointer?.self, capacity: count + 1
        ) { slots in
            unsafe slots.initialize(repeating: nil)
            unsafe llavero_array_elements(pointer, count, slots.baseAddress)
            for index in 0..<count {
                guard let element = unsafe slots[index] else { continue }
                elements.append(
                    unsafe Unmanaged<AnyObject>.fromOpaque(element).takeUnretainedValue())
            }
        }
    } else {
        elements = array.map { $0 as AnyObject }
    }
    return unsafe lendingObjects(
        elements.count, make: { unsafe given(elements[$0]) },
        lend: { unsafe llavero_make_array($0, elements.count) })
}

private func given(dictionary: NSDictionary) -> UnsafeRawPointer? {
    var keys: [AnyObject] = []
    var values: [AnyObject] = []
    dictionary.forEachEntry { key, value in
        keys.append(key)
        values.append(value)
    }
    let count = keys.count
    return unsafe lendingObjects(
        2 * count, make: { unsafe $0 < count ? given(keys[$0]) : entry(keys, values, $0 - count) },
        lend: { unsafe llavero_make_dictionary($0, $0?.advanced(by: count), count) })
}

/// A value in a dictionary. Of an item's data only the value of `kSecValueData` is a secret.
private func entry(_ keys: [AnyObject], _ values: [AnyObject], _ index: Int) -> UnsafeRawPointer? {
    if let data = values[index] as? NSData, (keys[index] as? NSString) != kSecValueData {
        return unsafe given(data: data)
    }
    return unsafe given(values[index])
}

private func given(error: NSError) -> UnsafeRawPointer? {
    let objects: [AnyObject] = [NSString(string: error.domain), error.userInfo as NSDictionary]
    return unsafe lendingObjects(
        objects.count, make: { unsafe given(objects[$0]) },
        lend: { parts in
            guard let parts = unsafe parts else { return nil }
            return unsafe llavero_make_error(parts[0], error.code, parts[1])
        })
}

/// Makes objects for a collection, which becomes their only owner.
private func lendingObjects(
    _ count: Int, make: (Int) -> UnsafeRawPointer?,
    lend body: (UnsafeMutablePointer<UnsafeRawPointer?>?) -> UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe withUnsafeTemporaryAllocation(
        of: UnsafeRawPointer?.self, capacity: count + 1
    ) { slots in
        unsafe slots.initialize(repeating: nil)
        var isComplete = true
        for index in 0..<count {
            unsafe slots[index] = make(index)
            if unsafe slots[index] == nil { isComplete = false }
        }
        defer {
            for index in 0..<count {
                if let object = unsafe slots[index] { unsafe llavero_release(object) }
            }
        }
        return isComplete ? unsafe body(slots.baseAddress) : nil
    }
}
