// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import Transcoding
import TranscodingWire

/// What clients and transcoder say to each other, and files of other programs.
enum TranscodingEntries {
    /// The passphrase of all samples.
    private static let passphrase = "secret"
    private static let vectors = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors/imports")

    /// What is decoded is encoded to the same bytes.
    static func message(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in
            if let request = unsafe try? TranscodingRequest(decoding: bytes) {
                precondition(unsafe isSame(request.encoded(), bytes))
            }
            if let reply = unsafe try? TranscodingReply(decoding: bytes) {
                precondition(unsafe isSame(reply.encoded(), bytes))
            }
        }
    }

    private static func isSame(_ secret: Secret, _ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe secret.bytes.withUnsafeBytes { unsafe $0.elementsEqual(bytes) }
    }

    /// A file: with the right passphrase, so that what is encrypted is reached, too.
    static func file(_ data: Data) {
        guard Transcoder.prepare() else { return }
        let reading = TranscodingRequest.Reading(
            secret(data), passphrase: secret(Data(passphrase.utf8)))
        let request = TranscodingRequest.read(reading).encoded()
        let reply = unsafe request.bytes.withUnsafeBytes { unsafe Transcoder.reply(to: $0) }
        // A reply that its receiver refuses would be a service that doesn't answer.
        let bytes = reply.encoded()
        let again = unsafe bytes.bytes.withUnsafeBytes {
            unsafe try? TranscodingReply(decoding: $0)
        }
        precondition(again != nil)
    }

    private static func secret(_ data: Data) -> Secret {
        unsafe data.withUnsafeBytes { unsafe Secret(SecretBytes(copying: $0)) }
    }

    // MARK: - Seeds

    /// The samples that other programs made, but those with many rounds.
    static var files: [Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: vectors.path)) ?? []
        let slow = ["certtool", "pk12util", "pyca", "gpgsm"]
        return names.sorted().filter { name in !slow.contains { name.hasPrefix($0) } }.compactMap {
            try? Data(contentsOf: vectors.appendingPathComponent($0))
        }
    }

    static var messages: [Data] {
        let object = TranscodedObject(
            .privateKey, .curve, bytes: secret(Data([1, 2, 3])), publicBytes: [4, 1], label: "é",
            keyID: [9])
        var reading = TranscodingRequest.Reading(
            secret(Data([5, 6])), format: .pkcs12, passphrase: secret(Data("p".utf8)))
        var writing = TranscodingRequest.Writing([object, object], format: .pemSequence)
        writing.rounds = 4096
        let first = TranscodingRequest.read(reading)
        reading.isSymmetric = true
        reading.passphrase = nil
        let encoded = [
            first.encoded(), TranscodingRequest.read(reading).encoded(),
            TranscodingRequest.write(writing).encoded(),
            TranscodingReply.objects([object], .openSSL, isText: true).encoded(),
            TranscodingReply.file(secret(Data([7]))).encoded(),
            TranscodingReply.failed(.passphraseWrong).encoded(),
        ]
        return encoded.map { secret in unsafe secret.bytes.withUnsafeBytes { unsafe Data($0) } }
    }
}
