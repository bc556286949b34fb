// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The subject's public key, in the older form of ``SecCertificateCopyKey(_:)``.
@_cdecl("SecCertificateCopyPublicKey")
public func interfaceSecCertificateCopyPublicKey(
    _ certificate: UnsafeRawPointer?, _ key: ObjectSlot?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        unsafe key != nil
    else { return errSecParam }
    var keyObject: SecKey?
    let answer = unsafe LlaveroSecurity.SecCertificateCopyPublicKey(certificateObject, &keyObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(keyObject, key)
    return answer
}

/// The serial number, in the older form of ``SecCertificateCopySerialNumberData(_:_:)``.
@_cdecl("SecCertificateCopySerialNumber")
public func interfaceSecCertificateCopySerialNumber(
    _ certificate: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecCertificateCopySerialNumber(certificateObject, $0)
    }
}

/// A short description of a certificate.
@_cdecl("SecCertificateCopyShortDescription")
public func interfaceSecCertificateCopyShortDescription(
    _ alloc: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecCertificateCopyShortDescription(nil, certificateObject, $0)
    }
}

/// A long description of a certificate: the same as the short one, as in Apple's implementation.
@_cdecl("SecCertificateCopyLongDescription")
public func interfaceSecCertificateCopyLongDescription(
    _ alloc: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecCertificateCopyLongDescription(nil, certificateObject, $0)
    }
}

/// The fields of a certificate.
@_cdecl("SecCertificateCopyValues")
public func interfaceSecCertificateCopyValues(
    _ certificate: UnsafeRawPointer?, _ keys: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let keysObject = unsafe Taken.optional(keys, as: NSArray.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecCertificateCopyValues(certificateObject, keysObject.value, $0)
    }
}

/// Stores a certificate.
@_cdecl("SecCertificateAddToKeychain")
public func interfaceSecCertificateAddToKeychain(
    _ certificate: UnsafeRawPointer?, _ keychain: UnsafeRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let keychainObject = unsafe Taken.optional(keychain, as: SecKeychain.self)
    else { return errSecParam }
    return LlaveroSecurity.SecCertificateAddToKeychain(certificateObject, keychainObject.value)
}

