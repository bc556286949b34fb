// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Synchronization

/// Certificates, the policies by which to judge them, and the result.
///
/// The service evaluates; this object keeps the result until the question changes or the result
/// ages.
public final class SecTrust: NSObject, Sendable {
    struct State {
        var policies: [SecPolicy]
        var anchors: [SecCertificate]?
        var usesAnchorsOnly = false
        var fetchesFromNetwork = true
        var verifyTime: Double?
        var options: SecTrustOptionFlags = []
        var stapledResponses: [[UInt8]] = []
        var exceptions: TrustExceptions?
        /// The last evaluation of this question.
        var evaluation: TrustEvaluation?
    }

    /// The leaf first; never empty.
    let certificates: [SecCertificate]
    let state: Mutex<State>

    init(_ certificates: [SecCertificate], _ policies: [SecPolicy]) {
        self.certificates = certificates
        state = Mutex(State(policies: policies))
    }

    /// Changes the question; the last result isn't an answer to it.
    func change(_ body: (inout sending State) -> Void) {
        state.withLock { state in
            body(&state)
            state.evaluation = nil
        }
    }
}

/// The type of trust objects.
public func SecTrustGetTypeID() -> CFTypeID { TypeID.trust }

/// Makes a trust object.
/// - Parameters:
///   - certificates: A certificate, or an array of them with the leaf first.
///   - policies: A policy or an array of them; nil is the basic one.
///   - trust: Where to put the object.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything else.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    guard let certificates = objects(SecCertificate.self, certificates), !certificates.isEmpty,
        let policies = policies.map({ objects(SecPolicy.self, $0) })
            ?? [SecPolicyCreateBasicX509()]
    else { return errSecParam }
    unsafe trust.pointee = SecTrust(certificates, policies)
    return errSecSuccess
}

/// Sets the policies.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything but a policy or an array of them.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies = objects(SecPolicy.self, policies) else { return errSecParam }
    trust.change { [policies] in $0.policies = policies }
    return errSecSuccess
}

/// The policies.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyPolicies(
    _ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe policies.pointee = trust.state.withLock { $0.policies } as NSArray
    return errSecSuccess
}

/// Sets whether an evaluation may use the network.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    trust.change { $0.fetchesFromNetwork = allowFetch }
    return errSecSuccess
}

/// Whether an evaluation may use the network.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    unsafe allowFetch.pointee = DarwinBoolean(trust.state.withLock { $0.fetchesFromNetwork })
    return errSecSuccess
}

/// Sets the certificates that are trusted as anchors; nil removes them.
/// - Returns: `errSecSuccess`, or `errSecParam` for an array of other things.
@discardableResult
public func SecTrustSetAnchorCertificates(
    _ trust: SecTrust, _ anchorCertificates: CFArray?
) -> OSStatus {
    var anchors: [SecCertificate]?
    if let anchorCertificates {
        anchors = objects(SecCertificate.self, anchorCertificates)
        guard anchors != nil else { return errSecParam }
    }
    trust.change { [anchors] state in
        state.anchors = anchors
        state.usesAnchorsOnly = anchors != nil
    }
    return errSecSuccess
}

/// Sets whether the system's anchors are ignored.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(
    _ trust: SecTrust, _ anchorCertificatesOnly: Bool
) -> OSStatus {
    trust.change { $0.usesAnchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// The certificates that were set as anchors; nil if none were.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe anchors.pointee = trust.state.withLock { $0.anchors }.map { $0 as NSArray }
    return errSecSuccess
}

/// Sets the time for which the certificates must be valid.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    let seconds = verifyDate.timeIntervalSinceReferenceDate
    trust.change { $0.verifyTime = seconds }
    return errSecSuccess
}

/// The time for which the certificates must be valid: the time that was set, else now.
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    trust.state.withLock { $0.verifyTime } ?? CFAbsoluteTimeGetCurrent()
}

/// The leaf's public key.
/// - Returns: Nil as with ``SecCertificateCopyKey(_:)``.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    trust.certificates.first.flatMap { SecCertificateCopyKey($0) }
}

/// The leaf's public key.
/// - Returns: Nil as with ``SecCertificateCopyKey(_:)``.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// The objects of an array, or the one object; nil if any is of another class.
private func objects<Element: NSObject>(
    _ type: Element.Type, _ object: CFTypeRef
) -> [Element]? {
    if let element = object as? Element { return [element] }
    guard let array = object as? NSArray else { return nil }
    var result: [Element] = []
    for element in array {
        guard let element = element as? Element else { return nil }
        result.append(element)
    }
    return result
}
