// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

/// The checks of the policies. All of them add faults; none takes one away.
enum PolicyChecks {
    private static let day: Int64 = 86_400
    /// 2018-03-01, 2019-07-01, 2020-09-01 and 2022-04-01, 00:00:00 UTC.
    private static let march2018: Int64 = 1_519_862_400
    private static let july2019: Int64 = 1_561_939_200
    private static let september2020: Int64 = 1_598_918_400
    private static let april2022: Int64 = 1_648_771_200

    /// Judges a path by a policy.
    /// - Parameters:
    ///   - policy: The policy.
    ///   - path: The path.
    ///   - faults: For each certificate, what failed.
    static func check(
        _ policy: TrustPolicy, _ path: CandidatePath, _ faults: inout [Set<TrustFault>]
    ) {
        guard let leaf = path.certificates.first else { return }
        var found: Set<TrustFault> = []
        switch policy.kind {
        case .basic, .revocation: return
        case .sslServer:
            host(policy, leaf, &found)
            serverUsage(leaf, path.anchor, &found)
            if !serverPeriod(leaf.facts, path) { found.insert(.validityPeriod) }
            if hasFalseHostName(leaf) { found.insert(.extensionUnreadable) }
            if !path.anchor.isConfigured {
                if hasCriticalNames(leaf) { found.insert(.criticalExtension) }
                for (index, certificate) in path.certificates.enumerated() {
                    faults[index].formUnion(form(certificate))
                }
            }
            strength(path, &faults)
        case .sslClient, .eapClient:
            usage(leaf, OID.clientAuthentication, isRequired: false, &found)
        case .eapServer:
            if !policy.names.isEmpty,
                !policy.names.contains(where: { hostPattern($0, leaf.uses.names) })
            {
                found.insert(.hostName)
            }
            serverUsage(leaf, .none, &found)
        case .ipsec: host(policy, leaf, &found)
        case .mail:
            mail(policy, leaf, path.anchor, &found)
            strength(path, &faults)
        case .codeSigning:
            usage(leaf, OID.codeSigning, isRequired: true, &found)
            signs(leaf, &found)
        case .timeStamping: usage(leaf, OID.timeStamping, isRequired: true, &found)
        }
        faults[0].formUnion(found)
        authorityUsage(policy.kind, path, &faults)
    }

    private static func host(
        _ policy: TrustPolicy, _ leaf: JudgedCertificate, _ found: inout Set<TrustFault>
    ) {
        guard !policy.names.isEmpty else { return }
        if !policy.names.contains(where: { HostNames.matches(leaf.uses.names, $0) }) {
            found.insert(.hostName)
        }
    }

    private static func hostPattern(_ pattern: String, _ names: CertificateUses.Names?) -> Bool {
        guard pattern.hasPrefix("*.") else { return HostNames.matches(names, pattern) }
        let end = pattern.dropFirst().lowercased()
        return names?.hosts.contains { host in
            let host = host.lowercased()
            return host == pattern.lowercased()
                || host.hasSuffix(end) && HostNames.isHostName(host)
        } ?? false
    }

    private static func hasFalseHostName(_ leaf: JudgedCertificate) -> Bool {
        leaf.uses.names?.hosts.contains { !HostNames.isHostName($0) } ?? false
    }

    /// Names are critical where there is no subject (RFC 5280 §4.2.1.6), and only there.
    private static func hasCriticalNames(_ leaf: JudgedCertificate) -> Bool {
        leaf.facts.hasSubject
            && leaf.facts.extensions.contains {
                $0.isCritical && $0.oid == OID.subjectAlternativeName
            }
    }

    /// Constraints that aren't critical would be passed by where they aren't known (RFC 5280
    /// §4.2.1.10, §4.2.1.11). Below the system's roots they occur.
    private static func form(_ certificate: JudgedCertificate) -> Set<TrustFault> {
        var found: Set<TrustFault> = []
        for item in certificate.facts.extensions where !item.isCritical {
            if item.oid == OID.nameConstraints { found.insert(.nameConstraints) }
            if item.oid == OID.policyConstraints { found.insert(.policyConstraints) }
        }
        return found
    }

    // MARK: - Usages

    /// An authority with extended usages can't issue certificates for another use.
    private static func authorityUsage(
        _ kind: TrustPolicy.Kind, _ path: CandidatePath, _ faults: inout [Set<TrustFault>]
    ) {
        guard let fitting = authorityUsages(kind) else { return }
        for (index, authority) in path.certificates.enumerated().dropFirst()
        where path.role(index) == .link {
            guard let usages = authority.uses.extendedKeyUsage else { continue }
            if usages.isDisjoint(with: fitting) { faults[index].insert(.extendedKeyUsage) }
        }
    }

