// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Dispatch
public import Foundation

// Chains can't be built or judged yet. Every function of this file returns that as an error, and
// none ever reports a certificate as trusted.

/// Receives the result of an evaluation.
public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void
/// Receives the result of an evaluation, and the reason if it isn't trusted.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void
/// Options of an evaluation, for CDSA.
public typealias CSSM_TP_ACTION = UInt32

private func unevaluated() -> NSError {
    error(errSecUnimplemented, "Trust can't be evaluated here yet.")
}

/// Evaluates trust.
/// - Parameters:
///   - trust: The trust object.
///   - error: Set to an error with the code `errSecUnimplemented`.
/// - Returns: False.
public func SecTrustEvaluateWithError(
    _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool {
    if let error = unsafe error { unsafe error.pointee = unevaluated() }
    return false
}

/// Evaluates trust and reports the result on a queue.
/// - Returns: `errSecUnimplemented`; the block isn't called.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    errSecUnimplemented
}

/// Evaluates trust.
/// - Parameters:
///   - trust: The trust object.
///   - result: Set to `invalid`.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustEvaluate(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>?
) -> OSStatus {
    if let result = unsafe result { unsafe result.pointee = .invalid }
    return errSecUnimplemented
}

/// Evaluates trust and reports the result on a queue.
/// - Returns: `errSecUnimplemented`; the block isn't called.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
    errSecUnimplemented
}

/// The result of the last evaluation.
/// - Parameters:
///   - trust: The trust object.
///   - result: Set to `invalid`: there was none.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustGetTrustResult(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
    unsafe result.pointee = .invalid
    return errSecUnimplemented
}

/// How many certificates the chain has; 0, since there is none.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { 0 }

/// A certificate of the chain; nil, since there is none.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    nil
}

/// The chain; nil, since there is none.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }

/// The faults that an evaluation found, for later exceptions; nil.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? { nil }

/// Makes exceptions for faults of an earlier evaluation.
/// - Returns: False; no exception is made.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool { false }

/// An evaluation's result for each certificate; nil.
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? { nil }

/// An evaluation's result, by `kSecTrust…` keys; nil.
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? { nil }

/// The anchors of the system.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustCopyAnchorCertificates(
    _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    errSecUnimplemented
}

/// Provides answers on revocation.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    errSecUnimplemented
}

/// Provides proofs of transparency.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(
    _ trust: SecTrust, _ sctArray: CFArray?
) -> OSStatus {
    errSecUnimplemented
}

/// Sets the faults that an evaluation accepts.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSetOptions(
    _ trustRef: SecTrust, _ options: SecTrustOptionFlags
) -> OSStatus {
    errSecUnimplemented
}

/// Sets the action of an evaluation, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecTrustSetParameters(
    _ trustRef: SecTrust, _ action: CSSM_TP_ACTION, _ actionData: CFData
) -> OSStatus {
    errSecUnimplemented
}

/// Sets the keychains in which certificates are looked for.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSetKeychains(
    _ trust: SecTrust, _ keychainOrArray: CFTypeRef?
) -> OSStatus {
    errSecUnimplemented
}

/// The result of the last evaluation, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecTrustGetResult(
    _ trustRef: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>?,
    _ certChain: UnsafeMutablePointer<CFArray?>?,
    _ statusChain: UnsafeMutablePointer<CSSM_TP_APPLE_EVIDENCE_INFO?>?
) -> OSStatus {
    if let result = unsafe result { unsafe result.pointee = .invalid }
    return errSecUnimplemented
}

/// The result of the last evaluation, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecTrustGetCssmResult(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<CSSM_TP_VERIFY_CONTEXT_RESULT?>
) -> OSStatus {
    errSecUnimplemented
}

/// The code of the last evaluation, for CDSA.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecTrustGetCssmResultCode(
    _ trust: SecTrust, _ resultCode: UnsafeMutablePointer<OSStatus>
) -> OSStatus {
    errSecUnimplemented
}

/// The CDSA module of an evaluation.
/// - Returns: `errSecUnimplemented`: there is no CDSA.
@discardableResult
public func SecTrustGetTPHandle(
    _ trust: SecTrust, _ handle: UnsafeMutablePointer<CSSM_TP_HANDLE>
) -> OSStatus {
    errSecUnimplemented
}
