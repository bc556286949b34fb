// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Makes a certificate request (PKCS #10, RFC 2986), signed by the key.
@_cdecl("SecGenerateCertificateRequest")
public func interfaceSecGenerateCertificateRequest(
    _ subject: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?, _ publicKey: UnsafeRawPointer?, _ privateKey: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let subjectObject = unsafe Taken.required(subject, as: NSArray.self),
        let parametersObject = unsafe Taken.optional(parameters, as: NSDictionary.self),
        let publicKeyObject = unsafe Taken.optional(publicKey, as: SecKey.self),
        let privateKeyObject = unsafe Taken.required(privateKey, as: SecKey.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecGenerateCertificateRequest(subjectObject, parametersObject.value, publicKeyObject.value, privateKeyObject))
}

/// Makes a certificate that its own key signs.
@_cdecl("SecGenerateSelfSignedCertificate")
public func interfaceSecGenerateSelfSignedCertificate(
    _ subject: UnsafeRawPointer?, _ parameters: UnsafeRawPointer?, _ publicKey: UnsafeRawPointer?, _ privateKey: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let subjectObject = unsafe Taken.required(subject, as: NSArray.self),
        let parametersObject = unsafe Taken.optional(parameters, as: NSDictionary.self),
        let publicKeyObject = unsafe Taken.optional(publicKey, as: SecKey.self),
        let privateKeyObject = unsafe Taken.required(privateKey, as: SecKey.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecGenerateSelfSignedCertificate(subjectObject, parametersObject.value, publicKeyObject.value, privateKeyObject))
}
