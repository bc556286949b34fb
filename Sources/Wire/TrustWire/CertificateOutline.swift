// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a client without Foundation needs of a certificate: its names and numbers (RFC 5280 §4.1).
/// Nothing is judged.
package struct CertificateOutline: Equatable, Sendable {
    /// 1, 2 or 3.
    package let version: Int
    /// The content of the INTEGER, with its sign byte.
    package let serialNumber: [UInt8]
    /// The issuer's name, DER.
    package let issuer: [UInt8]
    /// The subject's name, DER.
    package let subject: [UInt8]
    /// The issuer as names are compared.
    package let normalizedIssuer: [UInt8]
    /// The subject as names are compared.
    package let normalizedSubject: [UInt8]
    /// The bits of the public key.
    package let publicKey: [UInt8]
    /// The subject's key identifier, if it has one.
    package let subjectKeyID: [UInt8]?
    /// Whether the basic constraints say that it is an authority.
    package let isAuthority: Bool
    /// The subject's common names that are UTF-8, in order.
    package let commonNames: [String]
    /// The subject's mail addresses: alternative names, then those in the name.
    package let mailAddresses: [String]

    private static let largestByteCount = 1 << 20
    private static let commonName: [UInt8] = [0x55, 4, 3]
    /// 1.2.840.113549.1.9.1
    private static let mailAddress: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01,
    ]
    private static let subjectKeyIdentifier: [UInt8] = [0x55, 0x1D, 14]
    private static let alternativeNames: [UInt8] = [0x55, 0x1D, 17]
    private static let basicConstraints: [UInt8] = [0x55, 0x1D, 19]
    /// rfc822Name
    private static let mailTag = DERTag.context(1)

    /// Whether subject and issuer are the same name.
    package var isSelfIssued: Bool { normalizedIssuer == normalizedSubject }

    /// Reads a certificate.
    /// - Returns: Nil for bytes that aren't DER or not a certificate.
    package init?(_ der: [UInt8]) {
        guard der.count <= Self.largestByteCount,
            let parts = DERElements.only(der[...])?.elements(DERTag.sequence), parts.count == 3,
            parts[0].tag == DERTag.sequence, parts[1].tag == DERTag.sequence, parts[2].bits != nil
        else { return nil }
        var fields = DERElements(parts[0].content)
        var version = 1
        if let tagged = fields.next(DERTag.contextElements(0)) {
            guard let number = DERElements.only(tagged.content)?.number, number <= 2 else {
                return nil
            }
            version = number + 1
        }
        guard let serial = fields.next(DERTag.integer), !serial.content.isEmpty,
            fields.next(DERTag.sequence) != nil, let issuer = fields.next(DERTag.sequence),
            fields.next(DERTag.sequence) != nil, let subject = fields.next(DERTag.sequence),
            let key = fields.next()?.elements(DERTag.sequence), key.count == 2,
            let bits = key[1].bits,
            let normalizedIssuer = CertificateName.normalizedContent(issuer.whole),
            let normalizedSubject = CertificateName.normalizedContent(subject.whole)
        else { return nil }
        for number in [UInt8(1), 2] { _ = fields.next(DERTag.context(number)) }
        var values: [[UInt8]: ArraySlice<UInt8>] = [:]
        if let tagged = fields.next(DERTag.contextElements(3)) {
            guard let list = DERElements.only(tagged.content)?.elements(DERTag.sequence) else {
                return nil
            }
            for item in list {
                guard let parts = item.elements(DERTag.sequence), let last = parts.last,
                    let name = parts.first?.content(DERTag.objectIdentifier),
                    let value = last.content(DERTag.octetString)
                else { return nil }
                values[Array(name)] = value
            }
        }
        guard fields.isAtEnd else { return nil }
        self.version = version
        serialNumber = Array(serial.content)
        self.issuer = Array(issuer.whole)
        self.subject = Array(subject.whole)
        self.normalizedIssuer = normalizedIssuer
        self.normalizedSubject = normalizedSubject
        publicKey = Array(bits.bytes)
        subjectKeyID = values[Self.subjectKeyIdentifier].flatMap {
            DERElements.only($0)?.content(DERTag.octetString).map { Array($0) }
        }
        isAuthority =
            values[Self.basicConstraints].flatMap {
                DERElements.only($0)?.elements(DERTag.sequence)?.first?.flag
            } ?? false
        let pairs = Self.pairs(subject)
        commonNames = pairs.filter { $0.type == Self.commonName }.compactMap(\.text)
        let alternative = values[Self.alternativeNames].flatMap {
            DERElements.only($0)?.elements(DERTag.sequence)
        }
        mailAddresses =
            (alternative ?? []).compactMap { $0.content(Self.mailTag) }.compactMap {
                String(validating: $0, as: UTF8.self)
            } + pairs.filter { $0.type == Self.mailAddress }.compactMap(\.text)
    }

    private static func pairs(_ name: DERElement) -> [(type: [UInt8], text: String?)] {
        let sets = name.elements(DERTag.sequence) ?? []
        return sets.flatMap { $0.elements(DERTag.set) ?? [] }.compactMap { pair in
            guard let parts = pair.elements(DERTag.sequence), parts.count == 2,
                let type = parts[0].content(DERTag.objectIdentifier)
            else { return nil }
            return (Array(type), String(validating: parts[1].content, as: UTF8.self))
        }
    }
}
