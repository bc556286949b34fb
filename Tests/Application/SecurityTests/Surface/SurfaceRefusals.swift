// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Synchronization

// The functions that aren't implemented.

extension SurfaceCalls {
    /// Each returns the status of the call.
    var statuses: [String: () -> OSStatus] {
        formats.merging(settings) { $1 }.merging(evaluations) { $1 }.merging(preferences) { $1 }
            .merging(cdsa) { $1 }
    }

    private static var data: CFData { Data([1]) as CFData }

    private var formats: [String: () -> OSStatus] {
        var list: CFArray?
        var bytes: CFData?
        return [
            "SecItemExport": {
                unsafe SecItemExport(certificate, .formatX509Cert, [], nil, &bytes)
            },
            "SecItemImport": {
                unsafe SecItemImport(Self.data, nil, nil, nil, [], nil, nil, &list)
            },
            "SecKeychainItemExport": {
                unsafe SecKeychainItemExport(certificate, .formatUnknown, [], nil, &bytes)
            },
            "SecKeychainItemImport": {
                unsafe SecKeychainItemImport(Self.data, nil, nil, nil, [], nil, nil, &list)
            },
            "SecPKCS12Import": {
                unsafe SecPKCS12Import(Self.data, [:] as CFDictionary, &list)
            },
        ]
    }

    private var settings: [String: () -> OSStatus] {
        var list: CFArray?
        var bytes: CFData?
        var date: CFDate?
        return [
            "SecTrustSettingsCopyTrustSettings": {
                unsafe SecTrustSettingsCopyTrustSettings(certificate, .user, &list)
            },
            "SecTrustSettingsSetTrustSettings": {
                SecTrustSettingsSetTrustSettings(certificate, .user, nil)
            },
            "SecTrustSettingsRemoveTrustSettings": {
                SecTrustSettingsRemoveTrustSettings(certificate, .admin)
            },
            "SecTrustSettingsCopyCertificates": {
                unsafe SecTrustSettingsCopyCertificates(.user, &list)
            },
            "SecTrustSettingsCopyModificationDate": {
                unsafe SecTrustSettingsCopyModificationDate(certificate, .user, &date)
            },
            "SecTrustSettingsCreateExternalRepresentation": {
                unsafe SecTrustSettingsCreateExternalRepresentation(.user, &bytes)
            },
            "SecTrustSettingsImportExternalRepresentation": {
                SecTrustSettingsImportExternalRepresentation(.user, Self.data)
            },
        ]
    }

    private var evaluations: [String: () -> OSStatus] {
        var result = SecTrustResultType.proceed
        var list: CFArray?
        /// A result that reports trust would be worse than any status.
        func unless(trusted status: OSStatus) -> OSStatus {
            [.proceed, .unspecified].contains(result) ? errSecSuccess : status
        }
        return [
            "SecTrustEvaluate": { unless(trusted: unsafe SecTrustEvaluate(trust, &result)) },
            "SecTrustGetTrustResult": {
                unless(trusted: unsafe SecTrustGetTrustResult(trust, &result))
            },
            "SecTrustGetResult": {
                unless(trusted: unsafe SecTrustGetResult(trust, &result, &list, nil))
            },
            "SecTrustEvaluateAsync": { SecTrustEvaluateAsync(trust, nil) { _, _ in } },
            "SecTrustEvaluateAsyncWithError": {
                SecTrustEvaluateAsyncWithError(trust, .global()) { _, _, _ in }
            },
            "SecTrustCopyAnchorCertificates": {
                unsafe SecTrustCopyAnchorCertificates(&list)
            },
            "SecTrustSetOCSPResponse": { SecTrustSetOCSPResponse(trust, Self.data) },
            "SecTrustSetSignedCertificateTimestamps": {
                SecTrustSetSignedCertificateTimestamps(trust, [] as CFArray)
            },
            "SecTrustSetOptions": { SecTrustSetOptions(trust, .allowExpired) },
            "SecTrustSetParameters": { SecTrustSetParameters(trust, 0, Self.data) },
            "SecTrustSetKeychains": { SecTrustSetKeychains(trust, nil) },
        ]
    }

    private var preferences: [String: () -> OSStatus] {
        let name = "name" as CFString
        var foundCertificate: SecCertificate?
        var foundIdentity: SecIdentity?
        return [
            "SecCertificateCopyPreference": {
                unsafe SecCertificateCopyPreference(name, 0, &foundCertificate)
            },
            "SecCertificateSetPreferred": { SecCertificateSetPreferred(certificate, name, nil) },
            "SecCertificateSetPreference": {
                SecCertificateSetPreference(certificate, name, 0, nil)
            },
            "SecIdentityCopyPreference": {
                unsafe SecIdentityCopyPreference(name, 0, nil, &foundIdentity)
            },
            "SecIdentitySetPreferred": { SecIdentitySetPreferred(identity, name, nil) },
            "SecIdentitySetPreference": { SecIdentitySetPreference(identity, name, 0) },
            "SecIdentityCopySystemIdentity": {
                unsafe SecIdentityCopySystemIdentity(
                    kSecIdentityDomainDefault, &foundIdentity, nil)
            },
            "SecIdentitySetSystemIdentity": {
                SecIdentitySetSystemIdentity(kSecIdentityDomainKerberosKDC, identity)
            },
        ]
    }

