// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import Synchronization
import TrustWire

/// An evaluation that didn't take place.
struct TrustFailure: Error {
    let status: OSStatus
}

extension SecTrust {
    /// The evaluation of the present question: the last one, if it is still an answer to it.
    /// - Throws: the status of an evaluation that couldn't take place.
    func evaluation() throws(TrustFailure) -> TrustEvaluation {
        let asked = state.withLock { $0 }
        let now = Date().timeIntervalSinceReferenceDate
        if let last = asked.evaluation,
            asked.verifyTime != nil || Self.reference(last.answer.validUntil) > now
        {
            return last
        }
        let names = asked.policies.compactMap(\.name)
        let question = try question(asked, at: asked.verifyTime ?? now)
        let answer: TrustAnswer
        do throws(KeychainError) { answer = try processConnection.evaluate(question) } catch {
            throw TrustFailure(status: error.status)
        }
        guard
            let evaluation = TrustEvaluation(
                answer, certificates + (asked.anchors ?? []), asked.exceptions, names: names)
        else { throw TrustFailure(status: errSecNotAvailable) }
        state.withLock { $0.evaluation = evaluation }
        return evaluation
    }

    /// The names that the policies demand.
    var policyNames: [String] { state.withLock { $0.policies.compactMap(\.name) } }

    private func question(
        _ asked: State, at time: Double
    ) throws(TrustFailure) -> TrustQuestion {
        var policies: [TrustPolicy] = []
        for policy in asked.policies {
            guard let kind = policy.trustPolicy else {
                throw TrustFailure(status: errSecUnimplemented)
            }
            policies.append(kind)
        }
        if policies.isEmpty { policies = [TrustPolicy(.basic)] }
        if asked.options.contains(.requireRevPerCert) {
            policies.append(
                TrustPolicy(.revocation, revocation: [.ocsp, .crl, .requiresPositiveAnswer]))
        }
        var question = TrustQuestion(
            time: Self.unix(time), certificates: certificates.map { [UInt8]($0.der) },
            policies: policies)
        question.anchors = (asked.anchors ?? []).map { [UInt8]($0.der) }
        question.stapledResponses = asked.stapledResponses
        if asked.usesAnchorsOnly { question.options.insert(.givenAnchorsOnly) }
        if asked.fetchesFromNetwork { question.options.insert(.usesNetwork) }
        if asked.options.contains(.allowExpired) { question.options.insert(.allowsExpired) }
        if asked.options.contains(.allowExpiredRoot) { question.options.insert(.allowsExpiredRoot) }
        if asked.options.contains(.implicitAnchors) { question.options.insert(.implicitAnchors) }
        return question
    }

    /// From 1970-01-01 to 2001-01-01.
    private static let epoch = 978_307_200.0

    private static func unix(_ reference: Double) -> Int64 {
        let seconds = (reference + epoch).rounded(.down)
        return Int64(exactly: seconds) ?? (seconds > 0 ? .max : .min)
    }

    private static func reference(_ unix: Int64) -> Double { Double(unix) - epoch }
}

extension SecPolicy {
    /// The policy as the service knows it; nil for one that it doesn't have.
    var trustPolicy: TrustPolicy? {
        let names = name.map { [$0] } ?? []
        switch identifier as CFString {
        case kSecPolicyAppleX509Basic: return TrustPolicy(.basic)
        case kSecPolicyAppleSSL:
            return isClient == true
                ? TrustPolicy(.sslClient) : TrustPolicy(.sslServer, names: names)
        case kSecPolicyAppleSSLServer: return TrustPolicy(.sslServer, names: names)
        case kSecPolicyAppleSSLClient: return TrustPolicy(.sslClient)
        case kSecPolicyAppleSMIME: return TrustPolicy(.mail, names: names)
        case kSecPolicyAppleEAP:
            return isClient == true
                ? TrustPolicy(.eapClient) : TrustPolicy(.eapServer, names: names)
        case kSecPolicyAppleEAPServer: return TrustPolicy(.eapServer, names: names)
        case kSecPolicyAppleEAPClient: return TrustPolicy(.eapClient)
        case kSecPolicyAppleIPsec, kSecPolicyAppleIPSecServer:
            return TrustPolicy(.ipsec, names: isClient == true ? [] : names)
        case kSecPolicyAppleIPSecClient: return TrustPolicy(.ipsec)
        case kSecPolicyAppleCodeSigning: return TrustPolicy(.codeSigning)
        case kSecPolicyAppleTimeStamping: return TrustPolicy(.timeStamping)
        case kSecPolicyAppleRevocation:
            let flags = revocationFlags ?? kSecRevocationUseAnyAvailableMethod
            return TrustPolicy(
                .revocation, revocation: .init(rawValue: UInt32(clamping: flags)))
        default: return nil
        }
    }
}
