// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// How several applications of one developer use the keychain: one signs in, the others use its
// token. The source names no access group: the program's signature decides which items it sees.
//
//     session sign-in TOKEN    stores the token, in the first group that the program holds
//     session token            shows it
//     session sign-out         removes it
//     session draft TEXT       stores a draft, for when the device is unlocked
//     session publish-draft    from now on it can be read in the background, too

let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: "org.example.session",
    kSecAttrAccount as String: "me",
]

let draft = query.merging([kSecAttrService as String: "org.example.draft"]) { $1 }

func end(_ status: OSStatus) -> Never {
    guard status != errSecSuccess else { exit(0) }
    let text = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "unknown"
    FileHandle.standardError.write(Data("session: \(text) (\(status))\n".utf8))
    exit(1)
}

let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.count) {
case ("sign-in", 2):
    let own: [String: Any] = [
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
        kSecValueData as String: Data(words[1].utf8),
    ]
    let item = query.merging(own) { $1 }
    end(SecItemAdd(item as CFDictionary, nil))
case ("token", 1):
    var result: CFTypeRef?
    let wanted = query.merging([kSecReturnData as String: true]) { $1 }
    let status = SecItemCopyMatching(wanted as CFDictionary, &result)
    guard status == errSecSuccess, let token = result as? Data else { end(status) }
    print(String(decoding: token, as: UTF8.self))
case ("sign-out", 1):
    end(SecItemDelete(query as CFDictionary))
case ("draft", 2):
    let own: [String: Any] = [
        kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
        kSecValueData as String: Data(words[1].utf8),
    ]
    end(SecItemAdd(draft.merging(own) { $1 } as CFDictionary, nil))
case ("publish-draft", 1):
    let change = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock]
    end(SecItemUpdate(draft as CFDictionary, change as CFDictionary))
default:
    FileHandle.standardError.write(
        Data(
            "usage: session sign-in TOKEN | token | sign-out | draft TEXT | publish-draft\n".utf8))
    exit(2)
}
