// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CTranscoding
import Glibc
import SecretBytes
import TranscodingWire
import TrustWire

/// Keys of OpenSSH: lines of public keys (RFC 4253 §6.6, RFC 5656, RFC 8709), and private keys as its
/// `PROTOCOL.key` describes them.
enum SSHKeys {
    private static let curves: [(name: String, fieldByteCount: Int)] = [
        ("nistp256", 32), ("nistp384", 48), ("nistp521", 66),
    ]
    private static let curvePrefix = "ecdsa-sha2-"
    private static let rsa = "ssh-rsa"
    private static let ed25519 = "ssh-ed25519"
    private static let privateLabel = "OPENSSH PRIVATE KEY"
    private static let magic = Array("openssh-key-v1".utf8) + [0]
    /// Larger than any line of a key.
    private static let lineByteCount = 16 * 1024

    static func contains(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.firstRange(of: text.utf8) != nil
    }

    static func isPrivateFile(_ bytes: Secret) -> Bool {
        unsafe bytes.bytes.withUnsafeBytes {
            unsafe contains("-----BEGIN \(privateLabel)-----", $0)
        }
    }

    // MARK: - Public keys

    /// The words of a line that is a public key; nil for anything else.
    static func publicLine(_ bytes: Secret) -> [String]? {
        guard bytes.bytes.byteCount <= lineByteCount else { return nil }
        let text = unsafe bytes.bytes.withUnsafeBytes {
            unsafe String(validating: $0, as: UTF8.self)
        }
        guard let text else { return nil }
        let lines = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        guard lines.count == 1 else { return nil }
        let words = lines[0].split(separator: " ", maxSplits: 2).map(String.init)
        let names = [rsa, ed25519] + curves.map { curvePrefix + $0.name }
        guard words.count >= 2, names.contains(words[0]) else { return nil }
        return words
    }

    static func publicKey(
        _ words: [String]
    ) throws(TranscodingFailure) -> (TranscodedObject, label: String?) {
        let text = "-----BEGIN KEY-----\n\(words[1])\n-----END KEY-----\n"
        guard let bytes = PEMText.blocks("KEY", in: Array(text.utf8)).first else {
            throw .unknownFormat
        }
        var fields = SSHFields(bytes)
        guard let name = fields.text(), name == words[0] else { throw .unknownFormat }
        let object = try publicKey(name, &fields)
        guard fields.isAtEnd else { throw .unknownFormat }
        let comment = words.count > 2 ? words[2].trimmingSpaces : ""
        return (object, comment.isEmpty ? nil : comment)
    }

    private static func publicKey(
        _ name: String, _ fields: inout SSHFields
    ) throws(TranscodingFailure) -> TranscodedObject {
        if name == rsa {
            guard let e = fields.magnitude(), let n = fields.magnitude() else {
                throw .unknownFormat
            }
            return try rsaKey(n, e, [], [], [])
        }
        if name == ed25519 {
            guard let key = fields.field(), key.count == 32 else { throw .unknownFormat }
            return TranscodedObject(.publicKey, .ed25519, bytes: secret(key))
        }
        let point = try curvePoint(name, &fields)
        return TranscodedObject(.publicKey, .curve, bytes: secret(point))
    }

    private static func curvePoint(
        _ name: String, _ fields: inout SSHFields
    ) throws(TranscodingFailure) -> ArraySlice<UInt8> {
        guard let curve = curves.first(where: { curvePrefix + $0.name == name }) else {
            throw .unsupported
        }
        guard fields.text() == curve.name, let point = fields.field(), point.first == 4,
            point.count == 1 + 2 * curve.fieldByteCount
        else { throw .unknownFormat }
        return point
    }

