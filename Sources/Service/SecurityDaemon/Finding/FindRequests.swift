// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// Answers queries, on an event thread: the only wait here is for the enclave.
final class FindRequests {
    let reader: StoreReader
    let source: ItemKeys.Source
    let keys: ItemKeys
    let roots: RootGate
    /// Receives corrupt rows; the writer moves them.
    let reportCorrupt: ([SealedItem]) -> Void

    let onStoreFailure: (StoreError) -> Void
    /// When a row's secret was last read, in seconds since 2001.
    private let lastUsed: ([UInt8]) -> Double?

    init(
        reader: StoreReader, keys: ItemKeys, roots: RootGate,
        lastUsed: @escaping ([UInt8]) -> Double?,
        reportCorrupt: @escaping ([SealedItem]) -> Void,
        onStoreFailure: @escaping (StoreError) -> Void
    ) {
        self.reader = reader
        source = ItemKeys.Source(reader)
        self.keys = keys
        self.roots = roots
        self.lastUsed = lastUsed
        self.reportCorrupt = reportCorrupt
        self.onStoreFailure = onStoreFailure
    }

    /// One page of a query's result.
    /// - Throws: ``DaemonError/absent`` when nothing matches; ``DaemonError/locked`` when a
    ///   matching row can't be opened, even if others can.
    func page(
        _ query: ItemQuery, cursor: UInt64, _ scope: borrowing ItemScope
    ) throws(DaemonError) -> FoundPage {
        let start = FindCursor(cursor)
        guard query.generation == nil else { throw .invalidRequest }
        try roots.pass(scope.userID)
        guard let indexer = try keys.indexer(scope.owner, source) else { throw .absent }
        defer { keys.endScan() }
        var page: FoundPage
        if start.isOfGranted {
            guard let context = PlanningContext(granted: scope, indexer) else { throw .absent }
            page = try self.page(query, after: start, context, scope)
        } else {
            page = try self.page(query, after: start, PlanningContext(scope, indexer), scope)
            // A program's own item comes first, also where it can't be returned now.
            if page.isEnd, !page.hasMatched, !page.hasUnreadableRows, query.seeksGranted,
                let context = PlanningContext(granted: scope, indexer)
            {
                let granted = FindCursor(
                    lastRowID: 0, foundNothing: true, hasUnreadableRows: false, isOfGranted: true,
                    hasMatched: false)
                page = try self.page(query, after: granted, context, scope, besides: page)
            }
        }
        if page.isEnd && page.foundNothing {
            throw page.hasUnreadableRows ? .keyGone : .absent
        }
        return page
    }

    private func page(
        _ query: ItemQuery, after start: FindCursor, _ context: PlanningContext,
        _ scope: borrowing ItemScope, besides earlier: FoundPage? = nil
    ) throws(DaemonError) -> FoundPage {
        var page = FoundPage(query: query, after: start, lastUsed: lastUsed)
        if let earlier { page.count(workOf: earlier) }
        let wantsSecret = query.returning.contains(.data)
        let planned: Planned =
            query.meansIdentities
            ? .identities(try context.planJoin(query, wantsSecret: wantsSecret))
            : .items(try context.plan(query, wantsSecret: wantsSecret))
        repeat {
            switch planned {
            case .items(let planned): try scan(planned, &page)
            case .identities(let planned): try scan(planned, context, &page)
            }
            try openSecrets(of: &page, query, scope)
        } while page.mustGoOn
        if !page.corrupt.isEmpty {
            page.hasUnreadableRows = true
            reportCorrupt(page.corrupt)
        }
        return page
    }

    /// How the query is carried out.
    private enum Planned {
        case items(PlannedQuery)
        case identities(PlannedJoin)
    }

    // MARK: - For this process

    /// Rows that match, with their sealed secrets, in place of a reply.
    /// - Throws: ``DaemonError/keyGone`` when there are rows, and none can be opened.
    func rows(
        _ query: ItemQuery, _ scope: borrowing ItemScope
    ) throws(DaemonError) -> [SealedItem] {
        try roots.pass(scope.userID)
        guard let indexer = try keys.indexer(scope.owner, source) else { return [] }
        let planned = try PlanningContext(scope, indexer).plan(query, wantsSecret: true)
        var page = FoundPage(query: query, after: FindCursor(0), lastUsed: { _ in nil })
        defer { keys.endScan() }
        var found: [SealedItem] = []
        try forEachMatch(planned.plan, planned.filter, .ofOneRow, &page) {
            (item, _, _) throws(DaemonError) in
            found.append(item)
            return found.count < query.limit ?? .max
        }
        if !page.corrupt.isEmpty { reportCorrupt(page.corrupt) }
        guard !found.isEmpty || page.corrupt.isEmpty && !page.hasUnreadableRows else {
            throw .keyGone
        }
        return found
    }

