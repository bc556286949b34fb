// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire
import TrustWire

/// Texts in JSON.
enum JSONText {
    /// A quoted text.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(Character(scalar))
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// An object; its values are JSON.
    static func object(_ fields: [(String, String)]) -> String {
        "{\(fields.map { "\(quoted($0)):\($1)" }.joined(separator: ","))}"
    }

    /// An array; its values are JSON.
    static func array(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

    /// The fields by which every command names a certificate.
    static func fields(_ certificate: [UInt8]) -> [(String, String)] {
        [
            ("subject", quoted(CertificateSubject.summary(certificate))),
            ("sha256", quoted(ExternalTrustSettings.hex(CertificateOutline.sha256(certificate)))),
            ("sha1", quoted(ExternalTrustSettings.hex(TrustSettings.Entry.digest(certificate)))),
        ]
    }
}

extension Words {
    /// Whether the first word after the command's name is `--json`, and the words without it.
    var withoutJSON: (words: Words, isJSON: Bool) {
        let isJSON = count > 1 && self[1].string == "--json"
        return (isJSON ? dropFirst(1) : self, isJSON)
    }
}
