// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CPathChecks
import TrustWire

/// The checks that every policy shares.
enum ChainChecks {
    /// Our own checks of a path.
    static func check(
        _ path: CandidatePath, at time: Int64, _ options: TrustQuestion.Options,
        _ faults: inout [Set<TrustFault>]
    ) {
        let last = path.certificates.count - 1
        for (index, certificate) in path.certificates.enumerated() {
            if !isCurrent(certificate, at: time, isRoot: index == last, options) {
                faults[index].insert(.validity)
            }
            guard path.role(index) != .anchor else { continue }
            faults[index].formUnion(own(certificate, index == 0))
            if index > 0 { faults[index].formUnion(asAuthority(certificate)) }
        }
        let hosts = path.certificates[0].uses.names?.hosts ?? []
        for authority in path.certificates.dropFirst() {
            guard let limits = authority.uses.nameConstraints else { continue }
            if hosts.contains(where: limits.excludes) { faults[0].insert(.nameConstraints) }
        }
        guard path.anchor == .none, let end = path.certificates.last else { return }
        let isSelfSigned = end.isSelfIssued && end.hasSigned(end)
        faults[last].insert(isSelfSigned ? .notTrusted : .noIssuer)
    }

    private static func isCurrent(
        _ certificate: JudgedCertificate, at time: Int64, isRoot: Bool,
        _ options: TrustQuestion.Options
    ) -> Bool {
        if options.contains(.allowsExpired) { return true }
        if isRoot, certificate.isSelfIssued, options.contains(.allowsExpiredRoot) { return true }
        return certificate.facts.notBefore <= time && time <= certificate.facts.notAfter
    }

    private static func own(_ certificate: JudgedCertificate, _ isLeaf: Bool) -> Set<TrustFault> {
        var found: Set<TrustFault> = []
        let facts = certificate.facts
        switch facts.key {
        case .rsa(let bits) where bits < 1024: found.insert(.weakKey)
        case .curve(let bits) where bits < 160: found.insert(.weakKey)
        case .other: found.insert(.weakKey)
        case .rsa, .curve, .edwards: break
        }
        if facts.signature == .weak { found.insert(.weakSignature) }
        if facts.hasExtensionTwice { found.insert(.extensionTwice) }
        if certificate.uses.hasUnreadable { found.insert(.extensionUnreadable) }
        // Names constrain what an authority issues.
        let isAuthority = certificate.uses.constraints?.isAuthority ?? false
        if facts.has(OID.nameConstraints), !isAuthority { found.insert(.nameConstraints) }
        if !facts.hasSubject, !isLeaf || !facts.has(OID.subjectAlternativeName) {
            found.insert(.emptySubject)
        }
        if !facts.hasIssuer { found.insert(.emptySubject) }
        return found
    }

    private static func asAuthority(_ certificate: JudgedCertificate) -> Set<TrustFault> {
        var found: Set<TrustFault> = []
        if let constraints = certificate.uses.constraints {
            if !constraints.isAuthority { found.insert(.notAnAuthority) }
        } else {
            found.insert(.noBasicConstraints)
        }
        if let usage = certificate.uses.keyUsage, !usage.contains(.certificateSigning) {
            found.insert(.keyUsage)
        }
        return found
    }
}

/// libcrypto's checks of a path.
enum LibraryChecks {
    private static let faultCapacity = 512

    /// What libcrypto says about the lists of a certificate.
    enum ListAnswer { case noneRevoked, revoked, unknown }

    /// The result of a check.
    struct Result {
        /// False for what isn't one path of valid signatures.
        var isPath = true
        /// For each certificate, what failed.
        var faults: [Set<TrustFault>]
        /// For each certificate, if lists were asked.
        var lists: [ListAnswer]
    }

