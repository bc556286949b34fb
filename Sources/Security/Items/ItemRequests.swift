// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecretBytes
import SecurityWire

// From a parsed dictionary to the request of each call, with what one call alone refuses
//.

extension ParsedQuery {
    /// The item of an add.
    func newItem() throws(ItemFailure) -> NewItem {
        if skipsAuthentication { throw ItemFailure(errSecParam, .skippedAuthentication) }
        guard let itemClass else { throw ItemFailure(errSecParam) }
        guard !hasMatchKeys, limit == nil, !hasItemList, persistentReference == nil else {
            throw ItemFailure(errSecParam)
        }
        var item = NewItem(itemClass)
        item.attributes = attributes
        try setAccessibility(of: &item.attributes)
        if case .value(let isOn)? = synchronizable {
            item.attributes[.synchronizable] = .integer(isOn ? 1 : 0)
        }
        item.secret = secret
        // The secret of the result is the caller's own: no need to have it sent back.
        item.returning = returns.fields.subtracting(.data)
        return item
    }

    /// The query of a copy.
    func copyQuery() throws(ItemFailure) -> ItemQuery {
        if hasItemList { throw ItemFailure(errSecParam) }
        if persistentReference != nil, hasAttributes { throw ItemFailure(errSecParam) }
        var query = try itemQuery()
        query.returning = returns.fields
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
    func deleteQuery() throws(ItemFailure) -> ItemQuery { try changingQuery() }

    /// What an update changes.
    func changes() throws(ItemFailure) -> ItemChanges {
        var changes = ItemChanges()
        changes.attributes = attributes
        try setAccessibility(of: &changes.attributes)
        if case .value(let isOn)? = synchronizable {
            changes.attributes[.synchronizable] = .integer(isOn ? 1 : 0)
        }
        changes.secret = secret
        return changes
    }

    /// Every match is meant. A limit or a filter that was dropped would change more than was
    /// asked for; "all" drops nothing.
    private func changingQuery() throws(ItemFailure) -> ItemQuery {
        if skipsAuthentication { throw ItemFailure(errSecParam, .skippedAuthentication) }
        guard !hasMatchKeys, limit == nil || limit == .all else { throw ItemFailure(errSecParam) }
        var query = try itemQuery()
        query.limit = nil
        return query
    }

    private func itemQuery() throws(ItemFailure) -> ItemQuery {
        guard let meant = itemClass ?? persistentReference?.itemClass else {
            throw ItemFailure(errSecParam)
        }
        if let persistentReference, persistentReference.itemClass != meant {
            throw ItemFailure(errSecNoSuchClass)
        }
        try meant.checkOffered()
        var query = ItemQuery(meant)
        query.attributes = attributes
        query.persistentReference = persistentReference
        switch synchronizable {
        case nil: query.synchronizable = persistentReference == nil ? .no : .any
        case .value(let isOn): query.synchronizable = isOn ? .yes : .no
        case .any: query.synchronizable = .any
        }
        return query
    }

    /// An access control without constraints is its accessibility; one with constraints can't be
    /// honoured yet, and an item is not stored with less protection than was asked for.
    private func setAccessibility(of attributes: inout ItemAttributes) throws(ItemFailure) {
        guard let accessControl else { return }
        guard accessControl.isTrivial, let code = accessControl.accessibilityCode else {
            throw ItemFailure(errSecUnimplemented)
        }
        guard let accessibility = Accessibility(code: code) else {
            throw ItemFailure(errSecParam)
        }
        attributes.accessibility = accessibility
    }
}

extension ReturnFlags {
    /// What to ask the service for. A reference beside the secret brings the attributes, too, as
    /// it does on Apple's platforms.
    var fields: ReturnFields {
        var fields: ReturnFields = []
        if contains(.data) { fields.insert(.data) }
        if showsAttributes { fields.insert(.attributes) }
        if contains(.persistentReference) { fields.insert(.persistentReference) }
        return fields
    }

    /// Whether a result's dictionary has the attributes.
    var showsAttributes: Bool {
        contains(.attributes) || isSuperset(of: [.data, .persistentReference])
    }
}
