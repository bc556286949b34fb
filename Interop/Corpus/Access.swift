// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import LocalAuthentication
import Security

nonisolated(unsafe) let accessAndContexts: [Program] = [
    (
        "access control without flags",
        {
            forget("a1")
            let access = try unwrap(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
            let new = item("a1", 0).merging([kSecAttrAccessControl: access]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            let found = try unwrap(attributes(item("a1")))
            try check((found[kSecAttrAccessControl as String] as! SecAccessControl) == access)
        }
    ),
    (
        "contradictory flags",
        {
            var error: Unmanaged<CFError>?
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlocked, [.biometryAny, .biometryCurrentSet], &error)
            try check(access == nil && error?.takeRetainedValue().code == Int(errSecParam))
        }
    ),
    (
        "nothing is stored with less protection",
        {
            let access = try unwrap(
                SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil))
            let new = item("a3", 0).merging([kSecAttrAccessControl: access]) { $1 }
            try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            // Nobody can be asked.
            try check(stored("a3") == nil)
        }
    ),
    (
        "accessible constants",
        {
            for value in [
                kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ] {
                forget("a4")
                let new = item("a4", 0).merging([kSecAttrAccessible: value]) { $1 }
                try check(SecItemAdd(new as CFDictionary, nil) == errSecSuccess)
            }
        }
    ),
    (
        "biometry fallback",
        {
            let context = LAContext()
            var error: NSError?
            if context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) {
                throw Failure(line: #line)
            }
            switch error?.code {
            case LAError.biometryNotAvailable.rawValue, LAError.biometryNotEnrolled.rawValue: break
            default: throw Failure(line: #line)
            }
        }
    ),
    (
        "evaluation with a reply",
        {
            let context = LAContext()
            context.localizedFallbackTitle = ""
            let done = DispatchSemaphore(value: 0)
            let isRight = Counter()
            context.evaluatePolicy(
                .deviceOwnerAuthenticationWithBiometrics, localizedReason: "log in"
            ) { success, error in
                if !success, let error = error as? LAError, error.code == .biometryNotAvailable {
                    isRight.increment()
                }
                done.signal()
            }
            done.wait()
            try check(isRight.value == 1)
        }
    ),
    (
        "errors by their code",
        {
            do { throw LAError(.userCancel) } catch LAError.userCancel { return }
        }
    ),
    (
        "biometry type",
        {
            switch LAContext().biometryType {
            case .none: break
            case .touchID, .faceID, .opticID: throw Failure(line: #line)
            @unknown default: throw Failure(line: #line)
            }
        }
    ),
    (
        "a context in a query",
        {
            fill("a9", 1)
            let context = LAContext()
            context.interactionNotAllowed = true
            context.touchIDAuthenticationAllowableReuseDuration = 10
            let query = item("a9", [kSecUseAuthenticationContext: context, kSecReturnData: true])
            try check(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
            context.invalidate()
        }
    ),
    (
        "application password",
        {
            let context = LAContext()
            try check(context.setCredential(Data("pw".utf8), type: .applicationPassword))
            try check(context.isCredentialSet(.applicationPassword))
        }
    ),
    (
        "a context as AnyHashable",
        {
            let values: [String: AnyHashable] = [
                kSecUseAuthenticationContext as String: LAContext()
            ]
            try check(values.count == 1)
        }
    ),
]

nonisolated(unsafe) let errors: [Program] = [
    (
        "status as NSError",
        {
            let error = NSError(domain: NSOSStatusErrorDomain, code: Int(errSecItemNotFound))
            try check(error.code == -25300)
        }
    ),
    (
        "message of a status",
        {
            let text = SecCopyErrorMessageString(errSecDuplicateItem, nil) as String?
            try check(!(text ?? "").isEmpty)
            try check(SecCopyErrorMessageString(12_345, nil) != nil)
        }
    ),
    (
        "error enumeration over statuses",
        {
            enum KeychainError: OSStatus, Error {
                case notFound = -25300
                case duplicate = -25299
            }
            try check(KeychainError(rawValue: errSecItemNotFound) == .notFound)
            try check(KeychainError(rawValue: errSecDuplicateItem) == .duplicate)
        }
    ),
    (
        "localized error",
        {
            struct Described: LocalizedError {
                let status: OSStatus
                var errorDescription: String? { SecCopyErrorMessageString(status, nil) as String? }
            }
            try check(Described(status: errSecParam).errorDescription != nil)
        }
    ),
    (
        "statuses are their numbers",
        {
            try check(errSecSuccess == 0 && errSecUnimplemented == -4 && errSecParam == -50)
            try check(errSecInteractionNotAllowed == -25308 && errSecAuthFailed == -25293)
            try check(errSecUserCanceled == -128 && errSecMissingEntitlement == -34018)
        }
    ),
]
