// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import SecretBytes

/// Whole messages over a stream socket, blocking.
struct DeriverSocket: ~Copyable {
    let descriptor: Descriptor

    /// Fills the bytes.
    /// - Returns: False when the other side is gone.
    borrowing func receive(_ message: inout SecretBytes) -> Bool {
        let socket = descriptor.rawValue
        return unsafe message.withUnsafeMutableBytes { bytes in
            var filled = 0
            while filled < bytes.count {
                let count = unsafe recv(
                    socket, bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled, 0)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                filled += count
            }
            return true
        }
    }

    /// Sends the bytes.
    /// - Returns: False when the other side is gone.
    borrowing func send(_ message: borrowing SecretBytes) -> Bool {
        let socket = descriptor.rawValue
        return unsafe message.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe Glibc.send(
                    socket, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}
