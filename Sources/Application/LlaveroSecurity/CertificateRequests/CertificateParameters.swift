// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CertificateRequests
import Foundation
import Glibc

/// Reads the arguments of ``SecGenerateCertificateRequest(_:_:_:_:)``: names and extensions.
enum CertificateParameters {
    private static func wrong(_ reason: String) -> KeyFailure { KeyFailure(errSecParam, reason) }

    // MARK: - Subject

    /// The `Name` of an array of relative names, each an array of pairs of type and value.
    static func name(_ subject: NSArray) throws(KeyFailure) -> [UInt8] {
        var content: [UInt8] = []
        for name in try elements(subject) {
            guard let pairs = name as? NSArray, pairs.count > 0 else {
                throw wrong("A relative name isn't an array.")
            }
            var encoded: [[UInt8]] = []
            for pair in try elements(pairs) {
                guard let pair = pair as? NSArray, pair.count == 2 else {
                    throw wrong("An attribute isn't a pair.")
                }
                let parts = try elements(pair)
                encoded.append(try attribute(parts[0], parts[1]))
            }
            // DER: the elements of a set are in order (X.690 §11.6).
            encoded.sort { $0.lexicographicallyPrecedes($1) }
            content += derElement(tag: 0x31, encoded.joined())
        }
        return derElement(tag: 0x30, content)
    }

    private static func attribute(
        _ type: NSObject, _ value: NSObject
    ) throws(KeyFailure) -> [UInt8] {
        let identifier: [UInt8]
        if let text = type as? NSString {
            guard let encoded = DERText.attributeType(text as String) else {
                throw wrong("The type of an attribute isn't an object identifier.")
            }
            identifier = encoded
        } else if let data = type as? NSData, data.length > 0 {
            identifier = derElement(tag: 0x06, data.byteArray)
        } else {
            throw wrong("The type of an attribute isn't an object identifier.")
        }
        guard let text = value as? NSString,
            let encoded = DERText.attribute(identifier, text as String)
        else { throw wrong("The value of an attribute isn't text.") }
        return encoded
    }

    // MARK: - Extensions

    /// The extensions that the parameters name, in a fixed order.
    static func extensions(_ parameters: NSDictionary) throws(KeyFailure) -> [[UInt8]] {
        var result: [[UInt8]] = []
        if let constraints = try basicConstraints(parameters) {
            result.append(make("2.5.29.19", isCritical: true, constraints))
        }
        if let names = parameters.object(forKey: kSecSubjectAltName) {
            guard let names = names as? NSDictionary else {
                throw wrong("The alternative names aren't a dictionary.")
            }
            result.append(make("2.5.29.17", isCritical: false, try alternativeNames(names)))
        }
        if let usage = parameters.object(forKey: kSecCertificateKeyUsage) {
            guard let number = usage as? NSNumber else {
                throw wrong("The key usage isn't a number.")
            }
            if let bits = usageBits(SecKeyUsage(rawValue: number.uint32Value)) {
                result.append(make("2.5.29.15", isCritical: true, bits))
            }
        }
        if let purposes = parameters.object(forKey: kSecCertificateExtendedKeyUsage) {
            guard let purposes = purposes as? NSArray, purposes.count > 0 else {
                throw wrong("The purposes aren't an array.")
            }
            var content: [UInt8] = []
            for purpose in try elements(purposes) {
                let text = (purpose as? NSString).map { $0 as String }
                guard let encoded = text.flatMap(DERText.identifier) else {
                    throw wrong("A purpose isn't an object identifier.")
                }
                content += encoded
            }
            result.append(make("2.5.29.37", isCritical: false, derElement(tag: 0x30, content)))
        }
        result += try others(parameters, kSecCertificateExtensions) { value in
            if let text = value as? NSString {
                return derElement(tag: 0x0c, Array((text as String).utf8))
            }
            return (value as? NSData).map { derElement(tag: 0x04, $0.byteArray) }
        }
        result += try others(parameters, kSecCertificateExtensionsEncoded) { value in
            (value as? NSData)?.byteArray
        }
        let identifiers = result.map { $0.prefix(16) }
        guard Set(identifiers).count == identifiers.count else {
            throw wrong("An extension is there twice.")
        }
        return result
    }

    private static func make(
        _ identifier: String, isCritical: Bool, _ value: [UInt8]
    ) -> [UInt8] {
        CertificateDraft.makeExtension(
            DERText.identifier(identifier) ?? [], isCritical: isCritical, value)
    }

