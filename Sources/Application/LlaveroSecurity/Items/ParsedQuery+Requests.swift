// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import KeychainVocabulary
import SecretBytes
import SecurityWire

// From a parsed dictionary to the request of each call, with what one call alone refuses.

extension ParsedQuery {
    /// The item of an add.
    func newItem() throws(ItemFailure) -> NewItem {
        try checkAdd()
        // An identity is no item: its halves are added, and only a reference has them.
        guard itemClass != .identity else { throw ItemFailure(errSecParam) }
        return try newItem(of: itemClass, reference)
    }

    /// The items of an add of an identity: the certificate first.
    func newItems(
        of identity: SecIdentity
    ) throws(ItemFailure) -> (certificate: NewItem, key: NewItem) {
        try checkAdd()
        return (
            try newItem(of: .certificate, .certificate(identity.certificate)),
            try newItem(of: .key, .key(identity.key))
        )
    }

    private func checkAdd() throws(ItemFailure) {
        if skipsAuthentication { throw ItemFailure(errSecParam, .skippedAuthentication) }
        guard !hasMatchKeys, searchList == nil, matches.items == nil, limit == nil, !hasItemList,
            persistentReference == nil
        else {
            throw ItemFailure(errSecParam)
        }
    }

    private func newItem(
        of itemClass: ItemClass, _ reference: ItemReference?
    ) throws(ItemFailure) -> NewItem {
        var item = NewItem(itemClass)
        var derived = reference?.attributesToStore ?? ItemAttributes()
        if let label = reference?.label { derived[.label] = label }
        try check(derived, in: itemClass)
        try check(attributes, in: itemClass)
        item.attributes = derived
        item.attributes.merge(attributes)
        item.accessControl = try setAccessibility(
            of: &item.attributes, ofKey: reference?.enclaveKey)
        if case .value(let isOn)? = synchronizable {
            item.attributes[.synchronizable] = .integer(isOn ? 1 : 0)
        }
        item.secret = secret ?? reference?.secret
        if demandsHardware { item.demandedTier = .hardware }
        return item
    }

    /// The query of a copy; what to return of each item is up to the caller.
    func copyQuery() throws(ItemFailure) -> ItemQuery {
        if hasItemList { throw ItemFailure(errSecParam) }
        if persistentReference != nil, !isMeantByObject, hasAttributes {
            throw ItemFailure(errSecParam)
        }
        var query = try itemQuery()
        // A reference says which item is meant, also of one that synchronizes.
        if synchronizable == nil, matches.meansItemsByReference { query.synchronizable = .any }
        switch limit {
        case nil, .one: query.limit = 1
        case .all: query.limit = nil
        case .number(let count): query.limit = count
        }
        return query
    }

    /// The query of an update.
    func updateQuery() throws(ItemFailure) -> ItemQuery {
        if hasItemList { throw ItemFailure(errSecParam) }
        return try changingQuery()
    }

    /// The query of a delete.
    ///
    /// By the file keychain's rules `kSecUseItemList` lists the items to delete; no class is needed. Apple's
    /// code then ignores attributes. Here they must match too, so that no other item is deleted. The
    /// data protection keychain ignores the list. Source: Apple's SecItem, as observed.
    func deleteQuery() throws(ItemFailure) -> ItemQuery {
        guard let usedItems else { return try changingQuery() }
        guard matches.items == nil, reference == nil else { throw ItemFailure(errSecParam) }
        return try changingQuery(of: usedItems)
    }

    /// What an update changes in the items of a query.
    func changes(to query: ParsedQuery) throws(ItemFailure) -> ItemChanges {
        // Nothing becomes a tombstone by an update, nor an item again.
        let areTombstones = query.attributes[.tombstone] != nil
        if let makesTombstones, makesTombstones != areTombstones { throw ItemFailure(errSecParam) }
        var changes = ItemChanges()
        changes.attributes = attributes
        if accessControl != nil {
            let control = try setAccessibility(of: &changes.attributes)
            changes.accessControl = control.map { .replaced($0) } ?? .removed
        }
        if case .value(let isOn)? = synchronizable {
            changes.attributes[.synchronizable] = .integer(isOn ? 1 : 0)
        }
        changes.secret = secret
        return changes
    }

    /// What the dictionary of a delete by an object says about one half of an identity.
    func deleteQuery(ofHalf half: ItemReference) throws(ItemFailure) -> ItemQuery {
        var query = ItemQuery(half.itemClass)
        try check(attributes, in: half.itemClass)
        query.attributes = half.attributesToMatch
        query.attributes.merge(attributes)
        setScope(of: &query)
        query.limit = nil
        return query
    }

