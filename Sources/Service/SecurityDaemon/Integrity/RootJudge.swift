// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

/// Judges whether a user's rows are the last committed ones, and makes the enclave record commits.
/// It runs on the writer's thread, so that no other thread changes rows meanwhile.
final class RootJudge {
    /// Events for the log.
    enum Notice: Sendable {
        case refused(RootDefect)
        /// Leaves of the ledger were damaged; the rows themselves prove to be intact.
        case ledgerMended
        /// A new database has replaced a damaged one, which was quarantined.
        case begunAnew
        /// The owner accepted the rows as they are.
        case accepted
    }

    private let writer: StoreWriter
    private let roots: RowRoots
    private let keys: ItemKeys
    private let source: ItemKeys.Source
    private let verdicts: RootVerdicts
    private let notify: (Notice, UInt32) -> Void
    /// Whether a damaged database was quarantined, which explains an empty one.
    private let hasKeptFile: () -> Bool
    /// The commit that the enclave has recorded for each user.
    private var anchored: [UInt32: Int64] = [:]
    /// The last commit of each user's rows that the device key's counter has counted.
    private var bound: [UInt32: Int64] = [:]

    /// After the last unlock, lock or start, a rollback of the database can undo at most this many
    /// commits undetected.
    private static let commitsPerAnchor: Int64 = 32
    /// The same for a rollback of all files with a device key in a TPM. It is larger because the
    /// TPM's counter is slow and wears out.
    private static let commitsPerCount: Int64 = 1024

    init(
        writer: StoreWriter, roots: RowRoots, keys: ItemKeys, source: ItemKeys.Source,
        verdicts: RootVerdicts, hasKeptFile: @escaping () -> Bool,
        notify: @escaping (Notice, UInt32) -> Void
    ) {
        self.hasKeptFile = hasKeptFile
        self.writer = writer
        self.roots = roots
        self.keys = keys
        self.source = source
        self.verdicts = verdicts
        self.notify = notify
    }

    /// Why a user's rows may not be used now; nil when they may.
    func refusal(_ userID: UInt32) -> DaemonError? {
        do throws(DaemonError) {
            try admit(userID)
            return nil
        } catch { return error }
    }

    /// Ensures that a user's rows may be used.
    /// - Throws: DaemonError/rolledBack when they may not; DaemonError/keyGone when everything has
    ///   been erased; other errors when that can't be determined now.
    func admit(_ userID: UInt32) throws(DaemonError) {
        if case .refused? = verdicts.verdict(userID) { throw .rolledBack }
        let indexer = try keys.indexer(RowOwner(userID: userID), source)
        if let indexer, roots.isKept(under: indexer.rootKeys, userID) { return }
        // The enclave records no commit of theirs until they have been judged.
        roots.forget(userID)
        let anchor = try anchor(of: userID)
        guard let anchor else { return try refuse(.anchor, userID) }
        guard let indexer else {
            // A user who has never stored anything has no rows.
            guard mayBeEmpty(anchor) else { return try refuse(.emptied, userID) }
            return verdicts.note(.sound, userID: userID)
        }
        try requireKey(indexer, userID)
        var finding = Finding.refused(.missing)
        try inTransaction { (transaction) throws(StoreError) in
            finding = try self.find(userID, indexer.rootKeys, anchor, transaction)
        }
        switch finding {
        case .refused(let fault): try refuse(fault, userID)
        case .sound(let root, let notice):
            if let notice { notify(notice, userID) }
            roots.adopt(root, userID: userID)
            verdicts.note(.sound, userID: userID)
            anchorIfDue(userID, after: 1, counting: true)
        }
    }

    /// If everything was erased before the enclave was asked for its anchor, these rows are older
    /// than that. After a later erasure it records no commit until it is asked again.
    private func requireKey(_ indexer: BlindIndexer, _ userID: UInt32) throws(DaemonError) {
        let generation = indexer.rootKeys.generation
        guard try keys.opensIndexKey(generation: generation, userID: userID, source) else {
            keys.cache.forget(userID)
            throw .keyGone
        }
    }

    private func refuse(_ fault: RootDefect, _ userID: UInt32) throws(DaemonError) {
        verdicts.note(.refused(fault), userID: userID)
        notify(.refused(fault), userID)
        throw .rolledBack
    }

    // MARK: - Judging

    private enum Finding {
        case sound(RowRoots.Root, Notice?)
        case refused(RootDefect)
    }

    private func find(
        _ userID: UInt32, _ keys: RootKeys, _ anchor: Int64, _ transaction: StoreTransaction
    ) throws(StoreError) -> Finding {
        // A root of another index key doesn't count: everything was erased since.
        let found = try transaction.root(userID: userID)
        guard let record = found, record.keyGeneration == keys.generation else {
            return try begin(userID, keys, anchor, isErased: found != nil, transaction)
        }
        guard let sum = keys.sum(record) else { return .refused(.forged) }
        guard record.number >= anchor else { return .refused(.rolledBack) }
        let root = RowRoots.Root(keys: keys, sum: sum, number: record.number)
        var stored = LeafSum()
        try transaction.forEachLeaf(userID: userID) { stored += keys.digest($0, $1) }
        guard stored != sum else { return .sound(root, nil) }
        guard try sumOfRows(userID, keys, transaction) == sum else { return .refused(.rows) }
        try transaction.rebuildLedger(userID: userID)
        return .sound(root, .ledgerMended)
    }

