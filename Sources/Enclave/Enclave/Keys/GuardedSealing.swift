// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import KeychainVocabulary
import SecretBytes

/// Sealed secrets and private keys with an access control: the wrap of the row key authenticates the access control,
/// the row and the context, so none of them can be replaced by another.
///
/// Layout: u8 2, u8 class, u16 byte count of the access control, 16 bytes row UUID, access control,
/// 60 bytes wrapped row key (12 nonce, 32, 16 tag), 12 nonce, ciphertext, 16 tag.
/// The plaintext is that of ``SecretSealing``.
enum GuardedSealing {
    private static let format: UInt8 = 2
    private static let wrappingLabel = [UInt8]("llavero.guarded-key.1".utf8)
    private static let passwordLabel = [UInt8]("llavero.guarded-key.password.1".utf8)
    private static let headerByteCount = 4
    private static let wrappedByteCount = Cryptography.keyByteCount + Cryptography.sealOverhead

    /// What is sealed. Neither opens as the other: no request can open a private key.
    enum Content {
        case secret
        case privateKey

        fileprivate var keyLabel: [UInt8] {
            switch self {
            case .secret: GuardedSealing.wrappingLabel
            case .privateKey: [UInt8]("llavero.guarded-private-key.key.1".utf8)
            }
        }

        fileprivate var label: [UInt8] {
            switch self {
            case .secret: [UInt8]("llavero.guarded-secret.1".utf8)
            case .privateKey: [UInt8]("llavero.guarded-private-key.1".utf8)
            }
        }
    }

    /// What can be read of a sealed secret without a key. It is proven only by opening the secret.
    struct Header: Hashable {
        let control: AccessControl
        let uuid: [UInt8]
        fileprivate let prefix: [UInt8]

        /// What a person is asked for.
        var subject: AccessSubject? {
            AccessSubject(
                uuid: uuid, controlDigest: Array(SHA256.hash(data: control.encoded)))
        }
    }

    /// Whether a sealed secret has an access control, well formed or not.
    static func isGuarded(_ sealed: [UInt8]) -> Bool { sealed.first == format }

    /// - Returns: Nil when it isn't well formed, or of another class.
    static func header(_ sealed: [UInt8], _ binding: SecretBinding) -> Header? {
        let uuidCount = AccessSubject.uuidByteCount
        guard sealed.count >= headerByteCount + uuidCount, sealed[0] == format,
            sealed[1] == binding.protectionClass.rawValue
        else { return nil }
        let count = Int(sealed[2]) | Int(sealed[3]) << 8
        let end = headerByteCount + uuidCount + count
        guard sealed.count >= end + wrappedByteCount + Cryptography.sealOverhead else { return nil }
        let uuid = Array(sealed[headerByteCount..<headerByteCount + uuidCount])
        guard
            let control = AccessControl(
                decoding: sealed[headerByteCount + uuidCount..<end]),
            control.protectionClass == binding.protectionClass.rawValue,
            control.demandsPassword != control.salt.isEmpty, control.isBound
        else { return nil }
        return Header(control: control, uuid: uuid, prefix: Array(sealed[..<end]))
    }

    /// Seals a secret under a fresh row key. `passwordKey` is what was derived from the application's
    /// password; it is needed if and only if the access control demands one.
    static func seal(
        _ content: Content, _ secret: borrowing SecretBytes, _ control: AccessControl,
        uuid: [UInt8], binding: SecretBinding, user: UInt32, classKey: Secret,
        passwordKey: Secret?
    ) -> [UInt8]? {
        let encoded = control.encoded
        guard control.protectionClass == binding.protectionClass.rawValue,
            uuid.count == AccessSubject.uuidByteCount,
            control.demandsPassword == (passwordKey != nil),
            control.demandsPassword != control.salt.isEmpty, control.isBound,
            encoded.count <= AccessControl.byteCountLimit,
            let count = UInt32(exactly: secret.byteCount)
        else { return nil }
        let prefix =
            [
                format, binding.protectionClass.rawValue,
                UInt8(truncatingIfNeeded: encoded.count),
                UInt8(truncatingIfNeeded: encoded.count >> 8),
            ] + uuid + encoded
        let rowKey = SecretBytes.random(byteCount: Cryptography.keyByteCount)
        guard
            let wrapped = Cryptography.seal(
                rowKey, using: wrappingKey(classKey, passwordKey),
                authenticating: associatedData(content.keyLabel, prefix, binding, user)),
            let box = Cryptography.seal(
                SecretSealing.padded(secret, count: count), using: rowKey.symmetricKey(),
                authenticating: associatedData(content.label, prefix, binding, user))
        else { return nil }
        return prefix + wrapped + box
    }

    /// Opens a sealed secret.
    /// - Returns: Nil when it was sealed for another user, class, row, access control or context, or
    ///   under another password.
    static func open(
        _ content: Content, _ sealed: [UInt8], _ header: Header,
        binding: SecretBinding, user: UInt32, classKey: Secret, passwordKey: Secret?
    ) -> Secret? {
        let start = header.prefix.count
        guard header.control.demandsPassword == (passwordKey != nil),
            let rowKey = Cryptography.open(
                Array(sealed[start..<start + wrappedByteCount]),
                using: wrappingKey(classKey, passwordKey),
                authenticating: associatedData(content.keyLabel, header.prefix, binding, user)),
            rowKey.bytes.byteCount == Cryptography.keyByteCount
        else { return nil }
        return unsafe sealed.withUnsafeBytes { bytes in
            let box = unsafe UnsafeRawBufferPointer(rebasing: bytes[(start + wrappedByteCount)...])
            return unsafe Cryptography.open(
                box, using: rowKey.bytes.symmetricKey(),
                authenticating: associatedData(content.label, header.prefix, binding, user),
                SecretSealing.secret(inPlaintext:))
        }
    }

    private static func wrappingKey(_ classKey: Secret, _ passwordKey: Secret?) -> SymmetricKey {
        let key = Cryptography.derive(from: classKey.bytes.symmetricKey(), info: wrappingLabel)
        guard let passwordKey else { return key }
        let mixed = Cryptography.deriveByAuthenticating(passwordKey.bytes, using: key)
        return Cryptography.derive(from: mixed.bytes.symmetricKey(), info: passwordLabel)
    }

    private static func associatedData(
        _ label: [UInt8], _ prefix: [UInt8], _ binding: SecretBinding, _ user: UInt32
    ) -> [UInt8] {
        var data = label
        data.append(littleEndian: user)
        return data + prefix + binding.context
    }
}
