// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

/// Requests and self-signed certificates, read and verified by the `openssl` command.
@Suite struct CertificateRequestTests {
    init() throws { _ = try EphemeralKeychain.shared.get() }

    private static var subject: CFArray {
        [
            [[kSecOidCommonName, "www.requests.example" as CFString]],
            [[kSecOidCountryName, "DE" as CFString]],
            [["2.5.4.10" as CFString, "Größe & Co" as CFString]],
            [
                [kSecOidOrganizationalUnit, "Unit" as CFString],
                ["1.2.840.113549.1.9.1" as CFString, "admin@requests.example" as CFString],
            ],
        ] as CFArray
    }

    private static var parameters: [CFString: Any] {
        [
            kSecSubjectAltName: [
                kSecSubjectAltNameDNSName as String: [
                    "www.requests.example", "*.requests.example",
                ],
                kSecSubjectAltNameEmailAddress as String: "admin@requests.example",
                kSecSubjectAltNameURI as String: "https://requests.example/",
                "iPAddress": ["192.0.2.1", "2001:db8::1"],
                kSecSubjectAltNameNTPrincipalName as String: "admin@requests.example",
            ],
            kSecCertificateKeyUsage: SecKeyUsage([.digitalSignature, .keyAgreement, .decipherOnly])
                .rawValue,
            kSecCertificateExtendedKeyUsage: [
                kSecEKUServerAuth, kSecEKUClientAuth, "1.2.3.4" as CFString,
            ],
            kSecCSRBasicConstraintsCA: false,
            kSecCertificateExtensions: ["1.2.3.5": "text"],
            kSecCertificateExtensionsEncoded: ["1.2.3.6": Data([5, 0])],
            kSecCSRChallengePassword: "let me in",
        ]
    }

    private static var kinds: [(CFString, Int)] {
        [
            (kSecAttrKeyTypeRSA, 2048), (kSecAttrKeyTypeEC, 256), (kSecAttrKeyTypeEC, 384),
            (kSecAttrKeyTypeEC, 521), (kSecAttrKeyTypeEd25519, 256),
        ]
    }

