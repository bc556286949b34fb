// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks
import TrustWire

/// What is known about revocation without a network: stapled responses, and lists of the machine.
struct RevocationChecks {
    /// What came of it.
    struct State {
        var answer: TrustAnswer.Revocation
        /// Until when.
        var until: Int64?
    }

    private let question: TrustQuestion
    private let known: [RevocationList]
    /// Whether revocation is asked for at all.
    private let isAsked: Bool
    /// Whether each certificate must have a positive answer.
    private let isRequired: Bool
    private let allowsOCSP: Bool
    private let allowsLists: Bool

    init(_ question: TrustQuestion, _ lists: [RevocationList]) {
        self.question = question
        known = lists
        let explicit = question.policies.filter { $0.kind == .revocation }.map(\.revocation)
        let isImplied = question.policies.contains { policy in
            switch policy.kind {
            case .sslServer, .mail: true
            case .basic, .sslClient, .codeSigning, .eapServer, .eapClient, .ipsec, .timeStamping,
                .revocation:
                false
            }
        }
        isAsked = isImplied || !explicit.isEmpty
        isRequired = explicit.contains { $0.contains(.requiresPositiveAnswer) }
        allowsOCSP = isImplied || explicit.contains { $0.contains(.ocsp) }
        allowsLists = isImplied || explicit.contains { $0.contains(.crl) }
    }

    /// Whether lists count.
    var usesLists: Bool { isAsked && allowsLists && !known.isEmpty }

    /// The lists that a path's check gets; nil if lists don't count or none is of an issuer of the
    /// path.
    func lists(for path: CandidatePath) -> [RevocationList]? {
        guard usesLists else { return nil }
        if isRequired { return known }
        let issuers = Set(path.certificates.map(\.issuerNumber))
        let fitting = known.filter { issuers.contains($0.issuerNumber) }
        return fitting.isEmpty ? nil : known
    }

    /// Adds the faults of revocation.
    /// - Parameters:
    ///   - path: The path.
    ///   - lists: What the lists say, for each certificate; nil if they weren't asked.
    ///   - faults: For each certificate, what failed.
    /// - Returns: What is known about the whole path.
    func check(
        _ path: CandidatePath, _ lists: [LibraryChecks.ListAnswer]?,
        _ faults: inout [Set<TrustFault>]
    ) -> State {
        guard isAsked else { return State(answer: .notAsked, until: nil) }
        var state = State(answer: .noneRevoked, until: lists == nil ? nil : listsEnd(path))
        let last = path.certificates.count - 1
        for (index, certificate) in path.certificates.enumerated() {
            if index == last, path.anchor != .none || index > 0 { break }
            let issuer = index < last ? path.certificates[index + 1] : nil
            let stapled = issuer.flatMap { stapledAnswer(certificate, $0) }
            if let until = stapled?.until { state.until = min(state.until ?? until, until) }
            let listed = lists?[index] ?? .unknown
            if stapled?.isRevoked == true || listed == .revoked {
                faults[index].insert(.revoked)
                state.answer = .revoked
            } else if stapled == nil, listed == .unknown {
                if state.answer == .noneRevoked { state.answer = .unknown }
                if isRequired { faults[index].insert(.revocationUnknown) }
            }
        }
        return state
    }

    private func stapledAnswer(
        _ certificate: JudgedCertificate, _ issuer: JudgedCertificate
    ) -> (isRevoked: Bool, until: Int64)? {
        guard allowsOCSP else { return nil }
        var good: Int64?
        for response in question.stapledResponses {
            var until: Int64 = 0
            let answer = unsafe llavero_check_response(
                response, response.count, certificate.handle, issuer.handle, question.time, &until)
            if answer == Int32(LLAVERO_RESPONSE_REVOKED) { return (true, until) }
            if answer == Int32(LLAVERO_RESPONSE_GOOD) { good = max(good ?? until, until) }
        }
        return good.map { (false, $0) }
    }

    private func listsEnd(_ path: CandidatePath) -> Int64? {
        let issuers = Set(path.certificates.map(\.issuerNumber))
        return known.filter { issuers.contains($0.issuerNumber) }.compactMap(\.nextUpdate)
            .filter { $0 > question.time }.min()
    }
}
