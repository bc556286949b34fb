// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The name of a certificate for a person, where the rest of it isn't needed.
package enum CertificateSubject {
    /// 2.5.4.3, 2.5.4.10 and 2.5.4.11: common name, organization, organizational unit.
    private static let preferred: [[UInt8]] = [
        [0x55, 4, 3], [0x55, 4, 11], [0x55, 4, 10],
    ]

    /// The common name, or the next best part of the subject.
    /// - Parameter der: A certificate.
    /// - Returns: Empty for a certificate without such a part.
    package static func summary(_ der: [UInt8]) -> String {
        guard let parts = DERElements.only(der[...])?.elements(DERTag.sequence),
            let body = parts.first, body.tag == DERTag.sequence
        else { return "" }
        var fields = DERElements(body.content)
        _ = fields.next(DERTag.contextElements(0))
        // Serial number, algorithm, issuer, validity.
        for _ in 0..<4 { _ = fields.next() }
        guard let names = fields.next()?.elements(DERTag.sequence) else { return "" }
        var found: [[UInt8]: String] = [:]
        for pair in names.compactMap({ $0.elements(DERTag.set) }).joined() {
            guard let parts = pair.elements(DERTag.sequence), parts.count == 2,
                let kind = parts[0].content(DERTag.objectIdentifier),
                let text = String(validating: parts[1].content, as: UTF8.self),
                // A terminal must not take a name for a command.
                text.unicodeScalars.allSatisfy({
                    !$0.properties.isDefaultIgnorableCodePoint
                        && $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                })
            else { continue }
            found[Array(kind)] = text
        }
        return preferred.lazy.compactMap { found[$0] }.first ?? ""
    }
}
