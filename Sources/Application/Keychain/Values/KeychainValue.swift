// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import FoundationEssentials
public import SecretBytes

/// A type of values that an item can hold.
///
/// Text and bytes are stored unchanged, so that other programs and the `security` command can read
/// them. To store a type of your own, declare it ``KeychainCodable``.
///
/// A value in a program's memory is as safe as the program. Only ``Secret`` is kept out of swap and
/// core dumps and wiped after use.
public protocol KeychainValue: Sendable {
    /// Decodes the value from an item's secret.
    /// - Throws: ``FailureReason/undecodable``.
    init(keychainSecret secret: Secret) throws(KeychainError)

    /// The bytes to store.
    /// - Throws: ``FailureReason/undecodable`` for a value that can't be stored.
    func keychainSecret() throws(KeychainError) -> Secret
}

/// Text, stored as UTF-8.
extension String: KeychainValue {
    /// - Throws: ``FailureReason/undecodable`` when it isn't UTF-8.
    public init(keychainSecret secret: Secret) throws(KeychainError) {
        let text = unsafe secret.bytes.withUnsafeBytes { bytes in
            unsafe String(validating: bytes, as: UTF8.self)
        }
        guard let text else { throw .undecodable("The item's data is no UTF-8 text.") }
        self = text
    }

    /// The text's UTF-8.
    public func keychainSecret() -> Secret { Secret(copying: Array(utf8)) }
}

/// Bytes, stored unchanged.
extension [UInt8]: KeychainValue {
    /// The bytes.
    public init(keychainSecret secret: Secret) {
        self = unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// The bytes.
    public func keychainSecret() -> Secret { Secret(copying: self) }
}

/// Bytes, stored unchanged.
extension Data: KeychainValue {
    /// The bytes.
    public init(keychainSecret secret: Secret) {
        self = unsafe secret.bytes.withUnsafeBytes { unsafe Data($0) }
    }

    /// The bytes.
    public func keychainSecret() -> Secret { Secret(copying: self) }
}

/// A secret whose memory is wiped after use, stored unchanged.
extension Secret: KeychainValue {
    /// A copy.
    public convenience init(keychainSecret secret: Secret) {
        self.init(secret.bytes.prefix(secret.bytes.byteCount))
    }

    /// Itself.
    public func keychainSecret() -> Secret { self }
}

extension Secret {
    /// A copy of bytes; the caller wipes the source.
    public convenience init(copying bytes: some Collection<UInt8>) {
        self.init(
            unsafe SecretBytes(byteCount: bytes.count) { target in
                unsafe target.copyBytes(from: bytes)
            })
    }
}
