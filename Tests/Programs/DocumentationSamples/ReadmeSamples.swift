// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
// sample: readme
import Security

// end sample

let readmeSamples = [Sample(name: "readme", run: readme)]

private func readme() throws {
    let item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "git.example.org",
        kSecAttrAccount as String: "builder",
        kSecValueData as String: Data("secret".utf8),
    ]
    try expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess, "SecItemAdd")
    // sample: readme
    let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "git.example.org",
        kSecAttrAccount as String: "builder",
        kSecReturnData as String: true,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    // end sample
    try expect(status == errSecSuccess, "SecItemCopyMatching: \(status)")
    try expect(result as? Data == Data("secret".utf8), "another secret")
    try expect(SecItemDelete(item as CFDictionary) == errSecSuccess, "SecItemDelete")
}