    /// Has a path checked.
    /// - Parameters:
    ///   - path: The path.
    ///   - time: For when.
    ///   - lists: The revocation lists; nil if they don't count.
    ///   - signers: Who may have signed a list.
    ///   - skew: By how many seconds the clock of a list's issuer may be ahead.
    /// - Returns: Nil if the check couldn't be made.
    static func check(
        _ path: CandidatePath, at time: Int64, lists: [RevocationList]?,
        signers: [JudgedCertificate], skew: Int64 = 0
    ) -> Result? {
        let count = path.certificates.count
        var faults = [llavero_path_fault](
            repeating: llavero_path_fault(), count: faultCapacity)
        let handles: [OpaquePointer?] = unsafe path.certificates.map { unsafe $0.handle }
        let signerHandles: [OpaquePointer?] =
            unsafe lists == nil ? [] : signers.map { unsafe $0.handle }
        let listHandles: [OpaquePointer?] = unsafe (lists ?? []).map { unsafe $0.handle }
        let flags = lists == nil ? 0 : UInt32(LLAVERO_CHECK_LISTS)
        // The objects must outlive the call.
        let found = withExtendedLifetime((path, lists, signers)) {
            unsafe llavero_check_path(
                handles, count, signerHandles, signerHandles.count, listHandles,
                listHandles.count, time, skew, flags, &faults, faultCapacity)
        }
        guard found >= 0 else { return nil }
        var result = Result(
            faults: Array(repeating: [], count: count),
            lists: Array(repeating: .noneRevoked, count: count))
        // What such a key has signed was not checked. Of an anchor's faults, this one counts.
        result.isPath = path.certificates.dropFirst().allSatisfy(\.hasUsableKey)
        for fault in faults.prefix(Int(found)) {
            let index = min(max(Int(fault.index), 0), count - 1)
            add(Int(fault.kind), index, path.role(index), &result)
        }
        return result
    }

    private static func add(
        _ kind: Int, _ index: Int, _ role: CandidatePath.Role, _ result: inout Result
    ) {
        let isAnchor = role != .link
        switch kind {
        case Int(LLAVERO_PATH_SIGNATURE): if !isAnchor { result.isPath = false }
        case Int(LLAVERO_PATH_BROKEN): result.isPath = false
        case Int(LLAVERO_PATH_LENGTH): result.faults[index].insert(.pathLength)
        case Int(LLAVERO_PATH_REVOKED): if !isAnchor { result.lists[index] = .revoked }
        case Int(LLAVERO_PATH_NO_LIST):
            if !isAnchor, result.lists[index] == .noneRevoked { result.lists[index] = .unknown }
        case Int(LLAVERO_PATH_NAME): result.faults[index].insert(.nameConstraints)
        // The policies of a chain fit together or not: it is the leaf that isn't accepted.
        case Int(LLAVERO_PATH_POLICY): result.faults[0].insert(.policyConstraints)
        // An anchor may name an issuer that doesn't count.
        case Int(LLAVERO_PATH_IDENTIFIER) where isAnchor: return
        // Authorities of the published suites have such constraints.
        case Int(LLAVERO_PATH_CONSTRAINTS_FORM) where !isAnchor: return
        default:
            guard role != .anchor else { return }
            result.faults[index].insert(fault(kind))
        }
    }

    private static func fault(_ kind: Int) -> TrustFault {
        switch kind {
        case Int(LLAVERO_PATH_AUTHORITY): .notAnAuthority
        case Int(LLAVERO_PATH_KEY_USAGE): .keyUsage
        case Int(LLAVERO_PATH_CRITICAL): .criticalExtension
        case Int(LLAVERO_PATH_EXTENSION): .extensionUnreadable
        case Int(LLAVERO_PATH_IDENTIFIER), Int(LLAVERO_PATH_IDENTIFIER_FORM): .keyIdentifiers
        case Int(LLAVERO_PATH_CONSTRAINTS_FORM): .noBasicConstraints
        case Int(LLAVERO_PATH_SUBJECT): .emptySubject
        default: .extensionUnreadable
        }
    }
}