/// Makes a certificate from CDSA bytes.
@_cdecl("SecCertificateCreateFromData")
public func interfaceSecCertificateCreateFromData(
    _ data: UnsafeMutableRawPointer?, _ type: UInt32, _ encoding: UInt32, _ certificate: ObjectSlot?
) -> Int32 {
    guard let data = unsafe data,
        unsafe certificate != nil
    else { return errSecParam }
    var certificateObject: SecCertificate?
    let answer = unsafe LlaveroSecurity.SecCertificateCreateFromData(UnsafePointer(data.assumingMemoryBound(to: (CSSM_DATA).self)), type, encoding, &certificateObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(certificateObject, certificate)
    return answer
}

/// A certificate's bytes, for CDSA.
@_cdecl("SecCertificateGetData")
public func interfaceSecCertificateGetData(
    _ certificate: UnsafeRawPointer?, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let data = unsafe data
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecCertificateGetData(certificateObject, data.assumingMemoryBound(to: (CSSM_DATA).self))
}

/// A certificate's type, for CDSA.
@_cdecl("SecCertificateGetType")
public func interfaceSecCertificateGetType(
    _ certificate: UnsafeRawPointer?, _ certificateType: UnsafeMutableRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let certificateType = unsafe certificateType
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecCertificateGetType(certificateObject, certificateType.assumingMemoryBound(to: (CSSM_CERT_TYPE).self))
}

/// The subject, for CDSA.
@_cdecl("SecCertificateGetSubject")
public func interfaceSecCertificateGetSubject(
    _ certificate: UnsafeRawPointer?, _ subject: UnsafeMutableRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let subject = unsafe subject
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecCertificateGetSubject(certificateObject, subject.assumingMemoryBound(to: (CSSM_X509_NAME?).self))
}

/// The issuer, for CDSA.
@_cdecl("SecCertificateGetIssuer")
public func interfaceSecCertificateGetIssuer(
    _ certificate: UnsafeRawPointer?, _ issuer: UnsafeMutableRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let issuer = unsafe issuer
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecCertificateGetIssuer(certificateObject, issuer.assumingMemoryBound(to: (CSSM_X509_NAME?).self))
}

/// The CDSA module of a certificate.
@_cdecl("SecCertificateGetCLHandle")
public func interfaceSecCertificateGetCLHandle(
    _ certificate: UnsafeRawPointer?, _ clHandle: UnsafeMutableRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let clHandle = unsafe clHandle
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecCertificateGetCLHandle(certificateObject, clHandle.assumingMemoryBound(to: (CSSM_CL_HANDLE).self))
}

/// The algorithm of the public key, for CDSA.
@_cdecl("SecCertificateGetAlgorithmID")
public func interfaceSecCertificateGetAlgorithmID(
    _ certificate: UnsafeRawPointer?, _ algid: UnsafeMutableRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let algid = unsafe algid
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecCertificateGetAlgorithmID(certificateObject, algid.assumingMemoryBound(to: (CSSM_X509_ALGORITHM_IDENTIFIER?).self))
}

/// Makes a certificate from its DER bytes.
@_cdecl("SecCertificateCreateWithData")
public func interfaceSecCertificateCreateWithData(
    _ allocator: UnsafeRawPointer?, _ data: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let dataObject = unsafe Taken.required(data, as: NSData.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCreateWithData(nil, dataObject))
}

/// The DER bytes of a certificate.
@_cdecl("SecCertificateCopyData")
public func interfaceSecCertificateCopyData(
    _ certificate: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopyData(certificateObject))
}

/// The type of certificates.
@_cdecl("SecCertificateGetTypeID")
public func interfaceSecCertificateGetTypeID(
    
) -> UInt {
    return typeID(of: SecCertificate.self)
}

/// The summary of a certificate, in one line.
@_cdecl("SecCertificateCopySubjectSummary")
public func interfaceSecCertificateCopySubjectSummary(
    _ certificate: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopySubjectSummary(certificateObject))
}

/// The issuer's name in the form that names are compared in, as a whole SEQUENCE.
@_cdecl("SecCertificateCopyNormalizedIssuerSequence")
public func interfaceSecCertificateCopyNormalizedIssuerSequence(
    _ certificate: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopyNormalizedIssuerSequence(certificateObject))
}

/// The subject's name in the form that names are compared in, as a whole SEQUENCE.
@_cdecl("SecCertificateCopyNormalizedSubjectSequence")
public func interfaceSecCertificateCopyNormalizedSubjectSequence(
    _ certificate: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopyNormalizedSubjectSequence(certificateObject))
}

/// The issuer's name in the form that names are compared in, without the header of its SEQUENCE.
@_cdecl("SecCertificateCopyNormalizedIssuerContent")
public func interfaceSecCertificateCopyNormalizedIssuerContent(
    _ certificate: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecCertificateCopyNormalizedIssuerContent(certificateObject, $0)
    }
}

/// The subject's name in the form that names are compared in, without the header of its SEQUENCE.
@_cdecl("SecCertificateCopyNormalizedSubjectContent")
public func interfaceSecCertificateCopyNormalizedSubjectContent(
    _ certificate: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecCertificateCopyNormalizedSubjectContent(certificateObject, $0)
    }
}

/// The serial number.
@_cdecl("SecCertificateCopySerialNumberData")
public func interfaceSecCertificateCopySerialNumberData(
    _ certificate: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return unsafe refused(error) }
    return unsafe givenWithReason(error) {
        unsafe LlaveroSecurity.SecCertificateCopySerialNumberData(certificateObject, $0)
    }
}

