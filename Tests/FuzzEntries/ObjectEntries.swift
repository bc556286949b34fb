// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import SecurityWire

/// Inputs of applications to `Sec…CreateWithData`.
enum ObjectEntries {
    /// An accepted certificate keeps its bytes, and has all derived fields.
    static func certificate(_ data: Data) {
        if let normalized = DistinguishedName.normalizedContent(ofName: data) {
            let name = write(0x30, Data(normalized))
            precondition(
                DistinguishedName.normalizedContent(ofName: name) == normalized,
                "normalizing a normalized name changes it")
        }
        guard let certificate = SecCertificateCreateWithData(nil, data as CFData) else { return }
        precondition(SecCertificateCopyData(certificate) as Data == data, "other bytes")
        _ = SecCertificateCopySubjectSummary(certificate)
        _ = certificate.itemAttributes.serialized()
        precondition(
            certificate.isEqual(SecCertificateCreateWithData(nil, data as CFData)), "not equal")
    }

    private static func write(_ tag: UInt8, _ content: Data) -> Data {
        let count = content.count
        if count < 0x80 { return Data([tag, UInt8(count)]) + content }
        let size = (0..<8).filter { count >> (8 * $0) > 0 }.count
        let bytes = (0..<size).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        return Data([tag, 0x80 | UInt8(size)] + bytes) + content
    }

    /// RSA, P-256 and similar curves, Ed25519, X25519, AES.
    private static let types = [
        "42", "73", "105", "106", "2147483649",
    ]

    /// An accepted key can be encoded, and decoding that gives the same key. The first byte selects
    /// type and class.
    static func key(_ data: Data) {
        guard let choice = data.first else { return }
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: types[Int(choice) % types.count] as CFString,
            kSecAttrKeyClass: "\(Int(choice) / types.count % 3)" as CFString,
        ]
        let dictionary = attributes as CFDictionary
        let content = Data(data.dropFirst())
        guard let key = SecKeyCreateWithData(content as CFData, dictionary, nil) else {
            return
        }
        guard let external = SecKeyCopyExternalRepresentation(key, nil) else {
            preconditionFailure("a key without representation")
        }
        let again = SecKeyCreateWithData(external, dictionary, nil)
        precondition(key.isEqual(again), "a key changes when it is written and read")
        precondition(SecKeyCopyAttributes(key) != nil, "a key without attributes")
        if let half = SecKeyCopyPublicKey(key) {
            precondition(SecKeyCopyExternalRepresentation(half, nil) != nil, "no bytes")
        }
        _ = SecKeyGetBlockSize(key)
    }

    // MARK: - Seeds

    private static func bytes(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

    static var certificates: [Data] {
        CertificateSample.all.flatMap { [bytes($0.der), bytes($0.subjectName)] }
    }

    static var keys: [Data] {
        KeySample.all.map { sample in
            let type = sample.isRSA ? 0 : 1
            return Data([UInt8(type + types.count * (sample.isPrivate ? 1 : 0))])
                + bytes(sample.data)
        } + [2, 7, 3, 8].map { Data([$0]) + Data(repeating: 9, count: 32) }
            + [Data([14]) + Data(repeating: 1, count: 16)]
    }
}
