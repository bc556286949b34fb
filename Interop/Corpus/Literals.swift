// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

nonisolated(unsafe) let literals: [Program] = [
    ("swift dictionary as CFDictionary", addsWithSwiftDictionary),
    ("literal of CFString keys", addsWithCFStringKeys),
    ("NSDictionary literal", addsWithNSDictionary),
    ("NSMutableDictionary by subscript", addsWithMutableDictionary),
    ("NSMutableDictionary by setObject", addsWithSetObject),
    ("NSMutableDictionary by setValue", addsWithSetValue),
    ("objects and keys arrays", addsWithObjectsAndKeys),
    ("dictionary of AnyObject", addsWithAnyObjects),
    ("dictionary of NSObject", addsWithNSObjects),
    ("dictionary of NSString", addsWithNSStringKeys),
    ("dictionary of AnyHashable", addsWithAnyHashableKeys),
    ("merging", addsWithMerging),
    ("mutating a var", addsWithVar),
    ("kCFBooleanTrue", addsWithCFBoolean),
    ("as String everywhere", addsWithStringValues),
    ("no cast at all", addsWithoutCast),
]

func forget(_ service: String) {
    SecItemDelete(
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service,
            kSecAttrSynchronizable: kSecAttrSynchronizableAny,
        ] as CFDictionary)
}

func stored(_ service: String) -> Data? {
    var result: AnyObject?
    let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecReturnData as String: true,
    ]
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
    return result as? Data
}

func addsWithSwiftDictionary() throws {
    forget("l1")
    let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "l1",
        kSecAttrAccount as String: "a", kSecValueData as String: Data("x".utf8),
    ]
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    try check(stored("l1") == Data("x".utf8))
}

func addsWithCFStringKeys() throws {
    forget("l2")
    let query =
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "l2", kSecValueData: Data([1]),
        ] as CFDictionary
    try check(SecItemAdd(query, nil) == noErr)
    try check(stored("l2") == Data([1]))
}

func addsWithNSDictionary() throws {
    forget("l3")
    let query: NSDictionary = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "l3", kSecValueData: Data([2]),
    ]
    try check(SecItemAdd(query, nil) == errSecSuccess)
    try check(stored("l3") == Data([2]))
}

func addsWithMutableDictionary() throws {
    forget("l4")
    let query = NSMutableDictionary()
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrService as String] = "l4"
    query[kSecValueData as String] = "v".data(using: .utf8)
    try check(SecItemAdd(query, nil) == errSecSuccess)
    try check(stored("l4") == Data("v".utf8))
}

func addsWithSetObject() throws {
    forget("l5")
    let query = NSMutableDictionary()
    query.setObject(kSecClassGenericPassword, forKey: kSecClass as NSString)
    query.setObject("l5" as NSString, forKey: kSecAttrService as NSString)
    query.setObject(Data([3]), forKey: kSecValueData as NSString)
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    try check(stored("l5") == Data([3]))
}

func addsWithSetValue() throws {
    forget("l6")
    let query = NSMutableDictionary()
    query.setValue(kSecClassGenericPassword, forKey: kSecClass as String)
    query.setValue("l6", forKey: kSecAttrService as String)
    query.setValue(Data([4]), forKey: kSecValueData as String)
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    try check(stored("l6") == Data([4]))
}

func addsWithObjectsAndKeys() throws {
    forget("l7")
    let query = NSMutableDictionary(
        objects: [kSecClassGenericPassword, "l7" as NSString, NSData(data: Data([5]))],
        forKeys: [kSecClass, kSecAttrService, kSecValueData])
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    try check(stored("l7") == Data([5]))
}

func addsWithAnyObjects() throws {
    forget("l8")
    let query: [String: AnyObject] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "l8" as NSString,
        kSecValueData as String: Data([6]) as NSData,
    ]
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    try check(stored("l8") == Data([6]))
}

func addsWithNSObjects() throws {
    forget("l9")
    let query: [NSObject: AnyObject] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "l9" as NSString,
        kSecValueData: Data([7]) as NSData,
    ]
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    try check(stored("l9") == Data([7]))
}

func addsWithNSStringKeys() throws {
    forget("l10")
    let query: [NSString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "l10", kSecValueData: Data([8]),
    ]
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
    try check(stored("l10") == Data([8]))
}

func addsWithAnyHashableKeys() throws {
    forget("l11")
    let query: [AnyHashable: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "l11", kSecValueData: Data([9]),
    ]
    try check(query[kSecAttrService as String] as? String == "l11")
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
}

func addsWithMerging() throws {
    forget("l12")
    let base: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "l12"]
    let item = base.merging([kSecValueData: Data([1])]) { $1 }
    try check(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    try check(SecItemDelete(base as CFDictionary) == errSecSuccess)
}

func addsWithVar() throws {
    forget("l13")
    var query: [CFString: Any] = [:]
    query[kSecClass] = kSecClassGenericPassword
    query[kSecAttrService] = "l13"
    query[kSecValueData] = Data([2])
    query[kSecAttrLabel] = nil
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
}

func addsWithCFBoolean() throws {
    forget("l14")
    let item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "l14",
        kSecValueData as String: Data([3]), kSecAttrSynchronizable as String: kCFBooleanFalse!,
        kSecReturnAttributes as String: kCFBooleanTrue as Any,
    ]
    var result: CFTypeRef?
    try check(SecItemAdd(item as CFDictionary, &result) == errSecSuccess)
    try check(result is NSDictionary)
}

func addsWithStringValues() throws {
    forget("l15")
    let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword as String,
        kSecAttrService as String: "l15",
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock as String,
        kSecValueData as String: Data([4]),
    ]
    try check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
}

func addsWithoutCast() throws {
    forget("l16")
    let item: CFDictionary = [kSecClass: kSecClassGenericPassword, kSecAttrService: "l16"]
    try check(SecItemAdd(item, nil) == errSecSuccess)
}
