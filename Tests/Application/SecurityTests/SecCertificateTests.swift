// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import SecurityWire
import Testing

@Suite struct SecCertificateTests {
    @Test func thereAreCertificatesToTestWith() { #expect(CertificateVector.all.count >= 11) }

    @Test(arguments: CertificateVector.names) func theDataComesBackAsItIs(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let certificate = try CertificateVector.certificate(name)
        #expect(SecCertificateCopyData(certificate) as Data == vector.der)
        #expect(CFGetTypeID(certificate) == SecCertificateGetTypeID())
        let again = try CertificateVector.certificate(name)
        #expect(certificate == again && certificate.hash == again.hash)
        #expect(CFEqual(certificate, again))
    }

    @Test func certificatesOfOtherBytesDiffer() throws {
        let all = try CertificateVector.names.map { try CertificateVector.certificate($0) }
        #expect(Set(all).count == all.count)
    }

    @Test(arguments: CertificateVector.names)
    func serialNumberKeyIdentifierAndKeyHashAreThoseOfOpenssl(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let certificate = try CertificateVector.certificate(name)
        let found = SecCertificateCopySerialNumberData(certificate, nil)
        let serial = try #require(found)
        // A number whose first bit is set has a leading zero.
        let isHigh = "89abcdef".contains(vector.serialNumber.first ?? "0")
        #expect(SecurityTests.hex(serial as Data) == (isHigh ? "00" : "") + vector.serialNumber)

        let attributes = certificate.itemAttributes
        #expect(attributes[.serialNumber] == .data([UInt8](serial as Data)))
        #expect(hex(attributes[.subjectKeyID]) == vector.subjectKeyID)
        #expect(hex(attributes[.publicKeyHash]) == vector.publicKeyHash)
        #expect(attributes[.certificateEncoding] == .integer(3))
        #expect(attributes[.label] == nil)
    }

    @Test(arguments: CertificateVector.names)
    func normalizedNamesAreThoseWrittenByHand(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let certificate = try CertificateVector.certificate(name)
        let subject = SecCertificateCopyNormalizedSubjectSequence(certificate)
        let issuer = SecCertificateCopyNormalizedIssuerSequence(certificate)
        #expect(subject as Data? == vector.normalized)
        #expect(issuer as Data? == vector.normalizedIssuer)
        // The attributes are the content, without the two bytes of the header.
        let attributes = certificate.itemAttributes
        #expect(attributes[.subject] == .data([UInt8](vector.normalized.dropFirst(2))))
        #expect(attributes[.issuer] == .data([UInt8](vector.normalizedIssuer.dropFirst(2))))
        let content = SecCertificateCopyNormalizedSubjectContent(certificate, nil)
        #expect(content as Data? == vector.normalized.dropFirst(2))
        let issuerContent = SecCertificateCopyNormalizedIssuerContent(certificate, nil)
        #expect(issuerContent as Data? == vector.normalizedIssuer.dropFirst(2))
    }

    @Test func anIssuerIsNotTheSubject() throws {
        let attributes = try CertificateVector.certificate("p256-issued").itemAttributes
        #expect(attributes[.subject] != attributes[.issuer])
    }

    @Test(arguments: [
        ("rsa-version-1", 1), ("p384-units", 1), ("rsa", 3), ("p256-issued", 3),
        ("ed25519-teletex", 3),
    ])
    func theTypeIsTheVersion(_ name: String, _ version: Int64) throws {
        let certificate = try CertificateVector.certificate(name)
        #expect(certificate.itemAttributes[.certificateType] == .integer(version))
    }

    @Test(arguments: [
        ("rsa-version-1", "Old One"), ("rsa", "Model Server"), ("p256-issued", "issued"),
        // Without a common name, the first e-mail address, else the first DNS name.
        ("p256-without-common-name", "me@example.com"),
        ("p256-only-country", "only.example.com"),
        // Without those, the units; the last first.
        ("p384-units", "Inner, Outer"),
        ("p521-described", "Second, First (a test)"),
        ("ed25519-teletex", "Größe"), ("p256-bmp", "Žluť 字"), ("other-curve", "Other curve"),
    ])
    func theSummaryIsWhatSaysMost(_ name: String, _ summary: String) throws {
        let certificate = try CertificateVector.certificate(name)
        #expect(SecCertificateCopySubjectSummary(certificate) as String? == summary)
        #expect(certificate.summaryLabel == summary)
    }

    @Test func theCommonNameIsTheLast() throws {
        var name: CFString?
        let two = try CertificateVector.certificate("p521-described")
        var status = unsafe SecCertificateCopyCommonName(two, &name)
        #expect(status == errSecSuccess)
        #expect(name as String? == "Second")
        let none = try CertificateVector.certificate("p384-units")
        status = unsafe SecCertificateCopyCommonName(none, &name)
        #expect(status == errSecInternal)
        #expect(name as String? == "Second")
    }

    @Test(arguments: [
        ("rsa", ["Ana@example.com", "b@example.com"]),
        ("p256-without-common-name", ["me@example.com"]), ("rsa-version-1", []),
    ])
    func emailAddressesAreOfBothPlaces(_ name: String, _ expected: [String]) throws {
        var addresses: CFArray?
        let certificate = try CertificateVector.certificate(name)
        let status = unsafe SecCertificateCopyEmailAddresses(certificate, &addresses)
        #expect(status == errSecSuccess)
        #expect(addresses as? [String] == expected)
    }

    @Test(arguments: CertificateVector.names)
    func theDatesAreThoseGivenToOpenssl(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let certificate = try CertificateVector.certificate(name)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "yyyyMMddHHmmss'Z'"
        let from = try #require(format.date(from: vector.notBefore))
        let until = try #require(format.date(from: vector.notAfter))
        #expect(SecCertificateCopyNotValidBeforeDate(certificate) as Date? == from)
        #expect(SecCertificateCopyNotValidAfterDate(certificate) as Date? == until)
    }

    @Test(arguments: CertificateVector.names)
    func theKeyIsTheOneInsideUnlessItsKindIsUnknown(_ name: String) throws {
        let vector = try CertificateVector.named(name)
        let key = SecCertificateCopyKey(try CertificateVector.certificate(name))
        guard CertificateVector.keyType(name) != nil else {
            #expect(key == nil)
            return
        }
        let found = try #require(key)
        let data = SecKeyCopyExternalRepresentation(found, nil)
        #expect(data as Data? == vector.publicKey)
        #expect(found == SecKeyCopyPublicKey(try CertificateVector.privateKey(name)))
    }

    @Test func randomMutationsNeverCrashAndNeverChangeWhatIsCopied() throws {
        let seed = Mutator.seed
        print("Mutations of certificates: LLAVERO_MUTATION_SEED=\(seed)")
        var mutator = Mutator(seed: seed)
        let originals = CertificateVector.names.compactMap {
            CertificateVector.all[$0].map { [UInt8]($0.der) }
        }
        var takenCount = 0
        for number in 0..<Mutator.count {
            let bytes = mutator.mutate(originals[number % originals.count], others: originals)
            guard let made = SecCertificateCreateWithData(nil, Data(bytes) as CFData) else {
                continue
            }
            takenCount += 1
            try #require(SecCertificateCopyData(made) as Data == Data(bytes), "seed \(seed)")
            // Every derived field can be derived.
            _ = (made.itemAttributes, made.summaryLabel, SecCertificateCopyKey(made))
            _ = (
                SecCertificateCopyNotValidBeforeDate(made),
                SecCertificateCopyNotValidAfterDate(made)
            )
        }
        // The control: some changes don't affect the structure.
        #expect(takenCount > 0)
        #expect(takenCount < Mutator.count)
    }

    private func hex(_ value: AttributeValue?) -> String? {
        guard case .data(let bytes)? = value else { return nil }
        return SecurityTests.hex(bytes)
    }
}
