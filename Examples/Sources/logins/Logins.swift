// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

/// The keychain returned an error.
struct Refusal: Error {
    let what: String
    let status: OSStatus
}

/// Internet passwords.
enum Logins {
    /// A login without its password.
    struct Entry {
        let server: String
        let account: String
        let accessible: String
    }

    /// A login for a URL.
    struct Login {
        let account: String
        let password: Data
        /// Names the item permanently, whatever its attributes change to.
        let reference: Data
    }

    /// All logins, sorted; the query returns no passwords.
    static func all() throws(Refusal) -> [Entry] {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        guard status == errSecSuccess, let items = result as? [[String: Any]] else {
            throw Refusal(what: "list", status: status)
        }
        return items.map { item in
            Entry(
                server: item[kSecAttrServer as String] as? String ?? "",
                account: item[kSecAttrAccount as String] as? String ?? "",
                accessible: words(for: item[kSecAttrAccessible as String] as? String))
        }.sorted { ($0.server, $0.account) < ($1.server, $1.account) }
    }

    /// The login for a URL: for its host, over HTTPS, and for its user if it names one.
    static func login(for url: URL) throws(Refusal) -> Login {
        var query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrServer as String: url.host ?? "",
            kSecAttrProtocol as String: kSecAttrProtocolHTTPS,
            kSecReturnAttributes as String: true,
            kSecReturnData as String: true,
            kSecReturnPersistentRef as String: true,
        ]
        if let user = url.user { query[kSecAttrAccount as String] = user }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess, let item = result as? [String: Any],
            let password = item[kSecValueData as String] as? Data,
            let reference = item[kSecValuePersistentRef as String] as? Data
        else { throw Refusal(what: "find \(url.host ?? "")", status: status) }
        return Login(
            account: item[kSecAttrAccount as String] as? String ?? "", password: password,
            reference: reference)
    }

    /// Gives a login another password.
    static func setPassword(_ password: Data, of login: Login) throws(Refusal) {
        let query: [String: Any] = [kSecValuePersistentRef as String: login.reference]
        let changes: [String: Any] = [kSecValueData as String: password]
        let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
        guard status == errSecSuccess else {
            throw Refusal(what: "rotate \(login.account)", status: status)
        }
    }

    private static func words(for accessible: String?) -> String {
        if accessible == kSecAttrAccessibleWhenUnlocked as String { return "when unlocked" }
        if accessible == kSecAttrAccessibleAfterFirstUnlock as String {
            return "after first unlock"
        }
        return accessible ?? ""
    }
}
