// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CertificateRequests
public import Foundation

// Apple has these functions in no header of its SDK; programs declare them themselves.

/// Makes a certificate request (PKCS #10, RFC 2986), signed by the key.
/// - Parameters:
///   - subject: The relative names of the subject: an array of arrays of pairs, each an array of a
///     type (`kSecOidCommonName` or another, an object identifier as text, or its content as data)
///     and a text.
///   - parameters: Nil, or what is asked for: `kSecSubjectAltName`, `kSecCertificateKeyUsage`,
///     `kSecCertificateExtendedKeyUsage`, `kSecCSRBasicConstraintsCA`,
///     `kSecCSRBasicContraintsPathLen`, `kSecCertificateExtensions`,
///     `kSecCertificateExtensionsEncoded`, `kSecCSRChallengePassword`, and by which digest it is
///     signed: `kSecCMSSignHashAlgorithm`, SHA-256 if there is none.
///   - publicKey: The public half of the key; nil for that.
///   - privateKey: The key, of RSA, on a curve of NIST, or Ed25519; it may be in the enclave.
/// - Returns: Its DER; nil for arguments of a wrong type, for a public key that isn't the private
///   one's, and when the key doesn't sign.
public func SecGenerateCertificateRequest(
    _ subject: CFArray, _ parameters: CFDictionary?, _ publicKey: SecKey?, _ privateKey: SecKey
) -> CFData? {
    try? certificateRequest(subject, parameters ?? NSDictionary(), publicKey, privateKey)
}

/// Makes a certificate that its own key signs.
/// - Parameters:
///   - subject: As in ``SecGenerateCertificateRequest(_:_:_:_:)``.
///   - parameters: As there, without a challenge. `kSecCertificateLifetime`: seconds from now, 365
///     days if there is none. `kSecCertificateSerialNumber`: 1 to 20 bytes; 1 if there is none.
///   - publicKey: Ignored, as in Apple's implementation.
///   - privateKey: The key.
/// - Returns: Nil as there, and for a lifetime or serial number that is out of bounds.
public func SecGenerateSelfSignedCertificate(
    _ subject: CFArray, _ parameters: CFDictionary?, _ publicKey: SecKey?, _ privateKey: SecKey
) -> SecCertificate? {
    try? selfSigned(
        subject, parameters ?? NSDictionary(), privateKey, Date().timeIntervalSince1970)
}

private func certificateRequest(
    _ subject: NSArray, _ parameters: NSDictionary, _ publicKey: SecKey?, _ privateKey: SecKey
) throws(KeyFailure) -> NSData {
    guard publicKey == nil || publicKey == privateKey.publicKey else {
        throw KeyFailure(errSecParam, "The public key isn't the private one's.")
    }
    let signer = try CertificateSigner(privateKey, parameters)
    var draft = try draft(subject, parameters, signer)
    switch parameters.object(forKey: kSecCSRChallengePassword) {
    case nil: break
    case let text as NSString: draft.challengePassword = text as String
    default: throw KeyFailure(errSecParam, "The challenge isn't text.")
    }
    return Data(try signer.signed(draft.requestInfo)) as NSData
}

private func selfSigned(
    _ subject: NSArray, _ parameters: NSDictionary, _ privateKey: SecKey, _ now: Double
) throws(KeyFailure) -> SecCertificate {
    let signer = try CertificateSigner(privateKey, parameters)
    let draft = try draft(subject, parameters, signer)
    let lifetime: Double
    switch parameters.object(forKey: kSecCertificateLifetime) {
    case nil: lifetime = 365 * 86_400
    case let number as NSNumber: lifetime = number.doubleValue
    default: throw KeyFailure(errSecParam, "The lifetime isn't a number.")
    }
    var serialNumber: [UInt8] = [1]
    if let given = parameters.object(forKey: kSecCertificateSerialNumber) {
        guard let given = given as? NSData, (1...20).contains(given.length) else {
            throw KeyFailure(errSecParam, "The serial number isn't 1 to 20 bytes.")
        }
        // Its shortest form, and not negative.
        let bytes = given.byteArray.drop { $0 == 0 }
        serialNumber = bytes.first ?? 0x80 >= 0x80 ? [0] + bytes : Array(bytes)
    }
    guard lifetime >= 0, lifetime < 1e11, let notBefore = DERText.time(Int64(now)),
        let notAfter = DERText.time(Int64(now + lifetime))
    else { throw KeyFailure(errSecParam, "The lifetime is out of bounds.") }
    let info = draft.certificateInfo(
        serialNumber: serialNumber, algorithm: signer.algorithm, notBefore: notBefore,
        notAfter: notAfter)
    guard let made = SecCertificate(der: Data(try signer.signed(info))) else { throw .unusable }
    return made
}

