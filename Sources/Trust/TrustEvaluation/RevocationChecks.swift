// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks
import TrustWire

/// What is known about revocation: from stapled responses, lists of the machine and, where that is
/// allowed, the network.
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
    private let prefersLists: Bool
    private let network: Network?

    init(_ question: TrustQuestion, _ lists: [RevocationList], _ network: Network?) {
        self.question = question
        self.network = network
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
        prefersLists = explicit.contains { $0.contains(.prefersCRL) }
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
    ///   - faults: For each certificate, what failed. Nothing is fetched for a path that isn't
    ///     trusted anyway: anyone can make a certificate that names addresses.
    /// - Returns: What is known about the whole path.
    func check(
        _ path: CandidatePath, _ lists: [LibraryChecks.ListAnswer]?,
        _ faults: inout [Set<TrustFault>]
    ) -> State {
        guard isAsked else { return State(answer: .notAsked, until: nil) }
        let network = path.anchor != .none && faults.allSatisfy(\.isEmpty) ? network : nil
        var state = State(answer: .noneRevoked, until: lists == nil ? nil : listsEnd(path))
        let last = path.certificates.count - 1
        for (index, certificate) in path.certificates.enumerated() {
            if index == last, path.anchor != .none || index > 0 { break }
            let issuer = index < last ? path.certificates[index + 1] : nil
            let listed = lists?[index] ?? .unknown
            var answer = issuer.flatMap { stapledAnswer(certificate, $0) }
            if answer == nil, listed == .unknown, let network, let issuer {
                answer = fetchedAnswer(certificate, issuer, path, index, network)
            }
            if let until = answer?.until { state.until = min(state.until ?? until, until) }
            if answer?.isRevoked == true || listed == .revoked {
                faults[index].insert(.revoked)
                state.answer = .revoked
            } else if answer == nil, listed == .unknown {
                if state.answer == .noneRevoked { state.answer = .unknown }
                if isRequired { faults[index].insert(.revocationUnknown) }
            }
        }
        return state
    }

    /// What the network says about the certificate at an index.
    private func fetchedAnswer(
        _ certificate: JudgedCertificate, _ issuer: JudgedCertificate, _ path: CandidatePath,
        _ index: Int, _ network: Network
    ) -> Network.Answer? {
        func response() -> Network.Answer? {
            allowsOCSP ? network.response(certificate, issuer, at: question.time) : nil
        }
        func list() -> Network.Answer? {
            allowsLists ? network.list(path, index, at: question.time) : nil
        }
        return prefersLists ? list() ?? response() : response() ?? list()
    }

    private func stapledAnswer(
        _ certificate: JudgedCertificate, _ issuer: JudgedCertificate
    ) -> Network.Answer? {
        guard allowsOCSP else { return nil }
        var good: Int64?
        for response in question.stapledResponses {
            var until: Int64 = 0
            let answer = unsafe llavero_check_response(
                response, response.count, certificate.handle, issuer.handle, question.time, 0, nil,
                0, &until)
            if answer == Int32(LLAVERO_RESPONSE_REVOKED) {
                return Network.Answer(isRevoked: true, until: until)
            }
            if answer == Int32(LLAVERO_RESPONSE_GOOD) { good = max(good ?? until, until) }
        }
        return good.map { Network.Answer(isRevoked: false, until: $0) }
    }

    private func listsEnd(_ path: CandidatePath) -> Int64? {
        let issuers = Set(path.certificates.map(\.issuerNumber))
        return known.filter { issuers.contains($0.issuerNumber) }.compactMap(\.nextUpdate)
            .filter { $0 > question.time }.min()
    }
}
