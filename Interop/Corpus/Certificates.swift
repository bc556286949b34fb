// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security

nonisolated(unsafe) let certificatesAndTrust: [Program] = [
    (
        "certificate from data",
        {
            try check(SecCertificateCopyData(try certificate()) as Data == certificateData)
            try check(SecCertificateCreateWithData(nil, Data([1]) as CFData) == nil)
        }
    ),
    (
        "summary",
        { try check(SecCertificateCopySubjectSummary(try certificate()) as String? != nil) }
    ),
    (
        "common name",
        {
            var name: CFString?
            try check(SecCertificateCopyCommonName(try certificate(), &name) == errSecSuccess)
            try check(!(name as String? ?? "").isEmpty)
        }
    ),
    (
        "serial number",
        {
            var error: Unmanaged<CFError>?
            try check(SecCertificateCopySerialNumberData(try certificate(), &error) as Data? != nil)
        }
    ),
    (
        "public key of a certificate",
        {
            let key = try unwrap(SecCertificateCopyKey(try certificate()))
            try check(SecKeyCopyExternalRepresentation(key, nil)! as Data == (try publicKeyData()))
        }
    ),
    (
        "certificate pinning by bytes",
        {
            let pinned = [certificateData]
            try check(pinned.contains(SecCertificateCopyData(try certificate()) as Data))
        }
    ),
    (
        "store and find a certificate",
        {
            let certificate = try certificate()
            SecItemDelete(
                [kSecClass: kSecClassCertificate, kSecValueRef: certificate] as CFDictionary)
            let item: [String: Any] = [
                kSecClass as String: kSecClassCertificate, kSecValueRef as String: certificate,
                kSecAttrLabel as String: "corpus",
            ]
            try check(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            var result: CFTypeRef?
            let query =
                [kSecClass: kSecClassCertificate, kSecAttrLabel: "corpus", kSecReturnRef: true]
                as CFDictionary
            try check(SecItemCopyMatching(query, &result) == errSecSuccess)
            try check((result as! SecCertificate) == certificate)
            try check(
                SecItemDelete(
                    [kSecClass: kSecClassCertificate, kSecAttrLabel: "corpus"] as CFDictionary)
                    == noErr)
        }
    ),
    (
        "identity of its halves",
        {
            let identity = try unwrap(SecIdentityCreate(nil, try certificate(), try privateKey()))
            var key: SecKey?
            try check(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess && key != nil)
            var found: SecCertificate?
            try check(SecIdentityCopyCertificate(identity, &found) == errSecSuccess)
            try check(found == (try certificate()))
        }
    ),
    (
        "store and find an identity",
        {
            let identity = try unwrap(SecIdentityCreate(nil, try certificate(), try privateKey()))
            SecItemDelete([kSecValueRef: identity] as CFDictionary)
            try check(SecItemAdd([kSecValueRef: identity] as CFDictionary, nil) == errSecSuccess)
            var result: CFTypeRef?
            let query: [CFString: Any] = [
                kSecClass: kSecClassIdentity, kSecReturnRef: kCFBooleanTrue!,
            ]
            try check(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            try check((result as! SecIdentity) == identity)
            try check(SecItemDelete([kSecValueRef: identity] as CFDictionary) == errSecSuccess)
        }
    ),
    (
        "a trust is never said where there is none",
        {
            var trust: SecTrust?
            let policy = SecPolicyCreateSSL(true, "example.com" as CFString)
            try check(
                SecTrustCreateWithCertificates([try certificate()] as CFArray, policy, &trust)
                    == errSecSuccess)
            var error: CFError?
            try check(!SecTrustEvaluateWithError(try unwrap(trust), &error))
            try check(error != nil)
        }
    ),
    (
        "the older evaluation",
        {
            var trust: SecTrust?
            SecTrustCreateWithCertificates(try certificate(), SecPolicyCreateBasicX509(), &trust)
            var result = SecTrustResultType.invalid
            let status = SecTrustEvaluate(try unwrap(trust), &result)
            try check(result != .proceed && result != .unspecified)
            try check(status == errSecSuccess || result == .invalid)
        }
    ),
    (
        "anchors",
        {
            var trust: SecTrust?
            SecTrustCreateWithCertificates([try certificate()] as CFArray, nil, &trust)
            let anchors = [try certificate()] as CFArray
            try check(SecTrustSetAnchorCertificates(try unwrap(trust), anchors) == errSecSuccess)
            try check(SecTrustSetAnchorCertificatesOnly(try unwrap(trust), true) == errSecSuccess)
            try check(SecTrustCopyKey(try unwrap(trust)) != nil)
        }
    ),
    (
        "files of other programs",
        {
            var items: CFArray?
            let options = [kSecImportExportPassphrase as String: "pw"] as CFDictionary
            try check(SecPKCS12Import(Data() as CFData, options, &items) == errSecDecode)
            try check(items == nil)
            var file: CFData?
            try check(
                SecItemExport(try certificate(), .formatUnknown, .pemArmour, nil, &file)
                    == errSecSuccess)
            var format = SecExternalFormat.formatUnknown
            var type = SecExternalItemType.itemTypeUnknown
            try check(
                SecItemImport(
                    try unwrap(file), "name.pem" as CFString, &format, &type, [], nil, nil, &items)
                    == errSecSuccess)
            try check(type == .itemTypeCertificate)
            try check((items as? [SecCertificate]) == [try certificate()])
        }
    ),
]

let certificateData = Data(
    base64Encoded: """
        MIICWjCCAUKgAwIBAgIBCzANBgkqhkiG9w0BAQsFADBFMQswCQYDVQQGEwJkZTEfMB0GA1UEChMWICBNb2RlbCAg
        IG1ha2VycyAgaW5jIDEVMBMGA1UEAxMMTW9kZWwgU2VydmVyMCAXDTk5MTIzMTIzNTk1OVoYDzIwNTAwMTAxMDAw
        MDAwWjARMQ8wDQYDVQQDEwZpc3N1ZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARzl2q8Z0ADalys/JGEr9CF
        u1Mt4+BHp6iWFrffWTRNeXucNZIJJU1xsUq8OOKVqqPmk8x9JDPzb0zEvO1R1hVUo1IwUDAOBgNVHQ8BAf8EBAMC
        B4AwHQYDVR0OBBYEFIcHmm5WTAXn5yLC+pC0dR0zwx7+MB8GA1UdIwQYMBaAFK3L3jJfNDc6PgMqchnCeqHgashu
        MA0GCSqGSIb3DQEBCwUAA4IBAQAhdDXzoneNsAE5ylBxzhY382YwU7qf9O1/DhL+WebDRIYpp78yX+Tz1HbnW9QH
        y8SuHmJGzfPuAvLO+Uw3Dd2a5SOXjKhs7+TViPAwEL/Atxif66V5WF4w5W8DUEXT4pC8FaKxF5PgXFGUwhu3x+Hd
        6H3PtsqNyaksfR3dZEp5HmHbFWx/nRwY9Tw3BiatVkUybSRmLVFudyaZ/dgVh8SZ7jKjZc3B6wc4dxl4RBtyKmTW
        mRgiKK0Hb+ue5Bu/IJc0euvqH4f+dnkyKf3TT7Hded10A4rsn8qAYXCUoB6gFI/cAaCbevpNzyzMH3q/36MRHd2Q
        VxdKFWQrZust1140
        """, options: .ignoreUnknownCharacters)!

let privateKeyData = Data(
    base64Encoded: """
        BHOXarxnQANqXKz8kYSv0IW7Uy3j4EenqJYWt99ZNE15e5w1kgklTXGxSrw44pWqo+aTzH0kM/NvTMS87VHWFVQx
        lS3+4QLEByvsUmRYeuvh33B8K/xbfyjUe5noYVamow==
        """, options: .ignoreUnknownCharacters)!

func certificate() throws -> SecCertificate {
    try unwrap(SecCertificateCreateWithData(nil, certificateData as CFData))
}

func privateKey() throws -> SecKey {
    let attributes = [
        kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
    ]
    return try unwrap(
        SecKeyCreateWithData(privateKeyData as CFData, attributes as CFDictionary, nil))
}

func publicKeyData() throws -> Data {
    let key = try unwrap(SecKeyCopyPublicKey(try privateKey()))
    return try unwrap(SecKeyCopyExternalRepresentation(key, nil) as Data?)
}
