// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

nonisolated(unsafe) let results: [Program] = [
    (
        "data and attributes",
        {
            fill("r1", 1)
            var result: CFTypeRef?
            let query = item("r1", [kSecReturnData: true, kSecReturnAttributes: true])
            try check(SecItemCopyMatching(query as CFDictionary, &result) == noErr)
            let found = try unwrap(result as? [String: Any])
            try check(found[kSecValueData as String] as? Data == Data("secret 0".utf8))
            try check(found[kSecAttrAccount as String] as? String == "account 0")
        }
    ),
    (
        "persistent reference",
        {
            fill("r2", 1)
            var result: CFTypeRef?
            try check(
                SecItemCopyMatching(
                    item("r2", [kSecReturnPersistentRef: true]) as CFDictionary, &result) == noErr)
            let reference = try unwrap(result as? Data)
            let query = [kSecValuePersistentRef: reference, kSecReturnData: true] as CFDictionary
            try check(SecItemCopyMatching(query, &result) == noErr)
            try check(result as? Data == Data("secret 0".utf8))
            try check(SecItemDelete([kSecValuePersistentRef: reference] as CFDictionary) == noErr)
            try check(SecItemCopyMatching(query, &result) == errSecItemNotFound)
        }
    ),
    (
        "references of all",
        {
            fill("r3", 3)
            var result: CFTypeRef?
            let query = item(
                "r3", [kSecReturnPersistentRef: true, kSecMatchLimit: kSecMatchLimitAll])
            try check(SecItemCopyMatching(query as CFDictionary, &result) == noErr)
            try check(Set(try unwrap(result as? [Data])).count == 3)
        }
    ),
    (
        "add returns a reference",
        {
            forget("r4")
            var result: CFTypeRef?
            let new = item("r4", 0).merging([kSecReturnPersistentRef: true]) { $1 }
            try check(SecItemAdd(new as CFDictionary, &result) == noErr && result is Data)
        }
    ),
    (
        "add returns attributes",
        {
            forget("r5")
            var result: CFTypeRef?
            let new = item("r5", 0).merging([kSecReturnAttributes: true]) { $1 }
            try check(SecItemAdd(new as CFDictionary, &result) == noErr)
            try check((result as? [String: Any])?[kSecAttrService as String] as? String == "r5")
        }
    ),
    (
        "all accounts",
        {
            fill("r6", 3)
            var result: AnyObject?
            let query = item("r6", [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll])
            try check(SecItemCopyMatching(query as CFDictionary, &result) == noErr)
            let accounts = try unwrap(result as? [[CFString: Any]]).compactMap {
                $0[kSecAttrAccount] as? String
            }
            try check(Set(accounts) == ["account 0", "account 1", "account 2"])
        }
    ),
    (
        "all data",
        {
            fill("r7", 3)
            var result: AnyObject?
            let query = item("r7", [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll])
            try check(SecItemCopyMatching(query as CFDictionary, &result) == noErr)
            try check((result as? [Data])?.count == 3)
        }
    ),
    (
        "access group of the result",
        {
            fill("r8", 1)
            try check(try unwrap(attributes(item("r8")))[kSecAttrAccessGroup as String] is String)
        }
    ),
    (
        "query with its own access group",
        {
            fill("r9", 1)
            let group = try unwrap(attributes(item("r9")))[kSecAttrAccessGroup as String] as? String
            try check(count(item("r9", [kSecAttrAccessGroup: try unwrap(group)])) == 1)
        }
    ),
    (
        "foreign access group",
        {
            let status = SecItemCopyMatching(
                item("r10", [kSecAttrAccessGroup: "ABCDE12345.foreign"]) as CFDictionary, nil)
            try check(status == errSecMissingEntitlement)
        }
    ),
    (
        "accessible of the result",
        {
            forget("r11")
            let new = item("r11", 0).merging([
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock
            ]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == noErr)
            let found = try unwrap(attributes(item("r11")))[kSecAttrAccessible as String] as? String
            try check(found == kSecAttrAccessibleAfterFirstUnlock as String)
        }
    ),
    (
        "class of the result",
        {
            fill("r12", 1)
            var result: CFTypeRef?
            let query = item("r12", [kSecReturnAttributes: true, kSecReturnRef: true])
            try check(SecItemCopyMatching(query as CFDictionary, &result) == noErr)
            try check(
                (result as? [String: Any])?[kSecClass as String] as? String
                    == kSecClassGenericPassword as String)
        }
    ),
    (
        "result pointer",
        {
            fill("r13", 1)
            let pointer = UnsafeMutablePointer<CFTypeRef?>.allocate(capacity: 1)
            pointer.initialize(to: nil)
            defer {
                pointer.deinitialize(count: 1)
                pointer.deallocate()
            }
            try check(
                SecItemCopyMatching(item("r13", [kSecReturnData: true]) as CFDictionary, pointer)
                    == noErr)
            try check(pointer.pointee as? Data == Data("secret 0".utf8))
        }
    ),
]

