// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import FoundationEssentials
package import SecretBytes

/// The calls of swift-crypto, in a form that keeps secrets in their own pages.
///
/// swift-crypto returns plaintext as `Data`; it is copied into secret pages and overwritten here.
/// The C library's allocator overwrites the memory that swift-crypto itself frees (enclaved starts
/// with `glibc.malloc.perturb`), and the scrub after each request overwrites the stack.
package enum Cryptography {
    /// The byte count of the keys used here.
    package static let keyByteCount = 32
    /// Nonce and tag of AES-GCM.
    package static let sealOverhead = 12 + 16
    /// How many bytes a wrapped 32-byte key has besides the key.
    package static let wrappedKeyByteCount = 40

    /// AES-256-GCM under a random nonce.
    /// - Returns: Nonce, ciphertext, tag; nil when the library refuses (a wrong key size).
    package static func seal(
        _ plaintext: borrowing SecretBytes, using key: SymmetricKey, authenticating data: [UInt8]
    ) -> [UInt8]? {
        unsafe plaintext.withUnsafeBytes { bytes in
            guard let box = try? unsafe AES.GCM.seal(bytes, using: key, authenticating: data),
                let combined = box.combined
            else { return nil }
            return [UInt8](combined)
        }
    }

    /// Opens AES-256-GCM and passes the plaintext to `body`.
    /// - Returns: The result of `body`; nil when the tag is wrong.
    package static func open<R>(
        _ sealed: UnsafeRawBufferPointer, using key: SymmetricKey, authenticating data: [UInt8],
        _ body: (UnsafeRawBufferPointer) -> R?
    ) -> R? {
        guard let box = try? unsafe AES.GCM.SealedBox(combined: sealed),
            var plaintext = try? AES.GCM.open(box, using: key, authenticating: data)
        else { return nil }
        return unsafe plaintext.lendAndWipe(body)
    }

    /// Opens AES-256-GCM into secret pages.
    package static func open(
        _ sealed: [UInt8], using key: SymmetricKey, authenticating data: [UInt8]
    ) -> Secret? {
        unsafe sealed.withUnsafeBytes { bytes in
            unsafe open(bytes, using: key, authenticating: data) { plaintext in
                Secret(unsafe SecretBytes(copying: plaintext))
            }
        }
    }

    /// Wraps a key under a key.
    /// - Returns: 8 bytes more than the key.
    /// Source: RFC 3394 §2.2.1.
    package static func wrap(_ key: SymmetricKey, using wrappingKey: SymmetricKey) -> [UInt8]? {
        guard let wrapped = try? AES.KeyWrap.wrap(key, using: wrappingKey) else { return nil }
        return [UInt8](wrapped)
    }

    /// Unwraps a key.
    /// - Returns: Nil when it was not wrapped under this key.
    /// Source: RFC 3394 §2.2.2.
    package static func unwrap(
        _ wrapped: UnsafeRawBufferPointer, using wrappingKey: SymmetricKey
    ) -> SymmetricKey? {
        try? unsafe AES.KeyWrap.unwrap(wrapped, using: wrappingKey)
    }

    /// HKDF-SHA-256 without a salt.
    /// Source: RFC 5869.
    package static func derive(from key: SymmetricKey, info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: info, outputByteCount: keyByteCount)
    }

    /// HMAC-SHA-256.
    package static func authenticate(_ bytes: [UInt8], using key: SymmetricKey) -> [UInt8] {
        [UInt8](HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }

    /// HMAC-SHA-256 of a secret.
    package static func authenticate(
        _ bytes: borrowing SecretBytes, using key: SymmetricKey
    ) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe [UInt8](HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        }
    }

    /// HMAC-SHA-256 of a secret, as a key.
    package static func deriveByAuthenticating(
        _ bytes: borrowing SecretBytes, using key: SymmetricKey
    ) -> Secret {
        unsafe bytes.withUnsafeBytes { bytes in
            let code = unsafe HMAC<SHA256>.authenticationCode(for: bytes, using: key)
            return unsafe code.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
        }
    }

    /// Compares the code in constant time.
    package static func isAuthentic(
        _ code: some Sequence<UInt8>, for bytes: some Sequence<UInt8>, using key: SymmetricKey
    ) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            [UInt8](code), authenticating: [UInt8](bytes), using: key)
    }
}

extension Data {
    /// Passes the bytes to a closure, then overwrites them.
    mutating func lendAndWipe<R>(_ body: (UnsafeRawBufferPointer) -> R?) -> R? {
        unsafe withUnsafeMutableBytes { bytes in
            defer { unsafe SecretMemory.wipe(bytes) }
            return unsafe body(UnsafeRawBufferPointer(bytes))
        }
    }
}

extension SecretBytes {
    /// A key for swift-crypto, which wipes it after the last use.
    package borrowing func symmetricKey() -> SymmetricKey {
        unsafe withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// A copy of bytes that aren't secret.
    package init(copying bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        unsafe bytes.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
        }
    }
}

extension Secret {
    /// A copy for a second owner.
    func copy() -> SecretBytes { bytes.prefix(bytes.byteCount) }

    /// A key's bytes, in secret pages.
    package convenience init(_ key: SymmetricKey) {
        var bytes = SecretBytes(byteCount: key.bitCount / 8)
        unsafe key.withUnsafeBytes { source in
            unsafe bytes.withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
        }
        self.init(bytes)
    }
}
