// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Names of subjects and issuers (X.501 `Name`) in the form in which items have them.
package enum CertificateName {
    private static let printableString: UInt8 = 0x13

    /// The content of the name, without the header of its SEQUENCE. Each value tagged
    /// PrintableString is in capitals (ASCII letters only), without blanks at its ends and with one
    /// space for every run of blanks. Values of other types are unchanged.
    ///
    /// Source: Apple's SecCertificate, as observed.
    /// - Parameter name: A whole `Name`.
    /// - Returns: Nil for bytes that aren't one.
    package static func normalizedContent(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        guard let sets = DERElements.only(name)?.elements(DERTag.sequence) else { return nil }
        var result: [UInt8] = []
        for set in sets {
            guard let pairs = set.elements(DERTag.set), !pairs.isEmpty else { return nil }
            var normalized: [UInt8] = []
            for pair in pairs {
                guard let parts = pair.elements(DERTag.sequence), parts.count == 2,
                    parts[0].tag == DERTag.objectIdentifier
                else { return nil }
                var content = Array(parts[0].whole)
                if let text = parts[1].content(printableString) {
                    content += element(printableString, folded(text))
                } else {
                    content += parts[1].whole
                }
                normalized += element(DERTag.sequence, content)
            }
            result += element(DERTag.set, normalized)
        }
        return result
    }

    private static func folded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        for word in text.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
            if !result.isEmpty { result.append(0x20) }
            result += word.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        }
        return result
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var head = [tag]
        if content.count < 0x80 {
            head.append(UInt8(content.count))
        } else {
            var bytes: [UInt8] = []
            var rest = content.count
            while rest > 0 {
                bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
                rest >>= 8
            }
            head.append(0x80 | UInt8(bytes.count))
            head += bytes
        }
        return head + content
    }
}
