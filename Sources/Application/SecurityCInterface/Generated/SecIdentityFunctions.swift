// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// Finds the stored private key of a certificate.
@_cdecl("SecIdentityCreateWithCertificate")
public func interfaceSecIdentityCreateWithCertificate(
    _ keychainOrArray: UnsafeRawPointer?, _ certificateRef: UnsafeRawPointer?, _ identityRef: ObjectSlot?
) -> Int32 {
    guard let keychainOrArrayObject = unsafe Taken.optional(keychainOrArray, as: AnyObject.self),
        let certificateRefObject = unsafe Taken.required(certificateRef, as: SecCertificate.self),
        unsafe identityRef != nil
    else { return errSecParam }
    var identityRefObject: SecIdentity?
    let answer = unsafe LlaveroSecurity.SecIdentityCreateWithCertificate(keychainOrArrayObject.value, certificateRefObject, &identityRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(identityRefObject, identityRef)
    return answer
}

/// The identity that is preferred for a name.
@_cdecl("SecIdentityCopyPreferred")
public func interfaceSecIdentityCopyPreferred(
    _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?, _ validIssuers: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let nameObject = unsafe Taken.required(name, as: NSString.self),
        let keyUsageObject = unsafe Taken.optional(keyUsage, as: NSArray.self),
        let validIssuersObject = unsafe Taken.optional(validIssuers, as: NSArray.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecIdentityCopyPreferred(nameObject, keyUsageObject.value, validIssuersObject.value))
}

/// The identity that is preferred for a name and exactly this use.
@_cdecl("SecIdentityCopyPreference")
public func interfaceSecIdentityCopyPreference(
    _ name: UnsafeRawPointer?, _ keyUsage: UInt32, _ validIssuers: UnsafeRawPointer?, _ identity: ObjectSlot?
) -> Int32 {
    guard let nameObject = unsafe Taken.required(name, as: NSString.self),
        let validIssuersObject = unsafe Taken.optional(validIssuers, as: NSArray.self),
        unsafe identity != nil
    else { return errSecParam }
    var identityObject: SecIdentity?
    let answer = unsafe LlaveroSecurity.SecIdentityCopyPreference(nameObject, keyUsage, validIssuersObject.value, &identityObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(identityObject, identity)
    return answer
}

/// Prefers an identity for a name.
@_cdecl("SecIdentitySetPreferred")
public func interfaceSecIdentitySetPreferred(
    _ identity: UnsafeRawPointer?, _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?
) -> Int32 {
    guard let identityObject = unsafe Taken.optional(identity, as: SecIdentity.self),
        let nameObject = unsafe Taken.required(name, as: NSString.self),
        let keyUsageObject = unsafe Taken.optional(keyUsage, as: NSArray.self)
    else { return errSecParam }
    return LlaveroSecurity.SecIdentitySetPreferred(identityObject.value, nameObject, keyUsageObject.value)
}

/// Prefers an identity for a name.
@_cdecl("SecIdentitySetPreference")
public func interfaceSecIdentitySetPreference(
    _ identity: UnsafeRawPointer?, _ name: UnsafeRawPointer?, _ keyUsage: UInt32
) -> Int32 {
    guard let identityObject = unsafe Taken.required(identity, as: SecIdentity.self),
        let nameObject = unsafe Taken.required(name, as: NSString.self)
    else { return errSecParam }
    return LlaveroSecurity.SecIdentitySetPreference(identityObject, nameObject, keyUsage)
}

/// The identity of a domain of the system: in the System keychain, a certificate and its key, and an item that names it by the digest of the key.
@_cdecl("SecIdentityCopySystemIdentity")
public func interfaceSecIdentityCopySystemIdentity(
    _ domain: UnsafeRawPointer?, _ idRef: ObjectSlot?, _ actualDomain: ObjectSlot?
) -> Int32 {
    guard let domainObject = unsafe Taken.required(domain, as: NSString.self),
        unsafe idRef != nil
    else { return errSecParam }
    var idRefObject: SecIdentity?
    var actualDomainObject: CFString?
    let answer = unsafe LlaveroSecurity.SecIdentityCopySystemIdentity(domainObject, &idRefObject, &actualDomainObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(idRefObject, idRef)
    unsafe put(actualDomainObject, actualDomain)
    return answer
}

/// Sets the identity of a domain of the system.
@_cdecl("SecIdentitySetSystemIdentity")
public func interfaceSecIdentitySetSystemIdentity(
    _ domain: UnsafeRawPointer?, _ idRef: UnsafeRawPointer?
) -> Int32 {
    guard let domainObject = unsafe Taken.required(domain, as: NSString.self),
        let idRefObject = unsafe Taken.optional(idRef, as: SecIdentity.self)
    else { return errSecParam }
    return LlaveroSecurity.SecIdentitySetSystemIdentity(domainObject, idRefObject.value)
}

/// The type of identities.
@_cdecl("SecIdentityGetTypeID")
public func interfaceSecIdentityGetTypeID(
    
) -> UInt {
    return typeID(of: SecIdentity.self)
}

/// Combines a certificate and a private key.
@_cdecl("SecIdentityCreate")
public func interfaceSecIdentityCreate(
    _ allocator: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ privateKey: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let certificateObject = unsafe Taken.required(certificate, as: SecCertificate.self),
        let privateKeyObject = unsafe Taken.required(privateKey, as: SecKey.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecIdentityCreate(nil, certificateObject, privateKeyObject))
}

/// The certificate of an identity.
@_cdecl("SecIdentityCopyCertificate")
public func interfaceSecIdentityCopyCertificate(
    _ identityRef: UnsafeRawPointer?, _ certificateRef: ObjectSlot?
) -> Int32 {
    guard let identityRefObject = unsafe Taken.required(identityRef, as: SecIdentity.self),
        unsafe certificateRef != nil
    else { return errSecParam }
    var certificateRefObject: SecCertificate?
    let answer = unsafe LlaveroSecurity.SecIdentityCopyCertificate(identityRefObject, &certificateRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(certificateRefObject, certificateRef)
    return answer
}

/// The private key of an identity.
@_cdecl("SecIdentityCopyPrivateKey")
public func interfaceSecIdentityCopyPrivateKey(
    _ identityRef: UnsafeRawPointer?, _ privateKeyRef: ObjectSlot?
) -> Int32 {
    guard let identityRefObject = unsafe Taken.required(identityRef, as: SecIdentity.self),
        unsafe privateKeyRef != nil
    else { return errSecParam }
    var privateKeyRefObject: SecKey?
    let answer = unsafe LlaveroSecurity.SecIdentityCopyPrivateKey(identityRefObject, &privateKeyRefObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(privateKeyRefObject, privateKeyRef)
    return answer
}