    /// The line of a public key.
    static func line(_ object: TranscodedObject) throws(TranscodingFailure) -> Secret {
        let bytes = unsafe object.bytes.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        var name = ed25519
        var fields: [[UInt8]] = []
        switch object.keyType {
        case .ed25519: fields = [SSHFields.encoded(bytes)]
        case .curve:
            guard let curve = curves.first(where: { 1 + 2 * $0.fieldByteCount == bytes.count })
            else { throw .unsupported }
            name = curvePrefix + curve.name
            fields = [SSHFields.encoded(Array(curve.name.utf8)), SSHFields.encoded(bytes)]
        case .rsa:
            name = rsa
            guard let numbers = DERElements.only(bytes[...])?.elements(DERTag.sequence),
                numbers.count == 2, let n = numbers[0].content(DERTag.integer),
                let e = numbers[1].content(DERTag.integer)
            else { throw .unsupported }
            fields = [
                SSHFields.encoded(magnitude: Array(e)), SSHFields.encoded(magnitude: Array(n)),
            ]
        case .x25519, .none: throw .unsupported
        }
        let blob = SSHFields.encoded(Array(name.utf8)) + fields.joined()
        let lines = PEMText.block("KEY", blob).split(separator: "\n")
        let base64 = lines.dropFirst().dropLast().joined()
        let comment = object.label.map { " " + $0.filter { !$0.isNewline } } ?? ""
        return secret(Array("\(name) \(base64)\(comment)\n".utf8))
    }

    // MARK: - Private keys

    static func privateKey(
        _ file: Secret
    ) throws(TranscodingFailure) -> (TranscodedObject, label: String?) {
        let text = unsafe file.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        guard let bytes = PEMText.blocks(privateLabel, in: text).first, bytes.starts(with: magic)
        else { throw .unknownFormat }
        var outer = SSHFields(bytes.dropFirst(magic.count))
        guard let cipher = outer.text(), outer.text() != nil, outer.field() != nil,
            let count = outer.number(), outer.field() != nil, let inner = outer.field()
        else { throw .unknownFormat }
        guard cipher == "none" else { throw .encryptedSSH }
        guard count == 1 else { throw .unsupported }
        var fields = SSHFields(inner)
        guard let check = fields.number(), check == fields.number(), let name = fields.text() else {
            throw .unknownFormat
        }
        let key = try privateKey(name, &fields)
        guard let comment = fields.text(), isPadding(fields.rest) else { throw .unknownFormat }
        return (key, comment.isEmpty ? nil : comment)
    }

    /// 1, 2, 3, …
    private static func isPadding(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count < 16 && bytes.enumerated().allSatisfy { Int($1) == $0 + 1 }
    }

    private static func privateKey(
        _ name: String, _ fields: inout SSHFields
    ) throws(TranscodingFailure) -> TranscodedObject {
        if name == rsa {
            guard let n = fields.magnitude(), let e = fields.magnitude(),
                let d = fields.magnitude(), fields.magnitude() != nil,
                let p = fields.magnitude(), let q = fields.magnitude(), !d.isEmpty
            else { throw .unknownFormat }
            return try rsaKey(n, e, d, p, q)
        }
        if name == ed25519 {
            guard let key = fields.field(), let pair = fields.field(), pair.count == 64,
                pair.suffix(32).elementsEqual(key)
            else { throw .unknownFormat }
            return TranscodedObject(
                .privateKey, .ed25519, bytes: secret(pair.prefix(32)), publicBytes: Array(key))
        }
        let point = try curvePoint(name, &fields)
        let field = (point.count - 1) / 2
        guard let scalar = fields.magnitude(), scalar.count <= field else { throw .unknownFormat }
        let padding = [UInt8](repeating: 0, count: field - scalar.count)
        return TranscodedObject(
            .privateKey, .curve, bytes: secret(Array(point) + padding + scalar),
            publicBytes: Array(point))
    }

    private static func rsaKey(
        _ n: [UInt8], _ e: [UInt8], _ d: [UInt8], _ p: [UInt8], _ q: [UInt8]
    ) throws(TranscodingFailure) -> TranscodedObject {
        let file = try unsafe FileReader.collected { list in
            unsafe llavero_add_rsa_key(
                n, n.count, e, e.count, d, d.count, p, p.count, q, q.count, &list)
        }
        guard let object = file.objects.first else { throw .failed }
        return object
    }

    private static func secret(_ bytes: some Sequence<UInt8>) -> Secret {
        let bytes = Array(bytes)
        return unsafe bytes.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
