// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CTranscoding
import SecretBytes
import TranscodingWire

/// Writes one file.
struct FileWriter {
    private let request: TranscodingRequest.Writing

    init(_ request: TranscodingRequest.Writing) { self.request = request }

    func write() throws(TranscodingFailure) -> Secret {
        guard let first = request.objects.first else { throw .unsupported }
        switch request.format {
        case .raw:
            guard request.objects.count == 1, first.kind == .symmetricKey else {
                throw .unsupported
            }
            return first.bytes
        case .ssh, .ssh2:
            guard request.objects.count == 1, first.kind == .publicKey else { throw .unsupported }
            return try SSHKeys.line(first)
        // Their encryption is a single round of MD5, or there is no writer for it.
        case .wrappedOpenSSL, .wrappedSSH, .unknown: throw .unsupported
        case .openSSL, .wrappedPKCS8, .x509, .pemSequence, .pkcs7, .pkcs12, .netscape:
            return try withLibcrypto()
        }
    }

    private var rounds: UInt32 {
        if request.rounds > 0 { return request.rounds }
        return request.format == .pkcs12
            ? TranscodingLimits.fileRounds : TranscodingLimits.keyRounds
    }

    private func withLibcrypto() throws(TranscodingFailure) -> Secret {
        let lent = request.objects.map(LentObject.init)
        defer { for object in lent { object.giveBack() } }
        let objects = unsafe lent.map { unsafe $0.object }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = unsafe Passphrase(request.passphrase).use { passphrase in
            unsafe llavero_write(
                objects, objects.count, Int32(request.format.rawValue), request.isText ? 1 : 0,
                passphrase, Int32(clamping: rounds), &bytes, &count)
        }
        defer { unsafe llavero_bytes_free(bytes, count) }
        try TranscodingFailure.check(status)
        return Secret(
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: bytes, count: count)))
    }
}

/// An object in memory that libcrypto's part reads.
@safe private struct LentObject {
    let object: llavero_object

    init(_ source: TranscodedObject) {
        var object = unsafe llavero_object()
        unsafe object.kind = Int32(source.kind.rawValue)
        unsafe object.key_type = Int32(source.keyType.rawValue)
        unsafe source.bytes.bytes.withUnsafeBytes { bytes in
            unsafe object.bytes = Self.copy(bytes)
            unsafe object.byte_count = bytes.count
        }
        let label = [UInt8]((source.label ?? "").utf8)
        unsafe label.withUnsafeBytes { unsafe object.label = Self.copy($0) }
        unsafe object.label_count = label.count
        unsafe source.keyID.withUnsafeBytes { unsafe object.key_id = Self.copy($0) }
        unsafe object.key_id_count = source.keyID.count
        unsafe self.object = object
    }

    func giveBack() {
        unsafe SecretMemory.wipe(
            UnsafeMutableRawBufferPointer(start: object.bytes, count: object.byte_count))
        unsafe object.bytes.deallocate()
        unsafe object.label.deallocate()
        unsafe object.key_id.deallocate()
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
        unsafe UnsafeMutableRawBufferPointer(start: copy, count: bytes.count)
            .copyMemory(from: bytes)
        return unsafe copy
    }
}
