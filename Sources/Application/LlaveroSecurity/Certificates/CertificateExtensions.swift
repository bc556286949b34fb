// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SwiftASN1

/// The two extensions that the keychain reads (RFC 5280 §4.2.1.2, §4.2.1.6). A malformed value is
/// ignored, and if an extension occurs twice the first counts: neither makes the certificate
/// invalid.
struct CertificateExtensions {
    private(set) var subjectKeyID: [UInt8]?
    private(set) var alternativeNames = AlternativeNames()

    /// None.
    init() {}

    /// Reads a list of extensions; nil when it is malformed or empty.
    init?(_ list: ASN1Node) {
        guard let nodes = list.elements(.sequence), !nodes.isEmpty else { return nil }
        var seen: Set<ASN1ObjectIdentifier> = []
        for node in nodes {
            guard let (type, value) = Self.parts(of: node) else { return nil }
            guard type == .subjectKeyID || type == .subjectAlternativeName,
                seen.insert(type).inserted
            else { continue }
            guard let parsed = try? DER.parse(value) else { continue }
            if type == .subjectKeyID {
                subjectKeyID = parsed.bytes(.octetString).map { [UInt8]($0) }
            } else {
                alternativeNames = AlternativeNames(parsed) ?? AlternativeNames()
            }
        }
    }

    private static func parts(of node: ASN1Node) -> (ASN1ObjectIdentifier, ArraySlice<UInt8>)? {
        guard var parts = node.elements(.sequence)?[...],
            let type = parts.popFirst()?.objectIdentifier
        else { return nil }
        if parts.count == 2 {
            guard let flag = parts.popFirst(), (try? Bool(derEncoded: flag)) != nil else {
                return nil
            }
        }
        guard parts.count == 1, let value = parts.popFirst()?.bytes(.octetString) else {
            return nil
        }
        return (type, value)
    }
}

/// Names of a subject besides its distinguished name.
struct AlternativeNames {
    var emailAddresses: [String] = []
    var dnsNames: [String] = []

    /// None.
    init() {}

    /// Reads `GeneralNames`; nil when they are malformed. A name that isn't ASCII text is omitted.
    init?(_ node: ASN1Node) {
        guard let names = node.elements(.sequence) else { return nil }
        for name in names {
            guard name.identifier.tagClass == .contextSpecific else { return nil }
            if let bytes = name.bytes(.context(1)) {
                if let text = Self.text(bytes) { emailAddresses.append(text) }
            } else if let bytes = name.bytes(.context(2)) {
                if let text = Self.text(bytes) { dnsNames.append(text) }
            }
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ 1...0x7f ~= $0 }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The summary of a certificate, from its subject.
///
/// It uses the most specific kind of attribute: common names, else organizational units, else
/// organizations, else all others. Several values of a kind are joined by ", ", the last first. A
/// description (2.5.4.13) follows a common name in parentheses. Without a common name the first
/// e-mail address takes precedence over the other attributes, or else the first DNS name.
///
/// Source: Apple's SecCertificate, as observed.
struct CertificateSummary {
    private enum Rank: Int {
        case other = 1
        case organization
        case organizationalUnit
        case commonName
    }

    private var rank: Rank?
    /// The texts of that rank, in order.
    private var texts: [String] = []
    private var descriptions: [String] = []

    mutating func add(_ pair: DistinguishedName.AttributeValuePair) {
        guard let text = pair.value.text else { return }
        if pair.type == .description { descriptions.append(text) }
        let rank: Rank =
            switch pair.type {
            case .commonName: .commonName
            case .organizationalUnit: .organizationalUnit
            case .organization: .organization
            default: .other
            }
        if let best = self.rank, best.rawValue > rank.rawValue { return }
        if self.rank != rank {
            self.rank = rank
            texts = []
        }
        texts.append(text)
    }

    /// The summary.
    /// - Parameter otherNames: Names that take precedence for a subject without a common name.
    /// - Returns: Nil when the subject has no text.
    func text(otherNames: [String]) -> String? {
        guard rank != nil else { return otherNames.first }
        let text = Self.joined(texts)
        guard rank == .commonName else { return otherNames.first ?? text }
        return descriptions.isEmpty ? text : "\(text) (\(Self.joined(descriptions)))"
    }

    private static func joined(_ texts: [String]) -> String {
        texts.reversed().joined(separator: ", ")
    }
}

extension ASN1ObjectIdentifier {
    static let commonName: Self = [2, 5, 4, 3]
    static let organization: Self = [2, 5, 4, 10]
    static let organizationalUnit: Self = [2, 5, 4, 11]
    static let description: Self = [2, 5, 4, 13]
    /// PKCS #9.
    static let emailAddress: Self = [1, 2, 840, 113_549, 1, 9, 1]
    static let subjectKeyID: Self = [2, 5, 29, 14]
    static let subjectAlternativeName: Self = [2, 5, 29, 17]
}

extension ASN1Identifier {
    /// A tag whose meaning depends on its position.
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}
