// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

/// The keychain side: one generic password for each login.
enum Keeper {
    /// The keychain said no.
    struct Refusal: Error {
        let what: String
        let status: OSStatus
    }

    /// What became of a login.
    enum Outcome: String {
        case stored, updated
    }

    /// A login without its password.
    struct Entry {
        let machine: String
        let account: String
        let accessible: String
    }

    /// How this program knows its own items.
    private static let kind = "netrc login"

    /// Stores a login, or gives the one that is there its password.
    static func store(_ login: Netrc.Login, isBackground: Bool) throws -> Outcome {
        let accessible =
            isBackground ? kSecAttrAccessibleAfterFirstUnlock : kSecAttrAccessibleWhenUnlocked
        var item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: login.machine,
            kSecAttrAccount as String: login.account,
        ]
        let content: [String: Any] = [
            kSecAttrLabel as String: "\(login.account) at \(login.machine)",
            kSecAttrDescription as String: kind,
            kSecAttrAccessible as String: accessible,
            kSecValueData as String: Data(login.password.utf8),
        ]
        var status = SecItemAdd(item.merging(content) { $1 } as CFDictionary, nil)
        if status == errSecSuccess { return .stored }
        if status == errSecDuplicateItem {
            // Another program's password for the same machine and account isn't ours to replace.
            item[kSecAttrDescription as String] = kind
            let update = SecItemUpdate(item as CFDictionary, content as CFDictionary)
            status = update == errSecItemNotFound ? errSecDuplicateItem : update
        }
        guard status == errSecSuccess else {
            throw Refusal(what: "store \(login.machine)", status: status)
        }
        return .updated
    }

    /// All logins, or those of a machine, sorted; without their passwords.
    static func list(machine: String? = nil) throws -> [Entry] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrDescription as String: kind,
            kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
        ]
        if let machine { query[kSecAttrService as String] = machine }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound, machine == nil { return [] }
        guard status == errSecSuccess, let items = result as? [[String: Any]] else {
            throw Refusal(what: machine.map { "find \($0)" } ?? "list", status: status)
        }
        return items.map { item in
            Entry(
                machine: item[kSecAttrService as String] as? String ?? "",
                account: item[kSecAttrAccount as String] as? String ?? "",
                accessible: words(for: item[kSecAttrAccessible as String] as? String))
        }.sorted { ($0.machine, $0.account) < ($1.machine, $1.account) }
    }

    /// The password of a login.
    static func secret(machine: String, account: String) throws -> Data {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: machine,
            kSecAttrAccount as String: account,
            kSecReturnData as String: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess, let secret = result as? Data else {
            throw Refusal(what: "find \(machine)", status: status)
        }
        return secret
    }

    private static func words(for accessible: String?) -> String {
        if accessible == kSecAttrAccessibleWhenUnlocked as String { return "when unlocked" }
        if accessible == kSecAttrAccessibleAfterFirstUnlock as String {
            return "after first unlock"
        }
        return accessible ?? ""
    }
}