/// The subject's common name; the last if there are several.
@_cdecl("SecCertificateCopyCommonName")
public func interfaceSecCertificateCopyCommonName(
    _ certificate: UnsafeRawPointer?, _ commonName: ObjectSlot?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        unsafe commonName != nil
    else { return errSecParam }
    var commonNameObject: CFString?
    let answer = unsafe LlaveroSecurity.SecCertificateCopyCommonName(certificateObject, &commonNameObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(commonNameObject, commonName)
    return answer
}

/// The e-mail addresses of the subject: those among its alternative names, then those in its name.
@_cdecl("SecCertificateCopyEmailAddresses")
public func interfaceSecCertificateCopyEmailAddresses(
    _ certificate: UnsafeRawPointer?, _ emailAddresses: ObjectSlot?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        unsafe emailAddresses != nil
    else { return errSecParam }
    var emailAddressesObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecCertificateCopyEmailAddresses(certificateObject, &emailAddressesObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(emailAddressesObject, emailAddresses)
    return answer
}

/// The subject's public key.
@_cdecl("SecCertificateCopyKey")
public func interfaceSecCertificateCopyKey(
    _ certificate: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopyKey(certificateObject))
}

/// When a certificate becomes valid.
@_cdecl("SecCertificateCopyNotValidBeforeDate")
public func interfaceSecCertificateCopyNotValidBeforeDate(
    _ certificate: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopyNotValidBeforeDate(certificateObject))
}

/// The last second at which a certificate is valid.
@_cdecl("SecCertificateCopyNotValidAfterDate")
public func interfaceSecCertificateCopyNotValidAfterDate(
    _ certificate: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopyNotValidAfterDate(certificateObject))
}

/// The certificate that is preferred for a name.
@_cdecl("SecCertificateCopyPreferred")
public func interfaceSecCertificateCopyPreferred(
    _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let nameObject = unsafe Taken.required(name, as: NSString.self),
        let keyUsageObject = unsafe Taken.optional(keyUsage, as: NSArray.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecCertificateCopyPreferred(nameObject, keyUsageObject.value))
}

/// The certificate that is preferred for a name and exactly this use.
@_cdecl("SecCertificateCopyPreference")
public func interfaceSecCertificateCopyPreference(
    _ name: UnsafeRawPointer?, _ keyUsage: UInt32, _ certificate: ObjectSlot?
) -> Int32 {
    guard let nameObject = unsafe Taken.required(name, as: NSString.self),
        unsafe certificate != nil
    else { return errSecParam }
    var certificateObject: SecCertificate?
    let answer = unsafe LlaveroSecurity.SecCertificateCopyPreference(nameObject, keyUsage, &certificateObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(certificateObject, certificate)
    return answer
}

/// Prefers a certificate for a name.
@_cdecl("SecCertificateSetPreferred")
public func interfaceSecCertificateSetPreferred(
    _ certificate: UnsafeRawPointer?, _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.optional(certificate, as: SecCertificate.self),
        let nameObject = unsafe Taken.required(name, as: NSString.self),
        let keyUsageObject = unsafe Taken.optional(keyUsage, as: NSArray.self)
    else { return errSecParam }
    return LlaveroSecurity.SecCertificateSetPreferred(certificateObject.value, nameObject, keyUsageObject.value)
}

/// Prefers a certificate for a name.
@_cdecl("SecCertificateSetPreference")
public func interfaceSecCertificateSetPreference(
    _ certificate: UnsafeRawPointer?, _ name: UnsafeRawPointer?, _ keyUsage: UInt32, _ date: UnsafeRawPointer?
) -> Int32 {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let nameObject = unsafe Taken.required(name, as: NSString.self),
        let dateObject = unsafe Taken.optional(date, as: NSDate.self)
    else { return errSecParam }
    return LlaveroSecurity.SecCertificateSetPreference(certificateObject, nameObject, keyUsage, dateObject.value)
}
