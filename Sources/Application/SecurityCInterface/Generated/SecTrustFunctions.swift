// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Made by Scripts/generate-c-interface; edits here are lost.
// swift-format-ignore-file

import CSecurityObjects
import Foundation
import LlaveroSecurity

/// The type of trust objects.
@_cdecl("SecTrustGetTypeID")
public func interfaceSecTrustGetTypeID(
    
) -> UInt {
    return typeID(of: SecTrust.self)
}

/// Makes a trust object.
@_cdecl("SecTrustCreateWithCertificates")
public func interfaceSecTrustCreateWithCertificates(
    _ certificates: UnsafeRawPointer?, _ policies: UnsafeRawPointer?, _ trust: ObjectSlot?
) -> Int32 {
    guard let certificatesObject = unsafe Taken.object(certificates),
        unsafe trust != nil
    else { return errSecParam }
    let policiesObject = unsafe Taken.object(policies)
    var trustObject: SecTrust?
    let answer = unsafe LlaveroSecurity.SecTrustCreateWithCertificates(certificatesObject, policiesObject, &trustObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(trustObject, trust)
    return answer
}

/// Sets the policies.
@_cdecl("SecTrustSetPolicies")
public func interfaceSecTrustSetPolicies(
    _ trust: UnsafeRawPointer?, _ policies: UnsafeRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let policiesObject = unsafe Taken.object(policies)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetPolicies(trustObject, policiesObject)
}

/// The policies.
@_cdecl("SecTrustCopyPolicies")
public func interfaceSecTrustCopyPolicies(
    _ trust: UnsafeRawPointer?, _ policies: ObjectSlot?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        unsafe policies != nil
    else { return errSecParam }
    var policiesObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecTrustCopyPolicies(trustObject, &policiesObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(policiesObject, policies)
    return answer
}

/// Sets whether an evaluation may use the network.
@_cdecl("SecTrustSetNetworkFetchAllowed")
public func interfaceSecTrustSetNetworkFetchAllowed(
    _ trust: UnsafeRawPointer?, _ allowFetch: UInt8
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetNetworkFetchAllowed(trustObject, allowFetch != 0)
}

/// Whether an evaluation may use the network.
@_cdecl("SecTrustGetNetworkFetchAllowed")
public func interfaceSecTrustGetNetworkFetchAllowed(
    _ trust: UnsafeRawPointer?, _ allowFetch: UnsafeMutableRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let allowFetch = unsafe allowFetch
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecTrustGetNetworkFetchAllowed(trustObject, allowFetch.assumingMemoryBound(to: (DarwinBoolean).self))
}

/// Sets the certificates that are trusted as anchors; nil removes them.
@_cdecl("SecTrustSetAnchorCertificates")
public func interfaceSecTrustSetAnchorCertificates(
    _ trust: UnsafeRawPointer?, _ anchorCertificates: UnsafeRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let anchorCertificatesObject = unsafe Taken.optional(anchorCertificates, as: NSArray.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetAnchorCertificates(trustObject, anchorCertificatesObject.value)
}

/// Sets whether the system's anchors are ignored.
@_cdecl("SecTrustSetAnchorCertificatesOnly")
public func interfaceSecTrustSetAnchorCertificatesOnly(
    _ trust: UnsafeRawPointer?, _ anchorCertificatesOnly: UInt8
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetAnchorCertificatesOnly(trustObject, anchorCertificatesOnly != 0)
}

/// The certificates that were set as anchors; nil if none were.
@_cdecl("SecTrustCopyCustomAnchorCertificates")
public func interfaceSecTrustCopyCustomAnchorCertificates(
    _ trust: UnsafeRawPointer?, _ anchors: ObjectSlot?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        unsafe anchors != nil
    else { return errSecParam }
    var anchorsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecTrustCopyCustomAnchorCertificates(trustObject, &anchorsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(anchorsObject, anchors)
    return answer
}

/// Sets the time for which the certificates must be valid.
@_cdecl("SecTrustSetVerifyDate")
public func interfaceSecTrustSetVerifyDate(
    _ trust: UnsafeRawPointer?, _ verifyDate: UnsafeRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let verifyDateObject = unsafe Taken.required(verifyDate, as: NSDate.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetVerifyDate(trustObject, verifyDateObject)
}

/// The time for which the certificates must be valid: the time that was set, else now.
@_cdecl("SecTrustGetVerifyTime")
public func interfaceSecTrustGetVerifyTime(
    _ trust: UnsafeRawPointer?
) -> Double {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return 0 }
    return LlaveroSecurity.SecTrustGetVerifyTime(trustObject)
}

/// The leaf's public key.
@_cdecl("SecTrustCopyKey")
public func interfaceSecTrustCopyKey(
    _ trust: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecTrustCopyKey(trustObject))
}

/// The leaf's public key.
@_cdecl("SecTrustCopyPublicKey")
public func interfaceSecTrustCopyPublicKey(
    _ trust: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecTrustCopyPublicKey(trustObject))
}

/// Evaluates trust.
@_cdecl("SecTrustEvaluateWithError")
public func interfaceSecTrustEvaluateWithError(
    _ trust: UnsafeRawPointer?, _ error: ObjectSlot?
) -> UInt8 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return unsafe refusedFlag(error) }
    guard unsafe error != nil else {
        return LlaveroSecurity.SecTrustEvaluateWithError(trustObject, nil) ? 1 : 0
    }
    var errorObject: CFError?
    let answer = unsafe LlaveroSecurity.SecTrustEvaluateWithError(trustObject, &errorObject)
    unsafe put(errorObject, error)
    return answer ? 1 : 0
}

