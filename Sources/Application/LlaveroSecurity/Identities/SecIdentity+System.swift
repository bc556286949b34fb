// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import KeychainVocabulary

/// The identity of a domain of the system: in the System keychain, a certificate and its key, and
/// an item that names it by the digest of the key. Only root reads keys there; in a service of one
/// user also that user.
/// - Parameters:
///   - domain: The domain, such as `kSecIdentityDomainDefault`. Another one without an identity of
///     its own has that of the default domain.
///   - idRef: Where to put the identity.
///   - actualDomain: Where to put the domain that has it; nil for nowhere.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; else as ``SecItemCopyMatching(_:_:)``.
@discardableResult
public func SecIdentityCopySystemIdentity(
    _ domain: CFString, _ idRef: UnsafeMutablePointer<SecIdentity?>,
    _ actualDomain: UnsafeMutablePointer<CFString?>?
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        var found = domain
        var hash = try SystemIdentity.keyHash(of: domain)
        if hash == nil {
            found = kSecIdentityDomainDefault
            hash = try SystemIdentity.keyHash(of: found)
        }
        guard let hash else { throw KeyFailure(errSecItemNotFound) }
        unsafe idRef.pointee = try SystemIdentity.identity(keyHash: hash)
        if let target = unsafe actualDomain { unsafe target.pointee = found }
    }
}

/// Sets the identity of a domain of the system.
/// - Parameters:
///   - domain: The domain; any text.
///   - idRef: An identity whose certificate and key are in the System keychain; nil for none.
/// - Returns: `errSecSuccess`; `errSecAuthFailed` unless root calls it, or in a service of one user
///   that user; `errSecParam` for an empty domain; else as ``SecItemAdd(_:_:)``.
@discardableResult
public func SecIdentitySetSystemIdentity(
    _ domain: CFString, _ idRef: SecIdentity?
) -> OSStatus {
    statusOf { () throws(KeyFailure) in
        try SystemIdentity.set(domain, idRef?.certificate.fields.publicKeyHash)
    }
}

/// The items of system identities.
private enum SystemIdentity {
    /// The account of an item that names an identity; its service is the domain.
    private static let account = "system identity"

    private static func query(_ itemClass: CFString) -> NSMutableDictionary {
        let query = NSMutableDictionary()
        query.setObject(itemClass, forKey: kSecClass as String)
        query.setObject(
            NSString(string: ReservedGroup.machineKeychain.rawValue),
            forKey: kSecAttrAccessGroup as String)
        return query
    }

    private static func query(domain: CFString) -> NSMutableDictionary {
        let query = query(kSecClassGenericPassword)
        query.setObject(domain, forKey: kSecAttrService as String)
        query.setObject(NSString(string: account), forKey: kSecAttrAccount as String)
        return query
    }

    /// The digest of a domain's key; nil if it has none.
    static func keyHash(of domain: CFString) throws(KeyFailure) -> NSData? {
        let query = query(domain: domain)
        query.setObject(NSNumber(value: true), forKey: kSecReturnAttributes as String)
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query, &result)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess else { throw failure(status) }
        return (result as? NSDictionary)?.object(forKey: kSecAttrGeneric) as? NSData
    }

    static func identity(keyHash: NSData) throws(KeyFailure) -> SecIdentity {
        let certificates = query(kSecClassCertificate)
        certificates.setObject(keyHash, forKey: kSecAttrPublicKeyHash as String)
        let keys = query(kSecClassKey)
        keys.setObject(keyHash, forKey: kSecAttrApplicationLabel as String)
        keys.setObject(kSecAttrKeyClassPrivate, forKey: kSecAttrKeyClass as String)
        guard let certificate = try find(certificates) as? SecCertificate,
            let key = try find(keys) as? SecKey,
            let identity = SecIdentity(certificate: certificate, key: key)
        else { throw KeyFailure(errSecItemNotFound) }
        return identity
    }

    private static func find(_ query: NSMutableDictionary) throws(KeyFailure) -> CFTypeRef? {
        query.setObject(NSNumber(value: true), forKey: kSecReturnRef as String)
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query, &result)
        guard status == errSecSuccess else { throw failure(status) }
        return result
    }

    static func set(_ domain: CFString, _ keyHash: [UInt8]?) throws(KeyFailure) {
        guard domain.length > 0 else { throw KeyFailure(errSecParam) }
        let query = query(domain: domain)
        guard let keyHash else {
            let status = SecItemDelete(query)
            guard [errSecSuccess, errSecItemNotFound].contains(status) else {
                throw failure(status)
            }
            return
        }
        let values = [kSecAttrGeneric: Data(keyHash)] as CFDictionary
        var status = SecItemUpdate(query, values)
        if status == errSecItemNotFound {
            query.setObject(Data(keyHash) as NSData, forKey: kSecAttrGeneric as String)
            status = SecItemAdd(query, nil)
        }
        guard status == errSecSuccess else { throw failure(status) }
    }

    /// The failure of a write. Without the right to write it is the Mac's, `errSecAuthFailed`.
    private static func failure(_ status: OSStatus) -> KeyFailure {
        KeyFailure(status == errSecMissingEntitlement ? errSecAuthFailed : status)
    }
}
