// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// Answers queries, on an event thread: the only wait here is for the enclave.
final class FindRequests {
    private let reader: StoreReader
    private let source: ItemKeys.Source
    private let keys: ItemKeys
    private let roots: RootGate
    /// Receives corrupt rows; the writer moves them.
    private let reportCorrupt: ([SealedItem]) -> Void

    private let onStoreFailure: (StoreError) -> Void
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
        guard let indexer = try keys.indexer(userID: scope.userID, source) else { throw .absent }
        let context = PlanningContext(scope, indexer)
        var page = FoundPage(
            query: query, after: start, lastUsed: lastUsed)
        defer { keys.endScan() }
        let wantsSecret = query.returning.contains(.data)
        let find: (inout FoundPage) throws(DaemonError) -> Void
        if query.meansIdentities {
            let planned = try context.planJoin(query, wantsSecret: wantsSecret)
            find = { (page) throws(DaemonError) in try self.scan(planned, context, &page) }
        } else {
            let planned = try context.plan(query, wantsSecret: wantsSecret)
            find = { (page) throws(DaemonError) in try self.scan(planned, &page) }
        }
        repeat {
            try find(&page)
            page.complete(with: try openSecrets(page.pending, userID: scope.userID))
        } while page.mustGoOn
        if !page.corrupt.isEmpty {
            page.hasUnreadableRows = true
            reportCorrupt(page.corrupt)
        }
        if page.isEnd && page.foundNothing {
            throw page.hasUnreadableRows ? .keyGone : .absent
        }
        return page
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
                        switch try keys.openScanned(item, source, &associatedData) {
                        case .corrupt: page.corrupt.append(item)
                        case .keyMissing, .newerFormat: page.hasUnreadableRows = true
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

    // MARK: - Opening secrets

    /// The secrets of rows, in their order.
    private func openSecrets(
        _ candidates: [FoundPage.Candidate], userID: UInt32
    ) throws(DaemonError) -> [FoundPage.OpenedSecrets] {
        guard !candidates.isEmpty else { return [] }
        let halves = candidates.flatMap { [$0.half] + ($0.certificate.map { [$0] } ?? []) }
        let sealed = halves.compactMap { $0.hasKnownSecret ? SealedSecret($0.item) : nil }
        var opened = try keys.openSecrets(sealed, userID: userID)[...]
        return candidates.map { candidate in
            var secrets = FoundPage.OpenedSecrets()
            secrets.own = Self.outcome(candidate.half, &opened)
            if let certificate = candidate.certificate {
                secrets.certificate = Self.outcome(certificate, &opened)
            }
            return secrets
        }
    }

    private static func outcome(
        _ half: FoundPage.Half, _ opened: inout ArraySlice<Secret?>
    ) -> FoundPage.OpenedSecret {
        guard half.stored.hasSecret else { return .none }
        guard half.hasKnownSecret else { return .newerFormat }
        guard ProtectionClass(rawValue: half.item.keyClass) != nil,
            let secret = opened.popFirst(), let secret
        else { return .corrupt }
        return .secret(secret)
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