private func draft(
    _ subject: NSArray, _ parameters: NSDictionary, _ signer: CertificateSigner
) throws(KeyFailure) -> CertificateDraft {
    CertificateDraft(
        subject: try CertificateParameters.name(subject), publicKey: signer.publicKey,
        extensions: try CertificateParameters.extensions(parameters))
}

/// Signs with a key, and says how.
private struct CertificateSigner {
    private let key: SecKey
    private let signature: SecKeyAlgorithm
    /// The `AlgorithmIdentifier` of the signature (RFC 3279, RFC 5758, RFC 8410).
    let algorithm: [UInt8]
    /// The `SubjectPublicKeyInfo` of the key.
    let publicKey: [UInt8]

    init(_ key: SecKey, _ parameters: NSDictionary) throws(KeyFailure) {
        let digests = [
            kSecCMSHashingAlgorithmSHA1 as String: 0, kSecCMSHashingAlgorithmSHA256 as String: 1,
            kSecCMSHashingAlgorithmSHA384 as String: 2, kSecCMSHashingAlgorithmSHA512 as String: 3,
        ]
        let name = parameters.object(forKey: kSecCMSSignHashAlgorithm)
        guard name == nil || name is NSString,
            let digest = digests[(name as? NSString ?? kSecCMSHashingAlgorithmSHA256) as String]
        else { throw KeyFailure(errSecParam, "There is no such digest.") }
        let found: (SecKeyAlgorithm, String, hasParameters: Bool)
        switch key.algorithm {
        case .rsa:
            found = (
                [
                    .rsaSignatureMessagePKCS1v15SHA1, .rsaSignatureMessagePKCS1v15SHA256,
                    .rsaSignatureMessagePKCS1v15SHA384, .rsaSignatureMessagePKCS1v15SHA512,
                ][digest], "1.2.840.113549.1.1.\([5, 11, 12, 13][digest])", true
            )
        case .ellipticCurve:
            found = (
                [
                    .ecdsaSignatureMessageX962SHA1, .ecdsaSignatureMessageX962SHA256,
                    .ecdsaSignatureMessageX962SHA384, .ecdsaSignatureMessageX962SHA512,
                ][digest],
                ["1.2.840.10045.4.1"][safe: digest] ?? "1.2.840.10045.4.3.\(digest + 1)", false
            )
        case .ed25519: found = (.eddsaSignatureMessageCurve25519SHA512, "1.3.101.112", false)
        case .x25519, .symmetric: throw KeyFailure(errSecParam, "The key doesn't sign.")
        }
        guard key.keyClass == .privateKey, let publicKey = key.publicKey?.publicKeyInfo else {
            throw KeyFailure(errSecParam, "The key isn't a private one.")
        }
        self.key = key
        self.publicKey = publicKey
        signature = found.0
        algorithm = derElement(
            tag: 0x30,
            (DERText.identifier(found.1) ?? []) + (found.hasParameters ? [0x05, 0x00] : []))
    }

    /// A part with its signature.
    func signed(_ info: [UInt8]) throws(KeyFailure) -> [UInt8] {
        let bytes = try key.signature(signature, Data(info) as NSData)
        return CertificateDraft.signed(info, algorithm, [UInt8](bytes))
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}

extension SecKey {
    /// A public key in the form of certificates (RFC 5280 §4.1.2.7); nil for another key.
    var publicKeyInfo: [UInt8]? {
        guard keyClass == .publicKey, let bits = publicBytes else { return nil }
        let identifier: [UInt8]?
        switch algorithm {
        case .rsa: identifier = DERText.identifier("1.2.840.113549.1.1.1").map { $0 + [5, 0] }
        case .ellipticCurve(let curve):
            let name =
                switch curve {
                case .p256: "1.2.840.10045.3.1.7"
                case .p384: "1.3.132.0.34"
                case .p521: "1.3.132.0.35"
                }
            identifier = DERText.identifier("1.2.840.10045.2.1").map {
                $0 + (DERText.identifier(name) ?? [])
            }
        case .ed25519: identifier = DERText.identifier("1.3.101.112")
        case .x25519: identifier = DERText.identifier("1.3.101.110")
        case .symmetric: identifier = nil
        }
        return identifier.map {
            derElement(
                tag: 0x30, derElement(tag: 0x30, $0) + derElement(tag: 0x03, [0] + bits))
        }
    }
}