    /// Every match is meant. A limit or a filter that was dropped would change more than was
    /// asked for; "all" drops nothing.
    private func changingQuery(
        of usedItems: [MatchKeys.ListElement]? = nil
    ) throws(ItemFailure) -> ItemQuery {
        if skipsAuthentication { throw ItemFailure(errSecParam, .skippedAuthentication) }
        guard !hasMatchKeys, matches.items == nil || rules == .fileKeychain,
            limit == nil || limit == .all
        else { throw ItemFailure(errSecParam) }
        if case .row? = persistentReference, hasAttributes { throw ItemFailure(errSecParam) }
        var query = try itemQuery()
        query.limit = nil
        guard let items = usedItems ?? matches.items else { return query }
        // A query for each item of the list, all in one write.
        var queries: [ItemQuery] = []
        for item in items {
            if let chosen = try choosing(item, in: query) { queries.append(chosen) }
        }
        guard var first = queries.first else { throw ItemFailure(errSecItemNotFound) }
        first.besides = Array(queries.dropFirst())
        return first
    }

    /// A query that means one item of a list; nil for an item of another class.
    private func choosing(
        _ element: MatchKeys.ListElement, in query: ItemQuery
    ) throws(ItemFailure) -> ItemQuery? {
        let elementClass = element.itemClass
        // A list that is used without a class means items of all classes. An identity is two items.
        let isOfAnyClass = usedItems != nil && !namesClass
        guard itemClass != .identity, !(isOfAnyClass && elementClass == .identity),
            persistentReference == nil
        else { throw ItemFailure(errSecParam) }
        guard isOfAnyClass || elementClass == itemClass else { return nil }
        var query = query
        query.itemClass = elementClass
        try check(attributes, in: elementClass)
        switch element {
        case .persistentReference(let stored):
            if case .row = stored, hasAttributes { throw ItemFailure(errSecParam) }
            switch stored {
            case .item(let reference): query.persistentReference = reference
            case .row(_, let number): query.rowNumber = number
            }
            if synchronizable == nil { query.synchronizable = .any }
        case .reference(let object):
            var attributes = object.attributesToMatch
            attributes.merge(query.attributes)
            query.attributes = attributes
        }
        return query
    }

    private func itemQuery() throws(ItemFailure) -> ItemQuery {
        var query = ItemQuery(itemClass)
        if let reference {
            query.attributes = try attributes(with: reference.attributesToMatch)
        } else {
            query.attributes = attributes
        }
        setScope(of: &query)
        return query
    }

    /// What a query says beside attributes.
    private func setScope(of query: inout ItemQuery) {
        switch persistentReference {
        case .item(let reference)?: query.persistentReference = reference
        case .row(_, let number)?: query.rowNumber = number
        case nil: break
        }
        switch synchronizable {
        case nil: query.synchronizable = persistentReference == nil ? .no : .any
        case .value(let isOn): query.synchronizable = isOn ? .yes : .no
        case .any: query.synchronizable = .any
        }
        switch usesTombstones {
        case nil: query.tombstones = .ofSynchronizable
        case true?: query.tombstones = .always
        case false?: query.tombstones = .never
        }
    }

    /// Sets the accessibility that an access control says.
    ///
    /// That a key in the enclave is used is what `privateKeyUsage` allows; no other item can have it.
    /// Its constraints lie in the key itself, so that the item can't have others.
    /// - Returns: What the item demands beside its accessibility; nil for nothing.
    private func setAccessibility(
        of attributes: inout ItemAttributes, ofKey key: EnclaveKey? = nil
    ) throws(ItemFailure) -> AccessControl? {
        guard let accessControl else { return nil }
        guard let code = accessControl.accessibilityCode else {
            throw ItemFailure(errSecUnimplemented)
        }
        guard let accessibility = Accessibility(code: code), let stored = accessControl.stored
        else { throw ItemFailure(errSecParam) }
        attributes.accessibility = accessibility
        if let key {
            guard accessControl.isTrivialForKeys || key.hasAccessControl(stored) else {
                throw ItemFailure(errSecParam, .accessControl)
            }
            return nil
        }
        if case .keyUse? = accessControl.operations { throw ItemFailure(errSecAuthFailed) }
        return accessControl.isTrivial ? nil : stored
    }
}
