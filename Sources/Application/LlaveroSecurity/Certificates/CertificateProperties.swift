// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SwiftASN1

/// A list of properties, in the shape of the dictionaries of `SecCertificateCopyValues`: each has a
/// type, a label, the label for people, and a value.
///
/// Source: Apple's SecCertificate, as observed. Bytes that aren't what the extension says are a
/// property of type data with the word *Invalid* before the label; bytes that nothing here reads
/// have the word *Unparsed*.
struct CertificateProperties {
    private(set) var entries: [NSDictionary] = []

    /// One property.
    static func property(
        _ type: CFString, _ label: String, localized: String? = nil, _ value: NSObject
    ) -> NSDictionary {
        let result = NSMutableDictionary()
        result.setObject(type, forKey: kSecPropertyKeyType as String)
        result.setObject(NSString(string: label), forKey: kSecPropertyKeyLabel as String)
        result.setObject(
            NSString(string: localized ?? label), forKey: kSecPropertyKeyLocalizedLabel as String)
        result.setObject(value, forKey: kSecPropertyKeyValue as String)
        return result
    }

    var array: NSArray { NSArray(array: entries) }

    mutating func add(_ property: NSDictionary) { entries.append(property) }

    mutating func add(_ label: String, localized: String? = nil, text: String) {
        entries.append(
            Self.property(
                kSecPropertyTypeString, label, localized: localized, NSString(string: text)))
    }

    mutating func add(_ label: String, data: some Sequence<UInt8>) {
        entries.append(Self.property(kSecPropertyTypeData, label, NSData(data: Data(data))))
    }

    mutating func add(_ label: String, localized: String? = nil, section: CertificateProperties) {
        entries.append(
            Self.property(kSecPropertyTypeSection, label, localized: localized, section.array))
    }

    mutating func add(_ label: String, flag: Bool) { add(label, text: flag ? "Yes" : "No") }

    mutating func addDate(_ label: String, _ node: ASN1Node) {
        guard let seconds = CertificateTime.seconds(node) else {
            return add("Invalid \(label)", data: node.encodedBytes)
        }
        entries.append(
            Self.property(
                kSecPropertyTypeDate, label, NSDate(timeIntervalSinceReferenceDate: seconds)))
    }

    /// A URL; a text that isn't one is bytes.
    mutating func addURL(_ label: String, _ bytes: ArraySlice<UInt8>) {
        guard bytes.allSatisfy({ 0x21...0x7e ~= $0 }),
            let url = NSURL(string: String(decoding: bytes, as: UTF8.self))
        else { return add("Invalid \(label)", data: bytes) }
        entries.append(Self.property(kSecPropertyTypeURL, label, url))
    }

    /// A number: decimal up to 64 bits, else in hexadecimal.
    mutating func add(_ label: String, integer content: ArraySlice<UInt8>) {
        add(label, text: Self.text(integer: content))
    }

    static func text(integer content: ArraySlice<UInt8>) -> String {
        guard (1...8).contains(content.count) else { return hexadecimal(content) }
        return String(content.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0" + digits : digits
        }.joined(separator: " ")
    }

    // MARK: - Names

    /// A `Name`: each attribute is a text, whose label is the object identifier. Several attributes
    /// of a relative name are a section without a label of its own.
    init?(name node: ASN1Node) {
        guard let names = DistinguishedName.relativeNames(of: node) else { return nil }
        for name in names {
            var properties = CertificateProperties()
            for pair in name {
                let identifier = pair.type.dotted
                properties.add(
                    identifier, localized: Self.labels[identifier],
                    text: Self.description(of: pair.value))
            }
            if name.count == 1 {
                entries += properties.entries
            } else {
                add("", section: properties)
            }
        }
    }

    init() {}

    /// What a value is in words.
    static func description(of node: ASN1Node) -> String {
        if let text = node.text { return text }
        if let identifier = node.objectIdentifier { return identifier.dotted }
        if let integer = node.integerBytes { return text(integer: integer) }
        return hexadecimal(node.encodedBytes)
    }

