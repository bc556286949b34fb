// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Converts C arguments for the Swift functions. Boxes are opened, also those in collections, and
/// collections become Foundation's own, so that later code never reads through Core Foundation's
/// callbacks.
///
/// An address that a C program passes as an object is trusted to be one. The content of a
/// collection isn't: its maker may have used custom callbacks, or none.
enum Taken {
    /// The maximum depth of nested collections; deeper ones are refused. The dictionaries of this
    /// interface are at most three deep, and a collection may contain itself.
    private static let deepest = 8

    /// An object that must exist and be of a class; nil otherwise.
    static func required<Object: AnyObject>(
        _ pointer: UnsafeRawPointer?, as type: Object.Type
    ) -> Object? {
        unsafe object(pointer) as? Object
    }

    /// An optional object: NULL is accepted, an object of another class isn't.
    static func optional<Object: AnyObject>(
        _ pointer: UnsafeRawPointer?, as type: Object.Type
    ) -> Maybe<Object>? {
        guard unsafe pointer != nil else { return Maybe(value: nil) }
        guard let object = unsafe required(pointer, as: type) else { return nil }
        return Maybe(value: object)
    }

    /// An object or NULL, as distinct from a refused argument.
    struct Maybe<Object: AnyObject> {
        /// The object.
        let value: Object?
    }

    /// An object of any class; nil for NULL, for a collection whose elements aren't objects, and
    /// for a collection that is too deep.
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

    /// The case that a C program's number stands for, that of 0 for NULL; nil for any other number.
    static func number<Case: RawRepresentable<UInt32>>(
        _ pointer: UnsafeMutablePointer<UInt32>?, as type: Case.Type
    ) -> Case? {
        Case(rawValue: unsafe pointer?.pointee ?? 0)
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

/// A C program's structure with its objects converted.
@safe final class TakenParameters<Parameters> {
    /// The converted structure: valid as long as this object.
    let pointer: UnsafePointer<Parameters>
    private let structure: UnsafeMutablePointer<Parameters>
    private let objects: [AnyObject]

    private init(_ parameters: Parameters, _ objects: [AnyObject?]) {
        unsafe structure = .allocate(capacity: 1)
        unsafe structure.initialize(to: parameters)
        unsafe pointer = UnsafePointer(structure)
        self.objects = objects.compactMap { $0 }
    }

    deinit { unsafe structure.deallocate() }
}

extension TakenParameters<SecItemImportExportKeyParameters> {
    /// Converts what the calls use: nil for NULL.
    convenience init?(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer = unsafe pointer else { return nil }
        let given = unsafe pointer.load(as: SecItemImportExportKeyParameters.self)
        let passphrase = unsafe Taken.object(given.passphrase?.toOpaque())
        let attributes = unsafe Taken.object(given.keyAttributes?.toOpaque()) as? NSArray
        var parameters = unsafe SecItemImportExportKeyParameters()
        unsafe parameters.flags = given.flags
        unsafe parameters.passphrase = passphrase.map { unsafe .passUnretained($0) }
        unsafe parameters.keyAttributes = attributes.map { unsafe .passUnretained($0) }
        unsafe self.init(parameters, [passphrase, attributes])
    }
}

extension TakenParameters<SecKeyImportExportParameters> {
    /// Converts what the calls use: nil for NULL.
    convenience init?(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer = unsafe pointer else { return nil }
        let given = unsafe pointer.load(as: SecKeyImportExportParameters.self)
        let passphrase = unsafe Taken.object(given.passphrase?.toOpaque())
        var parameters = unsafe SecKeyImportExportParameters()
        unsafe parameters.flags = given.flags
        unsafe parameters.passphrase = passphrase.map { unsafe .passUnretained($0) }
        unsafe parameters.keyAttributes = given.keyAttributes
        unsafe self.init(parameters, [passphrase])
    }
}

/// Bytes that a C program passes with their count: NULL with the count 0 is accepted, NULL with
/// another count isn't.
func takenBytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> UnsafePointer<UInt8>? {
    if let start = unsafe start { return unsafe start }
    // An address for an empty buffer, from which nothing is read.
    return count == 0 ? unsafe UnsafePointer(bitPattern: 1) : nil
}

extension llavero_kind {
    /// The number, as functions return it.
    var kind: Int32 { Int32(bitPattern: rawValue) }
}
