// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

// No import of Security: on Apple's platforms Foundation brings these names.

func token() -> String? {
    var result: CFTypeRef?
    let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "untouched", kSecReturnData: true,
    ]
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
    return (result as? Data).flatMap { String(data: $0, encoding: .utf8) }
}

let item: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrService: "untouched",
    kSecValueData: Data("token".utf8),
]
let status = SecItemAdd(item as CFDictionary, nil)
print(status == errSecSuccess && token() == "token" ? "untouched: fine" : "untouched: \(status)")
exit(token() == "token" ? 0 : 1)
