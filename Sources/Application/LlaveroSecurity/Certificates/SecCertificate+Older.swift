// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

// The other certificate functions of macOS, most of them older. Functions that need CDSA, the old
// keychain or a description in words are not implemented, and return an error.

/// The subject's public key, in the older form of ``SecCertificateCopyKey(_:)``.
/// - Returns: `errSecSuccess`; `errSecUnsupportedKeyFormat` for an unknown kind of key.
@discardableResult
public func SecCertificateCopyPublicKey(
    _ certificate: SecCertificate, _ key: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    guard let publicKey = SecCertificateCopyKey(certificate) else {
        return errSecUnsupportedKeyFormat
    }
    unsafe key.pointee = publicKey
    return errSecSuccess
}

/// The serial number, in the older form of ``SecCertificateCopySerialNumberData(_:_:)``.
public func SecCertificateCopySerialNumber(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe SecCertificateCopySerialNumberData(certificate, error)
}

/// A short description of a certificate.
/// - Parameters:
///   - alloc: Ignored.
///   - certificate: The certificate.
///   - error: Set if the subject has no text.
/// - Returns: As ``SecCertificateCopySubjectSummary(_:)``.
public func SecCertificateCopyShortDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    unsafe SecCertificateCopySubjectSummary(certificate)
        ?? refused(error, errSecInternal, "The certificate has no names.")
}

/// A long description of a certificate.
/// - Returns: Nil, with the error `errSecUnimplemented`.
public func SecCertificateCopyLongDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    unsafe refused(error, errSecUnimplemented)
}

/// The fields of a certificate.
/// - Returns: Nil, with the error `errSecUnimplemented`.
public func SecCertificateCopyValues(
    _ certificate: SecCertificate, _ keys: CFArray?,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    unsafe refused(error, errSecUnimplemented)
}

/// Stores a certificate.
/// - Parameters:
///   - certificate: The certificate.
///   - keychain: Nil: there is one keychain.
/// - Returns: As ``SecItemAdd(_:_:)``.
@discardableResult
public func SecCertificateAddToKeychain(
    _ certificate: SecCertificate, _ keychain: SecKeychain?
) -> OSStatus {
    let query = NSMutableDictionary()
    query.setObject(kSecClassCertificate, forKey: kSecClass as String)
    query.setObject(certificate, forKey: kSecValueRef as String)
    return SecItemAdd(query, nil)
}

/// The certificate that is preferred for a name.
/// - Returns: Nil: preferences aren't stored.
public func SecCertificateCopyPreferred(
    _ name: CFString, _ keyUsage: CFArray?
) -> SecCertificate? {
    nil
}

/// The certificate that is preferred for a name.
/// - Returns: `errSecUnimplemented`: preferences aren't stored.
@discardableResult
public func SecCertificateCopyPreference(
    _ name: CFString, _ keyUsage: CSSM_KEYUSE, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    errSecUnimplemented
}

/// Prefers a certificate for a name.
/// - Returns: `errSecUnimplemented`: preferences aren't stored.
@discardableResult
public func SecCertificateSetPreferred(
    _ certificate: SecCertificate?, _ name: CFString, _ keyUsage: CFArray?
) -> OSStatus {
    errSecUnimplemented
}

/// Prefers a certificate for a name.
/// - Returns: `errSecUnimplemented`: preferences aren't stored.
@discardableResult
public func SecCertificateSetPreference(
    _ certificate: SecCertificate, _ name: CFString, _ keyUsage: CSSM_KEYUSE, _ date: CFDate?
) -> OSStatus {
    errSecUnimplemented
}

// MARK: - CDSA

/// Makes a certificate from CDSA bytes.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecCertificateCreateFromData(
    _ data: UnsafePointer<CSSM_DATA>, _ type: CSSM_CERT_TYPE, _ encoding: CSSM_CERT_ENCODING,
    _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    errSecUnimplemented
}

/// A certificate's bytes, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecCertificateGetData(
    _ certificate: SecCertificate, _ data: UnsafeMutablePointer<CSSM_DATA>
) -> OSStatus {
    errSecUnimplemented
}

/// A certificate's type, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecCertificateGetType(
    _ certificate: SecCertificate, _ certificateType: UnsafeMutablePointer<CSSM_CERT_TYPE>
) -> OSStatus {
    errSecUnimplemented
}

/// The subject, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecCertificateGetSubject(
    _ certificate: SecCertificate, _ subject: UnsafeMutablePointer<CSSM_X509_NAME?>
) -> OSStatus {
    errSecUnimplemented
}

/// The issuer, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecCertificateGetIssuer(
    _ certificate: SecCertificate, _ issuer: UnsafeMutablePointer<CSSM_X509_NAME?>
) -> OSStatus {
    errSecUnimplemented
}

/// The CDSA module of a certificate.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecCertificateGetCLHandle(
    _ certificate: SecCertificate, _ clHandle: UnsafeMutablePointer<CSSM_CL_HANDLE>
) -> OSStatus {
    errSecUnimplemented
}

/// The algorithm of the public key, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecCertificateGetAlgorithmID(
    _ certificate: SecCertificate,
    _ algid: UnsafeMutablePointer<CSSM_X509_ALGORITHM_IDENTIFIER?>
) -> OSStatus {
    errSecUnimplemented
}
