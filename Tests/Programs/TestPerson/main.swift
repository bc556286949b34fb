// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// An application with protected items, never part of a release. Each argument is a step; each step
// prints a line `=> STEP RESULT`. Parts of a step are separated by colons:
//
//     context:C              a new LAContext named C
//     password:C:WORD        sets the password of the application in C
//     silent:C               forbids dialogs in C
//     invalidate:C           ends C
//     policy:C               evaluates deviceOwnerAuthentication in C
//     biometry:C             evaluates deviceOwnerAuthenticationWithBiometrics in C
//     strength:C             the kind of biometry, and its strength
//     can:C                  whether deviceOwnerAuthenticationWithBiometrics may succeed
//     domain:C               its evaluatedPolicyDomainState
//     reuse:C:SECONDS        how long an unlock may be reused
//     add:NAME:FLAGS[:C]     stores a generic password under the account NAME
//     read:NAME[:C[:UI]]     reads its secret; UI is fail or skip
//     attributes:NAME[:C[:UI]]   reads its attributes
//     exists:NAME[:C[:UI]]   asks for nothing of it
//     all[:C[:UI]]           reads all secrets
//     label:NAME[:C]         changes its label
//     secret:NAME:WORD[:C]   changes its secret
//     control:NAME:FLAGS[:C] changes its access control
//     delete:NAME
//     fork:NAME:C            reads NAME in C in a child process
//     key:NAME:FLAGS[:C]     makes a key of the enclave, stored under the tag NAME
//     sign:NAME[:C[:UI]]     signs with it, and verifies the signature
//     agree:NAME[:C[:UI]]    agrees on a secret with it
//     keysame:NAME:FLAGS     whether its access control is this one
//     removekey:NAME         deletes it
//     keep:NAME:WORD:C       stores a value that demands presence, with the module Keychain
//     value:NAME:C           reads it; C is a context of that module, - is none
//     present:C              asks for presence alone
//     outside:C              prints the context C of LocalAuthentication as bytes
//     inside:C:BYTES         makes C of such bytes
//     again:C:D              makes C of the bytes of D
//     wait                   stays for a minute
//     saveright:NAME:WORD    saves a right with a secret
//     findright:NAME         finds it; the steps below need that
//     authorize:NAME, deauthorize:NAME, rightsecret:NAME, rightsign:NAME, removeright:NAME

import CLinuxSupport
import Foundation
import Keychain
import LocalAuthentication
import Security

var contexts: [String: LAContext] = [:]

func flags(_ text: String) -> SecAccessControlCreateFlags {
    var flags: SecAccessControlCreateFlags = []
    for name in text.split(separator: "+") {
        switch name {
        case "userPresence": flags.insert(.userPresence)
        case "devicePasscode": flags.insert(.devicePasscode)
        case "applicationPassword": flags.insert(.applicationPassword)
        case "biometryAny": flags.insert(.biometryAny)
        case "biometryCurrentSet": flags.insert(.biometryCurrentSet)
        case "companion": flags.insert(.companion)
        case "or": flags.insert(.or)
        case "and": flags.insert(.and)
        case "privateKeyUsage": flags.insert(.privateKeyUsage)
        default: break
        }
    }
    return flags
}

func control(_ text: String) -> SecAccessControl? {
    SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags(text), nil)
}

@MainActor func query(_ name: String?, _ context: String?, _ interaction: String?) -> [CFString:
    Any]
{
    var query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "person",
        kSecUseDataProtectionKeychain: true,
        kSecUseOperationPrompt: "for \(name ?? "all")",
    ]
    if let name { query[kSecAttrAccount] = name }
    if let context = context.flatMap({ contexts[$0] }) {
        query[kSecUseAuthenticationContext] = context
    }
    switch interaction {
    case "fail": query[kSecUseAuthenticationUI] = kSecUseAuthenticationUIFail
    case "skip": query[kSecUseAuthenticationUI] = kSecUseAuthenticationUISkip
    default: break
    }
    return query
}

@MainActor func keyQuery(_ name: String?, _ context: String?, _ interaction: String?)
    -> [CFString: Any]
{
    var query = query(nil, context, interaction)
    query[kSecAttrService] = nil
    query[kSecClass] = kSecClassKey
    query[kSecAttrKeyClass] = kSecAttrKeyClassPrivate
    query[kSecAttrApplicationTag] = Data((name ?? "").utf8)
    return query
}