    private func read(_ request: CFData, _ options: String...) throws -> String {
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            try openssl.write("request", request as Data)
            // -verify: it fails unless the signature is that of the key in it.
            let arguments = ["req", "-inform", "DER", "-in", "request", "-verify", "-noout"]
            guard try openssl.succeeds(arguments) else { throw TestFailure("not verified") }
            return try openssl(
                "req", "-inform", "DER", "-in", "request", "-noout", "-text", "-nameopt",
                "utf8,sep_comma_plus,sname")
        }
    }

    @Test func opensslVerifiesARequestOfEachKindOfKey() throws {
        for (type, bits) in Self.kinds {
            let key = try KeyOperationTests.made(type, bits)
            let request = try #require(
                SecGenerateCertificateRequest(
                    Self.subject, Self.parameters as CFDictionary, SecKeyCopyPublicKey(key), key))
            let text = try read(request)
            for line in [
                "CN=www.requests.example,C=DE,O=Größe & Co,OU=Unit+",
                "emailAddress=admin@requests.example",
                "challengePassword        :let me in",
                "DNS:www.requests.example, DNS:*.requests.example, email:admin@requests.example, "
                    + "URI:https://requests.example/, IP Address:192.0.2.1, "
                    + "IP Address:2001:DB8:0:0:0:0:0:1",
                "TLS Web Server Authentication, TLS Web Client Authentication, 1.2.3.4",
                "Digital Signature, Key Agreement, Decipher Only",
                "X509v3 Basic Constraints: critical", "CA:FALSE",
                "1.2.3.5:", "1.2.3.6:",
            ] {
                #expect(text.contains(line), "\(line)\n\(text)")
            }
        }
    }

    @Test func theDigestIsTheOneThatIsAskedFor() throws {
        let digests: [(CFString?, String, String)] = [
            (nil, "sha256WithRSAEncryption", "ecdsa-with-SHA256"),
            (kSecCMSHashingAlgorithmSHA1, "sha1WithRSAEncryption", "ecdsa-with-SHA1"),
            (kSecCMSHashingAlgorithmSHA256, "sha256WithRSAEncryption", "ecdsa-with-SHA256"),
            (kSecCMSHashingAlgorithmSHA384, "sha384WithRSAEncryption", "ecdsa-with-SHA384"),
            (kSecCMSHashingAlgorithmSHA512, "sha512WithRSAEncryption", "ecdsa-with-SHA512"),
        ]
        let rsa = try KeyOperationTests.made(kSecAttrKeyTypeRSA, 2048)
        let curve = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        for (digest, ofRSA, ofCurve) in digests {
            var parameters: [CFString: Any] = [:]
            parameters[kSecCMSSignHashAlgorithm] = digest
            for (key, expected) in [(rsa, ofRSA), (curve, ofCurve)] {
                let request = try #require(
                    SecGenerateCertificateRequest(
                        Self.subject, parameters as CFDictionary, nil, key))
                let text = try read(request)
                #expect(text.contains("Signature Algorithm: \(expected)"))
                #expect(!text.contains("X509v3"))
            }
        }
    }

    /// An authority of openssl's signs the request, and the certificate is the key's.
    @Test func anAuthoritySignsTheRequest() throws {
        try TemporaryDirectory.lend { directory in
            let openssl = OpensslTool(directory: directory)
            try openssl(
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out",
                "ca.pem", "-subj", "/CN=Authority", "-days", "30")
            let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
            let request = try #require(
                SecGenerateCertificateRequest(
                    Self.subject, Self.parameters as CFDictionary, nil, key))
            try openssl.write("request", request as Data)
            try openssl(
                "x509", "-req", "-inform", "DER", "-in", "request", "-CA", "ca.pem", "-CAkey",
                "ca.key", "-CAcreateserial", "-copy_extensions", "copy", "-days", "10", "-outform",
                "DER", "-out", "certificate.der")
            let certificate = try #require(
                SecCertificateCreateWithData(nil, try openssl.read("certificate.der") as CFData))
            #expect(SecIdentityCreate(nil, certificate, key) != nil)
            let hosts = SecCertificateCopyValues(certificate, ["DNSNAMES"] as CFArray, nil)
            let found = hosts as? [String: [String: Any]]
            #expect(
                found?["DNSNAMES"]?[kSecPropertyKeyValue as String] as? [String]
                    == ["www.requests.example", "*.requests.example"])
        }
    }

    @Test func aKeyOfTheEnclaveSignsARequest() throws {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        let key = try #require(made)
        let request = SecGenerateCertificateRequest(Self.subject, nil, nil, key)
        #expect(try read(try #require(request)).contains("CN=www.requests.example"))
    }

    // MARK: - Self-signed

    @Test func opensslVerifiesASelfSignedCertificateOfEachKind() throws {
        for (type, bits) in Self.kinds {
            let key = try KeyOperationTests.made(type, bits)
            let parameters: [CFString: Any] = [
                kSecCSRBasicContraintsPathLen: 2, kSecCertificateLifetime: 864_000,
                kSecCertificateSerialNumber: Data([0x80, 1]),
                kSecCertificateKeyUsage: SecKeyUsage([.keyCertSign, .crlSign]).rawValue,
            ]
            let before = Date().timeIntervalSinceReferenceDate.rounded(.down)
            let certificate = try #require(
                SecGenerateSelfSignedCertificate(Self.subject, parameters as CFDictionary, nil, key)
            )
            let after = Date().timeIntervalSinceReferenceDate
            let start = try #require(SecCertificateCopyNotValidBeforeDate(certificate))
                .timeIntervalSinceReferenceDate
            let end = try #require(SecCertificateCopyNotValidAfterDate(certificate))
                .timeIntervalSinceReferenceDate
            #expect((before...after).contains(start))
            #expect((before + 864_000...after + 864_000).contains(end))
            #expect(SecIdentityCreate(nil, certificate, key) != nil)
            try TemporaryDirectory.lend { directory in
                let openssl = OpensslTool(directory: directory)
                try openssl.write("c.der", SecCertificateCopyData(certificate) as Data)
                try openssl("x509", "-inform", "DER", "-in", "c.der", "-out", "c.pem")
                // -check_ss_sig: the signature of the root itself.
                #expect(
                    try openssl.succeeds(["verify", "-check_ss_sig", "-CAfile", "c.pem", "c.pem"]))
                let text = try openssl("x509", "-in", "c.pem", "-noout", "-text")
                #expect(text.contains("Serial Number: 32769 (0x8001)"))
                #expect(text.contains("CA:TRUE, pathlen:2"))
                #expect(text.contains("Certificate Sign, CRL Sign"))
            }
        }
    }

    @Test func withoutParametersThereAreAYearAndTheNumberOne() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        let certificate = try #require(
            SecGenerateSelfSignedCertificate([] as CFArray, nil, nil, key))
        #expect(SecCertificateCopySerialNumberData(certificate, nil) as Data? == Data([1]))
        let start = try #require(SecCertificateCopyNotValidBeforeDate(certificate))
        let end = try #require(SecCertificateCopyNotValidAfterDate(certificate))
        #expect(
            end.timeIntervalSinceReferenceDate - start.timeIntervalSinceReferenceDate
                == 365 * 86_400)
        #expect(SecCertificateCopySubjectSummary(certificate) == nil)
    }

    /// GeneralizedTime from 2050 on (RFC 5280 §4.1.2.5).
    @Test func aLongLifetimeEndsWhereOpensslSaysSo() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        for years in [10, 30, 100, 2000] {
            let parameters = [kSecCertificateLifetime: years * 31_556_952] as CFDictionary
            let certificate = try #require(
                SecGenerateSelfSignedCertificate(Self.subject, parameters, nil, key))
            try TemporaryDirectory.lend { directory in
                let openssl = OpensslTool(directory: directory)
                try openssl.write("c.der", SecCertificateCopyData(certificate) as Data)
                let text = try openssl(
                    "x509", "-inform", "DER", "-in", "c.der", "-noout", "-enddate", "-dateopt",
                    "iso_8601")
                let date = text.split(separator: "=")[1].trimmingCharacters(
                    in: .whitespacesAndNewlines)
                let reader = DateFormatter()
                reader.locale = Locale(identifier: "en_US_POSIX")
                reader.timeZone = TimeZone(secondsFromGMT: 0)
                reader.dateFormat = "yyyy-MM-dd HH:mm:ss'Z'"
                let expected = try #require(reader.date(from: date), "\(date)")
                let end = try #require(SecCertificateCopyNotValidAfterDate(certificate))
                #expect(
                    end.timeIntervalSinceReferenceDate == expected.timeIntervalSinceReferenceDate)
            }
        }
    }

    // MARK: - Refusals

    @Test func wrongArgumentsGiveNothing() throws {
        let key = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        let other = try KeyOperationTests.made(kSecAttrKeyTypeEC, 256)
        let agreeing = try KeyOperationTests.made(kSecAttrKeyTypeX25519, 256)
        let made = SecKeyGenerateSymmetric([:] as CFDictionary, nil)
        let symmetric = try #require(made)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        for wrong in [agreeing, symmetric, publicKey] {
            #expect(SecGenerateCertificateRequest(Self.subject, nil, nil, wrong) == nil)
            #expect(SecGenerateSelfSignedCertificate(Self.subject, nil, nil, wrong) == nil)
        }
        #expect(
            SecGenerateCertificateRequest(
                Self.subject, nil, SecKeyCopyPublicKey(other), key) == nil)
        let subjects: [[Any]] = [
            ["CN"], [["CN", "name"]], [[["CN"]]], [[["CN", ""]]], [[["XX", "name"]]],
            [[["2.5", 1]]], [[[1, "name"]]], [[["3.1", "name"]]], [[["1.40", "name"]]],
            [[["2.5.04", "name"]]], [[]],
            [[["1.2.840.113549.1.9.1", "größe@example"]]],
        ]
        for subject in subjects {
            #expect(
                SecGenerateCertificateRequest(subject as CFArray, nil, nil, key) == nil,
                "\(subject)")
        }
        let parameters: [[CFString: Any]] = [
            [kSecSubjectAltName: "name"], [kSecSubjectAltName: [:] as [String: Any]],
            [kSecSubjectAltName: ["unknown": "name"]], [kSecSubjectAltName: ["dNSName": 1]],
            [kSecSubjectAltName: ["dNSName": "größe.example"]],
            [kSecSubjectAltName: ["iPAddress": "192.0.2.256"]],
            [kSecCertificateKeyUsage: "x"], [kSecCertificateExtendedKeyUsage: []],
            [kSecCertificateExtendedKeyUsage: ["serverAuth"]],
            [kSecCSRBasicConstraintsCA: false, kSecCSRBasicContraintsPathLen: 1],
            [kSecCSRBasicContraintsPathLen: "1"], [kSecCMSSignHashAlgorithm: "md5"],
            [kSecCertificateExtensions: ["1.2.3": 1]],
            [kSecCertificateExtensionsEncoded: ["1.2.3": "text"]],
            [kSecCSRChallengePassword: 1],
        ]
        for parameter in parameters {
            #expect(
                SecGenerateCertificateRequest(
                    Self.subject, parameter as CFDictionary, nil, key) == nil, "\(parameter)")
        }
        for parameter: [CFString: Any] in [
            [kSecCertificateLifetime: -1], [kSecCertificateLifetime: 1e12],
            [kSecCertificateLifetime: "1"], [kSecCertificateSerialNumber: Data()],
            [kSecCertificateSerialNumber: Data(count: 21)], [kSecCertificateSerialNumber: 1],
        ] {
            #expect(
                SecGenerateSelfSignedCertificate(
                    Self.subject, parameter as CFDictionary, nil, key) == nil, "\(parameter)")
        }
    }
}
