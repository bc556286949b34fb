// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Objects that no function of Core Foundation makes: a program in Swift that calls the C interface
// hands over Foundation's classes and its own.

import Foundation

@_silgen_name("SecItemAdd")
func SecItemAdd(_ item: UnsafeRawPointer, _ result: UnsafeRawPointer?) -> Int32
@_silgen_name("SecItemCopyMatching")
func SecItemCopyMatching(_ query: UnsafeRawPointer, _ result: UnsafeRawPointer?) -> Int32
@_silgen_name("SecItemDelete")
func SecItemDelete(_ query: UnsafeRawPointer) -> Int32
@_silgen_name("CFDictionaryCreate")
func CFDictionaryCreate(
    _ allocator: UnsafeRawPointer?, _ keys: UnsafePointer<UnsafeRawPointer?>,
    _ values: UnsafePointer<UnsafeRawPointer?>, _ count: Int,
    _ keyCallbacks: UnsafeRawPointer?, _ valueCallbacks: UnsafeRawPointer?
) -> UnsafeRawPointer
@_silgen_name("CFRelease")
func CFRelease(_ object: UnsafeRawPointer)

final class OwnDate: NSDate, @unchecked Sendable {
    override var timeIntervalSinceReferenceDate: TimeInterval { 7 }
}
struct Point { var x = 1 }
final class NoObjectOfFoundation {}

var claims = 0
var failures = 0

func expect(_ status: Int32, _ expected: Int32, _ what: Any) {
    claims += 1
    if status == expected { return }
    failures += 1
    print("\(status), not \(expected), of \(type(of: what))")
}

/// Stores an item with such a value, in a dictionary that doesn't retain it, and deletes it.
func check(_ key: String, _ value: AnyObject, _ expected: Int32, of itemClass: String = "genp") {
    let keys = ["class" as NSString, key as NSString]
    let values = [itemClass as NSString, value]
    let pointers = { (objects: [AnyObject]) in
        objects.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) as Optional }
    }
    let item = CFDictionaryCreate(nil, pointers(keys), pointers(values), 2, nil, nil)
    expect(SecItemAdd(item, nil), expected, value)
    expect(SecItemCopyMatching(item, nil), expected, value)
    if expected == 0 { expect(SecItemDelete(item), 0, value) }
    CFRelease(item)
    withExtendedLifetime((keys, values)) {}
}

let mutable = NSMutableString(string: "mutable")
let bytes = NSMutableData(data: Data([1, 2, 3]))
for text in [mutable, "text" as NSString, "longer than fits into a word of Swift" as NSString] {
    check("acct", text, 0)
}
for data in [bytes, Data([1, 2]) as NSData, Data(count: 4096) as NSData] { check("gena", data, 0) }
for number in [
    NSNumber(value: true), NSNumber(value: Int8(7)), NSNumber(value: UInt32.max),
    NSNumber(value: 7.0), 7 as NSNumber, NSDecimalNumber(value: 7),
] {
    check("type", number, 0)
}
check("m_ItemList", NSMutableArray(array: [Data(count: 20)]), -50)
check("sdat", OwnDate(), 0, of: "keys")
check("acct", NSNull(), -50)
check("acct", Point() as AnyObject, -50)
check("acct", NSObject(), -50)
check("acct", NoObjectOfFoundation(), -50)
check("acct", NSObject.self as AnyObject, -50)
print("\(claims) claims, \(failures) failures")
exit(failures == 0 ? 0 : 1)
