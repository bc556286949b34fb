// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SwiftASN1

/// An extension of a certificate as it is encoded (RFC 5280 §4.1.2.9).
struct CertificateExtension {
    let identifier: String
    let isCritical: Bool
    let value: ArraySlice<UInt8>

    /// The extensions of a certificate whose bytes are known to be well-formed.
    static func all(inSignedPart nodes: [ASN1Node]) -> [CertificateExtension] {
        guard let tagged = nodes.last?.onlyElement(.context(3)) else { return [] }
        return (tagged.elements(.sequence) ?? []).compactMap(CertificateExtension.init)
    }

    private init?(_ node: ASN1Node) {
        guard let parts = node.elements(.sequence), let name = parts.first?.objectIdentifier,
            let value = parts.last?.bytes(.octetString)
        else { return nil }
        identifier = name.dotted
        isCritical = parts.count == 3 && (try? Bool(derEncoded: parts[1])) == true
        self.value = value
    }

    /// The value, if it is DER.
    var node: ASN1Node? { try? DER.parse(value) }
}

extension CertificateProperties {
    /// The properties of an extension, of which the first says whether it is critical.
    init(_ found: CertificateExtension) {
        self.init()
        add("Critical", flag: found.isCritical)
        guard let read = Self.readers[found.identifier] else {
            addUnknown(found)
            return
        }
        var properties = CertificateProperties()
        if let node = found.node, read(&properties, node) {
            for entry in properties.entries { add(entry) }
        } else {
            add("Invalid \(Self.labels[found.identifier] ?? "Data")", data: found.value)
        }
    }

    /// Of another extension the texts that it is a sequence of, or its bytes.
    private mutating func addUnknown(_ found: CertificateExtension) {
        let texts = found.node?.elements(.sequence)?.compactMap(\.text) ?? []
        if texts.isEmpty { add("Unparsed Data", data: found.value) }
        for text in texts { add("Data", text: text) }
    }

    /// Each adds what a node says, and returns false for one that isn't as the extension says.
    private typealias Reader = @Sendable (inout CertificateProperties, ASN1Node) -> Bool

    private static let readers: [String: Reader] = [
        "2.5.29.14": { $0.addKeyIdentifier($1.bytes(.octetString)) },
        "2.5.29.15": { $0.addBits($1, usages) },
        "2.5.29.16": { $0.addUsagePeriod($1) },
        "2.5.29.17": { $0.addGeneralNames($1.elements(.sequence)) },
        "2.5.29.18": { $0.addGeneralNames($1.elements(.sequence)) },
        "2.5.29.19": { $0.addBasicConstraints($1) },
        "2.5.29.30": { $0.addNameConstraints($1) },
        "2.5.29.31": { $0.addDistributionPoints($1) },
        "2.5.29.32": { $0.addPolicies($1) },
        "2.5.29.35": { $0.addAuthorityKey($1) },
        "2.5.29.36": { $0.addPolicyConstraints($1) },
        "2.5.29.37": { $0.addPurposes($1) },
        "1.3.6.1.5.5.7.1.1": { $0.addAccess($1) },
        "1.3.6.1.5.5.7.1.11": { $0.addAccess($1) },
        "2.16.840.1.113730.1.1": { $0.addBits($1, netscapeTypes) },
    ]

    private static let usages = [
        "Digital Signature", "Non-Repudiation", "Key Encipherment", "Data Encipherment",
        "Key Agreement", "Cert Sign", "CRL Sign", "Encipher", "Decipher",
    ]
    private static let netscapeTypes = [
        "SSL client", "SSL server", "S/MIME", "Object Signing", "Reserved", "SSL CA", "S/MIME CA",
        "Object Signing CA",
    ]
    private static let reasons = [
        "Unused", "Key Compromise", "CA Compromise", "Affiliation Changed", "Superseded",
        "Cessation Of Operation", "Certificate Hold", "Privilege Withdrawn", "AA Compromise",
    ]

    private mutating func addKeyIdentifier(_ bytes: ArraySlice<UInt8>?) -> Bool {
        guard let bytes else { return false }
        add("Key Identifier", data: bytes)
        return true
    }

    private mutating func addBits(_ node: ASN1Node, _ names: [String]) -> Bool {
        guard let text = Self.bitNames(node, names) else { return false }
        add("Usage", text: text)
        return true
    }

    private mutating func addUsagePeriod(_ node: ASN1Node) -> Bool {
        guard let parts = node.elements(.sequence) else { return false }
        for part in parts {
            guard let bytes = part.bytes(.context(0)) ?? part.bytes(.context(1)),
                let time = try? DER.parse(derElement(tag: 0x18, bytes))
            else { return false }
            addDate(
                part.identifier == .context(0) ? "Not Valid Before" : "Not Valid After", time)
        }
        return true
    }

    private mutating func addGeneralNames(_ names: [ASN1Node]?) -> Bool {
        guard let names else { return false }
        for name in names { add(generalName: name) }
        return true
    }

