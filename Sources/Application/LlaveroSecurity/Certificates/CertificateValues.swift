// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SwiftASN1

/// The fields of a certificate as properties, by object identifier.
///
/// Source: Apple's CertificateValues, as observed. Key usage, extended key usage and the names are
/// there in a form for programs; the extensions of all other kinds as sections of texts.
struct CertificateValues {
    private var values: [String: NSDictionary] = [:]
    private let certificate: SecCertificate
    private let signedPart: [ASN1Node]
    private let extensions: [CertificateExtension]

    /// Reads the certificate again; nil if it can't be read, which its maker has excluded.
    init?(_ certificate: SecCertificate) {
        guard let root = try? DER.parse([UInt8](certificate.der)),
            let parts = root.elements(.sequence), parts.count == 3,
            let nodes = parts[0].elements(.sequence)
        else { return nil }
        self.certificate = certificate
        // Without the version, which only some have.
        signedPart = nodes.first?.identifier == .context(0) ? Array(nodes.dropFirst()) : nodes
        guard signedPart.count >= 6 else { return nil }
        extensions = CertificateExtension.all(inSignedPart: nodes)
        addNames()
        addUses()
        addFields(signature: parts[2])
        for found in extensions {
            add(
                found.identifier, kSecPropertyTypeSection, found.identifier,
                localized: CertificateProperties.labels[found.identifier],
                CertificateProperties(found).array)
        }
    }

    /// All values, or those of some keys.
    func dictionary(of keys: Set<String>?) -> NSDictionary {
        let result = NSMutableDictionary()
        for (key, value) in values where keys?.contains(key) ?? true {
            result.setObject(value, forKey: key)
        }
        return result
    }

    /// The first value of a key stays.
    private mutating func add(
        _ key: String, _ type: CFString, _ label: String, localized: String? = nil,
        _ value: NSObject
    ) {
        guard values[key] == nil else { return }
        values[key] = CertificateProperties.property(type, label, localized: localized, value)
    }

    private mutating func add(_ key: String, _ label: String, texts: [String]) {
        guard !texts.isEmpty else { return }
        add(key, kSecPropertyTypeArray, label, NSArray(array: texts.map { NSString(string: $0) }))
    }

    // MARK: - For programs

    private mutating func addNames() {
        let fields = certificate.fields
        add(kSecOIDCommonName as String, "CN", texts: fields.commonNames)
        let hosts = fields.dnsNames.isEmpty ? fields.commonNames.filter(isHost) : fields.dnsNames
        add("DNSNAMES", "DNS", texts: hosts)
        let names = extensions.first { $0.identifier == kSecOIDSubjectAltName as String }?.node
        let addresses = (names?.elements(.sequence) ?? []).compactMap { name in
            name.bytes(.context(7)).flatMap(CertificateProperties.address)
        }
        add("IPADDRESSES", "IP", texts: addresses)
        add(kSecOIDEmailAddress as String, "Email", texts: fields.emailAddresses)
    }

    /// Whether a common name has the form of a host's.
    private func isHost(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.last?.contains(where: \.isLetter) == true
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        $0.isASCII && ($0.isLetter || $0.isNumber || "-_*".contains($0))
                    }
            }
    }

    private mutating func addUses() {
        add(
            kSecOIDX509V1ValidityNotBefore as String, kSecPropertyTypeNumber, "Not Valid Before",
            NSNumber(value: certificate.fields.notBefore))
        add(
            kSecOIDX509V1ValidityNotAfter as String, kSecPropertyTypeNumber, "Not Valid After",
            NSNumber(value: certificate.fields.notAfter))
        add(
            kSecOIDKeyUsage as String, kSecPropertyTypeNumber, "Key Usage",
            NSNumber(value: Int32(bitPattern: keyUsage.rawValue)))
        let found = extensions.first { $0.identifier == kSecOIDExtendedKeyUsage as String }
        guard let purposes = found?.node?.elements(.sequence) else { return }
        let list = purposes.compactMap { purpose in
            purpose.bytes(.objectIdentifier).map { NSData(data: Data($0)) }
        }
        guard list.count == purposes.count else { return }
        add(
            kSecOIDExtendedKeyUsage as String, kSecPropertyTypeArray, "Extended Key Usage",
            NSArray(array: list))
    }

    /// What the key may be used for; nothing without the extension.
    private var keyUsage: SecKeyUsage {
        guard let found = extensions.first(where: { $0.identifier == kSecOIDKeyUsage as String }),
            let bits = found.node.flatMap(CertificateProperties.setBits)
        else { return [] }
        let flags = bits.filter { $0 <= 8 }.map { SecKeyUsage(rawValue: 1 << UInt32($0)) }
        return SecKeyUsage(flags).union(found.isCritical ? .critical : [])
    }

    // MARK: - Fields

    private mutating func addFields(signature: ASN1Node) {
        let fields = certificate.fields
        addSection(kSecOIDX509V1SubjectName, "Subject Name", name: signedPart[4])
        addSection(kSecOIDX509V1IssuerName, "Issuer Name", name: signedPart[2])
        addData(
            kSecOIDX509V1SubjectNameStd, "Normalized Subject Name",
            derElement(tag: 0x30, fields.normalizedSubject))
        addData(
            kSecOIDX509V1IssuerNameStd, "Normalized Issuer Name",
            derElement(tag: 0x30, fields.normalizedIssuer))
        addText(kSecOIDX509V1Version, "Version", String(fields.version))
        addText(
            kSecOIDX509V1SerialNumber, "Serial Number",
            CertificateProperties.text(integer: fields.serialNumber[...]))
        add(
            kSecOIDX509V1SignatureAlgorithm as String, kSecPropertyTypeSection,
            "Signature Algorithm", CertificateProperties(algorithm: signedPart[1]).array)
        if let algorithm = signedPart[5].elements(.sequence)?.first {
            add(
                kSecOIDX509V1SubjectPublicKeyAlgorithm as String, kSecPropertyTypeSection,
                "Public Key Algorithm", CertificateProperties(algorithm: algorithm).array)
        }
        addData(kSecOIDX509V1SubjectPublicKey, "Public Key Data", fields.publicKey.bits)
        for node in signedPart.dropFirst(6) {
            if let bits = node.bytes(.context(1)) {
                addData(
                    kSecOIDX509V1CertificateIssuerUniqueId, "Issuer Unique ID", bits.dropFirst())
            } else if let bits = node.bytes(.context(2)) {
                addData(
                    kSecOIDX509V1CertificateSubjectUniqueId, "Subject Unique ID", bits.dropFirst())
            }
        }
        if let bits = try? ASN1BitString(derEncoded: signature) {
            addData(kSecOIDX509V1Signature, "Signature", bits.bytes)
        }
    }

    private mutating func addSection(_ key: CFString, _ label: String, name: ASN1Node) {
        guard let properties = CertificateProperties(name: name) else { return }
        add(key as String, kSecPropertyTypeSection, label, properties.array)
    }

    private mutating func addData(_ key: CFString, _ label: String, _ bytes: some Sequence<UInt8>) {
        add(key as String, kSecPropertyTypeData, label, NSData(data: Data(bytes)))
    }

    private mutating func addText(_ key: CFString, _ label: String, _ text: String) {
        add(key as String, kSecPropertyTypeString, label, NSString(string: text))
    }
}
