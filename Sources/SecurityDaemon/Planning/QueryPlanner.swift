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
    guard query.canMatchAnything else { throw .absent }
    var rest: [(attribute: Attribute, content: Data)] = []
    for attribute in Attribute.allCases {
        guard let content = query.attributes.indexedContent(attribute) else { continue }
        switch attribute {
        // The scope, the filter, the plan and the row's clear columns say these.
        case .accessGroup, .synchronizable, .multiUser, .accessible, .tombstone: continue
        case .account, .service, .generic, .label, .description, .comment, .alias, .protocolName,
            .creator, .type, .scriptCode, .isInvisible, .isNegative, .hasCustomIcon,
            .creationDate, .modificationDate, .tokenID, .syncViewHint, .sha1:
            break
        }
        if let column = table.indexColumn(attribute) {
            equalities.append((column, indexer.value(table, column, content)))
        } else {
            rest.append((attribute, content))
        }
    }
    if let number = query.synchronizable?.storedValue {
        let content = AttributeValue.integer(number).indexedContent
        equalities.append((.synchronizable, indexer.value(table, .synchronizable, content)))
    }
    return PlannedQuery(
        plan: QueryPlan(
            table: table, userID: userID, scope: scope, equalities: equalities,
            uuid: query.persistentReference?.uuid, wantsSecret: wantsSecret),
        filter: RowFilter(
            contents: rest, accessibility: query.attributes.accessibility, heldGroups: heldGroups))
}

extension ItemQuery {
    /// Whether there can be such a row: no plan reads tombstones, and there are no items of other
    /// users than the caller's.
    fileprivate var canMatchAnything: Bool {
        if let value = attributes[.tombstone], value != .integer(0) { return false }
        if let value = attributes[.multiUser], value != .data([]) { return false }
        return true
    }
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

extension ItemTable {
    /// The column that indexes an attribute, if the table has one.
    fileprivate func indexColumn(_ attribute: Attribute) -> IndexColumn? {
        indexColumns.first { $0.rawValue == attribute.rawValue }
    }
}

/// What rows must pass after the database has found them.
struct RowFilter {
    /// Values of attributes that have no index.
    let contents: [(attribute: Attribute, content: Data)]
    let accessibility: Accessibility?
    let heldGroups: [String]

    /// Whether metadata must be opened to decide.
    var needsMetadata: Bool { !contents.isEmpty }

    /// Whether the row can match at all, by what lies in clear: a locked row of another class is
    /// none of the query's business.
    func admits(_ item: SealedItem) -> Bool {
        accessibility.map { $0.rawValue == item.keyClass } ?? true
    }

    /// Whether the opened row matches. Its own access group is checked here once more: a row in a
    /// group that the caller doesn't hold is not there.
    func admits(_ stored: ItemAttributes) -> Bool {
        guard let group = stored.accessGroup, heldGroups.contains(group) else { return false }
        return contents.allSatisfy { attribute, content in
            let found = stored.indexedContent(attribute)
            return attribute.valueKind == .text ? found ?? Data() == content : found == content
        }
    }
}
