// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SwiftASN1

/// Names of subjects and issuers (X.501 `Name`, RFC 5280 §4.1.2.4), in DER.
///
/// Two names count as the same issuer when their normalized contents are equal bytes.
package enum DistinguishedName {
    /// The form in which names are stored and compared: the content of the `Name`, without the
    /// header of its outer SEQUENCE. Each value tagged PrintableString is normalized: capitals
    /// (ASCII letters only), no blanks (space, tab) at its ends, and one space for every run of
    /// blanks inside. Values of all other string types are not changed, and so stay case-sensitive.
    /// Normalizing a normalized name changes nothing.
    ///
    /// Source: Apple's SecCertificate, as observed.
    /// - Parameter der: A full `Name`, with no bytes before or after it.
    /// - Returns: Nil for bytes that aren't DER or not a `Name`, and for an empty relative name.
    package static func normalizedContent(ofName der: some Collection<UInt8>) -> [UInt8]? {
        guard let name = parse(der) else { return nil }
        return normalizedContent(of: name)
    }

    /// Whether bytes are one full `Name`. The normalized content of a name never is: it lacks the
    /// outer SEQUENCE.
    package static func isName(_ der: some Collection<UInt8>) -> Bool { parse(der) != nil }

    /// The size limit for names.
    static let largestByteCount = 1 << 20

    private static func parse(_ der: some Collection<UInt8>) -> [RelativeName]? {
        guard der.count <= largestByteCount, let node = try? DER.parse(ArraySlice(der)) else {
            return nil
        }
        return relativeNames(of: node)
    }

    // MARK: - Parts

    /// One type with its value, such as "common name: Anna".
    struct AttributeValuePair {
        let type: ASN1ObjectIdentifier
        /// The type as it is encoded.
        let typeEncoding: ArraySlice<UInt8>
        let value: ASN1Node
    }

    /// A set of pairs that form one relative name; nearly always a single pair.
    typealias RelativeName = [AttributeValuePair]

    /// The relative names of a `Name`, in order. Nil for other bytes; empty for an empty name.
    static func relativeNames(of node: ASN1Node) -> [RelativeName]? {
        guard let nodes = node.elements(.sequence) else { return nil }
        var names: [RelativeName] = []
        for node in nodes {
            guard let pairs = node.elements(.set), !pairs.isEmpty else { return nil }
            var name: RelativeName = []
            for pair in pairs {
                guard let parts = pair.elements(.sequence), parts.count == 2,
                    let type = parts[0].objectIdentifier
                else { return nil }
                name.append(
                    AttributeValuePair(
                        type: type, typeEncoding: parts[0].encodedBytes, value: parts[1]))
            }
            names.append(name)
        }
        return names
    }

    static func normalizedContent(of names: [RelativeName]) -> [UInt8] {
        var result: [UInt8] = []
        for name in names {
            var pairs: [UInt8] = []
            for pair in name {
                var parts = [UInt8](pair.typeEncoding)
                if let printable = pair.value.bytes(.printableString) {
                    parts += derElement(tag: 0x13, folded(printable))
                } else {
                    parts += pair.value.encodedBytes
                }
                pairs += derElement(tag: 0x30, parts)
            }
            result += derElement(tag: 0x31, pairs)
        }
        return result
    }

    /// In capitals, with no blanks at the ends and single spaces inside.
    private static func folded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for word in text.split(whereSeparator: { $0 == space || $0 == tab }) {
            if !result.isEmpty { result.append(space) }
            for byte in word {
                let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                result.append(isSmall ? byte - 0x20 : byte)
            }
        }
        return result
    }
}