    private mutating func addBasicConstraints(_ node: ASN1Node) -> Bool {
        guard var parts = node.elements(.sequence)?[...] else { return false }
        var isAuthority = false
        if let flag = parts.first.flatMap({ try? Bool(derEncoded: $0) }) {
            isAuthority = flag
            parts.removeFirst()
        }
        add("Certificate Authority", flag: isAuthority)
        guard let length = parts.popFirst() else { return true }
        guard let number = length.integerBytes, parts.isEmpty else { return false }
        add("Path Length Constraint", integer: number)
        return true
    }

    private mutating func addNameConstraints(_ node: ASN1Node) -> Bool {
        guard let parts = node.elements(.sequence) else { return false }
        for part in parts {
            let isPermitted = part.identifier == .context(0)
            guard let trees = part.elements(isPermitted ? .context(0) : .context(1)) else {
                return false
            }
            for tree in trees {
                guard let base = tree.elements(.sequence)?.first else { return false }
                var name = CertificateProperties()
                name.add(generalName: base)
                add(isPermitted ? "Permitted Subtree Name" : "Excluded Subtree Name", section: name)
            }
        }
        return true
    }

    private mutating func addDistributionPoints(_ node: ASN1Node) -> Bool {
        guard let points = node.elements(.sequence) else { return false }
        for point in points {
            guard let parts = point.elements(.sequence) else { return false }
            for part in parts {
                if let name = part.onlyElement(.context(0)) {
                    if let names = name.elements(.context(0)) {
                        _ = addGeneralNames(names)
                    } else {
                        add("Unparsed Name", data: name.encodedBytes)
                    }
                } else if let bits = part.bytes(.context(1)) {
                    let node = try? DER.parse(derElement(tag: 0x03, bits))
                    guard let text = node.flatMap({ Self.bitNames($0, Self.reasons) }) else {
                        return false
                    }
                    add("Reasons", text: text)
                } else if let names = part.elements(.context(2)) {
                    var issuer = CertificateProperties()
                    _ = issuer.addGeneralNames(names)
                    add("CRL Issuer", section: issuer)
                } else {
                    return false
                }
            }
        }
        return true
    }

    private mutating func addPolicies(_ node: ASN1Node) -> Bool {
        guard let policies = node.elements(.sequence) else { return false }
        for (index, policy) in policies.enumerated() {
            guard let parts = policy.elements(.sequence), let name = parts.first?.objectIdentifier
            else { return false }
            add("Policy Identifier #\(index + 1)", text: name.dotted)
            guard parts.count > 1 else { continue }
            guard let qualifiers = parts[1].elements(.sequence) else { return false }
            for (index, qualifier) in qualifiers.enumerated() {
                guard addQualifier(qualifier, index + 1) else { return false }
            }
        }
        return true
    }

    private mutating func addQualifier(_ node: ASN1Node, _ number: Int) -> Bool {
        guard let parts = node.elements(.sequence), parts.count == 2,
            let name = parts[0].objectIdentifier
        else { return false }
        add("Policy Qualifier #\(number)", text: name.dotted)
        switch name.dotted {
        case "1.3.6.1.5.5.7.2.1":
            guard let bytes = parts[1].bytes(.ia5String) else { return false }
            addURL("CPS URI", bytes)
        case "1.3.6.1.5.5.7.2.2":
            guard let notice = parts[1].elements(.sequence) else { return false }
            for part in notice {
                if let text = part.text {
                    add("Explicit Text", text: text)
                } else {
                    add("Unparsed Notice Reference", data: part.encodedBytes)
                }
            }
        default: add("Unparsed Qualifier", data: parts[1].encodedBytes)
        }
        return true
    }

    private mutating func addAuthorityKey(_ node: ASN1Node) -> Bool {
        guard let parts = node.elements(.sequence) else { return false }
        for part in parts {
            if let bytes = part.bytes(.context(0)) {
                add("Key Identifier", data: bytes)
            } else if let names = part.elements(.context(1)) {
                _ = addGeneralNames(names)
            } else if let number = part.bytes(.context(2)) {
                add("Authority Certificate Serial Number", integer: number)
            } else {
                return false
            }
        }
        return true
    }

    private mutating func addPolicyConstraints(_ node: ASN1Node) -> Bool {
        guard let parts = node.elements(.sequence) else { return false }
        for part in parts {
            if let number = part.bytes(.context(0)) {
                add("Require Explicit Policy", integer: number)
            } else if let number = part.bytes(.context(1)) {
                add("Inhibit Policy Mapping", integer: number)
            } else {
                return false
            }
        }
        return true
    }

    private mutating func addPurposes(_ node: ASN1Node) -> Bool {
        guard let parts = node.elements(.sequence) else { return false }
        for part in parts {
            guard let purpose = part.objectIdentifier else { return false }
            add("Purpose", text: purpose.dotted)
        }
        return true
    }

    private mutating func addAccess(_ node: ASN1Node) -> Bool {
        guard let descriptions = node.elements(.sequence) else { return false }
        for description in descriptions {
            guard let parts = description.elements(.sequence), parts.count == 2,
                let method = parts[0].objectIdentifier
            else { return false }
            add("Access Method", text: method.dotted)
            add(generalName: parts[1])
        }
        return true
    }
}