@MainActor func madeKey(_ name: String?, _ flags: String?, _ context: String?) -> String {
    guard let control = control(flags ?? "") else { return "no access control" }
    var attributes: [CFString: Any] = [
        kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data((name ?? "").utf8),
        kSecAttrAccessControl: control,
    ]
    if let context = context.flatMap({ contexts[$0] }) {
        attributes[kSecUseAuthenticationContext] = context
    }
    let parameters: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes,
    ]
    var error: Unmanaged<CFError>?
    let key = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error)
    return unsafe key == nil ? code(error) : "0"
}

func code(_ error: Unmanaged<CFError>?) -> String {
    unsafe error.map { "\(unsafe CFErrorGetCode($0.takeRetainedValue()))" } ?? "no error"
}

@MainActor func withKey(_ query: [CFString: Any], _ use: (SecKey) -> String) -> String {
    var query = query
    query[kSecReturnRef] = true
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    guard status == errSecSuccess else { return "found \(status)" }
    guard let key = result as? SecKey else { return "no key" }
    return use(key)
}

func signed(_ key: SecKey) -> String {
    let message = Data("message".utf8) as CFData
    var error: Unmanaged<CFError>?
    let signature = unsafe SecKeyCreateSignature(
        key, .ecdsaSignatureMessageX962SHA256, message, &error)
    guard let signature else { return unsafe code(unsafe error) }
    guard let publicKey = SecKeyCopyPublicKey(key) else { return "no public key" }
    let isRight = SecKeyVerifySignature(
        publicKey, .ecdsaSignatureMessageX962SHA256, message, signature, nil)
    return isRight ? "0" : "wrong"
}

func agreed(_ key: SecKey) -> String {
    let parameters: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
    ]
    guard let other = SecKeyCreateRandomKey(parameters as CFDictionary, nil),
        let own = SecKeyCopyPublicKey(key), let otherPublic = SecKeyCopyPublicKey(other)
    else { return "no key" }
    var error: Unmanaged<CFError>?
    let none = [:] as CFDictionary
    let here = unsafe SecKeyCopyKeyExchangeResult(
        key, .ecdhKeyExchangeStandard, otherPublic, none, &error)
    guard let here else { return unsafe code(unsafe error) }
    let there = SecKeyCopyKeyExchangeResult(
        other, .ecdhKeyExchangeStandard, own, none, nil)
    return here as Data == there as Data? ? "0" : "different"
}

func copied(_ query: [CFString: Any], _ text: (CFTypeRef?) -> String) -> String {
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    guard status == errSecSuccess else { return "\(status)" }
    let found = text(result)
    return found.isEmpty ? "0" : "0 \(found)"
}

