// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
package import SecretBytes

/// The key with which llavero-agent proves to enclaved that it was the agent that saw a finger
/// recognized. The supervisor makes it at each start of the service and puts it into a pipe for each
/// of both; securityd, which hands one pipe on, doesn't read it.
package enum TouchKey {
    /// Its byte count.
    package static let byteCount = 32

    /// Reads it from a pipe.
    /// - Parameter pipe: The pipe's reading end.
    /// - Returns: Nil when the pipe has less.
    package static func read(_ pipe: borrowing Descriptor) -> SecretBytes? {
        var key = SecretBytes(byteCount: byteCount)
        var filled = 0
        while filled < byteCount {
            let start = filled
            let count = unsafe key.withUnsafeMutableBytes { bytes in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return unsafe Glibc.read(pipe.rawValue, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            filled += count
        }
        return key
    }

    /// What the agent authenticates: the letter's nonce, its digest, and the user.
    package static func message(nonce: [UInt8], digest: [UInt8], userID: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes(Array("llavero touch 1".utf8))
        writer.u32(userID)
        writer.bytes(nonce)
        writer.bytes(digest)
        return writer.bytes
    }
}
