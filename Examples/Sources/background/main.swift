// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// An extension: a second program of the same application, which runs in the background, also while
// the device is locked. It sees the access group that both are signed for. While the device is
// locked, it can read only the items that are accessible after the first unlock.
//
//     background token | draft    shows what the application stored; status 3: not while it is locked

let services = ["token": "org.example.session", "draft": "org.example.draft"]
let word = CommandLine.arguments.dropFirst().first ?? ""
guard CommandLine.arguments.count == 2, let service = services[word] else {
    FileHandle.standardError.write(Data("usage: background token | draft\n".utf8))
    exit(2)
}
let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: service,
    kSecAttrAccount as String: "me",
    kSecReturnData as String: true,
]
var result: CFTypeRef?
switch SecItemCopyMatching(query as CFDictionary, &result) {
case errSecSuccess:
    print(String(decoding: result as? Data ?? Data(), as: UTF8.self))
case errSecInteractionNotAllowed:
    // The item is intact: it can be read again once the device is unlocked.
    FileHandle.standardError.write(Data("background: not while the device is locked\n".utf8))
    exit(3)
case let status:
    let text = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "unknown"
    FileHandle.standardError.write(Data("background: \(text) (\(status))\n".utf8))
    exit(1)
}
