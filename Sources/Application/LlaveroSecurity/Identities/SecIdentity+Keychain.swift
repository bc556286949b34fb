// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The default domain of system identities.
@safe public nonisolated(unsafe) let kSecIdentityDomainDefault: CFString =
    "com.apple.systemdefault"
/// The domain of the Kerberos KDC's system identity.
@safe public nonisolated(unsafe) let kSecIdentityDomainKerberosKDC: CFString =
    "com.apple.kerberos.kdc"

/// Finds the stored private key of a certificate.
/// - Parameters:
///   - keychainOrArray: Where the key is: a keychain, or an array of them; nil is the search list.
///   - certificateRef: The certificate; it needn't be stored.
///   - identityRef: Where to put both.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; else as ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?, _ certificateRef: SecCertificate,
    _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    let keychains: [SecKeychain]?
    do throws(ItemFailure) { keychains = try SecKeychain.optionalList(keychainOrArray) } catch {
        return errSecParam
    }
    var query: [String: Any] = [
        kSecClass as String: kSecClassKey,
        kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        kSecAttrApplicationLabel as String: Data(certificateRef.fields.publicKeyHash),
        kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
        kSecReturnRef as String: true,
    ]
    if let keychains { query[kSecMatchSearchList as String] = keychains as NSArray }
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as NSDictionary, &result)
    guard status == errSecSuccess else { return status }
    guard let key = result as? SecKey,
        let identity = SecIdentity(certificate: certificateRef, key: key)
    else { return errSecItemNotFound }
    unsafe identityRef.pointee = identity
    return errSecSuccess
}
