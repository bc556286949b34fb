// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

/// What a certificate may be used for, and its names: its extensions, read.
struct CertificateUses: Sendable {
    /// Basic constraints.
    struct Constraints: Sendable {
        let isAuthority: Bool
        let pathLength: Int?
    }

    /// Bits of the key usage, the first one as the lowest.
    struct KeyUsage: OptionSet, Sendable {
        let rawValue: UInt16

        static let digitalSignature = KeyUsage(rawValue: 1)
        static let nonRepudiation = KeyUsage(rawValue: 2)
        static let certificateSigning = KeyUsage(rawValue: 1 << 5)
    }

    /// Names of the subject that are checked here.
    struct Names: Sendable {
        var hosts: [String] = []
        var mailAddresses: [String] = []
        var networkAddresses: [[UInt8]] = []
        /// Whether a name isn't one of its kind.
        var hasUnreadable = false
    }

    private(set) var constraints: Constraints?
    private(set) var keyUsage: KeyUsage?
    private(set) var extendedKeyUsage: Set<[UInt8]>?
    /// Nil without that extension.
    private(set) var names: Names?
    /// Whether an extension can't be parsed.
    private(set) var hasUnreadable = false
    /// Its name constraints.
    private(set) var nameConstraints: NameLimits?

    init(_ facts: CertificateFacts) {
        constraints = read(OID.basicConstraints, facts, Self.constraints)
        keyUsage = read(OID.keyUsage, facts, Self.keyUsage)
        extendedKeyUsage = read(OID.extendedKeyUsage, facts, Self.extendedKeyUsage)
        names = read(OID.subjectAlternativeName, facts, Self.names)
        nameConstraints = read(OID.nameConstraints, facts, NameLimits.init)
        _ = read(OID.authorityInformation, facts, Self.accessDescriptions)
        _ = read(OID.policyConstraints, facts, Self.policyConstraints)
        _ = read(OID.subjectKeyIdentifier, facts) { $0.content(DERTag.octetString) }
        _ = read(OID.certificatePolicies, facts) { element in
            element.elements(DERTag.sequence).flatMap { $0.isEmpty ? nil : $0 }
        }
        if names?.hasUnreadable == true { hasUnreadable = true }
    }

    private mutating func read<Value>(
        _ oid: [UInt8], _ facts: CertificateFacts, _ parse: (DERElement) -> Value?
    ) -> Value? {
        guard facts.has(oid) else { return nil }
        guard let element = facts.value(oid), let value = parse(element) else {
            hasUnreadable = true
            return nil
        }
        return value
    }

    private static func constraints(_ element: DERElement) -> Constraints? {
        guard element.tag == DERTag.sequence else { return nil }
        var parts = DERElements(element.content)
        var isAuthority = false
        if let flag = parts.next(DERTag.boolean) {
            guard let value = flag.flag else { return nil }
            isAuthority = value
        }
        var pathLength: Int?
        if let number = parts.next(DERTag.integer) {
            guard let value = number.number else { return nil }
            pathLength = value
        }
        guard parts.isAtEnd else { return nil }
        return Constraints(isAuthority: isAuthority, pathLength: pathLength)
    }

    private static func keyUsage(_ element: DERElement) -> KeyUsage? {
        guard let bits = element.bits, bits.bytes.count <= 2 else { return nil }
        var usage: UInt16 = 0
        for (place, byte) in bits.bytes.enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
                usage |= 1 << UInt16(place * 8 + bit)
            }
        }
        return KeyUsage(rawValue: usage)
    }

    /// An empty list is none: it would allow nothing, but libcrypto takes it for everything.
    private static func extendedKeyUsage(_ element: DERElement) -> Set<[UInt8]>? {
        guard let list = element.elements(DERTag.sequence), !list.isEmpty else { return nil }
        var usages: Set<[UInt8]> = []
        for usage in list {
            guard let oid = usage.content(DERTag.objectIdentifier) else { return nil }
            usages.insert(Array(oid))
        }
        return usages
    }

    private static func names(_ element: DERElement) -> Names? {
        guard let list = element.elements(DERTag.sequence), !list.isEmpty else { return nil }
        var names = Names()
        for name in list {
            switch name.tag {
            case DERTag.context(1):
                guard let text = text(name.content), isMailbox(text) else { return nil }
                names.mailAddresses.append(text)
            case DERTag.context(2):
                guard let text = text(name.content) else {
                    names.hasUnreadable = true
                    continue
                }
                names.hosts.append(text)
            case DERTag.context(7):
                guard name.content.count == 4 || name.content.count == 16 else { return nil }
                names.networkAddresses.append(Array(name.content))
            default: guard name.tag & 0xC0 == 0x80 else { return nil }
            }
        }
        return names
    }

    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isMailbox(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func accessDescriptions(_ element: DERElement) -> Bool? {
        guard let list = element.elements(DERTag.sequence), !list.isEmpty else { return nil }
        for description in list {
            guard let parts = description.elements(DERTag.sequence), parts.count == 2,
                parts[0].tag == DERTag.objectIdentifier, parts[1].tag & 0xC0 == 0x80
            else { return nil }
        }
        return true
    }

    private static func policyConstraints(_ element: DERElement) -> Bool? {
        guard let list = element.elements(DERTag.sequence), (1...2).contains(list.count),
            list.allSatisfy({ $0.tag == DERTag.context(0) || $0.tag == DERTag.context(1) }),
            list.count == 1 || list[0].tag < list[1].tag
        else { return nil }
        return true
    }
}

/// The host names that an authority excludes, for a check that libcrypto lacks: a name with `*`
/// covers names that are excluded.
struct NameLimits: Sendable {
    private(set) var excludedHosts: [String] = []

    /// - Returns: Nil for constraints that can't be read, and for empty ones.
    init?(_ element: DERElement) {
        guard let parts = element.elements(DERTag.sequence), !parts.isEmpty else { return nil }
        var last: UInt8 = 0
        for part in parts {
            guard part.tag > last,
                part.tag == DERTag.contextElements(0) || part.tag == DERTag.contextElements(1),
                let trees = part.elements(part.tag), !trees.isEmpty
            else { return nil }
            last = part.tag
            for tree in trees {
                guard let base = tree.elements(DERTag.sequence)?.first else { return nil }
                guard base.tag == DERTag.context(2) else { continue }
                // A period at the beginning belongs to names of other kinds (RFC 5280 §4.2.1.10).
                guard let host = String(validating: base.content, as: UTF8.self),
                    !host.hasPrefix(".")
                else { return nil }
                if part.tag == DERTag.contextElements(1) { excludedHosts.append(host) }
            }
        }
    }

    /// Whether a name with `*` covers a name that is excluded.
    func excludes(_ name: String) -> Bool {
        guard name.hasPrefix("*.") else { return false }
        let parent = Self.labels(String(name.dropFirst(2)))
        return excludedHosts.contains { excluded in
            let labels = Self.labels(excluded)
            // `*.example.com` covers one label more than `example.com`, and with it
            // `secret.example.com`.
            return labels.count == parent.count + 1 && labels.suffix(parent.count) == parent[...]
        }
    }

    private static func labels(_ name: String) -> [String] {
        name.lowercased().split(separator: ".").map(String.init)
    }
}
