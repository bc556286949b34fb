// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SwiftASN1

/// The fields of an X.509 certificate that the keychain needs (RFC 5280 §4.1).
///
/// The parser is strict: definite and minimal lengths, no bytes after the end, every field of its
/// type, extensions in version 3 only. It doesn't judge the fields' values: expired dates, false
/// names, or an invalid signature are for the evaluation of trust. It accepts two errors of real
/// certificates that Apple's parser accepts: a version or a criticality that is encoded although it
/// is the default.
struct CertificateFields: Sendable {
    /// 1, 2 or 3.
    let version: Int
    /// The content of the INTEGER, with its sign byte.
    let serialNumber: [UInt8]
    /// The issuer's `Name`.
    let issuer: [UInt8]
    /// The issuer, as names are compared (``DistinguishedName``).
    let normalizedIssuer: [UInt8]
    /// The subject's `Name`.
    let subject: [UInt8]
    /// The subject, as names are compared.
    let normalizedSubject: [UInt8]
    /// When it becomes valid, in seconds since 2001-01-01 00:00:00 UTC.
    let notBefore: Double
    /// The last second at which it is valid, in seconds since 2001-01-01 00:00:00 UTC.
    let notAfter: Double
    /// The subject's public key with its algorithm.
    let publicKey: SubjectPublicKeyInfo
    /// The value of the extension of that name, if there is one that can be read.
    let subjectKeyID: [UInt8]?
    /// The subject's texts of all types that can be read, in order.
    let subjectTexts: [String]
    /// The subject's common names that can be read, in order.
    let commonNames: [String]
    /// Addresses in the subject's alternative names, then those in the subject.
    let emailAddresses: [String]
    /// The DNS names in the subject's alternative names.
    let dnsNames: [String]
    /// The certificate's summary; see ``CertificateSummary``.
    let summary: String?

    /// The SHA-1 digest of the public key's bits, by which a private key finds its certificate.
    var publicKeyHash: [UInt8] { [UInt8](Insecure.SHA1.hash(data: publicKey.bits)) }

    /// The maximum size of a certificate: the limit of an item's data.
    static let largestByteCount = 1 << 20

    /// Reads a certificate.
    /// - Returns: Nil for bytes that aren't DER or not a certificate.
    init?(der: [UInt8]) {
        guard der.count <= Self.largestByteCount, let root = try? DER.parse(der),
            let parts = root.elements(.sequence), parts.count == 3,
            parts[1].isAlgorithmIdentifier,
            (try? ASN1BitString(derEncoded: parts[2])) != nil,
            var fields = Fields(parts[0])
        else { return nil }

        guard let version = fields.version(), let serialNumber = fields.next()?.integerBytes,
            fields.next()?.isAlgorithmIdentifier == true, let issuer = fields.next(),
            let issuerNames = DistinguishedName.relativeNames(of: issuer),
            let validity = fields.next()?.elements(.sequence), validity.count == 2,
            let notBefore = CertificateTime.seconds(validity[0]),
            let notAfter = CertificateTime.seconds(validity[1]),
            let subject = fields.next(),
            let subjectNames = DistinguishedName.relativeNames(of: subject),
            let publicKey = fields.next().flatMap(SubjectPublicKeyInfo.init),
            fields.uniqueIdentifiers(version: version),
            let extensions = fields.extensions(version: version), fields.isAtEnd
        else { return nil }

        self.version = version
        self.serialNumber = [UInt8](serialNumber)
        self.issuer = [UInt8](issuer.encodedBytes)
        normalizedIssuer = DistinguishedName.normalizedContent(of: issuerNames)
        self.subject = [UInt8](subject.encodedBytes)
        normalizedSubject = DistinguishedName.normalizedContent(of: subjectNames)
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.publicKey = publicKey
        subjectKeyID = extensions.subjectKeyID
        let alternativeNames = extensions.alternativeNames
        let subjectPairs = subjectNames.joined()
        subjectTexts = subjectPairs.compactMap(\.value.text)
        commonNames = subjectPairs.filter { $0.type == .commonName }.compactMap(\.value.text)
        emailAddresses =
            alternativeNames.emailAddresses
            + subjectPairs.filter { $0.type == .emailAddress }.compactMap(\.value.text)
        dnsNames = alternativeNames.dnsNames
        var summary = CertificateSummary()
        for pair in subjectPairs { summary.add(pair) }
        self.summary = summary.text(otherNames: emailAddresses + dnsNames)
    }
}

/// The fields of a certificate's signed part, read in order.
private struct Fields {
    private var rest: ArraySlice<ASN1Node>

    init?(_ node: ASN1Node) {
        guard let nodes = node.elements(.sequence) else { return nil }
        rest = nodes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() -> ASN1Node? { rest.popFirst() }

    private mutating func next(tag: UInt) -> ASN1Node? {
        guard rest.first?.identifier == .context(tag) else { return nil }
        return rest.popFirst()
    }

    /// 1, 2 or 3; 1 when there is none.
    mutating func version() -> Int? {
        guard let tagged = next(tag: 0) else { return 1 }
        guard let number = tagged.onlyElement(.context(0)), let bytes = number.integerBytes,
            bytes.count == 1, let value = bytes.first, value <= 2
        else { return nil }
        return Int(value) + 1
    }

    /// Skips the two unique identifiers, which are not used.
    /// - Returns: False when one is present but not allowed, or is malformed.
    mutating func uniqueIdentifiers(version: Int) -> Bool {
        for tag in [UInt(1), 2] {
            guard let node = next(tag: tag) else { continue }
            let bits = try? ASN1BitString(derEncoded: node, withIdentifier: .context(tag))
            guard version >= 2, bits != nil else { return false }
        }
        return true
    }

    /// The extensions; empty when there are none. Nil when they are not allowed or are malformed.
    mutating func extensions(version: Int) -> CertificateExtensions? {
        guard let tagged = next(tag: 3) else { return CertificateExtensions() }
        guard version == 3, let list = tagged.onlyElement(.context(3)) else { return nil }
        return CertificateExtensions(list)
    }
}

/// Times in certificates (RFC 5280 §4.1.2.5).
enum CertificateTime {
    /// Seconds since 2001-01-01 00:00:00 UTC; nil for a malformed time.
    static func seconds(_ node: ASN1Node) -> Double? {
        if let time = try? UTCTime(derEncoded: node) {
            return seconds(
                year: time.year, month: time.month, day: time.day,
                second: time.hours * 3600 + time.minutes * 60 + time.seconds)
        }
        guard let time = try? GeneralizedTime(derEncoded: node) else { return nil }
        return seconds(
            year: time.year, month: time.month, day: time.day,
            second: time.hours * 3600 + time.minutes * 60 + time.seconds)
            + time.fractionalSeconds
    }

    /// Counts in eras of 400 years that begin on a March 1st, so that a leap day ends its year.
    private static func seconds(year: Int, month: Int, day: Int, second: Int) -> Double {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        // 730 791 days from March 1st of the year 0 to 2001-01-01.
        let days = era * 146_097 + dayOfEra - 730_791
        return Double(days * 86_400 + second)
    }
}
