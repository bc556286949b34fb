// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The type of policies.
@_cdecl("SecPolicyGetTypeID")
public func interfaceSecPolicyGetTypeID(
    
) -> UInt {
    return typeID(of: SecPolicy.self)
}

/// A policy that requires only valid signatures and dates.
@_cdecl("SecPolicyCreateBasicX509")
public func interfaceSecPolicyCreateBasicX509(
    
) -> UnsafeRawPointer? {
    return unsafe given(LlaveroSecurity.SecPolicyCreateBasicX509())
}

/// A policy for TLS.
@_cdecl("SecPolicyCreateSSL")
public func interfaceSecPolicyCreateSSL(
    _ server: UInt8, _ hostname: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let hostnameObject = unsafe Taken.optional(hostname, as: NSString.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecPolicyCreateSSL(server != 0, hostnameObject.value))
}

/// A policy that requires a revocation check.
@_cdecl("SecPolicyCreateRevocation")
public func interfaceSecPolicyCreateRevocation(
    _ revocationFlags: UInt
) -> UnsafeRawPointer? {
    return unsafe given(LlaveroSecurity.SecPolicyCreateRevocation(revocationFlags))
}

/// A policy by its name.
@_cdecl("SecPolicyCreateWithProperties")
public func interfaceSecPolicyCreateWithProperties(
    _ policyIdentifier: UnsafeRawPointer?, _ properties: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let policyIdentifierObject = unsafe Taken.object(policyIdentifier),
        let propertiesObject = unsafe Taken.optional(properties, as: NSDictionary.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecPolicyCreateWithProperties(policyIdentifierObject, propertiesObject.value))
}

/// A policy by its name, without properties.
@_cdecl("SecPolicyCreateWithOID")
public func interfaceSecPolicyCreateWithOID(
    _ policyOID: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let policyOIDObject = unsafe Taken.object(policyOID)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecPolicyCreateWithOID(policyOIDObject))
}

/// A policy's properties: its name under `kSecPolicyOid`, and the others.
@_cdecl("SecPolicyCopyProperties")
public func interfaceSecPolicyCopyProperties(
    _ policyRef: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let policyRefObject = unsafe Taken.required(policyRef, as: SecPolicy.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecPolicyCopyProperties(policyRefObject))
}

/// Changes a policy's properties.
@_cdecl("SecPolicySetProperties")
public func interfaceSecPolicySetProperties(
    _ policyRef: UnsafeRawPointer?, _ properties: UnsafeRawPointer?
) -> Int32 {
    guard let policyRefObject = unsafe Taken.required(policyRef, as: SecPolicy.self),
        let propertiesObject = unsafe Taken.required(properties, as: NSDictionary.self)
    else { return errSecParam }
    return LlaveroSecurity.SecPolicySetProperties(policyRefObject, propertiesObject)
}

/// A policy's name for CDSA.
@_cdecl("SecPolicyGetOID")
public func interfaceSecPolicyGetOID(
    _ policyRef: UnsafeRawPointer?, _ oid: UnsafeMutableRawPointer?
) -> Int32 {
    guard let policyRefObject = unsafe Taken.required(policyRef, as: SecPolicy.self),
        let oid = unsafe oid
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecPolicyGetOID(policyRefObject, oid.assumingMemoryBound(to: (CSSM_OID).self))
}

/// A policy's value for CDSA.
@_cdecl("SecPolicyGetValue")
public func interfaceSecPolicyGetValue(
    _ policyRef: UnsafeRawPointer?, _ value: UnsafeMutableRawPointer?
) -> Int32 {
    guard let policyRefObject = unsafe Taken.required(policyRef, as: SecPolicy.self),
        let value = unsafe value
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecPolicyGetValue(policyRefObject, value.assumingMemoryBound(to: (CSSM_DATA).self))
}

/// Sets a policy's value for CDSA.
@_cdecl("SecPolicySetValue")
public func interfaceSecPolicySetValue(
    _ policyRef: UnsafeRawPointer?, _ value: UnsafeMutableRawPointer?
) -> Int32 {
    guard let policyRefObject = unsafe Taken.required(policyRef, as: SecPolicy.self),
        let value = unsafe value
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecPolicySetValue(policyRefObject, UnsafePointer(value.assumingMemoryBound(to: (CSSM_DATA).self)))
}

/// The CDSA module of a policy.
@_cdecl("SecPolicyGetTPHandle")
public func interfaceSecPolicyGetTPHandle(
    _ policyRef: UnsafeRawPointer?, _ tpHandle: UnsafeMutableRawPointer?
) -> Int32 {
    guard let policyRefObject = unsafe Taken.required(policyRef, as: SecPolicy.self),
        let tpHandle = unsafe tpHandle
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecPolicyGetTPHandle(policyRefObject, tpHandle.assumingMemoryBound(to: (CSSM_TP_HANDLE).self))
}
