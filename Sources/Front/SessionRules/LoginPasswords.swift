// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// The passwords that a login hands to its helper: one, or an old and a new one. Each ends with a zero
/// byte, which `pam_exec` leaves out.
package enum LoginPasswords {
    /// The longest password that can be a passcode.
    package static let byteCountLimit = 1024
    /// Room for two of them, and for one byte that would be too much.
    package static let inputByteCount = 2 * (byteCountLimit + 1) + 1

    /// Copies the passwords out of the input.
    /// - Parameters:
    ///   - input: All of it.
    ///   - count: How many passwords there must be.
    /// - Returns: Nil unless there are as many, none of them empty or too long.
    package static func read(_ input: UnsafeRawBufferPointer, count: Int) -> [Secret]? {
        var found: [Secret] = []
        var start = 0
        while start < input.count, found.count <= count {
            var end = start
            while unsafe end < input.count && input[end] != 0 { end += 1 }
            guard (1...byteCountLimit).contains(end - start) else { return nil }
            let piece = unsafe UnsafeRawBufferPointer(rebasing: input[start..<end])
            found.append(Secret(unsafe SecretBytes(copying: piece)))
            start = end + 1
        }
        return found.count == count ? found : nil
    }
}
