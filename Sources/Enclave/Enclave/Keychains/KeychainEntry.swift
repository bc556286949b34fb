// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import IPC
import KeychainVocabulary
import SecretBytes

/// A keychain's two random keys, wrapped, with what belongs to them (STORAGE.md, "Keychains").
///
/// The key of its attributes opens with class dku alone: its items are found while it is locked. The
/// key of its secrets also takes its password.
struct KeychainEntry: Hashable {
    private static let attributesLabel = [UInt8]("llavero.keychain.attributes.1".utf8)
    private static let secretsLabel = [UInt8]("llavero.keychain.secrets.1".utf8)
    private static let tangleLabel = [UInt8]("llavero.keychain.tangle.1".utf8)
    private static let saltByteCount = 32
    private static let sealedByteCount = Cryptography.keyByteCount + Cryptography.sealOverhead

    /// What both keys are tied to, besides each other.
    struct Owner: Hashable {
        let user: UInt32
        /// 16 bytes.
        let keybagUUID: [UInt8]
    }

    /// A key from a password, and what it took.
    struct PasswordKey {
        let key: SymmetricKey
        let salt: [UInt8]
        let parameters: DerivationParameters
    }

    /// Never 0.
    let number: UInt32
    /// 16 bytes that the creator chose.
    let uuid: [UInt8]
    var settings: KeychainSettings
    /// Of the derivation.
    private(set) var salt: [UInt8]
    /// Of the derivation.
    private(set) var parameters: DerivationParameters
    private let sealedAttributesKey: [UInt8]
    private var sealedSecretsKey: [UInt8]

    // MARK: - Making

    /// Makes both keys.
    /// - Parameters:
    ///   - name: Number and UUID.
    ///   - settings: When it locks by itself.
    ///   - password: From the password.
    ///   - classKey: The key of class dku.
    ///   - owner: The user and the keybag.
    /// - Returns: The entry and the key of its secrets; nil when the library refuses.
    static func make(
        _ name: (number: UInt32, uuid: [UInt8]), _ settings: KeychainSettings,
        _ password: PasswordKey, classKey: Secret, _ owner: Owner
    ) -> (entry: KeychainEntry, secretsKey: Secret)? {
        let secretsKey = Secret(.random(byteCount: Cryptography.keyByteCount))
        guard
            let sealed = Cryptography.seal(
                .random(byteCount: Cryptography.keyByteCount),
                using: attributesWrappingKey(classKey),
                authenticating: associatedData(attributesLabel, name, owner)),
            let entry = KeychainEntry(
                name, settings, sealedAttributesKey: sealed, secretsKey, password, owner)
        else { return nil }
        return (entry, secretsKey)
    }

    private init?(
        _ name: (number: UInt32, uuid: [UInt8]), _ settings: KeychainSettings,
        sealedAttributesKey: [UInt8], _ secretsKey: Secret, _ password: PasswordKey, _ owner: Owner
    ) {
        number = name.number
        uuid = name.uuid
        self.settings = settings
        salt = password.salt
        parameters = password.parameters
        self.sealedAttributesKey = sealedAttributesKey
        let data = Self.secretsData(name, password.salt, password.parameters, owner)
        guard
            let sealed = Cryptography.seal(
                secretsKey.bytes, using: password.key, authenticating: data)
        else { return nil }
        sealedSecretsKey = sealed
    }

    /// The same keychain with another password.
    func protected(by password: PasswordKey, _ secretsKey: Secret, _ owner: Owner) -> KeychainEntry?
    {
        KeychainEntry(
            (number, uuid), settings, sealedAttributesKey: sealedAttributesKey, secretsKey,
            password, owner)
    }

    static func newSalt() -> [UInt8] {
        unsafe SecretBytes.random(byteCount: saltByteCount).withUnsafeBytes { unsafe [UInt8]($0) }
    }

    // MARK: - Opening

    /// What a password's derivation comes to: tangled with class dku, which only this device opens and
    /// which stays the same when the device key is replaced.
    /// - Parameters:
    ///   - derived: 32 bytes from Argon2id.
    ///   - classKey: The key of class dku.
    /// - Returns: What wraps the key of the secrets.
    static func key(derived: Secret, classKey: Secret) -> SymmetricKey {
        let tangleKey = Cryptography.derive(
            from: classKey.bytes.symmetricKey(), info: tangleLabel)
        let tangled = Cryptography.deriveByAuthenticating(derived.bytes, using: tangleKey)
        return KeybagKeys.keychainKey(derived: derived, tangled: tangled)
    }

    /// The key of its attributes.
    func attributesKey(classKey: Secret, _ owner: Owner) -> Secret? {
        Cryptography.open(
            sealedAttributesKey, using: Self.attributesWrappingKey(classKey),
            authenticating: Self.associatedData(Self.attributesLabel, (number, uuid), owner))
    }

    /// The key of its secrets.
    /// - Returns: Nil for another password's key.
    func secretsKey(using key: SymmetricKey, _ owner: Owner) -> Secret? {
        Cryptography.open(
            sealedSecretsKey, using: key,
            authenticating: Self.secretsData((number, uuid), salt, parameters, owner))
    }

    private static func attributesWrappingKey(_ classKey: Secret) -> SymmetricKey {
        Cryptography.derive(from: classKey.bytes.symmetricKey(), info: attributesLabel)
    }

    private static func associatedData(
        _ label: [UInt8], _ name: (number: UInt32, uuid: [UInt8]), _ owner: Owner
    ) -> [UInt8] {
        var data = label + owner.keybagUUID
        data.append(littleEndian: owner.user)
        data.append(littleEndian: name.number)
        return data + name.uuid
    }

    private static func secretsData(
        _ name: (number: UInt32, uuid: [UInt8]), _ salt: [UInt8],
        _ parameters: DerivationParameters, _ owner: Owner
    ) -> [UInt8] {
        var data = associatedData(secretsLabel, name, owner) + salt
        data.append(littleEndian: parameters.memoryKiB)
        data.append(littleEndian: parameters.passes)
        return data
    }

    // MARK: - Coding

    /// u32 number, 16 UUID, u8 settings, u32 interval, 32 salt, u32 memory, u32 passes, 60 the key of
    /// its attributes, 60 that of its secrets.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: number)
        bytes += uuid
        bytes.append(settings.bits)
        bytes.append(littleEndian: settings.intervalSeconds)
        bytes += salt
        bytes.append(littleEndian: parameters.memoryKiB)
        bytes.append(littleEndian: parameters.passes)
        return bytes + sealedAttributesKey + sealedSecretsKey
    }

    /// Reads an entry.
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        number = try unsafe reader.u32()
        uuid = try unsafe reader.array(KeychainLimits.uuidByteCount)
        settings = try unsafe KeychainSettings(&reader)
        salt = try unsafe reader.array(Self.saltByteCount)
        let memoryKiB = try unsafe reader.u32()
        let passes = try unsafe reader.u32()
        guard number != 0,
            let parameters = DerivationParameters(memoryKiB: memoryKiB, passes: passes)
        else { throw DecodingFailure() }
        self.parameters = parameters
        sealedAttributesKey = try unsafe reader.array(Self.sealedByteCount)
        sealedSecretsKey = try unsafe reader.array(Self.sealedByteCount)
    }
}
