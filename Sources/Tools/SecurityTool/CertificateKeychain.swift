// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TrustWire

/// A keychain that has certificates. They are names alone: no file is there.
enum CertificateKeychain: Equatable {
    /// What the tool's own access group has.
    case login
    /// The machine's.
    case system
    /// The roots of the system, a file that its administrator updates.
    case systemRoots

    /// - Returns: Nil for a name that isn't one.
    init?(_ name: String) {
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

    /// The name that is printed.
    var path: String {
        switch self {
        case .login: KeychainName.path
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
        var query = ItemQuery(.certificate)
        query.attributes[.accessGroup] = group.map { .text($0) }
        query.synchronizable = .any
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
        item.attributes[.label] = .text(CertificateSubject.summary(der))
        item.secret = unsafe der.withUnsafeBytes { Secret(unsafe SecretBytes(copying: $0)) }
        try connection.add(item)
    }

    /// Deletes a certificate.
    func delete(_ found: Found, _ connection: KeychainConnection) throws(KeychainError) {
        guard self != .systemRoots, let reference = found.reference else {
            throw KeychainError(status: SecurityStatus.readOnly, reason: .denied)
        }
        var query = ItemQuery(.certificate)
        query.attributes[.accessGroup] = group.map { .text($0) }
        query.persistentReference = reference
        query.synchronizable = .any
        try connection.delete(query)
    }

    /// The keychains that words name; the login keychain and the machine's when there are none.
    /// - Returns: Nil with a name that isn't a keychain's.
    static func named(_ words: Words) -> [CertificateKeychain]? {
        guard words.count > 0 else { return [.login, .system] }
        let keychains = (0..<words.count).map { CertificateKeychain(words[$0].string) }
        let found = keychains.compactMap { $0 }
        return found.count == keychains.count ? found : nil
    }
}
