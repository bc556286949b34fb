// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import FoundationEssentials
import SecretBytes
import SecurityWire

/// The items that contain the keys of sealed files. They are generic passwords: programs that hold
/// their access group find, move, protect and delete them like any other.
///
/// A key is looked for in only one group: the named one, else the caller's default one, in which
/// keys are made. In any other group that the caller shares, another application could store a key
/// that it knows, and the next file would be sealed with it.
struct SealedFileKeyItems: Sendable {
    /// The service of all of them.
    static let service = "llavero.sealed-files"

    let connection: KeychainConnection
    let accessGroup: String?
    /// Distinguishes several keys of a class; the default key has none.
    let name: String

    /// The content of an item.
    struct Key {
        let id: [UInt8]
        let secret: Secret
        let accessGroup: String?
        let accessibility: Accessibility
    }

    /// The key that new files of a class are sealed with; made if there is none.
    func keyForSealing(
        _ protection: FileProtection, _ bounds: CallBounds
    ) throws(SealedFileError) -> Key {
        let group = try SealedFileError.keychain { () throws(KeychainError) -> String in
            try self.group(bounds)
        }
        var query = query(group)
        query.attributes[.account] = .text(account(protection))
        do throws(KeychainError) { return try Self.key(connection.find(query, bounds)) } catch {
            guard error.reason == .absent else { throw .keychain(error) }
        }
        do throws(SealedFileError) { return try make(protection, group, bounds) } catch {
            // Another process made it first.
            guard case .keychain(let failure) = error, failure.reason == .duplicate else {
                throw error
            }
        }
        return try key(query, bounds)
    }

    /// The key that a file was sealed with.
    func key(_ id: [UInt8], _ bounds: CallBounds) throws(SealedFileError) -> Key {
        var query = query(
            try SealedFileError.keychain { () throws(KeychainError) -> String in
                try self.group(bounds)
            })
        query.attributes[.generic] = .data(id)
        return try key(query, bounds)
    }

    private func key(
        _ query: ItemQuery, _ bounds: CallBounds
    ) throws(SealedFileError) -> Key {
        do throws(KeychainError) { return try Self.key(connection.find(query, bounds)) } catch {
            throw .keychain(error)
        }
    }

    /// Deletes the key of a class: files that were sealed with it can't be opened any more.
    func remove(_ protection: FileProtection) throws(KeychainError) {
        var query = query(try group(CallBounds()))
        query.attributes[.account] = .text(account(protection))
        query.returning = []
        try connection.delete(query)
    }

    /// The group that contains the keys.
    private func group(_ bounds: CallBounds) throws(KeychainError) -> String {
        if let accessGroup { return accessGroup }
        guard let group = try connection.callerIdentity(bounds).accessGroups.first else {
            throw .denied
        }
        return group
    }

    private func query(_ group: String) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes[.service] = .text(Self.service)
        query.attributes[.accessGroup] = .text(group)
        query.synchronizable = .any
        query.returning = [.data, .attributes]
        return query
    }

    private func account(_ protection: FileProtection) -> String {
        name.isEmpty ? protection.name : protection.name + ":" + name
    }

    private static func key(_ items: [FoundItem]) throws(KeychainError) -> Key {
        guard let item = items.first else { throw .absent }
        var group: String?
        if case .text(let text)? = item.attributes[.accessGroup] { group = text }
        var id: [UInt8] = []
        if case .data(let bytes)? = item.attributes[.generic] { id = bytes }
        return Key(
            id: id, secret: item.secret ?? Secret(SecretBytes(byteCount: 0)), accessGroup: group,
            accessibility: item.attributes.accessibility ?? .whenUnlocked)
    }

    private func make(
        _ protection: FileProtection, _ group: String, _ bounds: CallBounds
    ) throws(SealedFileError) -> Key {
        var item = NewItem(.genericPassword)
        item.attributes[.service] = .text(Self.service)
        item.attributes[.account] = .text(account(protection))
        item.attributes[.label] = .text("Key of sealed files (\(account(protection)))")
        item.attributes.accessibility = protection.accessibility
        let id: [UInt8]
        let secret: Secret
        if protection == .completeUnlessOpen {
            let pair: MadeKey
            do throws(KeychainError) {
                pair = try connection.makeKey(
                    FileProtection.privateKeyAccessibility, accessGroup: group, bounds)
            } catch { throw .keychain(error) }
            id = SealedFileRecipient.id(of: pair.publicKey)
            secret = SealedFileRecipient.content(of: pair)
        } else {
            id = unsafe SecretBytes.random(byteCount: SealedFileHeader.keyIDByteCount)
                .withUnsafeBytes { unsafe [UInt8]($0) }
            secret = Secret(.random(byteCount: 32))
        }
        item.attributes[.accessGroup] = .text(group)
        item.attributes[.generic] = .data(id)
        item.secret = secret
        do throws(KeychainError) { _ = try connection.add(item, bounds) } catch {
            throw .keychain(error)
        }
        return Key(
            id: id, secret: secret, accessGroup: group, accessibility: protection.accessibility)
    }
}

/// A key pair whose private half only enclaved opens: files are sealed to its public half, also
/// while the device is locked.
struct SealedFileRecipient {
    private static let format: UInt8 = 1
    private static let publicKeyByteCount = 65

    /// 65 bytes, a point of P-256.
    let publicKey: [UInt8]
    /// The private half, for enclaved.
    private let sealed: [UInt8]
    private let accessGroup: String

    /// Parses an item's content: u8 1, public key, sealed private key.
    init(_ key: SealedFileKeyItems.Key) throws(SealedFileError) {
        let bytes = unsafe key.secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        guard let group = key.accessGroup, bytes.first == Self.format,
            bytes.count > 1 + Self.publicKeyByteCount
        else { throw .badKey }
        publicKey = [UInt8](bytes[1...Self.publicKeyByteCount])
        sealed = [UInt8](bytes[(1 + Self.publicKeyByteCount)...])
        accessGroup = group
        guard Self.id(of: publicKey) == key.id else { throw .badKey }
    }

    static func content(of pair: MadeKey) -> Secret {
        let bytes = [format] + pair.publicKey + pair.sealed
        return Secret(
            unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) })
    }

    /// The identifier of a public key in files; no other key has it.
    static func id(of publicKey: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(data: publicKey).prefix(SealedFileHeader.keyIDByteCount))
    }

    /// Agrees with a one-time key, which is discarded afterwards.
    /// - Returns: That key's public half, 64 bytes, and the shared secret.
    func agree() throws(SealedFileError) -> (point: [UInt8], secret: Secret) {
        let ephemeral = P256.KeyAgreement.PrivateKey()
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: publicKey),
            let agreed = try? ephemeral.sharedSecretFromKeyAgreement(with: key)
        else { throw .badKey }
        return (
            [UInt8](ephemeral.publicKey.rawRepresentation),
            unsafe agreed.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
        )
    }

    /// Asks enclaved for the shared secret with a file's key; works while the device is unlocked.
    func agree(
        with point: [UInt8], _ connection: KeychainConnection, _ bounds: CallBounds
    ) throws(SealedFileError) -> Secret {
        do throws(KeychainError) {
            return try connection.agree(
                publicKey: [4] + point, sealed: sealed, accessGroup: accessGroup, bounds)
        } catch { throw .keychain(error) }
    }
}
