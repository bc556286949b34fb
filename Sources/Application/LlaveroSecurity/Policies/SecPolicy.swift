// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The rules by which a certificate is judged.
public final class SecPolicy: NSObject, Sendable {
    /// The policy's name; a `kSecPolicyApple…` value.
    let identifier: String
    /// The name that the certificate must have, whether it is a client's, and the other properties.
    let name: String?
    let isClient: Bool?
    let revocationFlags: UInt?
    let teamIdentifier: String?

    init(
        _ identifier: String, name: String? = nil, isClient: Bool? = nil,
        revocationFlags: UInt? = nil, teamIdentifier: String? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.isClient = isClient
        self.revocationFlags = revocationFlags
        self.teamIdentifier = teamIdentifier
    }

    /// The policy's properties, by `kSecPolicy…` keys.
    fileprivate var properties: [String: Any] {
        var result: [String: Any] = [kSecPolicyOid as String: identifier]
        if let name { result[kSecPolicyName as String] = name }
        if let isClient { result[kSecPolicyClient as String] = isClient }
        if let revocationFlags {
            result[kSecPolicyRevocationFlags as String] = NSNumber(value: revocationFlags)
        }
        if let teamIdentifier { result[kSecPolicyTeamIdentifier as String] = teamIdentifier }
        return result
    }

    /// Whether both are the same policy with the same properties.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecPolicy else { return false }
        return identifier == other.identifier && name == other.name && isClient == other.isClient
            && revocationFlags == other.revocationFlags && teamIdentifier == other.teamIdentifier
    }

    /// A hash value of the policy.
    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(identifier)
        hasher.combine(name)
        return hasher.finalize()
    }
}

/// The type of policies.
public func SecPolicyGetTypeID() -> CFTypeID { TypeID.policy }

/// A policy that requires only valid signatures and dates.
public func SecPolicyCreateBasicX509() -> SecPolicy {
    SecPolicy(kSecPolicyAppleX509Basic as String)
}

/// A policy for TLS.
/// - Parameters:
///   - server: Whether the certificate is a server's.
///   - hostname: The name that the certificate must have; nil is any.
/// - Returns: The policy.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(
        kSecPolicyAppleSSL as String, name: hostname.map { $0 as String },
        isClient: server ? nil : true)
}

/// A policy that requires a revocation check.
/// - Parameter revocationFlags: `kSecRevocation…`.
/// - Returns: Nil for no flag, and for numbers that aren't flags.
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    guard (1..<1 << 7).contains(revocationFlags) else { return nil }
    return SecPolicy(kSecPolicyAppleRevocation as String, revocationFlags: revocationFlags)
}

/// A policy by its name.
/// - Parameters:
///   - policyIdentifier: A `kSecPolicyApple…` value.
///   - properties: `kSecPolicyName`, `kSecPolicyClient`, `kSecPolicyRevocationFlags`,
///     `kSecPolicyTeamIdentifier`; nil is none.
/// - Returns: Nil for a name that isn't one of those, and for a property of the wrong type.
public func SecPolicyCreateWithProperties(
    _ policyIdentifier: CFTypeRef, _ properties: CFDictionary?
) -> SecPolicy? {
    guard let identifier = policyIdentifier as? NSString,
        policyIdentifiers.contains(identifier as String)
    else { return nil }
    func value(_ key: CFString) -> Any? { properties?.object(forKey: key) }
    let name = value(kSecPolicyName)
    let client = value(kSecPolicyClient)
    let flags = value(kSecPolicyRevocationFlags)
    let team = value(kSecPolicyTeamIdentifier)
    guard name == nil || name is NSString, client == nil || client is NSNumber,
        flags == nil || flags is NSNumber, team == nil || team is NSString
    else { return nil }
    return SecPolicy(
        identifier as String, name: (name as? NSString).map { $0 as String },
        isClient: (client as? NSNumber)?.boolValue,
        revocationFlags: (flags as? NSNumber)?.uintValue,
        teamIdentifier: (team as? NSString).map { $0 as String })
}

/// A policy by its name, without properties.
/// - Returns: Nil for a name that isn't a `kSecPolicyApple…` value.
public func SecPolicyCreateWithOID(_ policyOID: CFTypeRef) -> SecPolicy? {
    SecPolicyCreateWithProperties(policyOID, nil)
}

/// A policy's properties: its name under `kSecPolicyOid`, and the others.
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    policyRef.properties as NSDictionary
}

/// Changes a policy's properties.
/// - Returns: `errSecUnimplemented`: policies don't change here.
@discardableResult
public func SecPolicySetProperties(
    _ policyRef: SecPolicy, _ properties: CFDictionary
) -> OSStatus {
    errSecUnimplemented
}

/// A policy's name for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecPolicyGetOID(
    _ policyRef: SecPolicy, _ oid: UnsafeMutablePointer<CSSM_OID>
) -> OSStatus {
    errSecUnimplemented
}

/// A policy's value for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecPolicyGetValue(
    _ policyRef: SecPolicy, _ value: UnsafeMutablePointer<CSSM_DATA>
) -> OSStatus {
    errSecUnimplemented
}

/// Sets a policy's value for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecPolicySetValue(
    _ policyRef: SecPolicy, _ value: UnsafePointer<CSSM_DATA>
) -> OSStatus {
    errSecUnimplemented
}

/// The CDSA module of a policy.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecPolicyGetTPHandle(
    _ policyRef: SecPolicy, _ tpHandle: UnsafeMutablePointer<CSSM_TP_HANDLE>
) -> OSStatus {
    errSecUnimplemented
}

private let policyIdentifiers: Set<String> = Set(
    [
        kSecPolicyAppleX509Basic, kSecPolicyAppleSSL, kSecPolicyAppleSSLServer,
        kSecPolicyAppleSSLClient, kSecPolicyAppleSMIME, kSecPolicyAppleEAP,
        kSecPolicyAppleEAPServer, kSecPolicyAppleEAPClient, kSecPolicyAppleIPsec,
        kSecPolicyAppleIPSecServer, kSecPolicyAppleIPSecClient, kSecPolicyAppleiChat,
        kSecPolicyApplePKINITClient, kSecPolicyApplePKINITServer, kSecPolicyAppleCodeSigning,
        kSecPolicyAppleIDValidation, kSecPolicyMacAppStoreReceipt, kSecPolicyAppleTimeStamping,
        kSecPolicyAppleRevocation, kSecPolicyApplePassbookSigning,
        kSecPolicyApplePayIssuerEncryption,
    ].map { $0 as String })
