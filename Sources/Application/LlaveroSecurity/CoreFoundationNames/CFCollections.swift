// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CoreFoundation
public import Foundation

// Functions on collections as Swift code for Apple's platforms calls them. There, keys and values
// are pointers to objects (`Unmanaged.passUnretained(kSecClass).toOpaque()`), and a returned
// pointer is valid as long as the collection holds its object (`Unmanaged<…>.fromOpaque(…)`). Core
// Foundation's own functions work with the objects that a Foundation collection holds, and never
// create one for the call.

private func own(_ dictionary: NSDictionary) -> CoreFoundation.CFDictionary {
    unsafe unsafeBitCast(dictionary, to: CoreFoundation.CFDictionary.self)
}

private func own(_ array: NSArray) -> CoreFoundation.CFArray {
    unsafe unsafeBitCast(array, to: CoreFoundation.CFArray.self)
}

/// The object of a pointer that a caller passed.
private func object(_ pointer: UnsafeRawPointer) -> AnyObject {
    unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
}

// MARK: - Dictionaries

/// The value of a key.
/// - Parameters:
///   - dictionary: Where it is looked for.
///   - key: A pointer to the key's object.
/// - Returns: A pointer to the value's object, not retained; nil if the key has none.
public func CFDictionaryGetValue(
    _ dictionary: CFDictionary!, _ key: UnsafeRawPointer!
) -> UnsafeRawPointer! {
    guard let dictionary, let key = unsafe key else { return nil }
    return unsafe CoreFoundation.CFDictionaryGetValue(own(dictionary), key)
}

/// The value of a key, if it has one.
/// - Parameters:
///   - dictionary: Where it is looked for.
///   - key: A pointer to the key's object.
///   - value: Set to a pointer to the value's object, not retained.
/// - Returns: Whether the key has a value.
public func CFDictionaryGetValueIfPresent(
    _ dictionary: CFDictionary!, _ key: UnsafeRawPointer!,
    _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let found = unsafe CFDictionaryGetValue(dictionary, key) else { return false }
    if let value = unsafe value { unsafe value.pointee = found }
    return true
}

/// Whether a dictionary has a key.
public func CFDictionaryContainsKey(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
    unsafe CFDictionaryGetValue(dictionary, key) != nil
}

/// Sets the value of a key, whether or not it has one.
public func CFDictionarySetValue(
    _ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    guard let dictionary, let key = unsafe key, let value = unsafe value,
        let name = unsafe object(key) as? NSObject
    else { return }
    dictionary[name] = unsafe object(value)
}

/// Sets the value of a key that has none.
public func CFDictionaryAddValue(
    _ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    guard unsafe !CFDictionaryContainsKey(dictionary, key) else { return }
    unsafe CFDictionarySetValue(dictionary, key, value)
}

/// Removes a key with its value.
public func CFDictionaryRemoveValue(_ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
    guard let dictionary, let key = unsafe key else { return }
    dictionary.removeObject(forKey: unsafe object(key))
}

/// A new dictionary with the same keys and values.
public func CFDictionaryCreateCopy(
    _ allocator: CFAllocator?, _ dictionary: CFDictionary!
) -> CFDictionary! {
    dictionary.map { $0.copy() as? NSDictionary } ?? nil
}

/// A new mutable dictionary with the same keys and values.
public func CFDictionaryCreateMutableCopy(
    _ allocator: CFAllocator?, _ capacity: CFIndex, _ dictionary: CFDictionary!
) -> CFMutableDictionary! {
    dictionary.map { $0.mutableCopy() as? NSMutableDictionary } ?? nil
}

// MARK: - Arrays

/// The value at a position.
/// - Parameters:
///   - array: Where it is.
///   - index: From 0 to its count - 1.
/// - Returns: A pointer to the value's object, not retained; nil outside of the array, where
///   Apple's function ends the process.
public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer! {
    guard let array, (0..<array.count).contains(index) else { return nil }
    return unsafe CoreFoundation.CFArrayGetValueAtIndex(own(array), index)
}