    /// The usages of which an authority must have one, if it has any; nil for policies without them.
    private static func authorityUsages(_ kind: TrustPolicy.Kind) -> Set<[UInt8]>? {
        switch kind {
        case .basic, .revocation, .ipsec: nil
        case .sslServer, .eapServer:
            OID.serverGated.union([OID.serverAuthentication, OID.anyUsage])
        case .sslClient, .eapClient: [OID.clientAuthentication, OID.anyUsage]
        case .mail: [OID.mailProtection, OID.anyUsage]
        case .codeSigning: [OID.codeSigning, OID.anyUsage]
        case .timeStamping: [OID.timeStamping, OID.anyUsage]
        }
    }

    private static func usage(
        _ leaf: JudgedCertificate, _ wanted: [UInt8], isRequired: Bool,
        _ found: inout Set<TrustFault>
    ) {
        guard let usages = leaf.uses.extendedKeyUsage else {
            if isRequired || leaf.facts.has(OID.extendedKeyUsage) {
                found.insert(.extendedKeyUsage)
            }
            return
        }
        guard !usages.contains(wanted) else { return }
        if isRequired || !usages.contains(OID.anyUsage) { found.insert(.extendedKeyUsage) }
    }

    private static func serverUsage(
        _ leaf: JudgedCertificate, _ anchor: TrustAnswer.Anchor, _ found: inout Set<TrustFault>
    ) {
        let isRequired =
            switch anchor {
            case .system: true
            case .given, .implicit: leaf.facts.notBefore >= july2019
            case .none, .user, .machine: false
            }
        let usages = leaf.uses.extendedKeyUsage ?? []
        if usages.contains(OID.serverAuthentication) { return }
        if !isRequired, !OID.serverGated.isDisjoint(with: usages) { return }
        usage(leaf, OID.serverAuthentication, isRequired: isRequired, &found)
    }

    private static func signs(_ leaf: JudgedCertificate, _ found: inout Set<TrustFault>) {
        guard let usage = leaf.uses.keyUsage else { return }
        if usage.isDisjoint(with: [.digitalSignature, .nonRepudiation]) { found.insert(.keyUsage) }
    }

    private static func mail(
        _ policy: TrustPolicy, _ leaf: JudgedCertificate, _ anchor: TrustAnswer.Anchor,
        _ found: inout Set<TrustFault>
    ) {
        usage(leaf, OID.mailProtection, isRequired: false, &found)
        signs(leaf, &found)
        let addresses = leaf.uses.names?.mailAddresses ?? []
        let hasOne = policy.names.contains { wanted in
            addresses.contains { sameMailbox($0, wanted) }
        }
        if !policy.names.isEmpty, !hasOne { found.insert(.mailAddress) }
        let facts = leaf.facts
        if anchor == .system, facts.notBefore >= april2022,
            facts.notAfter - facts.notBefore > 1185 * day
        {
            found.insert(.validityPeriod)
        }
    }

    /// The local part is compared exactly, the domain regardless of case (RFC 5280 §7.5).
    private static func sameMailbox(_ left: String, _ right: String) -> Bool {
        guard let leftEnd = left.lastIndex(of: "@"), let rightEnd = right.lastIndex(of: "@") else {
            return false
        }
        return left[..<leftEnd] == right[..<rightEnd]
            && left[leftEnd...].lowercased() == right[rightEnd...].lowercased()
    }

    // MARK: - Strength and periods

    /// RSA of 2048 bits and whole bytes, curves of 256, no SHA-1.
    private static func strength(_ path: CandidatePath, _ faults: inout [Set<TrustFault>]) {
        for (index, certificate) in path.certificates.enumerated() {
            if index > 0, path.role(index) == .anchor { break }
            switch certificate.facts.key {
            case .rsa(let bits) where bits < 2048 || !bits.isMultiple(of: 8):
                faults[index].insert(.keySize)
            case .curve(let bits) where bits < 256: faults[index].insert(.keySize)
            case .rsa, .curve, .edwards, .other: break
            }
            let isSelfSignedEnd = certificate.isSelfIssued && index == path.certificates.count - 1
            if certificate.facts.signature == .sha1, !isSelfSignedEnd {
                faults[index].insert(.signatureDigest)
            }
        }
    }

    private static func serverPeriod(
        _ facts: CertificateFacts, _ path: CandidatePath
    ) -> Bool {
        let period = facts.notAfter - facts.notBefore
        switch path.anchor {
        // A leaf that a setting trusts itself may last as long as it says.
        case .given, .user, .machine:
            let isOwnAnchor = path.certificates.count == 1 && path.anchor != .given
            return isOwnAnchor || facts.notBefore < july2019 || period <= 825 * day + 3600
        case .system:
            if facts.notBefore >= september2020 { return period <= 398 * day }
            return facts.notBefore < march2018 || period <= 825 * day
        case .implicit, .none: return true
        }
    }
}

extension TrustAnswer.Anchor {
    /// Whether the machine, its administrator or its user chose it, and not the asking program.
    fileprivate var isConfigured: Bool {
        switch self {
        case .system, .user, .machine: true
        case .none, .given, .implicit: false
        }
    }
}
