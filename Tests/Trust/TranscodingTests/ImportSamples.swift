// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import TestSupport
import Transcoding
import TranscodingWire

/// Files that other programs made (`Scripts/generate-import-samples`), read in this process.
enum ImportSamples {
    static let directory = Binaries.packageRoot + "/Tests/Vectors/imports"

    static var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
    }

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
    }

    static func secret(_ bytes: some Sequence<UInt8>) -> Secret {
        let bytes = Array(bytes)
        return unsafe bytes.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
    }

    static func bytes(_ secret: Secret) -> [UInt8] {
        unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    static func reply(_ request: TranscodingRequest) -> TranscodingReply {
        _ = Transcoder.prepare()
        return unsafe request.encoded().bytes.withUnsafeBytes {
            unsafe Transcoder.reply(to: $0)
        }
    }

    struct File {
        var objects: [TranscodedObject]
        var format: CodingFormat
        var isText: Bool

        /// `certificate`, `private rsa`, …
        var kinds: [String] {
            objects.map { $0.kind == .certificate ? "certificate" : "\($0.kind) \($0.keyType)" }
        }
    }

    static func read(
        _ data: Data, _ passphrase: String? = nil, format: CodingFormat = .unknown
    ) throws(TranscodingFailure) -> File {
        let reading = TranscodingRequest.Reading(
            secret(data), format: format, passphrase: passphrase.map { secret($0.utf8) })
        switch reply(.read(reading)) {
        case .objects(let objects, let format, let isText):
            return File(objects: objects, format: format, isText: isText)
        case .failed(let failure): throw failure
        case .file: throw .failed
        }
    }

    static func write(
        _ objects: [TranscodedObject], _ format: CodingFormat, isText: Bool = false,
        _ passphrase: String? = nil, rounds: UInt32 = 0
    ) throws(TranscodingFailure) -> Data {
        var writing = TranscodingRequest.Writing(
            objects, format: format, isText: isText,
            passphrase: passphrase.map { secret($0.utf8) })
        writing.rounds = rounds
        switch reply(.write(writing)) {
        case .file(let bytes): return Data(self.bytes(bytes))
        case .failed(let failure): throw failure
        case .objects: throw .failed
        }
    }
}
