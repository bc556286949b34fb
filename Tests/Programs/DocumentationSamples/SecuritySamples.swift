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
    Sample(name: "judge", run: judge), Sample(name: "certificates", run: certificates),
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

private func certificates() throws {
    let made = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256] as CFDictionary
    guard let key = SecKeyCreateRandomKey(made, nil) else { throw SampleFailure("no key") }
    // sample: request
    let subject = [[["CN", "www.example.com"]], [["O", "Example"]]] as CFArray
    let names = [kSecSubjectAltNameDNSName: ["www.example.com", "example.com"]]
    let parameters = [kSecSubjectAltName: names] as CFDictionary
    let request = SecGenerateCertificateRequest(subject, parameters, nil, key)
    // end sample
    try expect(request != nil, "no request")
    guard let certificate = SecGenerateSelfSignedCertificate(subject, parameters, nil, key),
        let identity = SecIdentityCreate(nil, certificate, key)
    else { throw SampleFailure("no certificate") }
    try fields(certificate)
    SecItemAdd([kSecValueRef: identity] as CFDictionary, nil)
    defer { SecItemDelete([kSecValueRef: identity] as CFDictionary) }
    // sample: preference
    SecIdentitySetPreferred(identity, "https://intranet.example.com/" as CFString, nil)
    let page = "https://intranet.example.com/page" as CFString
    let preferred = SecIdentityCopyPreferred(page, nil, nil)
    // end sample
    try expect(preferred == identity, "no preference")
    SecIdentitySetPreferred(nil, "https://intranet.example.com/" as CFString, nil)
}

private func fields(_ certificate: SecCertificate) throws {
    // sample: fields
    let keys = [kSecOIDX509V1SubjectName, kSecOIDX509V1ValidityNotAfter] as CFArray
    let values = SecCertificateCopyValues(certificate, keys, nil) as? [String: [String: Any]]
    let end = values?[kSecOIDX509V1ValidityNotAfter as String]?[kSecPropertyKeyValue as String]
    // end sample
    try expect(values?.count == 2 && end is Double, "\(values ?? [:])")
}

private func judge() throws {
    var roots: CFArray?
    let listed = SecTrustCopyAnchorCertificates(&roots)
    guard listed == errSecSuccess, let certificates = roots as? [SecCertificate],
        certificates.count > 1
    else { throw SampleFailure("no roots: \(listed)") }
    let (leaf, authority) = (certificates[0], certificates[1])
    // sample: judge
    let policy = SecPolicyCreateSSL(true, "server.example" as CFString)
    var trust: SecTrust?
    let status = SecTrustCreateWithCertificates([leaf, authority] as CFArray, policy, &trust)
    var error: CFError?
    let isTrusted = trust.map { SecTrustEvaluateWithError($0, &error) } ?? false
    // end sample
    try expect(status == errSecSuccess, "SecTrustCreateWithCertificates: \(status)")
    try expect(!isTrusted && error != nil, "a root isn't a server")
}
