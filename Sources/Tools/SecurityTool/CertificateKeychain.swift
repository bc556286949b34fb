// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TrustWire

/// A keychain that has certificates and keys. Those of the machine and of the roots are only names; they
/// have no files.
enum CertificateKeychain: Equatable {
    /// What the tool's own access group has.
    case login
    /// One with a password of its own.
    case other(UserKeychain)
    /// The machine's.
    case system
    /// The roots of the system, a file that its administrator updates.
    case systemRoots

    /// The keychain that a word names.
    /// - Throws: `errSecNoSuchKeychain`; `errSecInvalidKeychain` for a file that isn't a marker.
    init(_ word: Word, _ connection: KeychainConnection) throws(KeychainError) {
        if let named = CertificateKeychain(word.string) {
            self = named
        } else {
            self.init(try UserKeychain(word, connection))
        }
    }

    private init(_ keychain: UserKeychain) {
        self = keychain.id.isLogin ? .login : .other(keychain)
    }

    /// The keychain that takes new items.
    static func preferred(
        _ connection: KeychainConnection
    ) throws(KeychainError) -> CertificateKeychain {
        CertificateKeychain(try UserKeychain.preferred(connection))
    }

    /// The keychain of an option's word, or else the one that takes new items.
    static func named(
        _ word: Word?, _ connection: KeychainConnection
    ) throws(KeychainError) -> CertificateKeychain {
        guard let word else { return try preferred(connection) }
        return try CertificateKeychain(word, connection)
    }

    /// The keychains that words name; without words the search list and the machine's. A keychain that
    /// isn't there has no items.
    static func searched(
        _ words: Words, _ connection: KeychainConnection
    ) throws(KeychainError) -> [CertificateKeychain] {
        guard words.count > 0 else {
            return try UserKeychain.searchList(connection).map { CertificateKeychain($0) }
                + [.system]
        }
        var keychains: [CertificateKeychain] = []
        for index in 0..<words.count {
            do throws(KeychainError) {
                keychains.append(try CertificateKeychain(words[index], connection))
            } catch {
                guard error.reason == .noSuchKeychain || error.reason == .invalidKeychain else {
                    throw error
                }
            }
        }
        return keychains
    }

    /// - Returns: Nil for a name that isn't one of the three.
    private init?(_ name: String) {
        let systemNames = ["System", "System.keychain", Self.system.path]
        let rootNames = [
            "SystemRootCertificates", "SystemRootCertificates.keychain", Self.systemRoots.path,
            "X509Anchors",
        ]
        if KeychainName.matches(name) {
            self = .login
        } else if systemNames.contains(name) {
            self = .system
        } else if rootNames.contains(name) {
            self = .systemRoots
        } else {
            return nil
        }
    }

    /// What is printed as its path.
    var pathBytes: [UInt8] {
        if case .other(let keychain) = self { return keychain.path }
        return [UInt8](path.utf8)
    }

    /// The same as text.
    var path: String {
        switch self {
        case .login: KeychainName.path
        case .other(let keychain): String(decoding: keychain.path, as: UTF8.self)
        case .system: "/Library/Keychains/System.keychain"
        case .systemRoots: "/System/Library/Keychains/SystemRootCertificates.keychain"
        }
    }

    /// A certificate of a keychain.
    struct Found {
        let keychain: CertificateKeychain
        let der: [UInt8]
        let attributes: ItemAttributes
        let reference: PersistentReference?
        let outline: CertificateOutline?
    }

    /// The group of its items; nil is that of the tool.
    var group: String? {
        self == .system ? ReservedGroup.machineKeychain.rawValue : nil
    }

    /// In requests: nil for login, and for the machine's, whose items are a group of root's.
    var requested: KeychainID? {
        if case .other(let keychain) = self { return keychain.requested }
        return nil
    }

    /// A query for its items of a class.
    func query(_ itemClass: ItemClass) -> ItemQuery {
        var query = ItemQuery(itemClass)
        query.attributes[.accessGroup] = group.map { .text($0) }
        query.keychain = requested
        query.synchronizable = .any
        return query
    }

    /// Its certificates, the oldest first.
    func certificates(_ connection: KeychainConnection) throws(KeychainError) -> [Found] {
        if self == .systemRoots {
            return try connection.systemRoots().map { der in
                let outline = CertificateOutline(der)
                return Found(
                    keychain: self, der: der,
                    attributes: outline?.itemAttributes ?? ItemAttributes(),
                    reference: nil, outline: outline)
            }
        }
        var query = query(.certificate)
        query.limit = nil
        query.returning = [.attributes, .data, .persistentReference]
        do throws(KeychainError) {
            return try connection.find(query).map { item in
                let der =
                    item.secret.map { secret in
                        unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
                    } ?? []
                return Found(
                    keychain: self, der: der, attributes: item.attributes,
                    reference: item.persistentReference, outline: CertificateOutline(der))
            }
        } catch {
            guard error.reason == .absent else { throw error }
            return []
        }
    }

    /// Stores a certificate.
    /// - Throws: ``FailureReason/duplicate``; ``FailureReason/administratorNeeded`` for the System
    ///   keychain.
    func add(_ der: [UInt8], _ connection: KeychainConnection) throws(KeychainError) {
        guard self != .systemRoots else {
            throw KeychainError(status: SecurityStatus.readOnly, reason: .denied)
        }
        guard let outline = CertificateOutline(der) else {
            throw KeychainError(status: SecurityStatus.decode, reason: .undecodable)
        }
        var item = NewItem(.certificate)
        item.attributes = outline.itemAttributes
        item.attributes[.accessGroup] = group.map { .text($0) }
        item.keychain = requested
        item.attributes[.label] = .text(CertificateSubject.summary(der))
        item.secret = unsafe der.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
        try connection.add(item)
    }

    /// Deletes a certificate.
    func delete(_ found: Found, _ connection: KeychainConnection) throws(KeychainError) {
        guard self != .systemRoots, let reference = found.reference else {
            throw KeychainError(status: SecurityStatus.readOnly, reason: .denied)
        }
        var query = query(.certificate)
        query.persistentReference = reference
        try connection.delete(query)
    }
}
