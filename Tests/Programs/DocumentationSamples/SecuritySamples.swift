// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
// sample: wrappers
import JNKeychain
import KeychainItemWrapper
import SFHFKeychainUtils
// end sample
// sample: store
import Security
// end sample

let securitySamples = [
    Sample(name: "store", run: store), Sample(name: "find", run: find),
    Sample(name: "change", run: change), Sample(name: "statuses", run: statuses),
    Sample(name: "list", run: list), Sample(name: "sign", run: sign),
    Sample(name: "wrappers", run: wrappers), Sample(name: "wrapper tasks", run: wrapperTasks),
]

private func store() throws {
    // sample: store
    let item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "registry.example.com",
        kSecAttrAccount as String: "ci",
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
        kSecValueData as String: Data("secret".utf8),
    ]
    let status = SecItemAdd(item as CFDictionary, nil)
    // end sample
    try expect(status == errSecSuccess, "SecItemAdd: \(status)")
}

private func find() throws {
    // sample: find
    let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "registry.example.com",
        kSecAttrAccount as String: "ci",
        kSecReturnData as String: true,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    let secret = result as? Data
    // end sample
    try expect(status == errSecSuccess, "SecItemCopyMatching: \(status)")
    try expect(secret == Data("secret".utf8), "another secret")
}

private func change() throws {
    let item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "registry.example.com",
        kSecAttrAccount as String: "ci",
    ]
    let secret = Data("another".utf8)
    // sample: change
    let changes: [String: Any] = [kSecValueData as String: secret]
    var status = SecItemUpdate(item as CFDictionary, changes as CFDictionary)
    if status == errSecItemNotFound {
        status = SecItemAdd(item.merging(changes) { $1 } as CFDictionary, nil)
    }
    // end sample
    try expect(status == errSecSuccess, "SecItemUpdate: \(status)")
}

private func statuses() throws {
    var said = ""
    let say: (String) -> Void = { said = $0 }
    for (service, expected) in [("registry.example.com", "found"), ("nowhere", "absent")] {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        ]
        // sample: statuses
        switch SecItemCopyMatching(query as CFDictionary, nil) {
        case errSecSuccess: say("found")
        case errSecItemNotFound: say("absent")
        case errSecInteractionNotAllowed: say("there, but the device is locked")
        case errSecNotAvailable: say("no service answers")
        case let status: say("\(SecCopyErrorMessageString(status, nil) ?? "")")
        }
        // end sample
        try expect(said == expected, said)
    }
}

private func list() throws {
    // sample: list
    let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecMatchLimit as String: kSecMatchLimitAll,
        kSecReturnAttributes as String: true,
    ]
    var result: CFTypeRef?
    SecItemCopyMatching(query as CFDictionary, &result)
    let items = result as? [[String: Any]] ?? []
    let accounts = items.compactMap { $0[kSecAttrAccount as String] as? String }
    // end sample
    try expect(accounts == ["ci"], "\(accounts)")
}

private func sign() throws {
    let document = Data("document".utf8)
    // sample: sign
    let parameters: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
        kSecAttrKeySizeInBits as String: 256,
        kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
    ]
    var error: Unmanaged<CFError>?
    let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error)
    let signature = key.flatMap {
        SecKeyCreateSignature($0, .ecdsaSignatureMessageX962SHA256, document as CFData, &error)
    }
    // end sample
    guard let signature, let publicKey = key.flatMap(SecKeyCopyPublicKey) else {
        throw SampleFailure("no signature: \(error?.takeRetainedValue().code ?? 0)")
    }
    try expect(
        SecKeyVerifySignature(
            publicKey, .ecdsaSignatureMessageX962SHA256, document as CFData, signature, nil),
        "the signature doesn't hold")
}

private func wrappers() throws {
    // sample: wrappers
    let item = KeychainItemWrapper(identifier: "Login", accessGroup: nil)
    item.setObject("anna", forKey: kSecAttrAccount)
    item.setObject("correct horse", forKey: kSecValueData) { error in print(error) }
    let password = item.object(forKey: kSecValueData) as? String

    JNKeychain.saveValue(["token": "abc"], forKey: "session")
    let session = JNKeychain.loadValueForKey("session") as? [String: String]

    try SFHFKeychainUtils.storeUsername(
        "anna", andPassword: "secret", forServiceName: "mail", updateExisting: true)
    let mail = try SFHFKeychainUtils.getPasswordForUsernameV2("anna", andServiceName: "mail")
    // end sample
    try expect(password == "correct horse", "KeychainItemWrapper")
    try expect(session == ["token": "abc"], "JNKeychain")
    try expect(mail == "secret", "SFHFKeychainUtils")
}

private func wrapperTasks() async throws {
    let item = KeychainItemWrapper(identifier: "Login", accessGroup: nil)
    // sample: wrapper-tasks
    let token = try await JNKeychain.async.load(forKey: "session") as? [String: String]
    try await item.async.write("battery staple", forKey: kSecValueData, within: .seconds(2))
    // end sample
    try expect(token == ["token": "abc"], "JNKeychain for tasks")
    try expect(
        item.object(forKey: kSecValueData) as? String == "battery staple",
        "KeychainItemWrapper for tasks")
}
