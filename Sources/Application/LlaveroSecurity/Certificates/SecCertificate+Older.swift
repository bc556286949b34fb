// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

// The other certificate functions of macOS, most of them older. Functions that need CDSA are not
// implemented, and return an error.

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

/// A long description of a certificate: the same as the short one, as in Apple's implementation.
/// - Parameters:
///   - alloc: Ignored.
///   - certificate: The certificate.
///   - error: Set if the subject has no text.
/// - Returns: As ``SecCertificateCopySubjectSummary(_:)``.
public func SecCertificateCopyLongDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    unsafe SecCertificateCopyShortDescription(alloc, certificate, error)
}

/// The fields of a certificate.
///
/// Each value is a dictionary with `kSecPropertyKeyType`, `kSecPropertyKeyLabel`,
/// `kSecPropertyKeyLocalizedLabel` and `kSecPropertyKeyValue`. Sections contain arrays of such
/// dictionaries; in names their labels are the attributes' identifiers. The beginning and the end
/// of the validity are numbers, in seconds since 2001-01-01 00:00:00 UTC. The key usage is a
/// number, of ``SecKeyUsage``; 0 without the extension. The extended key usage is an array of data,
/// the contents of object identifiers. `kSecOIDCommonName`, `kSecOIDEmailAddress`, `DNSNAMES` and
/// `IPADDRESSES` are arrays of texts. Other extensions have their identifiers as keys.
/// - Parameters:
///   - certificate: The certificate.
///   - keys: The keys whose values are returned, such as `kSecOIDX509V1SubjectName`; unknown ones
///     are left out. Nil: all.
///   - error: Set to `errSecParam` for a key that isn't text.
/// - Returns: A dictionary by identifier; nil for such a key.
public func SecCertificateCopyValues(
    _ certificate: SecCertificate, _ keys: CFArray?,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    var names: Set<String>?
    if let keys {
        names = []
        for key in keys {
            guard let key = key as? NSString ?? (key as? String).map({ NSString(string: $0) })
            else { return unsafe refused(error, errSecParam, "A key isn't text.") }
            names?.insert(key as String)
        }
    }
    guard let values = CertificateValues(certificate) else {
        return unsafe refused(error, errSecInvalidCertificateRef)
    }
    return values.dictionary(of: names)
}

/// Stores a certificate.
/// - Parameters:
///   - certificate: The certificate.
///   - keychain: Where; nil is the default keychain.
/// - Returns: As ``SecItemAdd(_:_:)``.
@discardableResult
public func SecCertificateAddToKeychain(
    _ certificate: SecCertificate, _ keychain: SecKeychain?
) -> OSStatus {
    let query = NSMutableDictionary()
    query.setObject(kSecClassCertificate, forKey: kSecClass as String)
    query.setObject(certificate, forKey: kSecValueRef as String)
    if let keychain { query.setObject(keychain, forKey: kSecUseKeychain as String) }
    return SecItemAdd(query, nil)
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
