// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Dispatch
public import Foundation
import Keychain
import SecurityWire
import Synchronization
import TrustWire

/// Receives the result of an evaluation.
public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void
/// Receives the result of an evaluation, and the reason if it isn't trusted.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void
/// Options of an evaluation, for CDSA.
public typealias CSSM_TP_ACTION = UInt32

/// Evaluates trust.
/// - Parameters:
///   - trust: The trust object.
///   - error: Set to nil, or to the reason: the worst failed check's status and a sentence, with all
///     failed checks in the underlying error. An evaluation that couldn't take place has its own
///     status, as `errSecNotAvailable`.
/// - Returns: Whether the certificate is trusted.
public func SecTrustEvaluateWithError(
    _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool {
    let outcome = evaluated(trust)
    if let error = unsafe error { unsafe error.pointee = outcome.error }
    return outcome.isTrusted
}

/// Evaluates trust on another thread and reports the result on a queue.
/// - Returns: `errSecSuccess`; the block is called once.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    // The block runs once, on the caller's queue.
    nonisolated(unsafe) let report = result
    queue.async {
        let outcome = evaluated(trust)
        unsafe report(trust, outcome.isTrusted, outcome.error)
    }
    return errSecSuccess
}

private func evaluated(_ trust: SecTrust) -> (isTrusted: Bool, error: NSError?) {
    do throws(TrustFailure) {
        let evaluation = try trust.evaluation()
        return (evaluation.isTrusted, evaluation.failure)
    } catch let failure {
        return (false, error(failure.status))
    }
}

/// Evaluates trust.
/// - Parameters:
///   - trust: The trust object.
///   - result: Set to the result; `invalid` when no evaluation took place.
/// - Returns: `errSecSuccess` whatever the result; else why there is none, as `errSecNotAvailable`.
@discardableResult
public func SecTrustEvaluate(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>?
) -> OSStatus {
    do throws(TrustFailure) {
        let evaluation = try trust.evaluation()
        if let result = unsafe result { unsafe result.pointee = evaluation.result }
        return errSecSuccess
    } catch {
        if let result = unsafe result { unsafe result.pointee = .invalid }
        return error.status
    }
}

/// Evaluates trust and reports the result on a queue.
/// - Returns: `errSecSuccess`, and the block is called once; `errSecParam` without a queue.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
    guard let queue else { return errSecParam }
    // The block runs once, on the caller's queue.
    nonisolated(unsafe) let report = result
    queue.async {
        var outcome = SecTrustResultType.invalid
        unsafe SecTrustEvaluate(trust, &outcome)
        unsafe report(trust, outcome)
    }
    return errSecSuccess
}

/// The result of the last evaluation.
/// - Parameters:
///   - trust: The trust object.
///   - result: Set to the result; `invalid` if the present question hasn't been evaluated.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetTrustResult(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
    unsafe result.pointee = trust.state.withLock { $0.evaluation?.result } ?? .invalid
    return errSecSuccess
}

/// How many certificates the chain has; evaluates first if needed.
/// - Returns: 0 if no evaluation could take place.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    (try? trust.evaluation())?.chain.count ?? 0
}

/// A certificate of the chain; evaluates first, but for the leaf.
/// - Returns: Nil for an index outside of the chain.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    if ix == 0 { return trust.certificates.first }
    guard let chain = (try? trust.evaluation())?.chain, chain.indices.contains(ix) else {
        return nil
    }
    return chain[ix]
}

/// The chain, the leaf first; of a failed evaluation, the best one that was found.
/// - Returns: Nil if no evaluation could take place.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    (try? trust.evaluation()).map { $0.chain as NSArray }
}

/// The faults that an evaluation found, for later exceptions.
/// - Returns: A property list: for each certificate its failed checks and its SHA-1 digest.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    guard let evaluation = try? trust.evaluation() else { return nil }
    return TrustExceptions.encoded(evaluation, names: trust.policyNames).map { $0 as NSData }
}

/// Accepts the faults of an earlier evaluation: those of these certificates alone. Revoked
/// certificates and weak cryptography are never accepted. Nil removes the exceptions.
/// - Returns: Whether the exceptions are this leaf's.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    let accepted = exceptions.flatMap { data in
        trust.certificates.first.flatMap {
            TrustExceptions(unsafe Data(bytes: data.bytes, count: data.length), leaf: $0)
        }
    }
    trust.change { [accepted] in $0.exceptions = accepted }
    return accepted != nil
}

/// An evaluation's result for each certificate: its title, and the leaf's error.
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
    guard let evaluation = try? trust.evaluation() else { return nil }
    let properties = zip(evaluation.chain, evaluation.faults).enumerated().map { index, link in
        var entry: [String: Any] = [:]
        if let summary = link.0.fields.summary { entry[kSecPropertyTypeTitle as String] = summary }
        if index == 0, let worst = evaluation.worst {
            entry[kSecPropertyTypeError as String] = SecurityStatus.message(
                for: worst.fault.status)
        }
        return entry as NSDictionary
    }
    return properties as NSArray
}

/// An evaluation's result, by `kSecTrust…` keys; `TrustResultDetails` has the failed checks of each
/// certificate.
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    guard let evaluation = try? trust.evaluation() else { return nil }
    var result: [String: Any] = [
        kSecTrustResultValue as String: NSNumber(value: evaluation.result.rawValue),
        kSecTrustEvaluationDate as String: evaluation.date as NSDate,
        "TrustResultDetails": evaluation.faults.map { faults in
            Dictionary(faults.map { ($0.key, false) }) { first, _ in first } as NSDictionary
        } as NSArray,
    ]
    switch evaluation.answer.revocation {
    case .notAsked: break
    case .noneRevoked: result[kSecTrustRevocationChecked as String] = true
    case .unknown, .revoked: result[kSecTrustRevocationChecked as String] = false
    }
    if evaluation.answer.revocation == .noneRevoked {
        result[kSecTrustRevocationValidUntilDate as String] = NSDate(
            timeIntervalSince1970: TimeInterval(evaluation.answer.validUntil))
    }
    return result as NSDictionary
}

/// The anchors of the system.
/// - Returns: `errSecSuccess`; `errSecNotAvailable` when the service doesn't answer.
@discardableResult
public func SecTrustCopyAnchorCertificates(
    _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    do throws(KeychainError) {
        let roots = try processConnection.systemRoots().compactMap { SecCertificate(der: Data($0)) }
        unsafe anchors.pointee = roots as NSArray
        return errSecSuccess
    } catch { return error.status }
}

/// Provides answers on revocation that came with the certificates.
/// - Parameters:
///   - trust: The trust object.
///   - responseData: OCSP responses: data, or an array of it; nil removes them.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything else.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    var responses: [[UInt8]] = []
    if let data = responseData as? NSData {
        responses = [[UInt8](data as Data)]
    } else if let list = responseData as? NSArray {
        for element in list {
            guard let data = element as? NSData else { return errSecParam }
            responses.append([UInt8](data as Data))
        }
    } else if responseData != nil {
        return errSecParam
    }
    trust.change { [responses] in $0.stapledResponses = responses }
    return errSecSuccess
}

/// Provides proofs of transparency.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(
    _ trust: SecTrust, _ sctArray: CFArray?
) -> OSStatus {
    errSecUnimplemented
}

/// Sets the faults that an evaluation accepts: expired certificates, an expired root, any self-signed
/// certificate at the end of the chain. An answer on revocation can be demanded.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetOptions(
    _ trustRef: SecTrust, _ options: SecTrustOptionFlags
) -> OSStatus {
    trustRef.change { $0.options = options }
    return errSecSuccess
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