nonisolated(unsafe) let internetPasswords: [Program] = [
    (
        "server and account",
        {
            let site = site("i1.example.com")
            SecItemDelete(site as CFDictionary)
            try check(
                SecItemAdd(
                    site.merging([kSecValueData: Data("pw".utf8)]) { $1 } as CFDictionary, nil)
                    == noErr)
            var result: CFTypeRef?
            try check(
                SecItemCopyMatching(
                    site.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result) == noErr)
            try check(result as? Data == Data("pw".utf8))
        }
    ),
    (
        "protocol, port and path",
        {
            let site = site("i2.example.com").merging([
                kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: 8443, kSecAttrPath: "/login",
                kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm,
            ]) { $1 }
            SecItemDelete(site as CFDictionary)
            try check(SecItemAdd(site as CFDictionary, nil) == noErr)
            let found = try unwrap(attributes(site))
            try check(found[kSecAttrPort as String] as? Int == 8443)
            try check(
                found[kSecAttrProtocol as String] as? String == kSecAttrProtocolHTTPS as String)
            try check(found[kSecAttrPath as String] as? String == "/login")
        }
    ),
    (
        "ports are other items",
        {
            for port in [80, 81] {
                let site = site("i3.example.com").merging([kSecAttrPort: port]) { $1 }
                SecItemDelete(site as CFDictionary)
                try check(SecItemAdd(site as CFDictionary, nil) == noErr)
            }
            try check(count(site("i3.example.com")) == 2)
            try check(SecItemDelete(site("i3.example.com") as CFDictionary) == noErr)
        }
    ),
    (
        "from a url",
        {
            let url = URL(string: "https://user@i4.example.com:444/path")!
            var site: [String: Any] = [kSecClass as String: kSecClassInternetPassword]
            site[kSecAttrServer as String] = url.host
            site[kSecAttrAccount as String] = url.user
            site[kSecAttrPort as String] = url.port
            site[kSecAttrPath as String] = url.path
            SecItemDelete(site as CFDictionary)
            try check(SecItemAdd(site as CFDictionary, nil) == noErr)
        }
    ),
    (
        "realm",
        {
            let site = site("i5.example.com").merging([kSecAttrSecurityDomain: "realm"]) { $1 }
            SecItemDelete(site as CFDictionary)
            try check(SecItemAdd(site as CFDictionary, nil) == noErr)
            try check(
                try unwrap(attributes(site))[kSecAttrSecurityDomain as String] as? String == "realm"
            )
        }
    ),
    (
        "no service in an internet password",
        {
            let site = site("i6.example.com").merging([kSecAttrService: "s"]) { $1 }
            try check(SecItemAdd(site as CFDictionary, nil) == errSecNoSuchAttr)
        }
    ),
]

func site(_ server: String) -> [CFString: Any] {
    [kSecClass: kSecClassInternetPassword, kSecAttrServer: server, kSecAttrAccount: "user"]
}
