// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire

// An identity is no item: it is a certificate and its private key, each stored as such. They are
// added in two requests, and changed and deleted in one, all or none. Source of the order and of
// the status codes: Apple's SecItem, as observed; it goes by the attributes of each half alone,
// which would change or delete items that are no part of an identity, so here only pairs are meant.

extension ItemCalls {
    // MARK: - Add

    /// Stores an identity's certificate and key; one of the two may be there already.
    /// - Returns: A persistent reference if one is asked for, and nothing else.
    func add(
        _ identity: SecIdentity, _ parsed: ParsedQuery
    ) throws(ItemFailure) -> NSObject? {
        var (certificate, key) = try parsed.newItems(of: identity)
        let keychain = try parsed.target(connection)?.id
        certificate.keychain = keychain
        key.keychain = keychain
        certificate.returning = .persistentReference
        key.returning = .attributes
        let added = try addUnlessThere(certificate)
        let addedKey: FoundItem?
        do throws(ItemFailure) {
            addedKey = try addUnlessThere(key)
        } catch {
            // With an unknown outcome the key may be there, and then so must the certificate.
            if let reference = added?.persistentReference, error.status != errSecIO {
                remove(reference, in: keychain)
            }
            throw error
        }
        if added == nil, addedKey == nil { throw ItemFailure(errSecDuplicateItem) }
        guard parsed.returns.contains(.persistentReference) else { return nil }
        var reference = added?.persistentReference
        if reference == nil {
            // The key is stored, and a failure to tell more doesn't undo that.
            reference = try? self.reference(of: certificate, besides: addedKey?.attributes)
        }
        return reference.flatMap { PersistentReference(itemClass: .identity, uuid: $0.uuid) }
            .map { WipedData($0.bytes) }
    }

    private func addUnlessThere(_ item: NewItem) throws(ItemFailure) -> FoundItem? {
        do throws(KeychainError) {
            return try connection.add(item)
        } catch  where error.reason == .duplicate {
            return nil
        } catch { throw ItemFailure(error.status) }
    }

    private func remove(_ reference: PersistentReference, in keychain: KeychainID?) {
        var query = ItemQuery(reference.itemClass)
        query.keychain = keychain
        query.persistentReference = reference
        query.synchronizable = .any
        query.tombstones = .never
        // The failure that led here is the one to report.
        do throws(KeychainError) { try connection.delete(query) } catch {}
    }

    /// The reference of the certificate that was in the way of an add: it has the same primary
    /// key, and lies in the group that the key was put into.
    private func reference(
        of certificate: NewItem, besides key: ItemAttributes?
    ) throws(ItemFailure) -> PersistentReference? {
        var query = ItemQuery(.certificate)
        query.keychain = certificate.keychain
        for attribute in [Attribute.certificateType, .issuer, .serialNumber] {
            query.attributes[attribute] = certificate.attributes[attribute]
        }
        for attribute in [Attribute.syncViewHint, .tokenID] {
            query.attributes[attribute] = certificate.attributes[attribute] ?? .text("")
        }
        query.attributes[.accessGroup] =
            certificate.attributes[.accessGroup] ?? key?[.accessGroup]
        query.synchronizable = certificate.attributes[.synchronizable] == .integer(1) ? .yes : .no
        query.returning = .persistentReference
        let request = query
        let found = try sent { () throws(KeychainError) in try connection.find(request) }
        return found.first?.persistentReference
    }

    // MARK: - Update

    /// Changes the certificates of the identities that match, and their keys.
    func updateIdentities(
        _ parsed: ParsedQuery, _ request: ItemQuery, _ changes: ItemChanges
    ) throws(ItemFailure) {
        try checkHalves(parsed)
        for half in [ItemClass.certificate, .key] {
            try parsed.check(changes.attributes, in: half)
        }
        // The same bytes can't be both a certificate and a key.
        if changes.secret != nil { throw ItemFailure(errSecParam) }
        if parsed.persistentReference != nil, changes.attributes[.accessGroup] != nil {
            throw ItemFailure(errSecInternal)
        }
        let pairs = try pairs(request)
        let halves = queries(certificatesOf: pairs, request) + queries(keysOf: pairs, request)
        guard var query = halves.first else { throw ItemFailure(errSecItemNotFound) }
        query.besides = Array(halves.dropFirst())
        let all = query
        try sent { () throws(KeychainError) in try connection.update(all, applying: changes) }
    }

    // MARK: - Delete

    /// Deletes the certificates of the identities that match, and the keys that no other
    /// certificate needs.
    func deleteIdentities(
        _ parsed: ParsedQuery, _ request: ItemQuery
    ) throws(ItemFailure) {
        try checkHalves(parsed)
        let pairs = try pairs(request)
        let certificates = queries(certificatesOf: pairs, request)
        let deleted = Set(certificates.compactMap(\.persistentReference))
        var doomed = certificates
        for query in queries(keysOf: pairs, request) {
            // A certificate that can't be opened now counts.
            guard let others = try self.certificates(of: query), others.isSubset(of: deleted)
            else { continue }
            doomed.append(query)
        }
        guard let first = doomed.first else { throw ItemFailure(errSecItemNotFound) }
        try delete(first, besides: Array(doomed.dropFirst()))
    }

