// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CTranscoding
import SecretBytes
import TranscodingWire
import TrustWire

/// Reads one file.
struct FileReader {
    struct File {
        var objects: [TranscodedObject]
        var format: CodingFormat
        var isText: Bool
    }

    private let request: TranscodingRequest.Reading

    init(_ request: TranscodingRequest.Reading) { self.request = request }

    func read() throws(TranscodingFailure) -> File {
        let isRaw = request.format == .raw || request.isSymmetric
        if isRaw {
            guard request.bytes.bytes.byteCount > 0 else { throw .unknownFormat }
            return File(
                objects: [TranscodedObject(.symmetricKey, bytes: request.bytes)], format: .raw,
                isText: false)
        }
        let file = try find()
        guard matches(file.format) else { throw .unknownFormat }
        guard file.objects.count <= TranscodingLimits.objectCount else { throw .tooMuch }
        return file
    }

    /// Whether a format is the expected one. Formats that differ only in their encryption are one.
    private func matches(_ format: CodingFormat) -> Bool {
        let same: [[CodingFormat]] = [
            [.openSSL, .wrappedOpenSSL, .wrappedPKCS8], [.ssh, .ssh2, .wrappedSSH],
            [.x509, .pemSequence],
        ]
        guard request.format != .unknown, request.format != format else { return true }
        // A sequence may have only one block, of any kind.
        if request.format == .pemSequence { return true }
        return same.contains { $0.contains(request.format) && $0.contains(format) }
    }

    private func find() throws(TranscodingFailure) -> File {
        if let line = SSHKeys.publicLine(request.bytes) {
            let (object, label) = try SSHKeys.publicKey(line)
            return File(objects: [named(object, label)], format: .ssh, isText: true)
        }
        let isText = unsafe request.bytes.bytes.withUnsafeBytes {
            unsafe !PEMText.isElement($0) && SSHKeys.contains("-----BEGIN ", $0)
        }
        if isText, SSHKeys.isPrivateFile(request.bytes) {
            let (object, label) = try SSHKeys.privateKey(request.bytes)
            return File(objects: [named(object, label)], format: .wrappedSSH, isText: true)
        }
        var rounds = TranscodingLimits.readingRounds
        return try unsafe Self.collected { list in
            unsafe request.bytes.bytes.withUnsafeBytes { buffer in
                let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe Passphrase(request.passphrase).use { passphrase in
                    unsafe isText
                        ? llavero_read_pem(start, buffer.count, passphrase, &rounds, &list)
                        : llavero_read_der(
                            start, buffer.count, Int32(LLAVERO_FORMAT_UNKNOWN), passphrase, &rounds,
                            &list)
                }
            }
        }
    }

    private func named(_ object: TranscodedObject, _ label: String?) -> TranscodedObject {
        var object = object
        object.label = label
        return object
    }

    /// What libcrypto's part has read.
    static func collected(
        _ body: (inout llavero_objects) -> Int32
    ) throws(TranscodingFailure) -> File {
        var list = unsafe llavero_objects()
        defer { unsafe llavero_objects_free(&list) }
        try TranscodingFailure.check(unsafe body(&list))
        var objects: [TranscodedObject] = []
        for index in 0..<(unsafe list.count) {
            guard let object = unsafe list.objects.map({ unsafe TranscodedObject($0[index]) })
            else { throw .failed }
            objects.append(object)
        }
        let format = unsafe CodingFormat(rawValue: UInt8(clamping: list.format)) ?? .unknown
        return File(objects: objects, format: format, isText: unsafe list.is_text != 0)
    }
}

extension TranscodedObject {
    fileprivate init(_ object: llavero_object) {
        let bytes = unsafe UnsafeRawBufferPointer(start: object.bytes, count: object.byte_count)
        let publicBytes = unsafe UnsafeRawBufferPointer(
            start: object.public_bytes, count: object.public_count)
        let label = unsafe UnsafeRawBufferPointer(
            start: object.label, count: min(object.label_count, Self.labelByteCount))
        let keyID = unsafe UnsafeRawBufferPointer(start: object.key_id, count: object.key_id_count)
        // The numbers are the same ones.
        self.init(
            unsafe Kind(rawValue: UInt8(clamping: object.kind)) ?? .symmetricKey,
            unsafe KeyType(rawValue: UInt8(clamping: object.key_type)) ?? .none,
            bytes: Secret(unsafe SecretBytes(copying: bytes)),
            publicBytes: unsafe [UInt8](publicBytes),
            label: unsafe label.isEmpty ? nil : String(decoding: label, as: UTF8.self),
            keyID: unsafe [UInt8](keyID))
        // Damaged text grows when it is repaired.
        if (self.label?.utf8.count ?? 0) > Self.labelByteCount { self.label = nil }
    }
}
