// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import EnclaveWire
package import IPC
import SecretBytes

/// Why the audit log can't be written or read now.
package enum AuditFailure: Error, Equatable, Sendable {
    /// The disk or the file system failed.
    case system(SystemError)
    /// The key is unavailable now.
    case keyUnavailable
}

/// The source of keys of audit files: the enclave, or a test.
package struct AuditKeys {
    /// The result of opening a key.
    package enum Opened {
        case key(SymmetricKey)
        /// It can never be opened.
        case gone
    }

    /// Makes the key of a file; also returns its wrapped form, 60 bytes.
    let make: (UInt32) throws(AuditFailure) -> (wrapped: [UInt8], key: SymmetricKey)
    /// Opens the wrapped key of a file.
    let open: (_ wrapped: [UInt8], UInt32) throws(AuditFailure) -> Opened

    /// The class of the keys: the log must be writable also before the first unlock.
    static let protectionClass = ProtectionClass.dku

    static func key(_ secret: borrowing SecretBytes) -> SymmetricKey {
        unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    package init(
        make: @escaping (UInt32) throws(AuditFailure) -> (wrapped: [UInt8], key: SymmetricKey),
        open: @escaping (_ wrapped: [UInt8], UInt32) throws(AuditFailure) -> Opened
    ) {
        self.make = make
        self.open = open
    }
}
