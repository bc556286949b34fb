// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

/// The plan of a query: the rows to read, and the conditions for each row's opened metadata.
struct PlannedQuery {
    var plan: QueryPlan
    let filter: RowFilter
}

/// An identity's halves: the rows of certificates, and the conditions for their keys.
struct PlannedJoin {
    let certificates: PlannedQuery
    let keys: PlannedQuery
}

/// The planner's input besides the query: the caller, and the function that finds values.
struct PlanningContext {
    /// The groups come from the authorization, so no plan can reach further.
    private let groups: [String]
    private let heldGroups: Set<String>
    private let owner: RowOwner
    private let indexer: BlindIndexer
    /// For items of other programs: to whom they must be granted.
    private let grantee: GrantedProgram?

    /// For items of other programs, which grant the caller their secrets; nil when there are none for it.
    init?(granted scope: borrowing ItemScope, _ indexer: BlindIndexer) {
        guard let group = scope.grantingGroup else { return nil }
        groups = [group]
        heldGroups = [group]
        owner = scope.owner
        self.indexer = indexer
        grantee = scope.program
    }

    init(_ scope: borrowing ItemScope, _ indexer: BlindIndexer) {
        groups = scope.readableGroups
        heldGroups = scope.heldGroups
        owner = scope.owner
        self.indexer = indexer
        grantee = nil
    }

    /// Converts a query for items of one table to a plan.
    /// - Throws: ``DaemonError/absent`` when no row can match; ``DaemonError/invalidRequest`` for
    ///   identities, which have no table.
    func plan(_ query: ItemQuery, wantsSecret: Bool) throws(DaemonError) -> PlannedQuery {
        guard let itemClass = query.itemClass ?? query.persistentReference?.itemClass,
            let table = ItemTable(itemClass)
        else { throw .invalidRequest }
        return try plan(query, table, query.attributes, row: query.row, wantsSecret: wantsSecret)
    }

    /// Converts a query for identities to plans of both halves. The attributes of certificates go
    /// to the certificate, all others to the key; groups and synchronization apply to both.
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
        // Of a pair the key is granted; nobody withholds its certificate.
        return PlannedJoin(
            certificates: try plan(
                query, .certificates, ofCertificate, row: query.row, wantsSecret: wantsSecret,
                needsGrant: false),
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
        row: QueryPlan.Row?, wantsSecret: Bool, needsGrant: Bool = true
    ) throws(DaemonError) -> PlannedQuery {
        let scope = GroupScope(groups.map { indexer.value(table, .accessGroup, [UInt8]($0.utf8)) })
        // An authorized query reaches a group.
        guard let scope else { throw .invalidRequest }
        guard query.canMatchAnything else { throw .absent }
        var equalities: [(column: IndexColumn, value: IndexValue)] = []
        var contents: [(attribute: Attribute, content: [UInt8])] = []
        let entries = attributes.entries
        equalities.reserveCapacity(entries.count + 1)
        for entry in entries {
            let attribute = entry.attribute
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
            table: table, userID: owner.userID, keychain: owner.keychain, scope: scope,
            equalities: equalities, row: row,
            wantsTombstones: query.attributes[.tombstone] == .integer(1),
            wantsSecret: wantsSecret)
        return PlannedQuery(
            plan: plan,
            filter: RowFilter(
                contents: contents, accessibility: attributes.accessibility,
                heldGroups: heldGroups,
                grantee: needsGrant ? grantee : nil))
    }
}

extension Attribute {
    /// Whether a row is compared by the attribute's value. The scope, the filter, the plan and the
    /// row's clear columns cover the other attributes.
    fileprivate var isJudgedByContent: Bool {
        switch self {
        case .accessGroup, .synchronizable, .multiUser, .accessible, .tombstone: false
        default: true
        }
    }

    /// Whether a query for identities refers to the certificate's value.
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
    /// Whether such a row can exist: the caller's queries never find other users' items.
    fileprivate var canMatchAnything: Bool {
        if let value = attributes[.tombstone], value != .integer(0), value != .integer(1) {
            return false
        }
        if let value = attributes[.multiUser], value != .data([]) { return false }
        return true
    }

    /// The single row of the query, if it names one.
    fileprivate var row: QueryPlan.Row? {
        if let generation { return .uuid(generation.uuid) }
        if let persistentReference { return .uuid(persistentReference.uuid) }
        return rowNumber.map { .number($0) }
    }
}

extension SynchronizableFilter {
    /// The required value of a row's attribute; nil for any.
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
