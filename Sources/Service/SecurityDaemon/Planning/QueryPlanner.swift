// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

/// What a query becomes: rows to read, and what each must pass once its metadata is open.
struct PlannedQuery {
    var plan: QueryPlan
    let filter: RowFilter
}

/// An identity's halves: rows of certificates, and what the keys that belong to them must be.
struct PlannedJoin {
    let certificates: PlannedQuery
    let keys: PlannedQuery
}

/// What the planner knows beside the query: who asks, and how values are found.
struct PlanningContext {
    /// The groups come from the authorization, so that no plan reaches further.
    private let groups: [String]
    private let heldGroups: Set<String>
    private let userID: UInt32
    private let indexer: BlindIndexer

    init(_ request: borrowing AuthorizedRequest, _ indexer: BlindIndexer) {
        groups = request.readableGroups
        heldGroups = request.heldGroups
        userID = request.userID
        self.indexer = indexer
    }

    /// Turns a query for items of one table into a plan.
    /// - Throws: ``DaemonError/absent`` when no row can match; ``DaemonError/invalidRequest`` for
    ///   identities, which are no rows.
    func plan(_ query: ItemQuery, wantsSecret: Bool) throws(DaemonError) -> PlannedQuery {
        guard let itemClass = query.itemClass ?? query.persistentReference?.itemClass,
            let table = ItemTable(itemClass)
        else { throw .invalidRequest }
        return try plan(query, table, query.attributes, row: query.row, wantsSecret: wantsSecret)
    }

    /// Turns a query for identities into plans of both halves: what a certificate tells goes to
    /// it, everything else to the key; groups and synchronization hold for both.
    func planJoin(_ query: ItemQuery, wantsSecret: Bool) throws(DaemonError) -> PlannedJoin {
        var ofCertificate = ItemAttributes()
        var ofKey = ItemAttributes()
        for entry in query.attributes.entries {
            if entry.attribute.isOfCertificateInIdentity {
                ofCertificate[entry.attribute] = entry.value
            } else {
                ofKey[entry.attribute] = entry.value
            }
        }
        for attribute in [Attribute.keyClass, .isPrivate] {
            if let value = ofKey[attribute], value != .integer(1) { throw .absent }
            ofKey[attribute] = .integer(1)
        }
        return PlannedJoin(
            certificates: try plan(
                query, .certificates, ofCertificate, row: query.row, wantsSecret: wantsSecret),
            keys: try plan(query, .keys, ofKey, row: nil, wantsSecret: wantsSecret))
    }

    /// The plan for the keys that belong to a certificate.
    func keys(of publicKeyHash: [UInt8], _ keys: PlannedQuery) -> QueryPlan {
        var plan = keys.plan
        let value = indexer.value(.keys, .applicationLabel, publicKeyHash)
        plan.equalities.append((.applicationLabel, value))
        return plan
    }

    private func plan(
        _ query: ItemQuery, _ table: ItemTable, _ attributes: ItemAttributes,
        row: QueryPlan.Row?, wantsSecret: Bool
    ) throws(DaemonError) -> PlannedQuery {
        let scope = GroupScope(groups.map { indexer.value(table, .accessGroup, [UInt8]($0.utf8)) })
        guard let scope else { throw .groupNotHeld }
        guard query.canMatchAnything else { throw .absent }
        var equalities: [(column: IndexColumn, value: IndexValue)] = []
        var contents: [(attribute: Attribute, content: [UInt8])] = []
        for attribute in attributes.entries.map(\.attribute) {
            guard attribute.isJudgedByContent,
                let content = attributes.indexedContent(attribute)
            else { continue }
            if let column = table.indexColumn(attribute) {
                equalities.append((column, indexer.value(table, column, content)))
            } else {
                contents.append((attribute, content))
            }
        }
        if let value = query.synchronizable?.storedContent {
            equalities.append((.synchronizable, indexer.value(table, .synchronizable, value)))
        }
        let plan = QueryPlan(
            table: table, userID: userID, scope: scope, equalities: equalities, row: row,
            wantsTombstones: query.attributes[.tombstone] == .integer(1),
            wantsSecret: wantsSecret)
        return PlannedQuery(
            plan: plan,
            filter: RowFilter(
                contents: contents, accessibility: attributes.accessibility,
                heldGroups: heldGroups))
    }
}

extension Attribute {
    /// Whether a row is compared by the attribute's value: the scope, the filter, the plan and the
    /// row's clear columns say the others.
    fileprivate var isJudgedByContent: Bool {
        switch self {
        case .accessGroup, .synchronizable, .multiUser, .accessible, .tombstone: false
        default: true
        }
    }

    /// Whether a query for identities means the certificate's value.
    fileprivate var isOfCertificateInIdentity: Bool {
        switch self {
        case .label, .issuer, .serialNumber, .subjectKeyID, .tokenID, .subject, .publicKeyHash,
            .certificateType, .certificateEncoding:
            true
        default: false
        }
    }
}

extension ItemQuery {
    /// Whether there can be such a row: there are no items of other users than the caller's.
    fileprivate var canMatchAnything: Bool {
        if let value = attributes[.tombstone], value != .integer(0), value != .integer(1) {
            return false
        }
        if let value = attributes[.multiUser], value != .data([]) { return false }
        return true
    }

    /// The one row that is meant, if one is.
    fileprivate var row: QueryPlan.Row? {
        if let generation { return .uuid(generation.uuid) }
        if let persistentReference { return .uuid(persistentReference.uuid) }
        return rowNumber.map { .number($0) }
    }
}

extension SynchronizableFilter {
    /// The content that a row's attribute must have; nil for any.
    var storedContent: [UInt8]? {
        switch self {
        case .no: Self.local
        case .yes: Self.synchronizing
        case .any: nil
        }
    }

    private static let local = content(0)
    private static let synchronizing = content(1)

    private static func content(_ value: Int64) -> [UInt8] {
        var attributes = ItemAttributes()
        attributes[.synchronizable] = .integer(value)
        return attributes.indexedContent(.synchronizable) ?? []
    }
}