    /// The attributes of rows that match, in place of a reply. A row that can't be opened is left out.
    func attributes(
        _ query: ItemQuery, _ scope: borrowing ItemScope
    ) throws(DaemonError) -> [ItemAttributes] {
        try roots.pass(scope.userID)
        guard let indexer = try keys.indexer(scope.owner, source) else { return [] }
        let planned = try PlanningContext(scope, indexer).plan(query, wantsSecret: false)
        var page = FoundPage(query: query, after: FindCursor(0), lastUsed: { _ in nil })
        defer { keys.endScan() }
        var found: [ItemAttributes] = []
        try forEachMatch(planned.plan, planned.filter, .ofOneRow, &page) {
            (_, stored, _) throws(DaemonError) in
            if let attributes = try? stored.decoded() { found.append(attributes) }
            return true
        }
        if !page.corrupt.isEmpty { reportCorrupt(page.corrupt) }
        return found
    }

    /// The secrets of such rows, as far as they can be opened.
    func secrets(of rows: [SealedItem], userID: UInt32) throws(DaemonError) -> [Secret] {
        let named = rows.compactMap { row in
            SealedSecret(row).map { NamedSecret(name: row.rowID, sealed: $0) }
        }
        return try keys.openSecrets(named, userID: userID).compactMap(\.secret)
    }

    // MARK: - Reading rows

    /// Reads and opens rows until the page is full or there are no more.
    private func scan(
        _ planned: PlannedQuery, _ page: inout FoundPage
    ) throws(DaemonError) {
        page.isExhausted = true
        try forEachMatch(planned.plan, planned.filter, .ofPage, &page) {
            (item, stored, page) throws(DaemonError) in
            page.take(item, stored)
            page.isExhausted = page.isOpen
            return page.isExhausted
        }
    }

    /// Reads certificates and, for each, the private keys that belong to it.
    private func scan(
        _ planned: PlannedJoin, _ context: PlanningContext, _ page: inout FoundPage
    ) throws(DaemonError) {
        page.isExhausted = true
        let certificates = planned.certificates
        try forEachMatch(certificates.plan, certificates.filter, .ofPage, &page) {
            (item, stored, page) throws(DaemonError) in
            guard let attributes = try? stored.decoded(),
                case .data(let digest)? = attributes[.publicKeyHash]
            else { return true }
            let certificate = FoundPage.Half(item: item, stored: stored)
            let plan = context.keys(of: digest, planned.keys)
            try self.forEachMatch(plan, planned.keys.filter, .ofOneRow, &page) {
                (item, stored, page) throws(DaemonError) in
                let key = FoundPage.Half(item: item, stored: stored)
                page.take(FoundPage.Candidate(key, certificate: certificate))
                return true
            }
            page.isExhausted = page.isOpen
            return page.isExhausted
        }
    }

    /// The rows to read.
    private enum Extent {
        /// Those of the page, from its start until it has read enough.
        case ofPage
        /// Those that belong to one row.
        case ofOneRow
    }

    /// Calls `body` for each row of a plan that can be opened and passes the filter, until it
    /// returns false. The page records rows that can't be opened.
    private func forEachMatch(
        _ plan: QueryPlan, _ filter: RowFilter, _ extent: Extent, _ page: inout FoundPage,
        _ body: (SealedItem, StoredAttributes, inout FoundPage) throws(DaemonError) -> Bool
    ) throws(DaemonError) {
        var failure: DaemonError?
        var associatedData: [UInt8] = []
        do {
            try reader.scan(plan, after: extent == .ofPage ? page.lastRowID : 0) { item in
                page.seenRowCount += 1
                var goesOn = true
                do throws(DaemonError) {
                    if filter.admits(item) {
                        page.openedRowCount += 1
                        switch try opened(item, ofOthers: page.isOfGranted, &associatedData) {
                        case .corrupt:
                            if !page.isOfGranted { page.corrupt.append(item) }
                        case .keyMissing, .newerFormat:
                            if !page.isOfGranted { page.hasUnreadableRows = true }
                        case .attributes(let stored):
                            if filter.admits(stored) { goesOn = try body(item, stored, &page) }
                        }
                    }
                } catch {
                    failure = error
                    return false
                }
                guard extent == .ofPage else { return goesOn }
                page.lastRowID = item.rowID
                guard goesOn, page.hasWorkedEnough else { return goesOn }
                page.isExhausted = false
                return false
            }
        } catch {
            onStoreFailure(error)
            throw .store(error)
        }
        if let failure { throw failure }
    }