    /// Deletes an identity's certificate and its key, unless another certificate needs that.
    func delete(
        _ identity: SecIdentity, _ parsed: ParsedQuery, in keychain: KeychainID?
    ) throws(ItemFailure) {
        let certificate = try parsed.deleteQuery(ofHalf: .certificate(identity.certificate))
            .within(keychain)
        let key = try parsed.deleteQuery(ofHalf: .key(identity.key)).within(keychain)
        guard let own = try references(certificate), let all = try certificates(of: key) else {
            throw ItemFailure(errSecInteractionNotAllowed)
        }
        try delete(certificate, besides: all.isSubset(of: own) ? [key] : [])
    }

    private func delete(_ query: ItemQuery, besides others: [ItemQuery]) throws(ItemFailure) {
        var query = query
        query.besides = others
        let all = query
        try sent { () throws(KeychainError) in try connection.delete(all) }
    }

    /// The certificates of a key that is searched for; nil when one of them is locked.
    private func certificates(
        of key: ItemQuery
    ) throws(ItemFailure) -> Set<PersistentReference>? {
        guard let digest = key.attributes[.applicationLabel] else { return [] }
        var query = ItemQuery(.certificate)
        query.keychain = key.keychain
        query.attributes[.publicKeyHash] = digest
        query.synchronizable = .any
        query.limit = nil
        return try references(query)
    }

    /// What matches; nil when something of it is locked.
    private func references(
        _ query: ItemQuery
    ) throws(ItemFailure) -> Set<PersistentReference>? {
        var query = query
        query.returning = .persistentReference
        do throws(KeychainError) {
            return Set(try connection.find(query).compactMap(\.persistentReference))
        } catch  where error.reason == .absent {
            return []
        } catch  where error.reason == .locked {
            return nil
        } catch { throw ItemFailure(error.status) }
    }

    // MARK: - The halves

    /// A query for identities that changes them goes for both halves, so that an attribute which
    /// one of them doesn't have is unknown. A reference says which identity is meant by itself.
    private func checkHalves(_ parsed: ParsedQuery) throws(ItemFailure) {
        if parsed.persistentReference != nil { return }
        if case .identity? = parsed.reference { return }
        let attributes = try parsed.attributes(
            with: parsed.reference?.attributesToMatch ?? ItemAttributes())
        for half in [ItemClass.certificate, .key] { try parsed.check(attributes, in: half) }
    }

    private func pairs(_ request: ItemQuery) throws(ItemFailure) -> [FoundItem] {
        var query = request
        query.limit = nil
        query.returning = [.attributes, .persistentReference]
        let pairQuery = query
        return try sent { () throws(KeychainError) in try connection.find(pairQuery) }
    }

    private func queries(certificatesOf pairs: [FoundItem], _ request: ItemQuery) -> [ItemQuery] {
        var seen: Set<[UInt8]> = []
        return pairs.compactMap { pair in
            guard let uuid = pair.persistentReference?.uuid, seen.insert(uuid).inserted else {
                return nil
            }
            var query = ItemQuery(.certificate)
            query.keychain = request.keychain
            query.persistentReference = PersistentReference(itemClass: .certificate, uuid: uuid)
            query.synchronizable = .any
            query.tombstones = request.tombstones
            query.limit = nil
            return query
        }
    }

    /// Keys by their primary key: an identity's reference doesn't name its key.
    private func queries(keysOf pairs: [FoundItem], _ request: ItemQuery) -> [ItemQuery] {
        var seen: Set<[AttributeValue?]> = []
        return pairs.compactMap { pair in
            let values = Self.keyNames.map { pair.attributes[$0] }
            guard seen.insert(values).inserted else { return nil }
            var query = ItemQuery(.key)
            query.keychain = request.keychain
            for (attribute, value) in zip(Self.keyNames, values) {
                query.attributes[attribute] = value
            }
            // Texts that were never set aren't returned, and another key may have them.
            for attribute in [Attribute.syncViewHint, .tokenID]
            where pair.attributes[attribute] == nil {
                query.attributes[attribute] = .text("")
            }
            query.attributes[.synchronizable] = nil
            query.synchronizable =
                pair.attributes[.synchronizable] == .integer(1) ? .yes : .no
            query.tombstones = request.tombstones
            query.limit = nil
            return query
        }
    }

    /// The attributes that tell keys apart.
    private static let keyNames: [Attribute] = [
        .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits,
        .effectiveKeySize, .startDate, .endDate, .accessGroup, .synchronizable, .syncViewHint,
        .tokenID,
    ]
}
