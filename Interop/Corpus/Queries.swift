// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

nonisolated(unsafe) let queries: [Program] = [
    (
        "duplicate",
        {
            fill("q1", 1)
            try check(SecItemAdd(item("q1", 0) as CFDictionary, nil) == errSecDuplicateItem)
        }
    ),
    (
        "not found",
        {
            forget("q2")
            try check(SecItemCopyMatching(item("q2") as CFDictionary, nil) == errSecItemNotFound)
        }
    ),
    (
        "existence only",
        {
            fill("q3", 1)
            try check(SecItemCopyMatching(item("q3") as CFDictionary, nil) == errSecSuccess)
        }
    ),
    (
        "update of the secret",
        {
            fill("q4", 1)
            let change = [kSecValueData: Data("new".utf8)] as CFDictionary
            try check(SecItemUpdate(item("q4") as CFDictionary, change) == errSecSuccess)
            try check(stored("q4") == Data("new".utf8))
        }
    ),
    (
        "update of several",
        {
            fill("q5", 3)
            let change: [String: Any] = [kSecAttrComment as String: "c"]
            try check(SecItemUpdate(item("q5") as CFDictionary, change as CFDictionary) == noErr)
            try check(count(item("q5", [kSecAttrComment: "c"])) == 3)
        }
    ),
    (
        "update of nothing",
        {
            forget("q6")
            let status = SecItemUpdate(
                item("q6") as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary)
            try check(status == errSecItemNotFound)
        }
    ),
    (
        "delete all of a service",
        {
            fill("q7", 3)
            try check(SecItemDelete(item("q7") as CFDictionary) == errSecSuccess)
            try check(count(item("q7")) == 0)
        }
    ),
    (
        "delete with limit all",
        {
            fill("q8", 2)
            try check(
                SecItemDelete(item("q8", [kSecMatchLimit: kSecMatchLimitAll]) as CFDictionary)
                    == noErr)
        }
    ),
    (
        "limit as a number",
        {
            fill("q9", 4)
            var result: CFTypeRef?
            let query = item("q9", [kSecMatchLimit: 2, kSecReturnAttributes: true])
            try check(SecItemCopyMatching(query as CFDictionary, &result) == noErr)
            try check((result as? [Any])?.count == 2)
        }
    ),
    (
        "limit all as an NSNumber",
        {
            fill("q10", 3)
            try check(count(item("q10")) == 3)
        }
    ),
    (
        "synchronizable any",
        {
            fill("q11", 1)
            let query = item("q11", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])
            try check(count(query) == 1)
        }
    ),
    (
        "synchronizable is another item",
        {
            fill("q12", 1)
            let other = item("q12", 0).merging([kSecAttrSynchronizable: true]) { $1 }
            try check(SecItemAdd(other as CFDictionary, nil) == errSecSuccess)
            try check(count(item("q12")) == 1)
            try check(count(item("q12", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == 2)
            forget("q12")
        }
    ),
    (
        "generic data",
        {
            forget("q13")
            let generic = Data("generic".utf8)
            let new = item("q13", 0).merging([kSecAttrGeneric: generic]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            try check(count(item("q13", [kSecAttrGeneric: generic])) == 1)
            try check(count(item("q13", [kSecAttrGeneric: Data("other".utf8)])) == 0)
        }
    ),
    (
        "account as data",
        {
            forget("q14")
            let account = Data("account".utf8)
            let new = item("q14").merging([kSecAttrAccount: account, kSecValueData: Data([1])]) {
                $1
            }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            try check(count(item("q14", [kSecAttrAccount: account])) == 1)
        }
    ),
    (
        "four-character types",
        {
            forget("q15")
            let code: FourCharCode = 0x6e6f_7465
            let new = item("q15", 0).merging([kSecAttrType: NSNumber(value: code)]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            try check(count(item("q15", [kSecAttrType: NSNumber(value: code)])) == 1)
        }
    ),
    (
        "invisible and negative",
        {
            forget("q16")
            let new = item("q16", 0).merging([
                kSecAttrIsInvisible: true, kSecAttrIsNegative: kCFBooleanTrue!,
            ]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            let found = try unwrap(attributes(item("q16")))
            try check(found[kSecAttrIsInvisible as String] as? Bool == true)
        }
    ),
    (
        "unicode",
        {
            forget("q17")
            let new = item("q17").merging([
                kSecAttrAccount: "zażółć 🔑", kSecValueData: Data("é".utf8),
            ]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            try check(
                try unwrap(attributes(item("q17")))[kSecAttrAccount as String] as? String
                    == "zażółć 🔑")
        }
    ),
    (
        "empty secret",
        {
            forget("q18")
            let new = item("q18").merging([kSecValueData: Data()]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            try check(stored("q18") == Data())
        }
    ),
    (
        "large secret",
        {
            forget("q19")
            let data = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0) })
            let new = item("q19").merging([kSecValueData: data]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            try check(stored("q19") == data)
        }
    ),
    (
        "rename an account",
        {
            fill("q20", 1)
            let change = [kSecAttrAccount: "renamed"] as CFDictionary
            try check(SecItemUpdate(item("q20") as CFDictionary, change) == errSecSuccess)
            try check(count(item("q20", [kSecAttrAccount: "renamed"])) == 1)
        }
    ),
    (
        "rename onto another",
        {
            fill("q21", 2)
            let status = SecItemUpdate(
                item("q21", [kSecAttrAccount: "account 0"]) as CFDictionary,
                [kSecAttrAccount: "account 1"] as CFDictionary)
            try check(status == errSecDuplicateItem)
        }
    ),
    (
        "bad class",
        {
            let query = [kSecClass: "none", kSecAttrService: "q22"] as CFDictionary
            try check(SecItemCopyMatching(query, nil) == errSecNoSuchClass)
        }
    ),
    (
        "no class",
        { try check(SecItemAdd([kSecAttrService: "q23"] as CFDictionary, nil) == errSecParam) }
    ),
    (
        "a secret that isn't data",
        {
            let new = item("q24").merging(
                [kSecValueData: "text", kSecUseDataProtectionKeychain: true]
            ) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecParam)
        }
    ),
    (
        "a secret that is text, as the file keychain takes it",
        {
            let new = item("q24").merging([kSecValueData: "text"]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            let query = item("q24").merging([kSecReturnData: true]) { $1 }
            var found: CFTypeRef?
            try check(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
            try check(found as? Data == Data("text".utf8))
        }
    ),
    (
        "null as a value",
        {
            let new = item("q25").merging([kSecAttrLabel: NSNull()]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecParam)
        }
    ),
    (
        "an object of a class of one's own",
        {
            final class Own: NSObject {}
            let new = item("q26").merging([kSecAttrLabel: Own()]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecParam)
        }
    ),
    (
        "data protection keychain",
        {
            fill("q27", 1)
            try check(count(item("q27", [kSecUseDataProtectionKeychain: true])) == 1)
        }
    ),
    (
        "from many threads",
        {
            fill("q28", 1)
            let failures = Counter()
            DispatchQueue.concurrentPerform(iterations: 64) { _ in
                if stored("q28") == nil { failures.increment() }
            }
            try check(failures.value == 0)
        }
    ),
]

final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func increment() { lock.withLock { count += 1 } }
}

func item(_ service: String, _ number: Int) -> [CFString: Any] {
    [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service,
        kSecAttrAccount: "account \(number)", kSecValueData: Data("secret \(number)".utf8),
    ]
}

func item(_ service: String, _ more: [CFString: Any] = [:]) -> [CFString: Any] {
    let base: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
    return base.merging(more) { $1 }
}

func fill(_ service: String, _ count: Int) {
    forget(service)
    for number in 0..<count { SecItemAdd(item(service, number) as CFDictionary, nil) }
}

func count(_ query: [CFString: Any]) -> Int {
    var result: CFTypeRef?
    let all = query.merging([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]) { $1 }
    guard SecItemCopyMatching(all as CFDictionary, &result) == errSecSuccess else { return 0 }
    return (result as? [[String: Any]])?.count ?? -1
}

func attributes(_ query: [CFString: Any]) -> [String: Any]? {
    var result: CFTypeRef?
    let one = query.merging([kSecReturnAttributes: true]) { $1 }
    guard SecItemCopyMatching(one as CFDictionary, &result) == errSecSuccess else { return nil }
    return result as? [String: Any]
}
