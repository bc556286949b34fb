// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import SecurityWire
import Testing

/// Handmade certificates, each with one thing that is wrong or unusual.
@Suite struct SecCertificateStructureTests {
    /// The fields of a certificate, encoded.
    private struct Parts {
        var version = der(0xa0, [2, 1, 2])
        var serialNumber: [UInt8] = [2, 1, 7]
        var algorithm = der(0x30, [6, 3, 0x2b, 0x65, 0x70])
        var issuer = name(der(0x13, Array("issuer".utf8)))
        var validity = der(0x30, time("200101000000Z"), time("210101000000Z"))
        var subject = name(der(0x13, Array("subject".utf8)))
        var key = der(0x30, der(0x30, [6, 3, 0x2b, 0x65, 0x70]), [3, 2, 0, 1])
        var rest: [UInt8] = []
        var outerAlgorithm = der(0x30, [6, 3, 0x2b, 0x65, 0x70])
        var signature: [UInt8] = [3, 2, 0, 9]
        var behind: [UInt8] = []

        var bytes: [UInt8] {
            let signed = der(
                0x30, version, serialNumber, algorithm, issuer, validity, subject, key, rest)
            return der(0x30, signed, outerAlgorithm, signature) + behind
        }

        var certificate: SecCertificate? {
            SecCertificateCreateWithData(nil, Data(bytes) as CFData)
        }
    }

    private static func time(_ text: String) -> [UInt8] { der(0x17, Array(text.utf8)) }
    private static func longTime(_ text: String) -> [UInt8] { der(0x18, Array(text.utf8)) }

    /// A `Name` of one common name.
    private static func name(_ value: [UInt8]) -> [UInt8] {
        der(0x30, der(0x31, der(0x30, [6, 3, 0x55, 4, 3], value)))
    }

    private static func extensions(_ list: [UInt8]...) -> [UInt8] {
        der(0xa3, der(0x30, list.flatMap { $0 }))
    }

    private static func subjectKeyID(_ bytes: [UInt8]) -> [UInt8] {
        der(0x30, [6, 3, 0x55, 0x1d, 14], der(4, bytes))
    }

    private static func alternativeNames(_ names: [UInt8]...) -> [UInt8] {
        der(0x30, [6, 3, 0x55, 0x1d, 17], der(4, der(0x30, names.flatMap { $0 })))
    }

    private func certificate(_ change: (inout Parts) -> Void) -> SecCertificate? {
        var parts = Parts()
        change(&parts)
        return parts.certificate
    }

    @Test func unchangedItIsACertificate() throws {
        let made = try #require(Parts().certificate)
        #expect(made.summaryLabel == "subject")
    }

    @Test func whatIsNoCertificateIsRefused() {
        for bytes: [UInt8] in [
            [], [0x30], [0x30, 0], [0x31, 0], [0x30, 0x80, 0, 0], [0x30, 3, 2, 1, 1],
            [0x30, 0x84, 0xff, 0xff, 0xff, 0xff], [UInt8](repeating: 0x30, count: 4096),
        ] {
            #expect(SecCertificateCreateWithData(nil, Data(bytes) as CFData) == nil)
        }
    }

    @Test func bytesBehindTheEndAreRefused() {
        #expect(certificate { $0.behind = [0] } == nil)
    }

    @Test func lengthsInMoreBytesThanNeededAreRefused() {
        #expect(certificate { $0.signature = [3, 0x81, 2, 0, 9] } == nil)
        #expect(certificate { $0.serialNumber = [2, 2, 0, 7] } == nil)
        #expect(certificate { $0.serialNumber = [2, 2, 0xff, 0x80] } == nil)
    }

    @Test func deepNestingIsRefused() {
        var nested: [UInt8] = [5, 0]
        for _ in 0..<2000 { nested = der(0x30, nested) }
        #expect(certificate { $0.subject = Self.name(nested) } == nil)
    }

