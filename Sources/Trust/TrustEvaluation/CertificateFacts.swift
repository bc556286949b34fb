// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

/// What our own checks need of a certificate (RFC 5280 §4.1). The reader is strict, apart from
/// libcrypto's: a certificate must be readable by both.
struct CertificateFacts: Sendable {
    /// A key.
    enum Key: Equatable, Sendable {
        case rsa(bits: Int)
        case curve(bits: Int)
        /// Ed25519 or Ed448.
        case edwards
        /// DSA, or unknown.
        case other
    }

    /// An extension.
    struct Extension: Sendable {
        let oid: [UInt8]
        let isCritical: Bool
        let value: [UInt8]
    }

    let version: Int
    let serialNumber: [UInt8]
    let signature: OID.Strength
    let hasSubject: Bool
    let hasIssuer: Bool
    /// The issuer's name, DER.
    let issuer: [UInt8]
    let notBefore: Int64
    /// The last second at which it is valid.
    let notAfter: Int64
    let key: Key
    let extensions: [Extension]

    /// Larger ones aren't read.
    static let largestByteCount = 1 << 20

    /// - Returns: Nil for bytes that aren't DER or not a certificate.
    init?(_ der: [UInt8]) {
        guard der.count <= Self.largestByteCount,
            let parts = DERElements.only(der[...])?.elements(DERTag.sequence), parts.count == 3,
            parts[0].tag == DERTag.sequence,
            let algorithm = parts[1].elements(DERTag.sequence), !algorithm.isEmpty,
            parts[2].bits != nil
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
            let inner = fields.next(DERTag.sequence),
            // Otherwise what is signed and what is checked could differ (RFC 5280 §4.1.1.2).
            inner.whole.elementsEqual(parts[1].whole),
            let issuer = fields.next(DERTag.sequence),
            let validity = fields.next()?.elements(DERTag.sequence), validity.count == 2,
            let notBefore = CertificateClock.seconds(validity[0]),
            let notAfter = CertificateClock.seconds(validity[1]),
            let subject = fields.next(DERTag.sequence),
            let key = fields.next()?.elements(DERTag.sequence), key.count == 2
        else { return nil }
        for number in [UInt8(1), 2] where fields.next(DERTag.context(number)) != nil {
            guard version >= 2 else { return nil }
        }
        var extensions: [Extension] = []
        if let tagged = fields.next(DERTag.contextElements(3)) {
            guard version == 3, let list = Self.extensions(tagged) else { return nil }
            extensions = list
        }
        guard fields.isAtEnd else { return nil }
        self.version = version
        serialNumber = Array(serial.content)
        signature = OID.strength(algorithm)
        hasSubject = !subject.content.isEmpty
        hasIssuer = !issuer.content.isEmpty
        self.issuer = Array(issuer.whole)
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.key = Self.key(key)
        self.extensions = extensions
    }

    private static func extensions(_ tagged: DERElement) -> [Extension]? {
        guard let list = DERElements.only(tagged.content)?.elements(DERTag.sequence),
            !list.isEmpty
        else { return nil }
        var extensions: [Extension] = []
        for element in list {
            guard element.tag == DERTag.sequence else { return nil }
            var parts = DERElements(element.content)
            guard let oid = parts.next(DERTag.objectIdentifier) else { return nil }
            var isCritical = false
            if let flag = parts.next(DERTag.boolean) {
                guard let value = flag.flag else { return nil }
                isCritical = value
            }
            guard let value = parts.next(DERTag.octetString), parts.isAtEnd else { return nil }
            extensions.append(
                Extension(
                    oid: Array(oid.content), isCritical: isCritical, value: Array(value.content)))
        }
        return extensions
    }

    private static func key(_ parts: [DERElement]) -> Key {
        guard let algorithm = parts[0].elements(DERTag.sequence),
            let name = algorithm.first?.content(DERTag.objectIdentifier), let bits = parts[1].bits,
            bits.unused == 0
        else { return .other }
        switch Array(name) {
        case OID.rsa, OID.rsaPSS:
            guard
                let modulus = DERElements.only(bits.bytes)?.elements(DERTag.sequence)?.first?
                    .content(DERTag.integer)
            else { return .other }
            let digits = modulus.drop { $0 == 0 }
            guard let first = digits.first else { return .other }
            return .rsa(bits: digits.count * 8 - first.leadingZeroBitCount)
        case OID.curveKey:
            guard let curve = algorithm.dropFirst().first?.content(DERTag.objectIdentifier),
                let size = OID.curves[Array(curve)]
            else { return .other }
            return .curve(bits: size)
        case OID.ed25519, OID.ed448: return .edwards
        default: return .other
        }
    }

    /// The value of an extension, if it has just one.
    func value(_ oid: [UInt8]) -> DERElement? {
        guard let found = extensions.first(where: { $0.oid == oid }) else { return nil }
        return DERElements.only(found.value[...])
    }

    /// Whether there is such an extension.
    func has(_ oid: [UInt8]) -> Bool { extensions.contains { $0.oid == oid } }

    /// Whether an extension occurs twice.
    var hasExtensionTwice: Bool { Set(extensions.map(\.oid)).count < extensions.count }
}

/// Times in certificates (RFC 5280 §4.1.2.5): with seconds, in UTC, nothing else.
enum CertificateClock {
    /// Seconds since 1970-01-01 00:00:00 UTC; nil for a malformed time.
    static func seconds(_ element: DERElement) -> Int64? {
        let isLong = element.tag == DERTag.generalizedTime
        guard isLong || element.tag == DERTag.utcTime else { return nil }
        let text = Array(element.content)
        let yearDigits = isLong ? 4 : 2
        guard text.count == yearDigits + 11, text.last == UInt8(ascii: "Z") else { return nil }
        var numbers: [Int] = []
        var place = 0
        for digits in [yearDigits, 2, 2, 2, 2, 2] {
            var number = 0
            for _ in 0..<digits {
                guard (0x30...0x39).contains(text[place]) else { return nil }
                number = number * 10 + Int(text[place] - 0x30)
                place += 1
            }
            numbers.append(number)
        }
        let year = isLong ? numbers[0] : numbers[0] + (numbers[0] >= 50 ? 1900 : 2000)
        let month = numbers[1]
        let day = numbers[2]
        guard (1...12).contains(month), (1...days(month, of: year)).contains(day),
            numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
        else { return nil }
        return Int64(dayNumber(year, month, day)) * 86_400
            + Int64(numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
    }

    private static func days(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01, counted in eras of 400 years that begin on a March 1st.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
