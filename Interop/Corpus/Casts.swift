// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

nonisolated(unsafe) let casts: [Program] = [
    ("as? Data", { try check(try one(returning: kSecReturnData) as? Data == Data("secret".utf8)) }),
    ("as! Data", { try check((try one(returning: kSecReturnData) as! Data).count == 6) }),
    ("as? NSData", { try check((try one(returning: kSecReturnData) as? NSData)?.length == 6) }),
    (
        "as! CFData",
        { try check(CFDataGetLength((try one(returning: kSecReturnData) as! CFData)) == 6) }
    ),
    (
        "data to string",
        {
            let data = try unwrap(try one(returning: kSecReturnData) as? Data)
            try check(String(data: data, encoding: .utf8) == "secret")
        }
    ),
    (
        "as? [String: Any]",
        {
            let found = try unwrap(try one(returning: kSecReturnAttributes) as? [String: Any])
            try check(found[kSecAttrAccount as String] as? String == "cast")
        }
    ),
    (
        "as? [CFString: Any]",
        {
            let found = try unwrap(try one(returning: kSecReturnAttributes) as? [CFString: Any])
            try check(found[kSecAttrAccount] as? String == "cast")
        }
    ),
    (
        "as? [NSString: AnyObject]",
        {
            let found = try unwrap(
                try one(returning: kSecReturnAttributes) as? [NSString: AnyObject])
            try check(found[kSecAttrAccount] as? String == "cast")
        }
    ),
    (
        "as? [AnyHashable: Any]",
        {
            let found = try unwrap(try one(returning: kSecReturnAttributes) as? [AnyHashable: Any])
            try check(found[kSecAttrAccount] as? String == "cast")
            try check(found[kSecAttrAccount as String] as? String == "cast")
        }
    ),
    (
        "as? NSDictionary",
        {
            let found = try unwrap(try one(returning: kSecReturnAttributes) as? NSDictionary)
            try check(found[kSecAttrAccount as String] as? String == "cast")
            try check(found.object(forKey: kSecAttrService) as? String == "casts")
        }
    ),
    (
        "dates",
        {
            let found = try unwrap(try one(returning: kSecReturnAttributes) as? [String: Any])
            try check(found[kSecAttrCreationDate as String] is Date)
            try check(try unwrap(found[kSecAttrModificationDate as String] as? Date) <= Date())
        }
    ),
    (
        "numbers",
        {
            let found = try unwrap(try one(returning: kSecReturnAttributes) as? [String: Any])
            try check(found[kSecAttrSynchronizable as String] as? Int == 0)
            try check(found[kSecAttrSynchronizable as String] as? Bool == false)
            try check((found[kSecAttrSynchronizable as String] as? NSNumber)?.intValue == 0)
        }
    ),
    (
        "wrong shapes are nil",
        {
            let found = try one(returning: kSecReturnAttributes)
            try check(found as? Data == nil && found as? [String: String] == nil)
        }
    ),
    (
        "arrays of dictionaries",
        {
            var result: AnyObject?
            let query = castQuery.merging([
                kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
            ]) { $1 }
            try check(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            try check(
                (result as? [[String: Any]])?.count == 1 && (result as? [NSDictionary])?.count == 1)
            try check((result as? NSArray)?.count == 1)
        }
    ),
    (
        "type ids",
        {
            try check(CFGetTypeID(try one(returning: kSecReturnData)) == CFDataGetTypeID())
            try check(
                CFGetTypeID(try one(returning: kSecReturnAttributes)) == CFDictionaryGetTypeID())
        }
    ),
]

nonisolated(unsafe) let castQuery: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrService: "casts", kSecAttrAccount: "cast",
]

func one(returning key: CFString) throws -> CFTypeRef {
    var query = castQuery
    query[kSecValueData] = Data("secret".utf8)
    let status = SecItemAdd(query as CFDictionary, nil)
    try check(status == errSecSuccess || status == errSecDuplicateItem)
    query[kSecValueData] = nil
    query[key] = true
    query[kSecMatchLimit] = kSecMatchLimitOne
    var result: CFTypeRef?
    try check(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
    return try unwrap(result)
}
