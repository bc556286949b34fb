// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import KeychainVocabulary
import SecurityWire

/// What becomes of an item of a backup beside those that are there.
enum RestoreDecision: Equatable {
    /// Nothing is in its way.
    case add
    /// It takes the place of what is there.
    case replace
    /// What is there stays.
    case keep
}

/// Decides between items of a backup and those that are there: the same for a restore and a dry run.
struct RestoreConflicts {
    private let keys: ItemKeys
    private let source: ItemKeys.Source

    init(_ keys: ItemKeys, _ source: ItemKeys.Source) {
        self.keys = keys
        self.source = source
    }

    /// What a row that is there says to a backup.
    private enum Present {
        /// It stays, whatever a backup has.
        case fixed
        /// It doesn't open any more.
        case lost
        /// It was changed then.
        case modified(Double)
    }

    /// Decides about one item of the backup beside the rows with its reference or its primary key.
    func decision(
        _ attributes: ItemAttributes, beside present: [SealedItem], _ options: RestoreOptions
    ) throws(DaemonError) -> RestoreDecision {
        guard !present.isEmpty else { return .add }
        var newest = -Double.infinity
        for row in present {
            switch try look(row) {
            case .fixed: return .keep
            case .lost: continue
            case .modified(let moment): newest = max(newest, moment)
            }
        }
        switch options.conflict {
        case .keep: return .keep
        case .backup: return .replace
        case .newer: return attributes.modified > newest ? .replace : .keep
        }
    }

    /// Whether a row goes when a backup replaces everything: a backup could have it, and it doesn't
    /// synchronize. Source: Apple's restore, as observed.
    func goes(_ row: SealedItem) throws(DaemonError) -> Bool {
        guard !row.isTombstone, let attributes = try restorable(row) else { return false }
        return attributes[.synchronizable] != .integer(1)
    }

    private func look(_ row: SealedItem) throws(DaemonError) -> Present {
        guard mayBeInABackup(row) else { return .fixed }
        switch try keys.open(row, source) {
        case .newerFormat: return .fixed
        case .corrupt, .keyMissing: return .lost
        case .attributes(let attributes):
            return stays(attributes, row) ? .fixed : .modified(attributes.modified)
        }
    }

    private func restorable(_ row: SealedItem) throws(DaemonError) -> ItemAttributes? {
        guard mayBeInABackup(row), case .attributes(let attributes) = try keys.open(row, source),
            !stays(attributes, row)
        else { return nil }
        return attributes
    }

    private func mayBeInABackup(_ row: SealedItem) -> Bool {
        row.owner.isLogin && row.keyClass != ProtectionClass.akpu.rawValue
            && AttachedSecret(row.secret) != nil
    }

    private func stays(_ attributes: ItemAttributes, _ row: SealedItem) -> Bool {
        attributes.isTiedToItsGroup || BackupRules.stays(attributes, row.table.itemClass)
    }
}

extension ItemAttributes {
    /// When it was changed; without a date long ago.
    fileprivate var modified: Double {
        guard case .date(let moment)? = self[.modificationDate], moment.isFinite else {
            return -.infinity
        }
        return moment
    }
}