    /// Opens a row's metadata. Another program's row that can't be opened isn't known to be granted: the
    /// caller learns nothing of it.
    private func opened(
        _ item: SealedItem, ofOthers: Bool, _ associatedData: inout [UInt8]
    ) throws(DaemonError) -> MetadataSealer.Opened<StoredAttributes> {
        do throws(DaemonError) {
            return try keys.openScanned(item, source, &associatedData)
        } catch {
            guard ofOthers, error == .locked else { throw error }
            return .keyMissing
        }
    }

    // MARK: - Opening secrets

    /// Opens the secrets of the rows that wait for them, and adds these rows to the page. Rows with an
    /// access control are opened together, too: if the person is needed for some, for all of them at
    /// once.
    private func openSecrets(
        of page: inout FoundPage, _ query: ItemQuery, _ scope: borrowing ItemScope
    ) throws(DaemonError) {
        guard !page.pending.isEmpty else { return }
        let (program, userID) = (scope.program, scope.userID)
        let wantsData = query.returning.contains(.data)
        var candidates = page.takePending()
        var plain: [NamedSecret<FoundPage.Place>] = []
        var guarded: [NamedSecret<FoundPage.Place>] = []
        for place in FoundPage.Place.all(in: candidates) {
            if wantsData, program.isDenied(by: candidates[place].stored.grants) {
                guard query.access.skipsGuarded else { throw .secretWithheld }
                candidates.set(.skipped, at: place)
                continue
            }
            switch candidates[place].sealed(wantsData: wantsData) {
            case .known(let secret): candidates.set(secret, at: place)
            case .plain(let sealed): plain.append(NamedSecret(name: place, sealed: sealed))
            case .guarded(let sealed): guarded.append(NamedSecret(name: place, sealed: sealed))
            }
        }
        if !plain.isEmpty {
            for (place, secret) in try keys.openSecrets(plain, userID: userID) {
                candidates.set(secret.map { .secret($0) } ?? .corrupt, at: place)
            }
        }
        if !guarded.isEmpty {
            try openGuarded(guarded, of: &candidates, query, userID: userID)
        }
        page.add(candidates)
    }

    /// - Throws: ``DaemonError/approvalNeeded(_:)`` with all rows that wait for the person, unless
    ///   the query leaves them out.
    private func openGuarded(
        _ rows: [NamedSecret<FoundPage.Place>], of candidates: inout [FoundPage.Candidate],
        _ query: ItemQuery, userID: UInt32
    ) throws(DaemonError) {
        var waiting = GuardedRows()
        for (place, result) in try keys.openGuarded(rows, query.access, userID: userID) {
            let half = candidates[place]
            switch result {
            case .success(let secret):
                candidates.set(half.stored.hasSecret ? .secret(secret) : .none, at: place)
            case .failure(.undecodable), .failure(.classMissing):
                candidates.set(.corrupt, at: place)
            case .failure(let error):
                guard waiting.note(error, half.item) else { throw DaemonError(error) }
                candidates.set(.skipped, at: place)
            }
        }
        if !query.access.skipsGuarded, let demand = waiting.demand(.decrypt) {
            throw .approvalNeeded(demand)
        }
    }
}

extension ItemQuery {
    /// Whether the query is for pairs of a certificate and its private key.
    fileprivate var meansIdentities: Bool {
        (itemClass ?? persistentReference?.itemClass) == .identity
    }
}

extension SealedSecret {
    /// The sealed secret of a row with its associated data; nil for an unknown class.
    init?(_ item: SealedItem) {
        guard let keyClass = ProtectionClass(rawValue: item.keyClass) else { return nil }
        self.init(
            protectionClass: keyClass, context: AssociatedData.contextForSecret(item),
            sealed: item.secret)
    }
}
