// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks
package import TrustWire

/// Judges questions. It reads no file and no clock: both come with the question.
package struct TrustJudge: Sendable {
    /// The system's roots.
    package var roots: RootSet
    /// Revocation lists of the machine.
    package var lists: [RevocationList]

    /// A judge with these roots and lists.
    package init(roots: RootSet, lists: [RevocationList]) {
        self.roots = roots
        self.lists = lists
    }

    /// Prepares libcrypto.
    /// - Returns: Whether it can be used.
    package static func prepare() -> Bool { llavero_crypto_start() != 0 }

    /// Answers a question.
    /// - Parameters:
    ///   - question: The question.
    ///   - settings: Trust settings of the asker and of the machine.
    ///   - lookUp: Finds certificates by their normalized subject. It is called only when what came
    ///     with the question doesn't suffice.
    ///   - fetch: Fetches from the network; nil where that is off.
    /// - Returns: Nil if the leaf can't be read.
    package func answer(
        _ question: TrustQuestion, settings: SettingsJudge = .none,
        lookUp: ((_ subject: [UInt8]) -> [[UInt8]])? = nil,
        fetch: ((FetchRequest) -> [UInt8]?)? = nil
    ) -> TrustAnswer? {
        guard let first = question.certificates.first, let leaf = JudgedCertificate(first) else {
            return nil
        }
        var sources = PathSearch.Sources()
        let isGivenOnly = question.options.contains(.givenAnchorsOnly)
        sources.roots = isGivenOnly ? nil : roots
        sources.hasImplicitAnchors = question.options.contains(.implicitAnchors)
        sources.settings = settings.asked(question.policies)
        sources.settingsHaveAnchors = !isGivenOnly
        sources.given.add(leaf)
        for der in question.certificates.dropFirst() {
            if let certificate = JudgedCertificate(der) { sources.given.add(certificate) }
        }
        for der in question.anchors {
            if let anchor = JudgedCertificate(der) { sources.givenAnchors.add(anchor) }
        }
        let network = fetch.flatMap { Network(question, $0) }
        let revocation = RevocationChecks(question, lists, network)
        var budget = WorkBudget()
        let without = best(leaf, question, sources, revocation, &budget)
        guard let lookUp, without?.isGood != true else {
            return (without ?? Self.unjudged(leaf)).answer(at: question.time)
        }
        let known = LookedUp(lookUp, network)
        sources.lookUp = known.issuers
        // These paths are the same, or longer: what they end with says more.
        let verdict = best(leaf, question, sources, revocation, &budget) ?? without
        return (verdict ?? Self.unjudged(leaf)).answer(at: question.time)
    }

    /// The best of all paths, or the first without a fault.
    private func best(
        _ leaf: JudgedCertificate, _ question: TrustQuestion, _ sources: PathSearch.Sources,
        _ revocation: RevocationChecks, _ budget: inout WorkBudget
    ) -> Verdict? {
        let signers = revocation.usesLists ? sources.given.all : []
        var search = PathSearch(sources)
        var best: Verdict?
        search.paths(from: leaf, &budget) { path, budget in
            guard budget.takesPath(),
                let verdict = judge(path, question, sources.settings, revocation, signers)
            else { return false }
            if best.map({ verdict.isBetter(than: $0) }) ?? true { best = verdict }
            return verdict.isGood
        }
        return best
    }

    /// - Returns: Nil for what is no path.
    private func judge(
        _ path: CandidatePath, _ question: TrustQuestion, _ settings: SettingsJudge,
        _ revocation: RevocationChecks, _ signers: [JudgedCertificate]
    ) -> Verdict? {
        let lists = revocation.lists(for: path)
        guard
            let library = LibraryChecks.check(
                path, at: question.time, lists: lists, signers: signers), library.isPath
        else { return nil }
        var faults = library.faults
        ChainChecks.check(path, at: question.time, question.options, &faults)
        for policy in question.policies { PolicyChecks.check(policy, path, &faults) }
        for (index, certificate) in path.certificates.enumerated() {
            let said = settings.verdict(certificate, isLeaf: index == 0)
            faults[index].subtract(said.allowed)
            if said.isDenied { faults[index].insert(.denied) }
        }
        let state = revocation.check(path, lists == nil ? nil : library.lists, &faults)
        return Verdict(path: path, faults: faults, revocation: state)
    }

    /// A leaf for which no path could be judged.
    private static func unjudged(_ leaf: JudgedCertificate) -> Verdict {
        Verdict(
            path: CandidatePath(certificates: [leaf], anchor: .none), faults: [[.noIssuer]],
            revocation: RevocationChecks.State(answer: .notAsked, until: nil))
    }
}

/// The certificates that were looked up for one question; each name is looked up once.
private final class LookedUp {
    private let lookUp: ([UInt8]) -> [[UInt8]]
    private let network: Network?
    private var found: [[UInt8]: [JudgedCertificate]] = [:]

    init(_ lookUp: @escaping ([UInt8]) -> [[UInt8]], _ network: Network?) {
        self.lookUp = lookUp
        self.network = network
    }

    /// Those whose subject is the certificate's issuer.
    func issuers(of certificate: JudgedCertificate) -> [JudgedCertificate] {
        let name = certificate.facts.issuer
        if let known = found[name] { return known }
        guard found.count < TrustLimits.lookUpCount,
            let subject = CertificateName.normalizedContent(name[...]),
            subject.count < TrustLimits.subjectByteCount
        else { return [] }
        var issuers = lookUp(subject).compactMap(JudgedCertificate.init)
            .filter { $0.isNamedIssuer(of: certificate) }
        if issuers.isEmpty, let network {
            issuers = network.issuers(of: certificate).filter {
                $0.isNamedIssuer(of: certificate)
            }
        }
        found[name] = issuers
        return issuers
    }
}

/// A path with all that is wrong with it.
struct Verdict {
    let path: CandidatePath
    let faults: [Set<TrustFault>]
    let revocation: RevocationChecks.State

    var isGood: Bool { path.anchor != .none && faults.allSatisfy(\.isEmpty) }

    /// A good path beats a bad one, an anchored one one that isn't; then one without weak
    /// cryptography, the shorter, the one that ends later.
    func isBetter(than other: Verdict) -> Bool {
        let mine = rank
        let theirs = other.rank
        for (left, right) in zip(mine, theirs) where left != right { return left < right }
        return false
    }

    private var rank: [Int64] {
        let all = faults.reduce(into: Set<TrustFault>()) { $0.formUnion($1) }
        return [
            isGood ? 0 : 1, path.anchor == .none ? 1 : 0,
            all.contains(where: \.isFatal) ? 1 : 0,
            Int64(faults.reduce(0) { $0 + $1.count }), Int64(path.certificates.count),
            -(path.certificates.map(\.facts.notAfter).min() ?? 0),
        ]
    }

    func answer(at time: Int64) -> TrustAnswer {
        var end = revocation.until ?? .max
        for certificate in path.certificates {
            let facts = certificate.facts
            for change in [facts.notBefore, facts.notAfter + 1] where change > time {
                end = min(end, change)
            }
        }
        let chain = zip(path.certificates, faults).map { certificate, faults in
            TrustAnswer.Link(
                certificate.der, faults.sorted { $0.rawValue < $1.rawValue })
        }
        return TrustAnswer(
            chain: chain, anchor: path.anchor, revocation: revocation.answer, validUntil: end)
    }
}
