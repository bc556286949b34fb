// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// `SecCertificateCopyValues`. The certificates are openssl's; the shapes are those that Apple's
/// function was observed to give.
@Suite struct CertificateValuesTests {
    private typealias Property = [String: Any]

    /// Makes a certificate with an extension of each kind.
    private static func certificate(
        _ openssl: OpensslTool, _ extensions: String
    ) throws -> SecCertificate {
        let configuration = """
            [req]
            distinguished_name = name
            prompt = no
            x509_extensions = ext
            [name]
            C = DE
            O = Test Organization
            OU = Unit
            CN = www.values.example
            emailAddress = subject@values.example
            [ext]
            \(extensions)
            [policy]
            policyIdentifier = 1.2.3.4
            CPS.1 = "http://values.example/cps"
            userNotice.1 = @notice
            [notice]
            explicitText = "a notice"
            [names]
            DNS.1 = values.example
            DNS.2 = *.values.example
            IP.1 = 192.0.2.1
            IP.2 = 2001:db8::1
            email.1 = other@values.example
            URI.1 = https://values.example/path
            otherName.1 = 1.3.6.1.4.1.311.20.2.3;UTF8:user@values.example
            RID.1 = 1.2.3.4

            """
        try openssl.write("config", Data(configuration.utf8))
        try openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-config",
            "config", "-set_serial", "0x1234", "-days", "30", "-sha256", "-outform", "DER", "-out",
            "certificate.der")
        return try #require(
            SecCertificateCreateWithData(nil, try openssl.read("certificate.der") as CFData))
    }

    private static let extensions = """
        basicConstraints = critical, CA:TRUE, pathlen:3
        keyUsage = critical, digitalSignature, keyCertSign
        extendedKeyUsage = serverAuth, 1.2.3.4.5
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid:always
        subjectAltName = @names
        certificatePolicies = 1.2.3.5, @policy
        crlDistributionPoints = URI:http://values.example/list.crl
        authorityInfoAccess = OCSP;URI:http://ocsp.values.example/
        nameConstraints = permitted;DNS:values.example, excluded;DNS:not.values.example
        policyConstraints = requireExplicitPolicy:2, inhibitPolicyMapping:1
        nsCertType = server
        1.2.3.4.6 = DER:0C026869
        1.2.3.4.7 = DER:30040C026869
        """

    private func values(_ certificate: SecCertificate) throws -> [String: Property] {
        let found = SecCertificateCopyValues(certificate, nil, nil)
        return try #require(found as? [String: Property])
    }

    private func value(_ values: [String: Property], _ key: CFString) throws -> Property {
        let property = try #require(values[key as String], "\(key)")
        #expect(
            Set(property.keys) == [
                kSecPropertyKeyType as String, kSecPropertyKeyLabel as String,
                kSecPropertyKeyLocalizedLabel as String, kSecPropertyKeyValue as String,
            ])
        return property
    }

    private func type(_ property: Property) -> String? {
        property[kSecPropertyKeyType as String] as? String
    }

    private func label(_ property: Property) -> String? {
        property[kSecPropertyKeyLabel as String] as? String
    }

    /// `LABEL: VALUE` of each property of a section.
    private func lines(_ property: Property) throws -> [String] {
        let list = try #require(property[kSecPropertyKeyValue as String] as? [Property])
        return try list.map { entry in
            let value = try #require(entry[kSecPropertyKeyValue as String])
            let text: String
            switch value {
            case let value as String: text = value
            case let value as Data: text = hex(value)
            case let value as URL: text = value.absoluteString
            case is [Property]: text = "[" + (try lines(entry)).joined(separator: ", ") + "]"
            default: text = "\(value)"
            }
            return "\(label(entry) ?? ""): \(text)"
        }
    }

    @Test func fieldsAreThoseThatOpensslReads() throws {
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            let certificate = try Self.certificate(openssl, Self.extensions)
            let values = try values(certificate)
            let subject = try value(values, kSecOIDX509V1SubjectName)
            #expect(type(subject) == kSecPropertyTypeSection as String)
            #expect(label(subject) == "Subject Name")
            let name = [
                "2.5.4.6: DE", "2.5.4.10: Test Organization", "2.5.4.11: Unit",
                "2.5.4.3: www.values.example", "1.2.840.113549.1.9.1: subject@values.example",
            ]
            #expect(try lines(subject) == name)
            #expect(try lines(value(values, kSecOIDX509V1IssuerName)) == name)
            let entries = subject[kSecPropertyKeyValue as String] as? [Property]
            #expect(
                entries?.last?[kSecPropertyKeyLocalizedLabel as String] as? String
                    == "Email Address")
            for (key, expected) in [
                (kSecOIDX509V1Version, "3"), (kSecOIDX509V1SerialNumber, "4660"),
            ] {
                let property = try value(values, key)
                #expect(type(property) == kSecPropertyTypeString as String)
                #expect(property[kSecPropertyKeyValue as String] as? String == expected)
            }
            #expect(
                try lines(value(values, kSecOIDX509V1SignatureAlgorithm))
                    == ["Algorithm: 1.2.840.113549.1.1.11", "Parameters: none"])
            #expect(
                try lines(value(values, kSecOIDX509V1SubjectPublicKeyAlgorithm))
                    == ["Algorithm: 1.2.840.113549.1.1.1", "Parameters: none"])
            try openssl(
                "rsa", "-in", "key.pem", "-RSAPublicKey_out", "-outform", "DER", "-out", "public")
            #expect(
                try value(values, kSecOIDX509V1SubjectPublicKey)[kSecPropertyKeyValue as String]
                    as? Data == openssl.read("public"))
            let signature = try value(values, kSecOIDX509V1Signature)
            #expect((signature[kSecPropertyKeyValue as String] as? Data)?.count == 256)
            #expect(
                try openssl.read("certificate.der").suffix(256)
                    == signature[kSecPropertyKeyValue as String] as? Data)
        }
    }

    /// As programs on the Mac read them: numbers of seconds since 2001.
    @Test func datesAreNumbers() throws {
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            let certificate = try Self.certificate(openssl, "basicConstraints = CA:FALSE")
            let values = try values(certificate)
            let reader = DateFormatter()
            reader.locale = Locale(identifier: "en_US_POSIX")
            reader.dateFormat = "MMM d HH:mm:ss yyyy zzz"
            for (key, option, word) in [
                (kSecOIDX509V1ValidityNotBefore, "-startdate", "Not Valid Before"),
                (kSecOIDX509V1ValidityNotAfter, "-enddate", "Not Valid After"),
            ] {
                let property = try value(values, key)
                #expect(type(property) == kSecPropertyTypeNumber as String)
                #expect(label(property) == word)
                let text = try openssl(
                    "x509", "-in", "certificate.der", "-inform", "DER", "-noout", option)
                let date = text.split(separator: "=")[1]
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                    .replacingOccurrences(of: "  ", with: " ")
                let seconds = try #require(reader.date(from: date), "\(date)")
                    .timeIntervalSinceReferenceDate
                #expect(property[kSecPropertyKeyValue as String] as? Double == seconds)
            }
            // Without the extension.
            #expect(
                try value(values, kSecOIDKeyUsage)[kSecPropertyKeyValue as String] as? Int == 0)
            #expect(values[kSecOIDExtendedKeyUsage as String] == nil)
            #expect(values["IPADDRESSES"] == nil)
            // A common name that is a host, as no other name is.
            let hosts = values["DNSNAMES"]?[kSecPropertyKeyValue as String] as? [String]
            #expect(hosts == ["www.values.example"])
        }
    }

    @Test func usesAndNamesAreForPrograms() throws {
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            let values = try values(try Self.certificate(openssl, Self.extensions))
            let usage = try value(values, kSecOIDKeyUsage)
            #expect(type(usage) == kSecPropertyTypeNumber as String)
            let number = try #require(usage[kSecPropertyKeyValue as String] as? Int)
            #expect(
                SecKeyUsage(rawValue: UInt32(truncatingIfNeeded: number)) == [
                    .digitalSignature, .keyCertSign, .critical,
                ])
            let purposes = try value(values, kSecOIDExtendedKeyUsage)
            #expect(type(purposes) == kSecPropertyTypeArray as String)
            // The contents of the identifiers (X.690 §8.19).
            #expect(
                purposes[kSecPropertyKeyValue as String] as? [Data]
                    == [unhex("2b06010505070301"), unhex("2a030405")])
            let lists: [(CFString, [String])] = [
                (kSecOIDCommonName, ["www.values.example"]),
                (kSecOIDEmailAddress, ["other@values.example", "subject@values.example"]),
                ("DNSNAMES" as CFString, ["values.example", "*.values.example"]),
                (
                    "IPADDRESSES" as CFString,
                    ["192.0.2.1", "2001:0db8:0000:0000:0000:0000:0000:0001"]
                ),
            ]
            for (key, expected) in lists {
                let property = try value(values, key)
                #expect(type(property) == kSecPropertyTypeArray as String)
                #expect(property[kSecPropertyKeyValue as String] as? [String] == expected)
            }
        }
    }

    @Test func extensionsAreSections() throws {
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            let values = try values(try Self.certificate(openssl, Self.extensions))
            let expected: [(CFString, [String])] = [
                (
                    kSecOIDBasicConstraints,
                    ["Critical: Yes", "Certificate Authority: Yes", "Path Length Constraint: 3"]
                ),
                (
                    kSecOIDSubjectAltName,
                    [
                        "Critical: No", "DNS Name: values.example", "DNS Name: *.values.example",
                        "IP Address: 192.0.2.1",
                        "IP Address: 2001:0db8:0000:0000:0000:0000:0000:0001",
                        "Email Address: other@values.example", "URI: https://values.example/path",
                        "1.3.6.1.4.1.311.20.2.3: user@values.example", "Registered ID: 1.2.3.4",
                    ]
                ),
                (
                    kSecOIDCertificatePolicies,
                    [
                        "Critical: No", "Policy Identifier #1: 1.2.3.5",
                        "Policy Identifier #2: 1.2.3.4",
                        "Policy Qualifier #1: 1.3.6.1.5.5.7.2.1",
                        "CPS URI: http://values.example/cps",
                        "Policy Qualifier #2: 1.3.6.1.5.5.7.2.2", "Explicit Text: a notice",
                    ]
                ),
                (
                    kSecOIDCrlDistributionPoints,
                    ["Critical: No", "URI: http://values.example/list.crl"]
                ),
                (
                    kSecOIDAuthorityInfoAccess,
                    [
                        "Critical: No", "Access Method: 1.3.6.1.5.5.7.48.1",
                        "URI: http://ocsp.values.example/",
                    ]
                ),
                (
                    kSecOIDNameConstraints,
                    [
                        "Critical: No", "Permitted Subtree Name: [DNS Name: values.example]",
                        "Excluded Subtree Name: [DNS Name: not.values.example]",
                    ]
                ),
                (
                    kSecOIDPolicyConstraints,
                    [
                        "Critical: No", "Require Explicit Policy: 2", "Inhibit Policy Mapping: 1",
                    ]
                ),
                (kSecOIDNetscapeCertType, ["Critical: No", "Usage: SSL server"]),
                ("1.2.3.4.6" as CFString, ["Critical: No", "Unparsed Data: 0c026869"]),
                ("1.2.3.4.7" as CFString, ["Critical: No", "Data: hi"]),
            ]
            for (key, lines) in expected {
                let property = try value(values, key)
                #expect(type(property) == kSecPropertyTypeSection as String)
                #expect(label(property) == key as String)
                #expect(try self.lines(property) == lines, "\(key)")
            }
            let identifiers = try [kSecOIDSubjectKeyIdentifier, kSecOIDAuthorityKeyIdentifier].map {
                try lines(value(values, $0)).last ?? ""
            }
            #expect(identifiers[0] == identifiers[1])
            #expect(identifiers[0].hasPrefix("Key Identifier: "))
            let text = try openssl(
                "x509", "-in", "certificate.der", "-inform", "DER", "-noout", "-ext",
                "subjectKeyIdentifier")
            let plain = text.split(separator: "\n").last.map {
                $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: ":", with: "")
            }
            #expect(identifiers[0] == "Key Identifier: \((plain ?? "").lowercased())")
        }
    }

    // MARK: - Keys

    @Test func onlyTheValuesOfTheKeysAreReturned() throws {
        let certificate = try CertificateVector.certificate("rsa")
        let keys = [kSecOIDX509V1SubjectName, kSecOIDX509V1Version, "1.2.3.4.5.6" as CFString]
        let found = SecCertificateCopyValues(certificate, keys as CFArray, nil)
        let some = found as? [String: Property]
        #expect(
            Set(try #require(some).keys)
                == [kSecOIDX509V1SubjectName as String, kSecOIDX509V1Version as String])
        #expect(SecCertificateCopyValues(certificate, [] as CFArray, nil)?.count == 0)
        var error: Unmanaged<CFError>?
        let wrong = [kSecOIDTitle, 1] as CFArray
        let none = unsafe SecCertificateCopyValues(certificate, wrong, &error)
        #expect(none == nil)
        let reason = unsafe error?.takeRetainedValue()
        #expect(reason?.code == Int(errSecParam))
    }

    @Test(arguments: CertificateVector.names)
    func everyCertificateHasItsFields(_ name: String) throws {
        let certificate = try CertificateVector.certificate(name)
        let values = try values(certificate)
        let vector = try CertificateVector.named(name)
        #expect(
            values[kSecOIDX509V1SubjectNameStd as String]?[kSecPropertyKeyValue as String] as? Data
                == SecCertificateCopyNormalizedSubjectSequence(certificate) as Data?)
        let serial = values[kSecOIDX509V1SerialNumber as String]?[kSecPropertyKeyValue as String]
        #expect(serial is String)
        #expect(vector.der.count > 100)
        #expect(
            SecCertificateCopyLongDescription(nil, certificate, nil)
                == SecCertificateCopyShortDescription(nil, certificate, nil))
    }

    @Test func mutatedCertificatesNeverTrap() throws {
        var mutator = Mutator(seed: Mutator.seed)
        let all = CertificateVector.all.values.map { [UInt8]($0.der) }
        var read = 0
        for index in 0..<4000 {
            let bytes = mutator.mutate(all[index % all.count], others: all)
            guard let certificate = SecCertificateCreateWithData(nil, Data(bytes) as CFData) else {
                continue
            }
            read += 1
            #expect(SecCertificateCopyValues(certificate, nil, nil) != nil, "\(Mutator.seed)")
        }
        #expect(read > 100)
    }

    @Test func identifiersAreThoseOfTheList() throws {
        let file = URL(
            fileURLWithPath: Binaries.packageRoot + "/Tests/Vectors/api-symbols-keychains.tsv")
        let names = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "\t") }.filter { $0.first == "certificate OIDs" }
        #expect(names.count == 122)
        // The list has no values: these are RFC 5280's, RFC 4519's and Apple's.
        let known: [(CFString, String)] = [
            (kSecOIDCommonName, "2.5.4.3"), (kSecOIDSubjectAltName, "2.5.29.17"),
            (kSecOIDServerAuth, "1.3.6.1.5.5.7.3.1"), (kSecOIDSRVName, "1.3.6.1.5.5.7.8.7"),
            (kSecOIDX509V1ValidityNotAfter, "2.16.840.1.113741.2.1.1.1.7"),
            (kSecOIDAPPLE_EXTENSION_WWDR_INTERMEDIATE, "1.2.840.113635.100.6.2.1"),
        ]
        for (constant, text) in known { #expect(constant as String == text) }
    }
}