/// Evaluates trust.
@_cdecl("SecTrustEvaluate")
public func interfaceSecTrustEvaluate(
    _ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return errSecParam }
    var resultCase = SecTrustResultType.invalid
    let answer = unsafe LlaveroSecurity.SecTrustEvaluate(trustObject, &resultCase)
    guard answer == errSecSuccess else { return answer }
    unsafe result?.pointee = resultCase.rawValue
    return answer
}

/// The result of the last evaluation.
@_cdecl("SecTrustGetTrustResult")
public func interfaceSecTrustGetTrustResult(
    _ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        unsafe result != nil
    else { return errSecParam }
    var resultCase = SecTrustResultType.invalid
    let answer = unsafe LlaveroSecurity.SecTrustGetTrustResult(trustObject, &resultCase)
    guard answer == errSecSuccess else { return answer }
    unsafe result?.pointee = resultCase.rawValue
    return answer
}

/// How many certificates the chain has; evaluates first if needed.
@_cdecl("SecTrustGetCertificateCount")
public func interfaceSecTrustGetCertificateCount(
    _ trust: UnsafeRawPointer?
) -> Int {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return 0 }
    return LlaveroSecurity.SecTrustGetCertificateCount(trustObject)
}

/// A certificate of the chain; evaluates first, but for the leaf.
@_cdecl("SecTrustGetCertificateAtIndex")
public func interfaceSecTrustGetCertificateAtIndex(
    _ trust: UnsafeRawPointer?, _ ix: Int
) -> UnsafeRawPointer? {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return nil }
    return unsafe llavero_keep(trust, given(LlaveroSecurity.SecTrustGetCertificateAtIndex(trustObject, ix)))
}

/// The chain, the leaf first; of a failed evaluation, the best one that was found.
@_cdecl("SecTrustCopyCertificateChain")
public func interfaceSecTrustCopyCertificateChain(
    _ trust: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecTrustCopyCertificateChain(trustObject))
}

/// The faults that an evaluation found, for later exceptions.
@_cdecl("SecTrustCopyExceptions")
public func interfaceSecTrustCopyExceptions(
    _ trust: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecTrustCopyExceptions(trustObject))
}

/// Accepts the faults of an earlier evaluation: those of these certificates alone.
@_cdecl("SecTrustSetExceptions")
public func interfaceSecTrustSetExceptions(
    _ trust: UnsafeRawPointer?, _ exceptions: UnsafeRawPointer?
) -> UInt8 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let exceptionsObject = unsafe Taken.optional(exceptions, as: NSData.self)
    else { return 0 }
    return LlaveroSecurity.SecTrustSetExceptions(trustObject, exceptionsObject.value) ? 1 : 0
}

/// An evaluation's result for each certificate: its title, and the leaf's error.
@_cdecl("SecTrustCopyProperties")
public func interfaceSecTrustCopyProperties(
    _ trust: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecTrustCopyProperties(trustObject))
}

/// An evaluation's result, by `kSecTrust…` keys; `TrustResultDetails` has the failed checks of each certificate.
@_cdecl("SecTrustCopyResult")
public func interfaceSecTrustCopyResult(
    _ trust: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return nil }
    return unsafe given(LlaveroSecurity.SecTrustCopyResult(trustObject))
}

/// The anchors of the system.
@_cdecl("SecTrustCopyAnchorCertificates")
public func interfaceSecTrustCopyAnchorCertificates(
    _ anchors: ObjectSlot?
) -> Int32 {
    guard unsafe anchors != nil
    else { return errSecParam }
    var anchorsObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecTrustCopyAnchorCertificates(&anchorsObject)
    guard answer == errSecSuccess else { return answer }
    unsafe put(anchorsObject, anchors)
    return answer
}

