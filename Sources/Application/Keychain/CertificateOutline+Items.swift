// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import SecurityWire
package import TrustWire

extension CertificateOutline {
    /// The attributes of an item that is the certificate, besides its label. They are the same as
    /// those of an item that SecItem adds.
    package var itemAttributes: ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.certificateType] = .integer(Int64(version))
        // DER. Source: `CSSM_CERT_ENCODING_DER`.
        attributes[.certificateEncoding] = .integer(3)
        attributes[.subject] = .data(normalizedSubject)
        attributes[.issuer] = .data(normalizedIssuer)
        attributes[.serialNumber] = .data(serialNumber)
        attributes[.subjectKeyID] = subjectKeyID.map { .data($0) }
        attributes[.publicKeyHash] = .data([UInt8](Insecure.SHA1.hash(data: publicKey)))
        return attributes
    }

    /// A certificate's SHA-256 digest.
    package static func sha256(_ der: [UInt8]) -> [UInt8] { [UInt8](SHA256.hash(data: der)) }
}