    private static func basicConstraints(
        _ parameters: NSDictionary
    ) throws(KeyFailure) -> [UInt8]? {
        let authority = parameters.object(forKey: kSecCSRBasicConstraintsCA)
        let length = parameters.object(forKey: kSecCSRBasicContraintsPathLen)
        guard authority != nil || length != nil else { return nil }
        guard authority == nil || authority is NSNumber, length == nil || length is NSNumber else {
            throw wrong("The basic constraints aren't a truth value and a number.")
        }
        let isAuthority = (authority as? NSNumber)?.boolValue ?? true
        guard isAuthority || length == nil else {
            throw wrong("Only an authority has a path length.")
        }
        var content: [UInt8] = isAuthority ? [0x01, 0x01, 0xff] : []
        if let number = (length as? NSNumber)?.intValue, (0..<256).contains(number) {
            content += derElement(tag: 0x02, number < 128 ? [UInt8(number)] : [0, UInt8(number)])
        }
        return derElement(tag: 0x30, content)
    }

    /// A BIT STRING without zeros at its end; nil for no usage.
    private static func usageBits(_ usage: SecKeyUsage) -> [UInt8]? {
        let bits = (0...8).filter { usage.rawValue >> UInt32($0) & 1 == 1 }
        guard let last = bits.last else { return nil }
        var bytes = [UInt8](repeating: 0, count: last / 8 + 1)
        for bit in bits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return derElement(tag: 0x03, [UInt8(7 - last % 8)] + bytes)
    }

    /// Source of the keys: RFC 5280's names of the choices, as in Apple's SecCertificateRequest;
    /// `iPAddress` is ours.
    private static func alternativeNames(_ names: NSDictionary) throws(KeyFailure) -> [UInt8] {
        var content: [UInt8] = []
        let tags: [(CFString, UInt8)] = [
            (kSecSubjectAltNameDNSName, 0x82), (kSecSubjectAltNameEmailAddress, 0x81),
            (kSecSubjectAltNameURI, 0x86),
        ]
        var count = 0
        for (key, tag) in tags {
            for text in try texts(names, key, &count) {
                guard let bytes = DERText.ascii(text), !bytes.isEmpty else {
                    throw wrong("An alternative name isn't ASCII.")
                }
                content += derElement(tag: tag, bytes)
            }
        }
        for text in try texts(names, "iPAddress", &count) {
            guard let bytes = addressBytes(text) else { throw wrong("An address isn't one.") }
            content += derElement(tag: 0x87, bytes)
        }
        for text in try texts(names, kSecSubjectAltNameNTPrincipalName, &count) {
            let value = derElement(tag: 0xa0, derElement(tag: 0x0c, Array(text.utf8)))
            content += derElement(
                tag: 0xa0, (DERText.identifier("1.3.6.1.4.1.311.20.2.3") ?? []) + value)
        }
        guard count == names.count, !content.isEmpty else {
            throw wrong("The alternative names have a kind that isn't known.")
        }
        return derElement(tag: 0x30, content)
    }

    /// A text, or an array of texts.
    private static func texts(
        _ names: NSDictionary, _ key: CFString, _ count: inout Int
    ) throws(KeyFailure) -> [String] {
        guard let object = names.object(forKey: key) else { return [] }
        count += 1
        if let text = object as? NSString { return [text as String] }
        guard let list = object as? NSArray else {
            throw wrong("An alternative name is neither text nor an array.")
        }
        var result: [String] = []
        for element in try elements(list) {
            guard let text = element as? NSString else {
                throw wrong("An alternative name isn't text.")
            }
            result.append(text as String)
        }
        return result
    }

    private static func addressBytes(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            return unsafe withUnsafeBytes(of: &four) { unsafe [UInt8]($0) }
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        return unsafe withUnsafeBytes(of: &six) { unsafe [UInt8]($0) }
    }

    /// Extensions by identifier.
    private static func others(
        _ parameters: NSDictionary, _ key: CFString, _ encode: (NSObject) -> [UInt8]?
    ) throws(KeyFailure) -> [[UInt8]] {
        guard let object = parameters.object(forKey: key) else { return [] }
        guard let dictionary = object as? NSDictionary else {
            throw wrong("The extensions aren't a dictionary.")
        }
        var entries: [(String, NSObject)] = []
        dictionary.forEachEntry { key, value in
            guard let value = value as? NSObject else { return }
            entries.append(((key as? NSString).map { $0 as String } ?? "", value))
        }
        var result: [[UInt8]] = []
        for (name, value) in entries.sorted(by: { $0.0 < $1.0 }) {
            guard let identifier = DERText.identifier(name), let bytes = encode(value) else {
                throw wrong("An extension isn't an identifier with data or text.")
            }
            result.append(
                CertificateDraft.makeExtension(identifier, isCritical: false, bytes))
        }
        return result
    }

    /// The elements, as objects.
    private static func elements(_ array: NSArray) throws(KeyFailure) -> [NSObject] {
        var result: [NSObject] = []
        for element in array {
            switch element {
            case let text as String: result.append(NSString(string: text))
            case let data as Data: result.append(data as NSData)
            case let object as NSObject: result.append(object)
            case let list as [Any]: result.append(NSArray(array: list))
            default: throw wrong("An element of an array has no known type.")
            }
        }
        return result
    }
}