/// Provides answers on revocation that came with the certificates.
@_cdecl("SecTrustSetOCSPResponse")
public func interfaceSecTrustSetOCSPResponse(
    _ trust: UnsafeRawPointer?, _ responseData: UnsafeRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self)
    else { return errSecParam }
    let responseDataObject = unsafe Taken.object(responseData)
    return LlaveroSecurity.SecTrustSetOCSPResponse(trustObject, responseDataObject)
}

/// Provides proofs of transparency.
@_cdecl("SecTrustSetSignedCertificateTimestamps")
public func interfaceSecTrustSetSignedCertificateTimestamps(
    _ trust: UnsafeRawPointer?, _ sctArray: UnsafeRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let sctArrayObject = unsafe Taken.optional(sctArray, as: NSArray.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetSignedCertificateTimestamps(trustObject, sctArrayObject.value)
}

/// Sets the faults that an evaluation accepts: expired certificates, an expired root, any self-signed certificate at the end of the chain.
@_cdecl("SecTrustSetOptions")
public func interfaceSecTrustSetOptions(
    _ trustRef: UnsafeRawPointer?, _ options: UInt32
) -> Int32 {
    guard let trustRefObject = unsafe Taken.required(trustRef, as: SecTrust.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetOptions(trustRefObject, SecTrustOptionFlags(rawValue: options))
}

/// Sets the action of an evaluation, for CDSA.
@_cdecl("SecTrustSetParameters")
public func interfaceSecTrustSetParameters(
    _ trustRef: UnsafeRawPointer?, _ action: UInt32, _ actionData: UnsafeRawPointer?
) -> Int32 {
    guard let trustRefObject = unsafe Taken.required(trustRef, as: SecTrust.self),
        let actionDataObject = unsafe Taken.required(actionData, as: NSData.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetParameters(trustRefObject, action, actionDataObject)
}

/// Sets the keychains in which certificates are looked for.
@_cdecl("SecTrustSetKeychains")
public func interfaceSecTrustSetKeychains(
    _ trust: UnsafeRawPointer?, _ keychainOrArray: UnsafeRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let keychainOrArrayObject = unsafe Taken.optional(keychainOrArray, as: AnyObject.self)
    else { return errSecParam }
    return LlaveroSecurity.SecTrustSetKeychains(trustObject, keychainOrArrayObject.value)
}

/// The result of the last evaluation, for CDSA.
@_cdecl("SecTrustGetResult")
public func interfaceSecTrustGetResult(
    _ trustRef: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?, _ certChain: ObjectSlot?, _ statusChain: UnsafeMutableRawPointer?
) -> Int32 {
    guard let trustRefObject = unsafe Taken.required(trustRef, as: SecTrust.self)
    else { return errSecParam }
    var resultCase = SecTrustResultType.invalid
    var certChainObject: CFArray?
    let answer = unsafe LlaveroSecurity.SecTrustGetResult(trustRefObject, &resultCase, &certChainObject, statusChain?.assumingMemoryBound(to: (CSSM_TP_APPLE_EVIDENCE_INFO?).self))
    guard answer == errSecSuccess else { return answer }
    unsafe result?.pointee = resultCase.rawValue
    unsafe put(certChainObject, certChain)
    return answer
}

/// The result of the last evaluation, for CDSA.
@_cdecl("SecTrustGetCssmResult")
public func interfaceSecTrustGetCssmResult(
    _ trust: UnsafeRawPointer?, _ result: UnsafeMutableRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let result = unsafe result
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecTrustGetCssmResult(trustObject, result.assumingMemoryBound(to: (CSSM_TP_VERIFY_CONTEXT_RESULT?).self))
}

/// The code of the last evaluation, for CDSA.
@_cdecl("SecTrustGetCssmResultCode")
public func interfaceSecTrustGetCssmResultCode(
    _ trust: UnsafeRawPointer?, _ resultCode: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let resultCode = unsafe resultCode
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecTrustGetCssmResultCode(trustObject, resultCode)
}

/// The CDSA module of an evaluation.
@_cdecl("SecTrustGetTPHandle")
public func interfaceSecTrustGetTPHandle(
    _ trust: UnsafeRawPointer?, _ handle: UnsafeMutableRawPointer?
) -> Int32 {
    guard let trustObject = unsafe Taken.required(trust, as: SecTrust.self),
        let handle = unsafe handle
    else { return errSecParam }
    return unsafe LlaveroSecurity.SecTrustGetTPHandle(trustObject, handle.assumingMemoryBound(to: (CSSM_TP_HANDLE).self))
}
