// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

/// A path from the leaf to its end.
struct CandidatePath {
    /// The leaf first.
    var certificates: [JudgedCertificate]
    /// What its last certificate is.
    var anchor: TrustAnswer.Anchor

    /// How strictly a certificate of a path is checked.
    enum Role {
        /// Below the anchor.
        case link
        /// The asker's anchor: what it signs is only as good as its own form and key.
        case givenAnchor
        /// A root of the system, or a leaf that is trusted itself: not checked, but for its dates and
        /// for what it demands of the others.
        case anchor
    }

    /// The role of a certificate.
    func role(_ index: Int) -> Role {
        guard anchor != .none, index == certificates.count - 1 else { return .link }
        switch anchor {
        case .given, .implicit: return index > 0 ? .givenAnchor : .anchor
        case .none, .system, .user, .machine: return .anchor
        }
    }
}

/// Finds all paths of a question, the shortest first, within the budget.
///
/// libcrypto takes the first issuer that fits and doesn't go back. So the paths are found here, and
/// libcrypto judges one complete path at a time.
struct PathSearch {
    /// What a path may consist of, and where it may end.
    struct Sources {
        /// The certificates that came with the question.
        var given = CertificatePool()
        /// The asker's anchors.
        var givenAnchors = CertificatePool()
        /// The system's roots; nil when they don't count.
        var roots: RootSet?
        /// Whether each self-signed certificate is an anchor.
        var hasImplicitAnchors = false
        /// What the trust settings say.
        var settings = SettingsJudge.none
        /// Whether they make anchors.
        var settingsHaveAnchors = true
        /// Looks up certificates that may have issued one; nil while that isn't asked for.
        var lookUp: ((JudgedCertificate) -> [JudgedCertificate])?

        /// What the certificate is, as the end of a path.
        func anchor(_ certificate: JudgedCertificate, isLeaf: Bool) -> TrustAnswer.Anchor {
            if givenAnchors.contains(certificate) { return .given }
            if settingsHaveAnchors {
                let said = settings.verdict(certificate, isLeaf: isLeaf).anchor
                if said != .none { return said }
            }
            if roots?.contains(certificate) == true { return .system }
            if hasImplicitAnchors, certificate.isSelfIssued, certificate.hasSigned(certificate) {
                return .implicit
            }
            return .none
        }

        /// The certificates that may have issued another: anchors first.
        func issuers(of certificate: JudgedCertificate) -> [JudgedCertificate] {
            var found: [JudgedCertificate] = []
            let lists = [
                givenAnchors.issuers(of: certificate),
                settingsHaveAnchors ? settings.issuers(of: certificate) : [],
                roots?.issuers(of: certificate) ?? [], given.issuers(of: certificate),
                lookUp?(certificate) ?? [],
            ]
            for list in lists {
                for issuer in list where !found.contains(where: { $0.der == issuer.der }) {
                    found.append(issuer)
                }
            }
            return found
        }
    }

    private struct Edge: Hashable {
        let issuer: ObjectIdentifier
        let subject: ObjectIdentifier
    }

    private let sources: Sources
    private var signatures: [Edge: Bool] = [:]

    init(_ sources: Sources) { self.sources = sources }

    /// Calls back with each path until the callback has found the one that it wants.
    ///
    /// Paths to an anchor come first, by their length. If there is none, the paths follow that can't
    /// be extended, the longest last.
    mutating func paths(
        from leaf: JudgedCertificate, _ budget: inout WorkBudget,
        _ isWanted: (CandidatePath, inout WorkBudget) -> Bool
    ) {
        var ends: [CandidatePath] = []
        var hasAnchored = false
        var waiting = [[leaf]]
        var next = 0
        while next < waiting.count {
            let path = waiting[next]
            next += 1
            guard budget.takesExtension(), let last = path.last else { break }
            let anchor = sources.anchor(last, isLeaf: path.count == 1)
            if anchor != .none {
                hasAnchored = true
                if isWanted(CandidatePath(certificates: path, anchor: anchor), &budget) { return }
                // A path through an anchor may go on: a root's newer certificate may be an anchor,
                // too. But a self-signed end has no further issuer.
                if last.isSelfIssued { continue }
            }
            let issuers = path.count < WorkBudget.depthLimit ? issuers(of: last, path, &budget) : []
            if issuers.isEmpty, anchor == .none {
                ends.append(CandidatePath(certificates: path, anchor: .none))
            }
            for issuer in issuers { waiting.append(path + [issuer]) }
        }
        guard !hasAnchored else { return }
        // Of a search that was given up, what is left are beginnings.
        if ends.isEmpty, let first = waiting.last {
            ends.append(CandidatePath(certificates: first, anchor: .none))
        }
        ends.sort { $0.certificates.count > $1.certificates.count }
        for end in ends.prefix(4) where isWanted(end, &budget) { return }
    }

    /// The issuers that can extend a path. If there are several of that name, the signature tells
    /// which it is; of a single one libcrypto checks it with the whole path.
    private mutating func issuers(
        of certificate: JudgedCertificate, _ path: [JudgedCertificate], _ budget: inout WorkBudget
    ) -> [JudgedCertificate] {
        // A self-signed certificate ends a path: another issuer of that name can't add trust.
        let isSelfSigned =
            certificate.isSelfIssued && isSigned(certificate, by: certificate, &budget)
        let candidates = sources.issuers(of: certificate).filter { issuer in
            !path.contains { $0 === issuer || $0.isSameEntity(as: issuer) }
                && (!isSelfSigned || sources.anchor(issuer, isLeaf: false) != .none)
        }
        guard candidates.count > 1 else { return candidates }
        return candidates.filter { isSigned(certificate, by: $0, &budget) }
    }

    private mutating func isSigned(
        _ certificate: JudgedCertificate, by issuer: JudgedCertificate, _ budget: inout WorkBudget
    ) -> Bool {
        let edge = Edge(issuer: ObjectIdentifier(issuer), subject: ObjectIdentifier(certificate))
        if let known = signatures[edge] { return known }
        guard budget.takesSignature() else { return false }
        let isSigned = issuer.hasSigned(certificate)
        signatures[edge] = isSigned
        return isSigned
    }
}
