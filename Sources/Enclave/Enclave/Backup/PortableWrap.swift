// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import SecretBytes

/// Wraps of row keys and table keys to a bag's public keys: 32 bytes of a public key that the enclave
/// made for this, and the key under what both agree on (RFC 3394).
enum PortableWrap {
    /// What is wrapped; each has a key of its own, so that none opens in the other's place.
    enum Purpose: CaseIterable {
        case row
        case tableKey

        fileprivate var label: [UInt8] {
            switch self {
            case .row: [UInt8]("llavero.portable-row.1".utf8)
            case .tableKey: [UInt8]("llavero.portable-key.1".utf8)
            }
        }
    }

    /// The enclave's half of an agreement, which many wraps share.
    struct Sender {
        let publicKey: [UInt8]
        fileprivate let key: SymmetricKey

        /// Agrees on a key with a bag.
        init?(_ purpose: Purpose, to bagKey: [UInt8], _ protectionClass: ProtectionClass) {
            let ours = Curve25519.KeyAgreement.PrivateKey()
            publicKey = [UInt8](ours.publicKey.rawRepresentation)
            guard let theirs = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bagKey),
                let shared = try? ours.sharedSecretFromKeyAgreement(with: theirs)
            else { return nil }
            key = PortableWrap.key(shared, purpose, protectionClass, publicKey, bagKey)
        }

        /// Wraps a key: 72 bytes.
        func wrap(_ wrapped: SymmetricKey) -> [UInt8]? {
            Cryptography.wrap(wrapped, using: key).map { publicKey + $0 }
        }
    }

    /// Opens a wrap with the bag's private key.
    static func unwrap(
        _ portable: [UInt8], _ purpose: Purpose, _ protectionClass: ProtectionClass,
        using privateKey: Curve25519.KeyAgreement.PrivateKey
    ) -> SymmetricKey? {
        guard portable.count == BackupLayout.portableByteCount else { return nil }
        let publicKey = [UInt8](portable.prefix(32))
        guard let theirs = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
            let shared = try? privateKey.sharedSecretFromKeyAgreement(with: theirs)
        else { return nil }
        let bagKey = [UInt8](privateKey.publicKey.rawRepresentation)
        let key = key(shared, purpose, protectionClass, publicKey, bagKey)
        return unsafe portable.withUnsafeBytes { bytes in
            unsafe Cryptography.unwrap(UnsafeRawBufferPointer(rebasing: bytes[32...]), using: key)
        }
    }

    private static func key(
        _ shared: SharedSecret, _ purpose: Purpose, _ protectionClass: ProtectionClass,
        _ sender: [UInt8], _ bagKey: [UInt8]
    ) -> SymmetricKey {
        shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: [UInt8](),
            sharedInfo: purpose.label + [protectionClass.rawValue] + sender + bagKey,
            outputByteCount: Cryptography.keyByteCount)
    }
}

/// A portable wrap as the database has it: sealed under class dku, which never leaves the device. So an
/// archive, its password and a later copy of the database together open no secret stored since.
///
/// u32 bag number, 12 nonce, 72 ciphertext, 16 tag.
struct WrapSeal {
    private static let label = [UInt8]("llavero.portable-seal.1".utf8)

    private let key: SymmetricKey
    private let user: UInt32

    init(classKey: Secret, user: UInt32) {
        key = Cryptography.derive(from: classKey.bytes.symmetricKey(), info: Self.label)
        self.user = user
    }

    /// Seals a wrap, tied to what it belongs to: the wrapped key itself, and its class or name.
    func seal(_ portable: [UInt8], bag number: [UInt8], of subject: [UInt8]) -> [UInt8]? {
        Cryptography.seal(
            SecretBytes(copying: portable), using: key,
            authenticating: associatedData(number, subject)
        ).map { number + $0 }
    }

    /// Opens a wrap; nil when it is another bag's, or doesn't belong to this.
    func open(_ attachment: [UInt8], bag number: [UInt8], of subject: [UInt8]) -> [UInt8]? {
        guard attachment.count == BackupLayout.attachmentByteCount, attachment.starts(with: number)
        else { return nil }
        let sealed = [UInt8](attachment.dropFirst(number.count))
        let opened = Cryptography.open(
            sealed, using: key, authenticating: associatedData(number, subject))
        return opened.map { secret in
            unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        }
    }

    private func associatedData(_ number: [UInt8], _ subject: [UInt8]) -> [UInt8] {
        var data = Self.label
        data.append(littleEndian: user)
        return data + number + subject
    }
}
