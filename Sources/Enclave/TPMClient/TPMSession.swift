// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import SecretBytes

/// A session with the TPM whose key no other program has.
final class TPMSession {
    /// The functions of a session besides authorization.
    struct Attributes: OptionSet {
        let rawValue: UInt8
        static let continues = Attributes(rawValue: 0x01)
        /// The first parameter of the command is encrypted.
        static let encryptsCommand = Attributes(rawValue: 0x20)
        /// The first parameter of the response is encrypted.
        static let encryptsResponse = Attributes(rawValue: 0x40)
    }

    let handle: UInt32
    let key: SymmetricKey
    private(set) var nonceTPM: [UInt8]

    init(handle: UInt32, key: SymmetricKey, nonceTPM: [UInt8]) {
        self.handle = handle
        self.key = key
        self.nonceTPM = nonceTPM
    }

    func roll(_ nonce: [UInt8]) { nonceTPM = nonce }

    static func nonce() -> [UInt8] {
        let random = SecretBytes.random(byteCount: TPMKeyDerivation.digestByteCount)
        return unsafe random.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

/// How a command's first handle is authorized.
struct TPMAuthorization {
    let session: TPMSession
    /// The handle's authorization value; nil: empty.
    var value: Secret?
    /// Whether the value is proven; a policy session proves it only if the policy requires it.
    var provesValue = true
    var attributes: TPMSession.Attributes = .continues
}
