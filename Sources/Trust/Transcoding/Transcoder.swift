// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CTranscoding
import SecretBytes
package import TranscodingWire
import TrustWire

/// Reads and writes the formats in which other programs have certificates and keys.
package enum Transcoder {
    /// Prepares libcrypto, before a process gives up its rights.
    /// - Returns: Whether it can be used.
    package static func prepare() -> Bool { isReady }

    private static let isReady = llavero_transcoding_start() != 0

    /// Carries out a request.
    /// - Parameter bytes: An encoded ``TranscodingRequest``.
    /// - Returns: The reply; bytes that aren't a request have no known format.
    package static func reply(to bytes: UnsafeRawBufferPointer) -> TranscodingReply {
        guard let request = unsafe try? TranscodingRequest(decoding: bytes) else {
            return .failed(.unknownFormat)
        }
        do throws(TranscodingFailure) {
            switch request {
            case .read(let reading):
                let file = try FileReader(reading).read()
                return .objects(file.objects, file.format, isText: file.isText)
            case .write(let writing): return .file(try FileWriter(writing).write())
            }
        } catch { return .failed(error) }
    }
}

extension TranscodingFailure {
    /// Throws what a call of libcrypto's part has returned, unless that is success.
    static func check(_ status: Int32) throws(TranscodingFailure) {
        guard status != Int32(LLAVERO_CODING_DONE) else { return }
        throw TranscodingFailure(rawValue: UInt8(clamping: status)) ?? .failed
    }
}

/// A passphrase as libcrypto's part takes it: with a zero byte after it.
struct Passphrase {
    private let bytes: Secret?
    private let count: Int

    init(_ passphrase: Secret?) {
        count = passphrase?.bytes.byteCount ?? 0
        bytes = passphrase.map { passphrase in
            Secret(
                unsafe SecretBytes(byteCount: passphrase.bytes.byteCount + 1) { target in
                    unsafe passphrase.bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                })
        }
    }

    func use<Value>(_ body: (llavero_passphrase) -> Value) -> Value {
        guard let bytes else { return unsafe body(llavero_passphrase(bytes: nil, count: 0)) }
        return unsafe bytes.bytes.withUnsafeBytes { buffer in
            unsafe body(
                llavero_passphrase(
                    bytes: buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count: count))
        }
    }
}
