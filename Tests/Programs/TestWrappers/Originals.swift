// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// The originals' order of calls as described, including flaws: without them a test that finds no
// flaw would prove nothing.

private func status(_ query: [String: Any]) -> OSStatus {
    SecItemCopyMatching(query as CFDictionary, nil)
}

private func copy(_ query: [String: Any]) -> (OSStatus, CFTypeRef?) {
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    return (status, result)
}

private func text(_ object: CFTypeRef?) -> String? {
    (object as? Data).map { String(decoding: $0, as: UTF8.self) }
}

/// Finds an item by its generic attribute, reads it at the start, and finds it again before it
/// writes.
struct OriginalItemWrapper: Wrapper {
    private func query(_ name: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrGeneric as String: name,
            kSecMatchLimit as String: kSecMatchLimitOne,
        ]
    }

    private func cache(_ name: String) -> (status: OSStatus, value: String?) {
        var query = query(name)
        query[kSecReturnAttributes as String] = true
        let (status, _) = copy(query)
        guard status == errSecSuccess else { return (status, nil) }
        query[kSecReturnAttributes as String] = nil
        query[kSecReturnData as String] = true
        let (second, data) = copy(query)
        return (second, text(data))
    }

    func save(_ name: String, _ value: String, _ accessible: CFString?) -> OSStatus {
        let cached = cache(name)
        if cached.status == errSecSuccess, cached.value == value { return errSecSuccess }
        var changes: [String: Any] = [kSecValueData as String: Data(value.utf8)]
        if let accessible { changes[kSecAttrAccessible as String] = accessible }
        var query = query(name)
        let found = status(query)
        query[kSecMatchLimit as String] = nil
        guard found == errSecSuccess else {
            return SecItemAdd(query.merging(changes) { $1 } as CFDictionary, nil)
        }
        return SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    }

    func load(_ name: String) -> (status: OSStatus, value: String?) { cache(name) }

    func delete(_ name: String) -> OSStatus {
        var query = query(name)
        query[kSecMatchLimit as String] = nil
        return SecItemDelete(query as CFDictionary)
    }
}

/// Deletes and adds; the accessibility is part of every query.
struct OriginalJNKeychain: Wrapper {
    private func query(_ name: String, _ accessible: CFString?) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: name,
            kSecAttrAccount as String: name,
            kSecAttrAccessible as String: accessible ?? kSecAttrAccessibleAfterFirstUnlock,
        ]
    }

    func save(_ name: String, _ value: String, _ accessible: CFString?) -> OSStatus {
        var item = query(name, accessible)
        SecItemDelete(item as CFDictionary)
        item[kSecValueData as String] = Data(value.utf8)
        return SecItemAdd(item as CFDictionary, nil)
    }

    func load(_ name: String) -> (status: OSStatus, value: String?) {
        var query = query(name, nil)
        query[kSecReturnData as String] = true
        let (status, data) = copy(query)
        return (status, text(data))
    }

    func delete(_ name: String) -> OSStatus { SecItemDelete(query(name, nil) as CFDictionary) }
}

/// Reads attributes, then data; reads before it writes; and never sets an accessibility.
struct OriginalSFHFKeychainUtils: Wrapper {
    private func query(_ name: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: name,
            kSecAttrAccount as String: name,
        ]
    }

    func save(_ name: String, _ value: String, _ accessible: CFString?) -> OSStatus {
        var changes: [String: Any] = [kSecValueData as String: Data(value.utf8)]
        if let accessible { changes[kSecAttrAccessible as String] = accessible }
        let (status, existing) = load(name)
        if existing == value { return errSecSuccess }
        if status == errSecSuccess {
            return SecItemUpdate(query(name) as CFDictionary, changes as CFDictionary)
        }
        guard status == errSecItemNotFound else { return status }
        changes[kSecAttrLabel as String] = name
        return SecItemAdd(query(name).merging(changes) { $1 } as CFDictionary, nil)
    }

    func load(_ name: String) -> (status: OSStatus, value: String?) {
        var query = query(name)
        query[kSecReturnAttributes as String] = true
        let (first, _) = copy(query)
        guard first == errSecSuccess else { return (first, nil) }
        query[kSecReturnAttributes as String] = nil
        query[kSecReturnData as String] = true
        let (second, data) = copy(query)
        return (second, text(data))
    }

    func delete(_ name: String) -> OSStatus { SecItemDelete(query(name) as CFDictionary) }
}