/// An empty mutable array; the capacity is a hint and the callbacks are always those of objects.
public func CFArrayCreateMutable(
    _ allocator: CFAllocator?, _ capacity: CFIndex, _ callBacks: UnsafeRawPointer?
) -> CFMutableArray! {
    NSMutableArray()
}

/// Puts a value at the end.
public func CFArrayAppendValue(_ array: CFMutableArray!, _ value: UnsafeRawPointer!) {
    guard let array, let value = unsafe value else { return }
    array.add(unsafe object(value))
}

// MARK: - Bytes

/// A data object with a copy of bytes.
/// - Parameters:
///   - allocator: Not used.
///   - bytes: Where they are; may be nil when there are none.
///   - length: How many, at least 0.
/// - Returns: The data; nil for a negative length, or for nil with a length.
public func CFDataCreate(
    _ allocator: CFAllocator?, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex
) -> CFData! {
    guard length > 0 else { return length == 0 ? NSData() : nil }
    guard let bytes = unsafe bytes else { return nil }
    return unsafe NSData(bytes: bytes, length: length)
}

/// A new data object with the same bytes.
public func CFDataCreateCopy(_ allocator: CFAllocator?, _ data: CFData!) -> CFData! {
    data.map { NSData(data: $0 as Data) }
}

/// An empty mutable data object; the capacity is a hint.
public func CFDataCreateMutable(_ allocator: CFAllocator?, _ capacity: CFIndex) -> CFMutableData! {
    NSMutableData()
}

/// Puts bytes at the end.
public func CFDataAppendBytes(
    _ data: CFMutableData!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex
) {
    guard let data, let bytes = unsafe bytes, length > 0 else { return }
    unsafe data.append(bytes, length: length)
}

/// The address of a data object's bytes; valid as long as the object exists and isn't changed.
public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! {
    guard let data else { return nil }
    return unsafe data.bytes.assumingMemoryBound(to: UInt8.self)
}

/// The address of a mutable data object's bytes, for writing.
public func CFDataGetMutableBytePtr(_ data: CFMutableData!) -> UnsafeMutablePointer<UInt8>! {
    guard let data else { return nil }
    return unsafe data.mutableBytes.assumingMemoryBound(to: UInt8.self)
}

// MARK: - Texts

/// UTF-8, the encoding of C strings in Swift code.
public let kCFStringEncodingUTF8: UInt32 = 0x0800_0100

/// The text of a C string.
/// - Parameters:
///   - allocator: Not used.
///   - text: It ends with a zero byte.
///   - encoding: `kCFStringEncodingUTF8`, or another number of Core Foundation's.
/// - Returns: The text; nil for bytes that are invalid in that encoding.
public func CFStringCreateWithCString(
    _ allocator: CFAllocator?, _ text: UnsafePointer<CChar>!, _ encoding: UInt32
) -> CFString! {
    guard let text = unsafe text else { return nil }
    let kind = CoreFoundation.CFStringConvertEncodingToNSStringEncoding(encoding)
    return unsafe NSString(cString: text, encoding: UInt(kind))
}

/// Copies a text as a C string.
/// - Parameters:
///   - string: The text.
///   - buffer: Room for it and a zero byte.
///   - size: How many bytes the buffer has.
///   - encoding: `kCFStringEncodingUTF8`, or another number of Core Foundation's.
/// - Returns: Whether the text fits, and the encoding has all of its characters.
public func CFStringGetCString(
    _ string: CFString!, _ buffer: UnsafeMutablePointer<CChar>!, _ size: CFIndex,
    _ encoding: UInt32
) -> Bool {
    guard let string, let buffer = unsafe buffer, size > 0 else { return false }
    let kind = CoreFoundation.CFStringConvertEncodingToNSStringEncoding(encoding)
    guard let bytes = string.data(using: UInt(kind), allowLossyConversion: false),
        bytes.count < size
    else { return false }
    // Foundation's own `getCString` returns true even if the zero byte doesn't fit.
    for (index, byte) in bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
    unsafe buffer[bytes.count] = 0
    return true
}
