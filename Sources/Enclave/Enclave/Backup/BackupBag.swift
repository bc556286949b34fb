// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// The key pairs that make rows portable, under a backup password. It has a keybag's form:
///
///     VERS TYPE UUID KDFT SALT MEMC ITER AKEY {CLAS WRAP KTYP WPKY PBKY}… SIGN
///
/// One key pair on Curve25519 for each class that may move to another device. AKEY wraps the keys of
/// archives. SIGN is under a key from the password: so public keys alone make no bag and no archive.
package struct BackupBag: Hashable {
    /// The classes that may move to another device.
    static let classes: [ProtectionClass] = [.ak, .ck, .dk]
    /// What a derivation costs an attacker for each guess: 256 MiB, four passes.
    static let parameters = DerivationParameters(memoryKiB: 256 * 1024, passes: 4)
    /// Memory in KiB times passes. More is refused when a bag is read: a stranger's archive could ask
    /// for hours, and unlocking waits meanwhile.
    static let workLimit: UInt64 = 4 << 20
    static let numberByteCount = 4

    private static let version: UInt32 = 1
    private static let type: UInt32 = 3
    private static let argon2id: UInt32 = 2
    private static let underPassword: UInt32 = 2
    private static let curve25519KeyType: UInt32 = 1
    private static let publicKeyByteCount = 32
    private static let saltByteCount = 32
    private static let wrapLabel = [UInt8]("llavero.backup-bag.1".utf8)
    private static let signatureLabel = [UInt8]("llavero.backup-bag.signature.1".utf8)

    private struct Pair: Hashable {
        let wrapped: [UInt8]
        let publicKey: [UInt8]
    }

    /// All of its bytes.
    package let bytes: [UInt8]
    let uuid: [UInt8]
    /// 32 bytes.
    package let salt: [UInt8]
    /// What its password's derivation costs.
    package let parameters: DerivationParameters
    private let wrappedArchiveKey: [UInt8]
    private let pairs: [ProtectionClass: Pair]

    /// What rows say of the bag that their wraps are for.
    var number: [UInt8] { [UInt8](uuid.prefix(Self.numberByteCount)) }

    /// The public half of a class's pair: 32 bytes.
    func publicKey(_ protectionClass: ProtectionClass) -> [UInt8]? {
        pairs[protectionClass]?.publicKey
    }

    // MARK: - Making

    /// A new bag.
    /// - Parameters:
    ///   - derived: 32 bytes from the password.
    ///   - salt: What they were derived with.
    ///   - parameters: What that cost.
    /// - Returns: The bag, and the key that wraps archives' keys.
    static func make(
        derived: Secret, salt: [UInt8], parameters: DerivationParameters
    ) -> (bag: BackupBag, archiveKey: Secret)? {
        let random = SecretBytes.random(byteCount: Keybag.uuidByteCount)
        let archiveKey = Secret(.random(byteCount: Cryptography.keyByteCount))
        let wrappingKey = wrappingKey(derived)
        guard
            let wrappedArchiveKey = Cryptography.wrap(
                archiveKey.bytes.symmetricKey(), using: wrappingKey)
        else { return nil }
        var writer = TagWriter()
        writer.number("VERS", version)
        writer.number("TYPE", type)
        writer.value("UUID", unsafe random.withUnsafeBytes { unsafe [UInt8]($0) })
        writer.number("KDFT", argon2id)
        writer.value("SALT", salt)
        writer.number("MEMC", parameters.memoryKiB)
        writer.number("ITER", parameters.passes)
        writer.value("AKEY", wrappedArchiveKey)
        for protectionClass in classes {
            let pair = Curve25519.KeyAgreement.PrivateKey()
            guard let wrapped = Cryptography.wrap(pair.symmetricKey, using: wrappingKey) else {
                return nil
            }
            writer.number("CLAS", UInt32(protectionClass.rawValue))
            writer.number("WRAP", underPassword)
            writer.number("KTYP", curve25519KeyType)
            writer.value("WPKY", wrapped)
            writer.value("PBKY", [UInt8](pair.publicKey.rawRepresentation))
        }
        let bytes = writer.signed(signingKey(derived))
        guard let bag = try? BackupBag(bytes) else { return nil }
        return (bag, archiveKey)
    }

    // MARK: - Reading

    /// Parses a bag. Nothing proves yet that it is the password's: ``open(derived:)`` does.
    package init(_ bytes: [UInt8]) throws(KeybagError) {
        self.bytes = bytes
        var reader = try TagReader(bytes, byteCountLimit: BackupLayout.bagByteCountLimit)
        try reader.expect("VERS", Self.version)
        try reader.expect("TYPE", Self.type)
        uuid = try reader.value("UUID", byteCount: Keybag.uuidByteCount...Keybag.uuidByteCount)
        try reader.expect("KDFT", Self.argon2id)
        salt = try reader.value("SALT", byteCount: Self.saltByteCount...Self.saltByteCount)
        let memoryKiB = try reader.number("MEMC")
        guard
            let parameters = DerivationParameters(
                memoryKiB: memoryKiB, passes: try reader.number("ITER")),
            UInt64(parameters.memoryKiB) * UInt64(parameters.passes) <= Self.workLimit
        else { throw .wrongValue("MEMC") }
        self.parameters = parameters
        let wrapped = Cryptography.wrappedKeyByteCount...Cryptography.wrappedKeyByteCount
        wrappedArchiveKey = try reader.value("AKEY", byteCount: wrapped)
        var pairs: [ProtectionClass: Pair] = [:]
        for protectionClass in Self.classes {
            try reader.expect("CLAS", UInt32(protectionClass.rawValue))
            try reader.expect("WRAP", Self.underPassword)
            try reader.expect("KTYP", Self.curve25519KeyType)
            let key = try reader.value("WPKY", byteCount: wrapped)
            let publicKey = try reader.value(
                "PBKY", byteCount: Self.publicKeyByteCount...Self.publicKeyByteCount)
            pairs[protectionClass] = Pair(wrapped: key, publicKey: publicKey)
        }
        self.pairs = pairs
        try reader.finish()
    }

    // MARK: - Opening

    /// What a password opens.
    struct Opened {
        /// Wraps the keys of archives.
        let archiveKey: Secret
        let privateKeys: [ProtectionClass: Curve25519.KeyAgreement.PrivateKey]
    }

    /// Opens it.
    /// - Parameter derived: 32 bytes from the password.
    /// - Returns: Nil for another password, and for a bag that isn't whole.
    func open(derived: Secret) -> Opened? {
        let signed = bytes.dropLast(TagReader.signatureRecordByteCount)
        guard
            Cryptography.isAuthentic(
                bytes.suffix(TagReader.signatureByteCount), for: signed,
                using: Self.signingKey(derived)),
            let archiveKey = Self.unwrap(wrappedArchiveKey, derived)
        else { return nil }
        var keys: [ProtectionClass: Curve25519.KeyAgreement.PrivateKey] = [:]
        for (protectionClass, pair) in pairs {
            guard let bytes = Self.unwrap(pair.wrapped, derived),
                let key = bytes.curve25519Key,
                [UInt8](key.publicKey.rawRepresentation) == pair.publicKey
            else { return nil }
            keys[protectionClass] = key
        }
        return Opened(archiveKey: archiveKey, privateKeys: keys)
    }

    private static func unwrap(_ wrapped: [UInt8], _ derived: Secret) -> Secret? {
        unsafe wrapped.withUnsafeBytes {
            unsafe Cryptography.unwrap($0, using: wrappingKey(derived))
        }.map { Secret($0) }
    }

    private static func wrappingKey(_ derived: Secret) -> SymmetricKey {
        Cryptography.derive(from: derived.bytes.symmetricKey(), info: wrapLabel)
    }

    private static func signingKey(_ derived: Secret) -> SymmetricKey {
        Cryptography.derive(from: derived.bytes.symmetricKey(), info: signatureLabel)
    }
}

extension Curve25519.KeyAgreement.PrivateKey {
    /// The key's bytes, to wrap them.
    fileprivate var symmetricKey: SymmetricKey {
        var bytes = rawRepresentation
        return unsafe bytes.lendAndWipe { unsafe SymmetricKey(data: $0) }
            ?? SymmetricKey(size: .bits256)
    }
}

extension Secret {
    fileprivate var curve25519Key: Curve25519.KeyAgreement.PrivateKey? {
        unsafe bytes.withUnsafeBytes {
            try? unsafe Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0)
        }
    }
}
