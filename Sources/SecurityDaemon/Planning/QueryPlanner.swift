// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import ItemStore
import SecurityWire

/// What a query becomes: rows to read, and what each must pass once its metadata is open.
struct PlannedQuery {
    let plan: QueryPlan
    let filter: RowFilter
}

/// Turns an authorized query into a plan. The groups come from the authorization, so that no plan
/// reaches further.
/// - Throws: ``DaemonError/unimplemented`` for a class that isn't stored yet.
func plan(
    _ query: ItemQuery, groups: [String], heldGroups: [String], userID: UInt32,
    indexer: BlindIndexer, wantsSecret: Bool
) throws(DaemonError) -> PlannedQuery {
    guard let itemClass = query.itemClass ?? query.persistentReference?.itemClass else {
        throw .invalidRequest
    }
    guard let table = ItemTable(itemClass) else { throw .unimplemented }
    let scope = GroupScope(
        groups.map { indexer.value(table, .accessGroup, Data($0.utf8)) })
    guard let scope else { throw .groupNotHeld }

    var equalities: [(column: IndexColumn, value: IndexValue)] = []
    var rest = ItemAttributes()
    query.attributes.forEach { attribute, value in
        if attribute == .accessGroup || attribute == .synchronizable { return }
        guard let column = IndexColumn(rawValue: attribute.rawValue),
            table.indexColumns.contains(column),
            let content = query.attributes.indexedContent(attribute)
        else {
            rest[attribute] = value
            return
        }
        equalities.append((column, indexer.value(table, column, content)))
    }
    if let number = query.synchronizable.storedValue, query.persistentReference == nil {
        equalities.append((.synchronizable, indexer.synchronizable(table, number)))
    }
    return PlannedQuery(
        plan: QueryPlan(
            table: table, userID: userID, scope: scope, equalities: equalities,
            uuid: query.persistentReference?.uuid, wantsSecret: wantsSecret),
        filter: RowFilter(attributes: rest, heldGroups: heldGroups))
}

extension SynchronizableFilter {
    /// The value that a row's attribute must have; nil for any.
    fileprivate var storedValue: Int64? {
        switch self {
        case .no: 0
        case .yes: 1
        case .any: nil
        }
    }
}

extension BlindIndexer {
    fileprivate func synchronizable(_ table: ItemTable, _ number: Int64) -> IndexValue {
        var attributes = ItemAttributes()
        attributes[.synchronizable] = .integer(number)
        let content = attributes.indexedContent(.synchronizable) ?? Data()
        return value(table, .synchronizable, content)
    }
}

/// What rows must pass after the database has found them.
struct RowFilter {
    /// Values of attributes that have no index.
    private let attributes: ItemAttributes
    private let accessibility: Accessibility?
    private let heldGroups: [String]
    /// Whether metadata must be opened to decide.
    let needsMetadata: Bool

    init(attributes: ItemAttributes, heldGroups: [String]) {
        accessibility = attributes.accessibility
        var rest = attributes
        // The class lies in clear; tombstones are left out by the plan; the user is the plan's.
        rest[.accessible] = nil
        rest[.tombstone] = nil
        rest[.multiUser] = nil
        self.attributes = rest
        self.heldGroups = heldGroups
        needsMetadata = !rest.isEmpty
    }

    /// Whether the row can match at all, by what lies in clear: a locked row of another class is
    /// none of the query's business.
    func admits(_ item: SealedItem) -> Bool {
        accessibility.map { $0.rawValue == item.keyClass } ?? true
    }

    /// Whether the opened row matches. Its own access group is checked here once more: a row in a
    /// group that the caller doesn't hold is not there.
    func admits(_ stored: ItemAttributes) -> Bool {
        guard let group = stored.accessGroup, heldGroups.contains(group) else { return false }
        guard needsMetadata else { return true }
        return Attribute.allCases.allSatisfy { attribute in
            guard let wanted = attributes.indexedContent(attribute) else { return true }
            let found = stored.indexedContent(attribute)
            return attribute.valueKind == .text ? found ?? Data() == wanted : found == wanted
        }
    }
}