    /// Labels for people.
    static let labels = [
        "2.5.4.3": "Common Name", "2.5.4.4": "Surname", "2.5.4.5": "Serial Number",
        "2.5.4.6": "Country or Region", "2.5.4.7": "Locality", "2.5.4.8": "State/Province",
        "2.5.4.9": "Street Address", "2.5.4.10": "Organization",
        "2.5.4.11": "Organizational Unit", "2.5.4.12": "Title", "2.5.4.13": "Description",
        "2.5.4.42": "Given Name", "1.2.840.113549.1.9.1": "Email Address",
        "2.5.29.14": "Subject Key Identifier", "2.5.29.15": "Key Usage",
        "2.5.29.16": "Private Key Usage Period", "2.5.29.17": "Subject Alternative Name",
        "2.5.29.18": "Issuer Alternative Name", "2.5.29.19": "Basic Constraints",
        "2.5.29.30": "Name Constraints", "2.5.29.31": "CRL Distribution Points",
        "2.5.29.32": "Certificate Policies", "2.5.29.33": "Policy Mappings",
        "2.5.29.35": "Authority Key Identifier", "2.5.29.36": "Policy Constraints",
        "2.5.29.37": "Extended Key Usage",
        "1.3.6.1.5.5.7.1.1": "Certificate Authority Information Access",
        "1.3.6.1.5.5.7.1.3": "Qualified Certificate Statements",
        "2.16.840.1.113730.1.1": "Netscape Certificate Type",
    ]

    // MARK: - Parts of several extensions

    /// An algorithm with its parameters.
    init(algorithm node: ASN1Node) {
        guard let parts = node.elements(.sequence), let name = parts.first?.objectIdentifier else {
            add("Invalid Algorithm", data: node.encodedBytes)
            return
        }
        add("Algorithm", text: name.dotted)
        guard parts.count > 1 else { return }
        if parts[1].encodedBytes.elementsEqual([0x05, 0x00]) {
            add("Parameters", text: "none")
        } else {
            add("Unparsed Parameters", data: parts[1].encodedBytes)
        }
    }

    /// Adds a `GeneralName` (RFC 5280 §4.2.1.6).
    mutating func add(generalName node: ASN1Node) {
        if let other = node.elements(.context(0)), other.count == 2,
            let type = other[0].objectIdentifier, let value = other[1].onlyElement(.context(0))
        {
            add(type.dotted, text: Self.description(of: value))
        } else if let bytes = node.bytes(.context(1)) {
            add("Email Address", ascii: bytes)
        } else if let bytes = node.bytes(.context(2)) {
            add("DNS Name", ascii: bytes)
        } else if let name = node.onlyElement(.context(4)),
            let properties = CertificateProperties(name: name)
        {
            add("Directory Name", section: properties)
        } else if let bytes = node.bytes(.context(6)) {
            addURL("URI", bytes)
        } else if let bytes = node.bytes(.context(7)) {
            if let text = Self.address(bytes) {
                add("IP Address", text: text)
            } else {
                add("Unparsed IP Address", data: bytes)
            }
        } else if let bytes = node.bytes(.context(8)),
            let parsed = try? DER.parse(derElement(tag: 0x06, bytes)),
            let identifier = parsed.objectIdentifier
        {
            add("Registered ID", text: identifier.dotted)
        } else {
            add("Unparsed General Name", data: node.encodedBytes)
        }
    }

    private mutating func add(_ label: String, ascii bytes: ArraySlice<UInt8>) {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return add("Invalid \(label)", data: bytes) }
        add(label, text: String(decoding: bytes, as: UTF8.self))
    }

    /// An address of 4 or 16 bytes in words; nil for another count.
    static func address(_ bytes: ArraySlice<UInt8>) -> String? {
        switch bytes.count {
        case 4: return bytes.map(String.init).joined(separator: ".")
        case 16:
            let bytes = [UInt8](bytes)
            return stride(from: 0, to: 16, by: 2).map { index in
                let digits = String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
                return String(repeating: "0", count: 4 - digits.count) + digits
            }.joined(separator: ":")
        default: return nil
        }
    }

    /// The names of the bits that are set, in a BIT STRING; nil for another node, and for bits
    /// without a name.
    static func bitNames(_ node: ASN1Node, _ names: [String]) -> String? {
        setBits(node).flatMap { bits in
            bits.allSatisfy { $0 < names.count }
                ? bits.map { names[$0] }.joined(separator: ", ") : nil
        }
    }

    /// The bits that are set in a BIT STRING; nil for another node.
    static func setBits(_ node: ASN1Node) -> [Int]? {
        guard let bits = try? ASN1BitString(derEncoded: node), bits.bytes.count <= 8 else {
            return nil
        }
        return bits.bytes.enumerated().flatMap { index, byte in
            (0..<8).filter { byte & 0x80 >> UInt8($0) != 0 }.map { index * 8 + $0 }
        }
    }
}

extension ASN1ObjectIdentifier {
    /// Its numbers with dots between. There is a static member with the name of the library's
    /// description.
    var dotted: String { String(describing: self) }
}
