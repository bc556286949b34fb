// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import KeychainVocabulary
import SecurityWire
import TrustWire

/// A certificate whose private key is in the same keychains.
struct IdentityPair {
    let certificate: CertificateKeychain.Found
    /// The private key.
    let key: FoundItem
    /// Where the key is.
    let keyKeychain: CertificateKeychain

    /// What is printed as its name.
    var name: String {
        certificate.outline?.commonNames.last ?? CertificateSubject.summary(certificate.der)
    }

    /// SHA-1 of the certificate, in upper-case hexadecimal.
    var digest: String {
        ExternalTrustSettings.hex(TrustSettings.Entry.digest(certificate.der))
    }

    /// Whether it is meant by a digest of its certificate (SHA-1 or SHA-256, in upper-case hexadecimal),
    /// or without one by a common name.
    func matches(name: String?, digest: String?) -> Bool {
        if let digest {
            let whole = CertificateOutline.sha256(certificate.der)
            return [self.digest, ExternalTrustSettings.hex(whole)].contains(digest)
        }
        return name.map { certificate.outline?.commonNames.contains($0) ?? false } ?? false
    }

    /// The pairs of keychains, in the order of their certificates.
    static func all(
        in keychains: [CertificateKeychain], _ connection: KeychainConnection
    ) throws(KeychainError) -> [IdentityPair] {
        var keys: [(item: FoundItem, keychain: CertificateKeychain)] = []
        for keychain in keychains where keychain != .systemRoots {
            keys += try privateKeys(keychain, connection).map { ($0, keychain) }
        }
        guard !keys.isEmpty else { return [] }
        var pairs: [IdentityPair] = []
        for keychain in keychains {
            for certificate in try keychain.certificates(connection) {
                guard let digest = certificate.attributes[.publicKeyHash] else { continue }
                let own = keys.filter { $0.item.attributes[.applicationLabel] == digest }
                // The key may be in another keychain; one beside the certificate comes first.
                guard let key = own.first(where: { $0.keychain == keychain }) ?? own.first
                else { continue }
                pairs.append(
                    IdentityPair(
                        certificate: certificate, key: key.item, keyKeychain: key.keychain))
            }
        }
        return pairs
    }

    private static func privateKeys(
        _ keychain: CertificateKeychain, _ connection: KeychainConnection
    ) throws(KeychainError) -> [FoundItem] {
        var query = keychain.query(.key)
        query.limit = nil
        query.returning = [.attributes, .persistentReference]
        do throws(KeychainError) {
            return try connection.find(query).filter { key in
                key.attributes[.keyClass].flatMap(ImportedItems.number) == 1
            }
        } catch {
            guard error.reason == .absent else { throw error }
            return []
        }
    }

    /// Deletes the certificate, then the key unless another certificate has it too.
    func delete(
        others: [IdentityPair], _ connection: KeychainConnection
    ) throws(KeychainError) {
        try certificate.keychain.delete(certificate, connection)
        let isShared = others.contains { other in
            other.key.persistentReference == key.persistentReference
                && other.certificate.reference != certificate.reference
        }
        guard !isShared, let reference = key.persistentReference else { return }
        var query = keyKeychain.query(.key)
        query.persistentReference = reference
        try connection.delete(query)
    }
}
