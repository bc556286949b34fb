// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import LocalAuthentication

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

// A context that was invalidated is refused, so that what takes it knows its type.
let context = LAContext()
let withContext = item.merging([kSecUseAuthenticationContext: context]) { $1 } as CFDictionary
let taken = SecItemCopyMatching(withContext, nil)
context.invalidate()
let refused = SecItemCopyMatching(withContext, nil)
let isRight =
    status == errSecSuccess && token() == "token" && taken == errSecSuccess
    && refused == errSecAuthFailed
print(isRight ? "untouched: fine" : "untouched: \(status) \(taken) \(refused)")
exit(isRight ? 0 : 1)
