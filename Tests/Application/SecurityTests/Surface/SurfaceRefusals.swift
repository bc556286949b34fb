// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

// The functions that aren't implemented.

extension SurfaceCalls {
    /// Each returns the status of the call.
    var statuses: [String: () -> OSStatus] {
        evaluations.merging(cdsa) { $1 }
    }

    private static var data: CFData { Data([1]) as CFData }

    private var evaluations: [String: () -> OSStatus] {
        var result = SecTrustResultType.proceed
        var list: CFArray?
        /// A result that reports trust would be worse than any status.
        func unless(trusted status: OSStatus) -> OSStatus {
            [.proceed, .unspecified].contains(result) ? errSecSuccess : status
        }
        return [
            "SecTrustGetResult": {
                unless(trusted: unsafe SecTrustGetResult(trust, &result, &list, nil))
            },
            "SecTrustSetSignedCertificateTimestamps": {
                SecTrustSetSignedCertificateTimestamps(trust, [] as CFArray)
            },
            "SecTrustSetParameters": { SecTrustSetParameters(trust, 0, Self.data) },
            "SecTrustSetKeychains": { SecTrustSetKeychains(trust, nil) },
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
    /// parameter. None is left.
    var refusals: [String: () -> Bool] { [:] }
}
