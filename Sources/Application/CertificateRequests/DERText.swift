// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Texts, identifiers and times in DER.
package enum DERText {
    /// An element: a tag of one byte, the length, the content.
    package static func element(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        if content.count < 0x80 {
            length = [UInt8(content.count)]
        } else {
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    // MARK: - Names

    /// Short names of attributes, beside object identifiers. Source: Apple's SecCertificateRequest.
    private static let shortNames = [
        "CN": "2.5.4.3", "C": "2.5.4.6", "ST": "2.5.4.8", "L": "2.5.4.7", "O": "2.5.4.10",
        "OU": "2.5.4.11",
    ]
    private static let mailAddress = "1.2.840.113549.1.9.1"

    /// The type of an attribute: a short name or an object identifier; nil for another text.
    package static func attributeType(_ text: String) -> [UInt8]? {
        identifier(shortNames[text] ?? text)
    }

    /// An attribute of a name: a mail address is an IA5String, other texts are as ``encode(_:)``
    /// says.
    /// - Returns: Nil for an empty text, and for a mail address that isn't ASCII.
    package static func attribute(_ type: [UInt8], _ text: String) -> [UInt8]? {
        guard !text.isEmpty else { return nil }
        let value =
            type == identifier(mailAddress) ? ascii(text).map { element(0x16, $0) } : encode(text)
        return value.map { element(0x30, type + $0) }
    }

    /// The `Name` of a text such as `/C=DE/O=Example/CN=www.example.com`. A backslash stands before
    /// a slash or a backslash that belongs to a value.
    /// - Returns: Nil for a text of another form.
    package static func name(_ text: String) -> [UInt8]? {
        var parts: [String] = []
        var isEscaped = false
        for character in text {
            if isEscaped || (character != "/" && character != "\\") {
                guard !parts.isEmpty else { return nil }
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "/" {
                parts.append("")
            } else {
                isEscaped = true
            }
        }
        guard !isEscaped, !parts.isEmpty else { return nil }
        var content: [UInt8] = []
        for part in parts {
            guard let sign = part.firstIndex(of: "="),
                let type = attributeType(String(part[..<sign])),
                let attribute = attribute(type, String(part[part.index(after: sign)...]))
            else { return nil }
            content += element(0x31, attribute)
        }
        return element(0x30, content)
    }

    // MARK: - Values

    /// An object identifier in dotted form; nil for another text.
    package static func identifier(_ dotted: String) -> [UInt8]? {
        let parts = dotted.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.count <= 64,
            parts.allSatisfy(isNumber), let first = UInt32(parts[0]), first <= 2,
            let second = UInt32(parts[1]),
            first == 2 || second < 40
        else { return nil }
        var content: [UInt8] = []
        var numbers = [UInt64(first) * 40 + UInt64(second)]
        for part in parts.dropFirst(2) { numbers.append(UInt64(part) ?? 0) }
        for number in numbers {
            var groups = [UInt8(number & 0x7f)]
            var rest = number >> 7
            while rest > 0 {
                groups.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            content += groups.reversed()
        }
        return element(0x06, content)
    }

    /// A number of 32 bits in its shortest form.
    private static func isNumber(_ text: Substring) -> Bool {
        UInt32(text).map { String($0) == text } ?? false
    }

    /// A text: PrintableString if its characters are in that set (X.680 §41.4), else UTF8String.
    package static func encode(_ text: String) -> [UInt8] {
        let isPrintable = text.unicodeScalars.allSatisfy { printable.contains($0) }
        return element(isPrintable ? 0x13 : 0x0c, Array(text.utf8))
    }

    private static let printable: Set<Unicode.Scalar> = {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        return Set((letters + "0123456789 '()+,-./:=?").unicodeScalars)
    }()

    /// An IA5String's content; nil for other characters.
    package static func ascii(_ text: String) -> [UInt8]? {
        text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
    }

    /// A `Time` (RFC 5280 §4.1.2.5): with two digits of the year before 2050.
    /// - Parameter seconds: Since 1970-01-01 00:00:00 UTC.
    /// - Returns: Nil for a year that has no four digits.
    package static func time(_ seconds: Int64) -> [UInt8]? {
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
        // Eras of 400 years from a March 1st, so that a leap day ends its year.
        let second = (seconds % 86_400 + 86_400) % 86_400
        let days = (seconds - second) / 86_400 + 719_468
        let era = days / 146_097
        let day = days - era * 146_097
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
        let parts: [Int64] = [month, dayOfMonth, second / 3600, second / 60 % 60, second % 60]
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let rest = parts.map { digits($0, 2) }.joined() + "Z"
        return (1950..<2050).contains(year)
            ? element(0x17, Array((digits(year % 100, 2) + rest).utf8))
            : element(0x18, Array((digits(year, 4) + rest).utf8))
    }
}
