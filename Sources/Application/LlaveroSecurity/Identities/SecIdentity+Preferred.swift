// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The identity that is preferred for a name.
///
/// A preference for the use is taken first, then one for any use, then one without a constraint.
/// - Parameters:
///   - name: A URL, a mail address or a host. A URL also matches preferences for the folders above
///     it (with a slash at the end), for its host, and for `*.` with a domain above that.
///   - keyUsage: `kSecAttrCan…`; nil or empty for any.
///   - validIssuers: Ignored, as in Apple's implementation.
/// - Returns: Nil if there is none, and if the preferred one was deleted.
public func SecIdentityCopyPreferred(
    _ name: CFString, _ keyUsage: CFArray?, _ validIssuers: CFArray?
) -> SecIdentity? {
    let preference = try? Preference(.identity, name, Preference.keyUse(keyUsage))
    return try? preference.map { (preference) throws(KeyFailure) in
        try Preference.first(
            preference.withLooserUses.flatMap(\.ofPossibleNames), preferredIdentity)
    }
}

/// The identity that is preferred for a name and exactly this use.
/// - Parameters:
///   - name: As in ``SecIdentityCopyPreferred(_:_:_:)``.
///   - keyUsage: Bits of `CSSM_KEYUSE`; 0 for any preference.
///   - validIssuers: Ignored, as in Apple's implementation.
///   - identity: Where to put it.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecParam` for an empty name; else as
///   ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecIdentityCopyPreference(
    _ name: CFString, _ keyUsage: CSSM_KEYUSE, _ validIssuers: CFArray?,
    _ identity: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        let preference = try Preference(.identity, name, keyUsage)
        let found = try Preference.first(preference.ofPossibleNames) {
            (preference) throws(KeyFailure) in
            try preferredIdentity(preference)
        }
        unsafe identity.pointee = found
    }
}

/// Prefers an identity for a name.
/// - Parameters:
///   - identity: The identity, which must be stored; nil deletes the preference.
///   - name: The name.
///   - keyUsage: `kSecAttrCan…`; nil or empty for any.
/// - Returns: As ``SecIdentitySetPreference(_:_:_:)``.
@discardableResult
public func SecIdentitySetPreferred(
    _ identity: SecIdentity?, _ name: CFString, _ keyUsage: CFArray?
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        let preference = try Preference(.identity, name, Preference.keyUse(keyUsage))
        guard let identity else { return try preference.clear() }
        try preference.set(identity.certificate)
    }
}

/// Prefers an identity for a name.
/// - Parameters:
///   - identity: The identity, which must be stored.
///   - name: The name.
///   - keyUsage: Bits of `CSSM_KEYUSE`; 0 for any.
/// - Returns: `errSecSuccess`; `errSecInvalidItemRef` for an identity that isn't stored;
///   `errSecParam` for an empty name; else as ``SecItemAdd(_:_:)``.
@discardableResult
public func SecIdentitySetPreference(
    _ identity: SecIdentity, _ name: CFString, _ keyUsage: CSSM_KEYUSE
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        try Preference(.identity, name, keyUsage).set(identity.certificate)
    }
}

private func preferredIdentity(_ preference: Preference) throws(KeyFailure) -> SecIdentity {
    let certificate = try preference.certificate()
    var found: SecIdentity?
    let status = unsafe SecIdentityCreateWithCertificate(nil, certificate, &found)
    guard status == errSecSuccess, let found else {
        throw KeyFailure(status == errSecSuccess ? errSecItemNotFound : status)
    }
    return found
}

// MARK: - Certificates

/// The certificate that is preferred for a name.
/// - Parameters:
///   - name: The name, exactly.
///   - keyUsage: `kSecAttrCan…`; nil or empty for any. A preference for the use is taken first, then
///     one for any use, then one without a constraint.
/// - Returns: Nil if there is none, and if the preferred one was deleted.
public func SecCertificateCopyPreferred(
    _ name: CFString, _ keyUsage: CFArray?
) -> SecCertificate? {
    let preference = try? Preference(.certificate, name, Preference.keyUse(keyUsage))
    return try? preference.map { (preference) throws(KeyFailure) in
        try Preference.first(preference.withLooserUses) { (preference) throws(KeyFailure) in
            try preference.certificate()
        }
    }
}

/// The certificate that is preferred for a name and exactly this use.
/// - Parameters:
///   - name: The name.
///   - keyUsage: Bits of `CSSM_KEYUSE`; 0 for any preference.
///   - certificate: Where to put it.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecParam` for an empty name; else as
///   ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecCertificateCopyPreference(
    _ name: CFString, _ keyUsage: CSSM_KEYUSE, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        let found = try Preference(.certificate, name, keyUsage).certificate()
        unsafe certificate.pointee = found
    }
}

/// Prefers a certificate for a name.
/// - Parameters:
///   - certificate: The certificate, which must be stored; nil deletes the preference.
///   - name: The name.
///   - keyUsage: `kSecAttrCan…`; nil or empty for any.
/// - Returns: As ``SecCertificateSetPreference(_:_:_:_:)``.
@discardableResult
public func SecCertificateSetPreferred(
    _ certificate: SecCertificate?, _ name: CFString, _ keyUsage: CFArray?
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        let preference = try Preference(.certificate, name, Preference.keyUse(keyUsage))
        guard let certificate else { return try preference.clear() }
        try preference.set(certificate)
    }
}

/// Prefers a certificate for a name.
/// - Parameters:
///   - certificate: The certificate, which must be stored.
///   - name: The name.
///   - keyUsage: Bits of `CSSM_KEYUSE`; 0 for any.
///   - date: Ignored, as in Apple's implementation.
/// - Returns: `errSecSuccess`; `errSecInvalidItemRef` for a certificate that isn't stored;
///   `errSecParam` for an empty name; else as ``SecItemAdd(_:_:)``.
@discardableResult
public func SecCertificateSetPreference(
    _ certificate: SecCertificate, _ name: CFString, _ keyUsage: CSSM_KEYUSE, _ date: CFDate?
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        try Preference(.certificate, name, keyUsage).set(certificate)
    }
}
