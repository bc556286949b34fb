// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// What C hands over, as the Swift functions take it: boxes are opened, also those in collections,
/// and collections become Foundation's own, so that nothing is read through Core Foundation's
/// callbacks later on.
///
/// An address that C names as an object is believed to be one. What a collection holds isn't: its
/// maker may have given it callbacks of its own, or none.
enum Taken {
    /// How deep collections may lie in each other; deeper ones are refused. The dictionaries of this
    /// interface are three deep at most, and a collection may contain itself.
    private static let deepest = 8

    /// An object that must be there and be of a class; nil otherwise.
    static func required<Object: AnyObject>(
        _ pointer: UnsafeRawPointer?, as type: Object.Type
    ) -> Object? {
        unsafe object(pointer) as? Object
    }

    /// An object that may be missing: NULL is taken for nothing, an object of another class isn't.
    static func optional<Object: AnyObject>(
        _ pointer: UnsafeRawPointer?, as type: Object.Type
    ) -> Maybe<Object>? {
        guard unsafe pointer != nil else { return Maybe(value: nil) }
        guard let object = unsafe required(pointer, as: type) else { return nil }
        return Maybe(value: object)
    }

    /// An object or nothing, told apart from what is refused.
    struct Maybe<Object: AnyObject> {
        /// The object.
        let value: Object?
    }

    /// An object of any class; nil for NULL, and for a collection of what is no object or that is
    /// too deep.
    static func object(_ pointer: UnsafeRawPointer?, depth: Int = 0) -> AnyObject? {
        guard let pointer = unsafe pointer else { return nil }
        let kind = unsafe llavero_kind_of(pointer)
        if kind < LLAVERO_BOX_KINDS.kind { return unsafe reference(llavero_boxed(pointer)) }
        switch kind {
        case LLAVERO_DICTIONARY.kind:
            return depth < deepest ? unsafe dictionary(pointer, depth) : nil
        case LLAVERO_ARRAY.kind: return depth < deepest ? unsafe array(pointer, depth) : nil
        case LLAVERO_NULL.kind: return NSNull()
        default: return unsafe reference(pointer)
        }
    }

    private static func reference(_ pointer: UnsafeRawPointer?) -> AnyObject? {
        unsafe pointer.map { unsafe Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func array(_ pointer: UnsafeRawPointer, _ depth: Int) -> NSArray? {
        let count = unsafe llavero_array_count(pointer)
        return unsafe withUnsafeTemporaryAllocation(
            of: UnsafeRawPointer?.self, capacity: count + 1
        ) { slots in
            unsafe slots.initialize(repeating: nil)
            unsafe llavero_array_elements(pointer, count, slots.baseAddress)
            guard unsafe llavero_are_objects(slots.baseAddress, count) else { return nil }
            let array = NSMutableArray(capacity: count)
            for index in 0..<count {
                guard let element = unsafe object(slots[index], depth: depth + 1) else {
                    return nil
                }
                array.add(element)
            }
            return array
        }
    }

    private static func dictionary(_ pointer: UnsafeRawPointer, _ depth: Int) -> NSDictionary? {
        let count = unsafe llavero_dictionary_count(pointer)
        return unsafe withUnsafeTemporaryAllocation(
            of: UnsafeRawPointer?.self, capacity: 2 * count + 1
        ) { slots in
            unsafe slots.initialize(repeating: nil)
            guard let keys = slots.baseAddress else { return nil }
            unsafe llavero_dictionary_entries(pointer, keys, keys + count)
            guard unsafe llavero_are_objects(keys, 2 * count) else { return nil }
            let dictionary = NSMutableDictionary(capacity: count)
            for index in 0..<count {
                guard let key = unsafe reference(slots[index]) as? NSObject,
                    let value = unsafe object(slots[count + index], depth: depth + 1)
                else { return nil }
                dictionary.setObject(value, forKey: key)
            }
            return dictionary
        }
    }
}

/// Bytes that C hands over with their count: NULL is none of them, and nothing else.
func takenBytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> UnsafePointer<UInt8>? {
    if let start = unsafe start { return unsafe start }
    // An address that nothing is read from.
    return count == 0 ? unsafe UnsafePointer(bitPattern: 1) : nil
}

extension llavero_kind {
    /// The number, as functions give it.
    var kind: Int32 { Int32(bitPattern: rawValue) }
}
