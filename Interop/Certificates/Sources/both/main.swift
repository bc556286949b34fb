// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Security
import SwiftASN1
import X509

// A certificate made by swift-certificates, kept in the keychain, and read back by both.
let key = P256.Signing.PrivateKey()
let subject = try DistinguishedName { CommonName("both.example") }
let made = try Certificate(
    version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
    notValidBefore: .now - 60, notValidAfter: .now + 3600, issuer: subject, subject: subject,
    signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(), issuerPrivateKey: .init(key))
var serializer = DER.Serializer()
try made.serialize(into: &serializer)
let encoded = Data(serializer.serializedBytes)

let taken: Security.SecCertificate? = SecCertificateCreateWithData(nil, encoded as CFData)
guard let certificate = taken else { preconditionFailure("Security doesn't take it") }
precondition(SecCertificateCopySubjectSummary(certificate) as String? == "both.example")

let attributes: [CFString: Any] = [
    kSecClass: kSecClassCertificate, kSecValueRef: certificate, kSecAttrLabel: "both.example",
]
let added = SecItemAdd(attributes as CFDictionary, nil)
precondition(added == errSecSuccess, "SecItemAdd: \(added)")
let query: [CFString: Any] = [
    kSecClass: kSecClassCertificate, kSecAttrLabel: "both.example", kSecReturnData: true,
]
var found: CFTypeRef?
let read = SecItemCopyMatching(query as CFDictionary, &found)
precondition(read == errSecSuccess, "SecItemCopyMatching: \(read)")
guard let data = found as? Data else { preconditionFailure("no data") }
let back = try Certificate(derEncoded: Array(data))
precondition(back == made)
