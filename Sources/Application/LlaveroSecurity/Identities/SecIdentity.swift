// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// A certificate with the private key of its subject.
public final class SecIdentity: NSObject, Sendable {
    let certificate: SecCertificate
    /// The private key.
    let key: SecKey

    /// Combines the two; nil unless the key is the private half of the certificate's.
    package init?(certificate: SecCertificate, key: SecKey) {
        guard key.keyClass == .privateKey,
            let publicKey = certificate.fields.publicKey.key,
            publicKey.isEqual(key.publicKey)
        else { return nil }
        self.certificate = certificate
        self.key = key
    }

    /// Whether both have the same certificate and the same key.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return certificate.isEqual(other.certificate) && key.isEqual(other.key)
    }

    /// A hash value of the certificate.
    override public var hash: Int { certificate.hash }
}

/// The type of identities.
public func SecIdentityGetTypeID() -> CFTypeID { TypeID.identity }

/// Combines a certificate and a private key.
/// - Returns: Nil unless the key is the private half of the certificate's.
public func SecIdentityCreate(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
    SecIdentity(certificate: certificate, key: privateKey)
}

/// The certificate of an identity.
/// - Parameters:
///   - identityRef: The identity.
///   - certificateRef: Where to put it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// The private key of an identity.
/// - Parameters:
///   - identityRef: The identity.
///   - privateKeyRef: Where to put it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKeyRef.pointee = identityRef.key
    return errSecSuccess
}