    @Test func aCertificateMayHaveOneMebibyteAndNotAByteMore() throws {
        var parts = Parts()
        parts.subject = Self.name(der(0x0c, []))
        let limit = 1 << 20
        func sized(_ count: Int) -> [UInt8] {
            parts.subject = Self.name(der(0x0c, [UInt8](repeating: 0x61, count: count)))
            return parts.bytes
        }
        let overhead = sized(1_000_000).count - 1_000_000
        #expect(sized(limit - overhead).count == limit)
        #expect(SecCertificateCreateWithData(nil, Data(sized(limit - overhead)) as CFData) != nil)
        #expect(
            SecCertificateCreateWithData(nil, Data(sized(limit - overhead + 1)) as CFData) == nil)
    }

    @Test func versionsAreOneToThree() throws {
        for (version, type) in [([], 1), ([0xa0, 3, 2, 1, 0], 1), ([0xa0, 3, 2, 1, 1], 2)]
            as [([UInt8], Int64)]
        {
            let made = try #require(certificate { $0.version = version })
            #expect(made.itemAttributes[.certificateType] == .integer(type))
        }
        for version: [UInt8] in [
            [0xa0, 3, 2, 1, 3], [0xa0, 3, 2, 1, 0xff], [0xa0, 4, 2, 2, 1, 0], [0xa0, 2, 5, 0],
            [0xa0, 0], [0xa0, 6, 2, 1, 2, 2, 1, 2], [2, 1, 2], [0x80, 3, 2, 1, 2],
        ] {
            #expect(certificate { $0.version = version } == nil)
        }
    }

    @Test func extensionsAreForVersionThreeAndIdentifiersForTwo() {
        let list = Self.extensions(Self.subjectKeyID(der(4, [1])))
        #expect(certificate { $0.rest = list } != nil)
        #expect(certificate { ($0.rest, $0.version) = (list, [0xa0, 3, 2, 1, 1]) } == nil)
        #expect(certificate { ($0.rest, $0.version) = (list, []) } == nil)
        let identifiers = der(0x81, [0, 1]) + der(0x82, [0, 1])
        #expect(certificate { ($0.rest, $0.version) = (identifiers, [0xa0, 3, 2, 1, 1]) } != nil)
        #expect(certificate { $0.rest = identifiers + list } != nil)
        #expect(certificate { ($0.rest, $0.version) = (identifiers, []) } == nil)
        #expect(certificate { $0.rest = list + identifiers } == nil)
        #expect(certificate { $0.rest = der(0x81, [9, 1]) } == nil)
        #expect(certificate { $0.rest = list + list } == nil)
        #expect(certificate { $0.rest = [5, 0] } == nil)
    }

    @Test(arguments: [[0], [0x80], [0xff], [0, 0x80], [0xff, 0x7f]] as [[UInt8]])
    func theSerialNumberIsTheIntegersContentOfEitherSign(_ bytes: [UInt8]) throws {
        let made = try #require(certificate { $0.serialNumber = der(2, bytes) })
        #expect(made.itemAttributes[.serialNumber] == .data(bytes))
    }

    @Test func fieldsOfAnotherTypeAreRefused() {
        #expect(certificate { $0.serialNumber = [2, 0] } == nil)
        #expect(certificate { $0.serialNumber = [4, 1, 1] } == nil)
        #expect(certificate { $0.algorithm = der(0x30) } == nil)
        #expect(certificate { $0.outerAlgorithm = der(0x30, [5, 0]) } == nil)
        #expect(certificate { $0.issuer = [0x31, 0] } == nil)
        #expect(certificate { $0.issuer = der(0x30, [0x31, 0]) } == nil)
        #expect(certificate { $0.subject = der(0x30, [5, 0]) } == nil)
        #expect(certificate { $0.signature = [4, 2, 0, 9] } == nil)
        #expect(certificate { $0.signature = [3, 2, 8, 9] } == nil)
        #expect(certificate { $0.key = der(0x30, der(0x30, [6, 3, 0x2b, 0x65, 0x70])) } == nil)
        let algorithm = der(0x30, [6, 3, 0x2b, 0x65, 0x70])
        #expect(certificate { $0.key = der(0x30, algorithm, [3, 2, 1, 2]) } == nil)
        #expect(certificate { $0.key = der(0x30, algorithm, [3, 0]) } == nil)
    }

    @Test func timesThatAreNoneAreRefused() {
        for text in [
            "200101000000", "2001010000Z", "200230000000Z", "201301000000Z", "200101240000Z",
            "200101000000+0100", "20010100000Z", "", "2001010000000Z", "-00101000000Z",
        ] {
            let time = Self.time(text)
            #expect(certificate { $0.validity = der(0x30, time, time) } == nil, "\(text)")
        }
        let time = Self.time("200101000000Z")
        #expect(certificate { $0.validity = der(0x30, time) } == nil)
        #expect(certificate { $0.validity = der(0x30, time, time, time) } == nil)
    }

    @Test(arguments: [
        ("500101000000Z", -1_609_459_200.0), ("010101000000Z", 0), ("491231235959Z", 1_546_300_799),
        ("240229000000Z", 730_857_600), ("000229235959Z", -26_438_401),
    ])
    func timesAreCountedFrom2001(_ text: String, _ seconds: Double) throws {
        let time = Self.time(text)
        let made = try #require(certificate { $0.validity = der(0x30, time, time) })
        let date = try #require(SecCertificateCopyNotValidBeforeDate(made))
        #expect(date.timeIntervalSinceReferenceDate == seconds)
    }

    @Test func longTimesReachFromYearZeroTo9999() throws {
        let validity = der(
            0x30, Self.longTime("00000101000000Z"), Self.longTime("99991231235959.5Z"))
        let made = try #require(certificate { $0.validity = validity })
        let from = try #require(SecCertificateCopyNotValidBeforeDate(made))
        let until = try #require(SecCertificateCopyNotValidAfterDate(made))
        #expect(from.timeIntervalSinceReferenceDate == -63_145_526_400)
        #expect(until.timeIntervalSinceReferenceDate == 252_423_993_599.5)
    }

    @Test func aCertificateMayEndBeforeItBegins() {
        let validity = der(0x30, Self.time("210101000000Z"), Self.time("200101000000Z"))
        #expect(certificate { $0.validity = validity } != nil)
    }

    @Test func emptyNamesAreNames() throws {
        let made = try #require(
            certificate {
                $0.issuer = [0x30, 0]
                $0.subject = [0x30, 0]
            })
        #expect(made.itemAttributes[.subject] == .data([]))
        #expect(made.itemAttributes[.issuer] == .data([]))
        #expect(made.summaryLabel == nil)
        #expect(SecCertificateCopySubjectSummary(made) == nil)
        #expect(SecCertificateCopyNormalizedIssuerSequence(made) as Data? == Data([0x30, 0]))
    }

    @Test func aMalformedExtensionSaysNothingAndTheFirstOfTwoCounts() throws {
        for bad in [[], [5, 0], [4, 5, 1], der(0x24, der(4, [1]))] as [[UInt8]] {
            let made = try #require(
                certificate { $0.rest = Self.extensions(Self.subjectKeyID(bad)) })
            #expect(made.itemAttributes[.subjectKeyID] == nil)
        }
        let two = Self.extensions(
            Self.subjectKeyID(der(4, [1, 2])), Self.subjectKeyID(der(4, [3])))
        let made = try #require(certificate { $0.rest = two })
        #expect(made.itemAttributes[.subjectKeyID] == .data([1, 2]))
    }

    @Test func anExtensionIsTypeCriticalityAndBytes() {
        let type: [UInt8] = [6, 3, 0x55, 0x1d, 14]
        let value = der(4, der(4, [1]))
        #expect(
            certificate { $0.rest = Self.extensions(der(0x30, type, [1, 1, 255], value)) } != nil)
        #expect(
            certificate { $0.rest = Self.extensions(der(0x30, type, [1, 1, 0], value)) } != nil)
        for bad in [
            der(0x30, type, [1, 1, 1], value), der(0x30, type), der(0x30, value), der(0x30),
            der(0x30, type, value, value), der(0x30, type, [1, 1, 255]), [5, 0],
        ] {
            #expect(certificate { $0.rest = Self.extensions(bad) } == nil)
        }
        #expect(certificate { $0.rest = der(0xa3, [0x30, 0]) } == nil)
    }

    @Test func aNameWithANulOrBeyondASCIIIsLeftOut() throws {
        let names = Self.alternativeNames(
            der(0x81, Array("evil@example.com\0.test".utf8)), der(0x81, [0xe4]), der(0x81),
            der(0x81, Array("good@example.com".utf8)), der(0x82, Array("a.test\0".utf8)),
            der(0xa4, der(0x30)), der(0x87, [127, 0, 0, 1]))
        let made = try #require(certificate { $0.rest = Self.extensions(names) })
        var addresses: CFArray?
        unsafe SecCertificateCopyEmailAddresses(made, &addresses)
        #expect(addresses as? [String] == ["good@example.com"])
    }

    @Test func aTextThatCannotBeReadIsNoSummary() throws {
        for value: [UInt8] in [
            der(0x0c, [0xff]), der(0x0c, [0x61, 0]), der(0x0c), [5, 0], der(0x1e, [0x61]),
            der(0x1e, [0xd8, 0]), der(0x1c, [0, 0x11, 0, 0]), der(0x30, [5, 0]),
        ] {
            let made = try #require(certificate { $0.subject = Self.name(value) })
            #expect(made.summaryLabel == nil)
        }
        for value: [UInt8] in [
            der(0x1c, [0, 0, 0, 0x61]), der(0x1e, [0, 0x61]), der(0x12, [0x61]), der(0x1a, [0x61]),
            der(0x16, [0x61]), der(0x1b, [0x61]), der(0x14, [0x61]), der(0x15, [0x61]),
        ] {
            let made = try #require(certificate { $0.subject = Self.name(value) })
            #expect(made.summaryLabel == "a")
        }
    }

    @Test func aKeyThatIsNoneOfItsAlgorithmGivesNone() throws {
        let rsa: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]
        let curve: [UInt8] = [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]
        let p256: [UInt8] = [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7]
        let p384: [UInt8] = [6, 5, 0x2b, 0x81, 4, 0, 0x22]
        let point = [UInt8](try CertificateVector.named("p256-issued").publicKey)
        let modulus = [UInt8](try CertificateVector.named("rsa").publicKey)
        func key(_ algorithm: [UInt8], _ bits: [UInt8]) throws -> SecKey? {
            let made = certificate { $0.key = der(0x30, der(0x30, algorithm), der(3, [0], bits)) }
            return SecCertificateCopyKey(try #require(made))
        }
        #expect(try key(rsa + [5, 0], modulus) != nil)
        #expect(try key(rsa, modulus) != nil)
        #expect(try key(curve + p256, point) != nil)
        #expect(try key(rsa + [4, 0], modulus) == nil)
        #expect(try key(rsa + [5, 0], modulus + [0]) == nil)
        #expect(try key(rsa + [5, 0], point) == nil)
        #expect(try key(curve, point) == nil)
        #expect(try key(curve + p384, point) == nil)
        #expect(try key(curve + [5, 0], point) == nil)
        #expect(try key(curve + p256, Array(point.dropLast()) + [point[64] ^ 1]) == nil)
        #expect(try key(curve + p256, []) == nil)
        #expect(try key([6, 3, 0x2b, 0x65, 0x70], [UInt8](repeating: 1, count: 31)) == nil)
        #expect(try key([6, 3, 0x2b, 0x65, 0x70, 5, 0], [UInt8](repeating: 1, count: 32)) == nil)
        #expect(try key([6, 3, 0x2b, 0x65, 0x6e], [UInt8](repeating: 1, count: 32)) != nil)
    }

    @Test func manyNamesTakeNoLongerThanTheirBytes() throws {
        let pair = der(0x31, der(0x30, [6, 3, 0x55, 4, 3], der(0x0c, Array("name".utf8))))
        let count = 50_000
        let subject = der(0x30, Array(repeatElement(pair, count: count).joined()))
        let started = ContinuousClock.now
        let made = try #require(certificate { $0.subject = subject })
        #expect(made.summaryLabel?.utf8.count == count * 6 - 2)
        // Quadratic growth would take minutes.
        #expect(ContinuousClock.now - started < .seconds(60))
    }
}