    /// There is no root under this index key: nothing was stored yet, or everything was erased.
    ///
    /// If everything was erased, there is a root under an earlier index key. The rows of that time
    /// are still there, and none of them can be opened.
    private func begin(
        _ userID: UInt32, _ keys: RootKeys, _ anchor: Int64, isErased: Bool,
        _ transaction: StoreTransaction
    ) throws(StoreError) -> Finding {
        var stored = LeafSum()
        try transaction.forEachLeaf(userID: userID) { stored += keys.digest($0, $1) }
        guard try sumOfRows(userID, keys, transaction) == stored else { return .refused(.missing) }
        var root = RowRoots.Root(keys: keys, sum: stored, number: anchor)
        guard stored != LeafSum() else {
            guard mayBeEmpty(anchor) else { return .refused(.emptied) }
            guard anchor > 0 else { return .sound(root, nil) }
            // From now on there is a root, even if the damaged file is deleted.
            try transaction.storeRoot(try keys.record(stored, number: anchor, userID: userID))
            return .sound(root, .begunAnew)
        }
        guard isErased, anchor == 0 else { return .refused(.missing) }
        root.number = 1
        try transaction.storeRoot(
            try keys.record(stored, number: root.number, userID: userID))
        return .sound(root, nil)
    }

    /// Whether a database without any data of a user can be the last written one.
    private func mayBeEmpty(_ anchor: Int64) -> Bool { anchor == 0 || hasKeptFile() }

    private func sumOfRows(
        _ userID: UInt32, _ keys: RootKeys, _ transaction: StoreTransaction
    ) throws(StoreError) -> LeafSum {
        var sum = LeafSum()
        try transaction.forEachLeafOfRows(userID: userID) { sum += keys.digest($0, $1) }
        return sum
    }

    // MARK: - Accepting

    /// Accepts a user's rows as they are. The caller has checked the owner's passcode.
    func accept(_ userID: UInt32, under indexer: BlindIndexer) throws(DaemonError) {
        let keys = indexer.rootKeys
        roots.forget(userID)
        let anchor = try anchor(of: userID) ?? 0
        try requireKey(indexer, userID)
        var accepted: RowRoots.Root?
        try inTransaction { (transaction) throws(StoreError) in
            try transaction.rebuildLedger(userID: userID)
            let last = max(try transaction.root(userID: userID)?.number ?? 0, anchor, 0)
            guard last < .max else { throw .rootNotKept }
            let root = RowRoots.Root(
                keys: keys, sum: try self.sumOfRows(userID, keys, transaction), number: last + 1)
            try transaction.storeRoot(
                try keys.record(root.sum, number: root.number, userID: userID))
            accepted = root
        }
        guard let accepted else { return }
        roots.adopt(accepted, userID: userID)
        verdicts.note(.sound, userID: userID)
        notify(.accepted, userID)
        anchorIfDue(userID, after: 1, counting: true)
    }

    // MARK: - Anchoring

    /// Makes the enclave record the last commits of users whose rows have changed much.
    func anchorIfDue(_ userIDs: some Sequence<UInt32>) {
        for userID in userIDs { anchorIfDue(userID, after: Self.commitsPerAnchor) }
    }

    /// Makes the enclave record every user's last commit.
    /// - Parameter counting: Whether to increment the device key's counter, too.
    func anchorAll(counting: Bool) {
        for userID in Array(anchored.keys) { anchorIfDue(userID, after: 1, counting: counting) }
    }

    /// Makes the enclave record a user's last commit, and increments the device key's counter.
    func anchor(_ userID: UInt32) { anchorIfDue(userID, after: 1, counting: true) }

    private func anchorIfDue(_ userID: UInt32, after count: Int64, counting: Bool = false) {
        guard let number = roots.number(userID), let last = anchored[userID] else { return }
        // Numbers begin anew after everything was erased.
        let uncounted = bound[userID].map { number >= $0 ? number - $0 : .max } ?? .max
        let counts = uncounted >= (counting ? 1 : Self.commitsPerCount)
        guard counts || number - last >= count else { return }
        // If it can't be recorded now, the next commits retry.
        guard
            let remembered = try? keys.enclave.anchor(
                UInt64(number), userID: userID, binds: counts)
        else { return }
        anchored[userID] = Int64(clamping: remembered)
        if counts { bound[userID] = number }
    }

    /// - Returns: Nil when the enclave's record of it is damaged.
    private func anchor(of userID: UInt32) throws(DaemonError) -> Int64? {
        do throws(EnclaveCallError) {
            let number = Int64(clamping: try keys.enclave.anchor(0, userID: userID))
            anchored[userID] = number
            return number
        } catch {
            guard error == .undecodable else { throw DaemonError(error) }
            anchored[userID] = 0
            return nil
        }
    }

    private func inTransaction(
        _ body: (StoreTransaction) throws(StoreError) -> Void
    ) throws(DaemonError) {
        do { try writer.commit(body) } catch { throw .store(error) }
    }
}