    private var cdsa: [String: () -> OSStatus] {
        unsafe withBytes { bytes in
            var (bytes, number, handle, pointer) = unsafe (
                bytes, UInt32(0), 0, OpaquePointer?.none
            )
            var foundCertificate: SecCertificate?
            var status = OSStatus(0)
            return [
                "SecCertificateCreateFromData": {
                    unsafe SecCertificateCreateFromData(&bytes, 3, 3, &foundCertificate)
                },
                "SecCertificateGetData": { unsafe SecCertificateGetData(certificate, &bytes) },
                "SecCertificateGetType": { unsafe SecCertificateGetType(certificate, &number) },
                "SecCertificateGetSubject": {
                    unsafe SecCertificateGetSubject(certificate, &pointer)
                },
                "SecCertificateGetIssuer": {
                    unsafe SecCertificateGetIssuer(certificate, &pointer)
                },
                "SecCertificateGetCLHandle": {
                    unsafe SecCertificateGetCLHandle(certificate, &handle)
                },
                "SecCertificateGetAlgorithmID": {
                    unsafe SecCertificateGetAlgorithmID(certificate, &pointer)
                },
                "SecKeyCreatePair": {
                    SecKeyCreatePair(nil, 42, 2048, 0, 0, 0, 0, 0, nil, nil, nil)
                },
                "SecKeyGenerate": { SecKeyGenerate(nil, 17, 192, 0, 0, 0, nil, nil) },
                "SecKeyGetCSSMKey": { unsafe SecKeyGetCSSMKey(key, &pointer) },
                "SecKeyGetCSPHandle": { unsafe SecKeyGetCSPHandle(key, &handle) },
                "SecKeyGetCredentials": {
                    unsafe SecKeyGetCredentials(key, 0, .default, &pointer)
                },
                "SecPolicyGetOID": { unsafe SecPolicyGetOID(policy, &bytes) },
                "SecPolicyGetValue": { unsafe SecPolicyGetValue(policy, &bytes) },
                "SecPolicySetValue": { unsafe SecPolicySetValue(policy, &bytes) },
                "SecPolicySetProperties": { SecPolicySetProperties(policy, [:] as CFDictionary) },
                "SecPolicyGetTPHandle": { unsafe SecPolicyGetTPHandle(policy, &handle) },
                "SecTrustGetCssmResult": { unsafe SecTrustGetCssmResult(trust, &pointer) },
                "SecTrustGetCssmResultCode": {
                    unsafe SecTrustGetCssmResultCode(trust, &status)
                },
                "SecTrustGetTPHandle": { unsafe SecTrustGetTPHandle(trust, &handle) },
            ]
        }
    }

    private func withBytes<R>(_ body: (CSSM_DATA) -> R) -> R {
        unsafe body(CSSM_DATA(Length: 0, Data: nil))
    }

    /// Each returns whether the call returned nothing, with the right code if it has an error
    /// parameter.
    var refusals: [String: () -> Bool] {
        let name = "name" as CFString
        /// Whether the result is nil, with `errSecUnimplemented`.
        func says<Value>(_ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Value?) -> Bool {
            var error: Unmanaged<CFError>?
            let value = unsafe call(&error)
            let code = unsafe error?.takeRetainedValue().code
            return value == nil && code == Int(errSecUnimplemented)
        }
        return [
            "SecCertificateCopyLongDescription": {
                unsafe says { unsafe SecCertificateCopyLongDescription(nil, certificate, $0) }
            },
            "SecCertificateCopyValues": {
                unsafe says { unsafe SecCertificateCopyValues(certificate, nil, $0) }
            },
            "SecCertificateCopyPreferred": { SecCertificateCopyPreferred(name, nil) == nil },
            "SecIdentityCopyPreferred": { SecIdentityCopyPreferred(name, nil, nil) == nil },
            "SecKeyCreateFromData": {
                unsafe says { unsafe SecKeyCreateFromData([:] as CFDictionary, Self.data, $0) }
            },
            "SecKeyGenerateSymmetric": {
                unsafe says { unsafe SecKeyGenerateSymmetric([:] as CFDictionary, $0) }
            },
            "SecKeyDeriveFromPassword": {
                unsafe says { unsafe SecKeyDeriveFromPassword(name, [:] as CFDictionary, $0) }
            },
            "SecKeyWrapSymmetric": {
                unsafe says { unsafe SecKeyWrapSymmetric(key, key, [:] as CFDictionary, $0) }
            },
            "SecKeyUnwrapSymmetric": {
                var wrapped: Unmanaged<CFData>?
                return unsafe says {
                    unsafe SecKeyUnwrapSymmetric(&wrapped, key, [:] as CFDictionary, $0)
                }
            },
            "SecKeyGeneratePairAsync": {
                let code = Mutex(0)
                let done = DispatchSemaphore(value: 0)
                let queue = DispatchQueue(label: "pairs")
                SecKeyGeneratePairAsync([:] as CFDictionary, queue) { one, other, error in
                    let isNone = one == nil && other == nil
                    code.withLock { $0 = isNone ? error?.code ?? 0 : 0 }
                    done.signal()
                }
                return done.wait(timeout: .now() + 60) == .success
                    && code.withLock { $0 } == Int(errSecUnimplemented)
            },
            "SecTrustEvaluateWithError": {
                var error: CFError?
                return !(unsafe SecTrustEvaluateWithError(trust, &error))
                    && error?.code == Int(errSecUnimplemented)
            },
            "SecTrustGetCertificateCount": { SecTrustGetCertificateCount(trust) == 0 },
            "SecTrustGetCertificateAtIndex": { SecTrustGetCertificateAtIndex(trust, 0) == nil },
            "SecTrustCopyCertificateChain": { SecTrustCopyCertificateChain(trust) == nil },
            "SecTrustCopyExceptions": { SecTrustCopyExceptions(trust) == nil },
            "SecTrustSetExceptions": { !SecTrustSetExceptions(trust, Self.data) },
            "SecTrustCopyProperties": { SecTrustCopyProperties(trust) == nil },
            "SecTrustCopyResult": { SecTrustCopyResult(trust) == nil },
        ]
    }
}
