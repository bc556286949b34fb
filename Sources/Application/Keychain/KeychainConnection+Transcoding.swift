// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecurityWire
package import TranscodingWire

// Formats of other programs, which transcoder reads and writes.

extension KeychainConnection {
    /// Has a file read or written; nothing is stored.
    /// - Returns: The answer; a refusal is one, too.
    /// - Throws: ``FailureReason/unreachable`` when no transcoder answers;
    ///   ``FailureReason/tooLarge`` for a file that is over the limit.
    package func transcode(
        _ request: TranscodingRequest
    ) throws(KeychainError) -> TranscodingReply {
        let bytes = request.encoded()
        guard bytes.bytes.byteCount <= TranscodingLimits.requestByteCount else {
            throw .tooLarge
        }
        let received = try read(.transcode(bytes), deadline: Self.writeDeadline)
        guard case .transcoded(let answer) = received,
            let reply = unsafe answer.bytes.withUnsafeBytes({
                unsafe try? TranscodingReply(decoding: $0)
            })
        else { throw .unreachable }
        return reply
    }
}