func word(_ data: Any?) -> String {
    (data as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
}

@MainActor func evaluated(
    _ context: LAContext, _ policy: LAPolicy = .deviceOwnerAuthentication
) -> String {
    let done = DispatchSemaphore(value: 0)
    let result = Outcome()
    context.evaluatePolicy(policy, localizedReason: "the test") {
        isDone, error in
        result.text = isDone ? "0" : "\((error as? LAError)?.code.rawValue ?? 1)"
        done.signal()
    }
    done.wait()
    return result.text
}

final class Outcome: @unchecked Sendable {
    var text = ""
}

/// What a call returns in a child process, which has all that this process has in memory.
@MainActor func inChild(_ call: () -> String) -> String {
    var ends: [Int32] = [-1, -1]
    guard unsafe llavero_pipe(&ends) == 0 else { return "no pipe" }
    let child = llavero_fork()
    if child == 0 {
        let text = call()
        _ = unsafe write(ends[1], text, text.utf8.count)
        _exit(0)
    }
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe read(ends[0], &bytes, bytes.count)
    close(ends[0])
    var status: Int32 = 0
    _ = unsafe waitpid(child, &status, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

let values = Keychain(service: "person.values")
var accessContexts: [String: AccessContext] = [:]

@MainActor func accessContext(_ name: String?) -> AccessContext? {
    guard let name, name != "-" else { return nil }
    let context = accessContexts[name] ?? AccessContext()
    accessContexts[name] = context
    context.purpose = "the value"
    return context
}

func valueKey(_ name: String?) -> ItemKey<String> {
    ItemKey(account: name ?? "", requiring: .userPresence)
}

func reported(_ call: () async throws(KeychainError) -> String) async -> String {
    do throws(KeychainError) { return try await call() } catch { return "\(error.status)" }
}

var rights: [String: LAPersistedRight] = [:]

@MainActor func carryOutWithRights(_ verb: String, _ parts: [String]) async -> String? {
    let name = parts.first ?? ""
    do {
        switch verb {
        case "saveright":
            let secret = Data((parts.count > 1 ? parts[1] : "").utf8)
            rights[name] = try await LARightStore.shared.saveRight(
                LARight(), identifier: name, secret: secret)
        case "findright":
            rights[name] = try await LARightStore.shared.right(forIdentifier: name)
        case "authorize": try await rights[name]?.authorize(localizedReason: "the right")
        case "deauthorize": await rights[name]?.deauthorize()
        case "rightsecret": return "0 " + word(try await rights[name]?.secret.rawData)
        case "rightsign":
            guard let key = rights[name]?.key else { return "none" }
            let message = Data("message".utf8)
            let signature = try await key.sign(
                message, algorithm: .ecdsaSignatureMessageX962SHA256)
            let isRight = try key.publicKey.verify(
                message, signature: signature, algorithm: .ecdsaSignatureMessageX962SHA256)
            return isRight ? "0" : "wrong"
        case "removeright":
            try await LARightStore.shared.removeRight(forIdentifier: name)
        default: return nil
        }
        return rights[name].map { "0 \($0.state)" } ?? "0"
    } catch { return "\((error as NSError).code)" }
}

@MainActor func carryOutWithValues(_ verb: String, _ parts: [String]) async -> String? {
    func part(_ index: Int) -> String? { index < parts.count ? parts[index] : nil }
    switch verb {
    case "keep":
        let context = accessContext(part(2))
        return await reported { () throws(KeychainError) in
            try await values.save(part(1) ?? "", for: valueKey(part(0)), in: context)
            return "0"
        }
    case "value":
        let context = accessContext(part(1))
        return await reported { () throws(KeychainError) in
            "0 " + (try await values.value(for: valueKey(part(0)), in: context))
        }
    case "blocking":
        let context = accessContext(part(1))
        return await reported { () throws(KeychainError) in
            "0 " + (try values.blocking.value(for: valueKey(part(0)), in: context))
        }
    case "present":
        let context = accessContext(part(0)) ?? AccessContext()
        return await reported { () throws(KeychainError) in
            try await values.authenticate(reason: "the value", in: context)
            return "0"
        }
    default: return nil
    }
}

@MainActor func carryOut(_ step: String) -> String {
    var parts = step.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let verb = parts.removeFirst()
    func part(_ index: Int) -> String? { index < parts.count ? parts[index] : nil }
    switch verb {
    case "context":
        contexts[part(0) ?? ""] = LAContext()
        return "0"
    case "password":
        let isSet = contexts[part(0) ?? ""]?.setCredential(
            part(1).map { Data($0.utf8) }, type: .applicationPassword)
        return isSet == true ? "0" : "refused"
    case "silent":
        contexts[part(0) ?? ""]?.interactionNotAllowed = true
        return "0"
    case "invalidate":
        contexts[part(0) ?? ""]?.invalidate()
        return "0"
    case "policy": return contexts[part(0) ?? ""].map { evaluated($0) } ?? "none"
    case "biometry":
        return contexts[part(0) ?? ""].map {
            evaluated($0, .deviceOwnerAuthenticationWithBiometrics)
        } ?? "none"
    case "strength":
        guard let context = contexts[part(0) ?? ""] else { return "none" }
        return "\(context.biometryType.rawValue) \(context.biometryStrength.rawValue)"
    case "can":
        var error: NSError?
        let can = unsafe contexts[part(0) ?? ""]?.canEvaluatePolicy(
            .deviceOwnerAuthenticationWithBiometrics, error: &error)
        return can == true ? "0" : "\(error?.code ?? 1)"
    case "domain":
        let state = contexts[part(0) ?? ""]?.evaluatedPolicyDomainState
        return state.map { $0.base64EncodedString() } ?? "none"
    case "reuse":
        contexts[part(0) ?? ""]?.touchIDAuthenticationAllowableReuseDuration =
            part(1).flatMap { TimeInterval($0) } ?? 0
        return "0"
    case "add":
        guard let control = control(part(1) ?? "") else { return "no access control" }
        var item = query(part(0), part(2), nil)
        item[kSecAttrAccessControl] = control
        item[kSecValueData] = Data("secret of \(part(0) ?? "")".utf8)
        return "\(SecItemAdd(item as CFDictionary, nil))"
    case "read":
        var query = query(part(0), part(1), part(2))
        query[kSecReturnData] = true
        return copied(query, word)
    case "attributes":
        var query = query(part(0), part(1), part(2))
        query[kSecReturnAttributes] = true
        return copied(query) { result in
            let found = (result as? [CFString: Any])?[kSecAttrAccessControl]
            return found.map { "\(type(of: $0))" } ?? "none"
        }
    // same:NAME:FLAGS[:C]
    case "same":
        var query = query(part(0), part(2), nil)
        query[kSecReturnAttributes] = true
        return copied(query) { result in
            let found = (result as? [CFString: Any])?[kSecAttrAccessControl] as? SecAccessControl
            return "\(found == control(part(1) ?? ""))"
        }
    case "exists": return copied(query(part(0), part(1), part(2))) { _ in "" }
    case "all":
        var query = query(nil, part(0), part(1))
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitAll
        return copied(query) { result in
            (result as? [Any])?.map(word).sorted().joined(separator: ",") ?? "nothing"
        }
    case "label":
        let changes = [kSecAttrLabel: "label"] as CFDictionary
        return "\(SecItemUpdate(query(part(0), part(1), nil) as CFDictionary, changes))"
    case "secret":
        let changes = [kSecValueData: Data((part(1) ?? "").utf8)] as CFDictionary
        return "\(SecItemUpdate(query(part(0), part(2), nil) as CFDictionary, changes))"
    case "control":
        guard let control = control(part(1) ?? "") else { return "no access control" }
        let changes = [kSecAttrAccessControl: control] as CFDictionary
        return "\(SecItemUpdate(query(part(0), part(2), nil) as CFDictionary, changes))"
    case "key": return madeKey(part(0), part(1), part(2))
    case "sign": return withKey(keyQuery(part(0), part(1), part(2)), signed)
    case "agree": return withKey(keyQuery(part(0), part(1), part(2)), agreed)
    case "keysame":
        var query = keyQuery(part(0), nil, nil)
        query[kSecReturnAttributes] = true
        query[kSecReturnRef] = true
        return copied(query) { result in
            let found = (result as? [CFString: Any])?[kSecAttrAccessControl] as? SecAccessControl
            return "\(found == control(part(1) ?? ""))"
        }
    case "removekey":
        return "\(SecItemDelete(keyQuery(part(0), nil, nil) as CFDictionary))"
    case "outside":
        let bytes = contexts[part(0) ?? ""]?.externalizedContext ?? Data()
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    case "wait":
        print("waits")
        fflush(nil)
        sleep(60)
        return "0"
    case "again":
        let bytes = contexts[part(1) ?? ""]?.externalizedContext ?? Data()
        guard let context = LAContext(externalizedContext: bytes) else { return "none" }
        contexts[part(0) ?? ""] = context
        return "0"
    case "inside":
        let digits = Array(part(1) ?? "")
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        guard let context = LAContext(externalizedContext: Data(bytes)) else { return "none" }
        contexts[part(0) ?? ""] = context
        return "0"
    case "delete": return "\(SecItemDelete(query(part(0), nil, nil) as CFDictionary))"
    case "fork": return inChild { carryOut("read:\(part(0) ?? ""):\(part(1) ?? "")") }
    default: return "unknown step"
    }
}

for step in CommandLine.arguments.dropFirst() {
    let start = ContinuousClock.now
    let parts = step.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let words = Array(parts.dropFirst())
    let result: String
    if let text = await carryOutWithValues(parts[0], words) {
        result = text
    } else if let text = await carryOutWithRights(parts[0], words) {
        result = text
    } else {
        result = carryOut(step)
    }
    let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
    print("=> \(step) \(result) (\(milliseconds) ms)")
    fflush(nil)
}
