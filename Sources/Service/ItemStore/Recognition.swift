// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import Glibc

/// Checks whether a file is a keychain's database, before anything could write to it: opening a
/// database for writing changes it, even if it belongs to another program.
enum Recognition {
    /// Examines a file. Neither it nor its log is changed; SQLite may make an empty log and its
    /// index beside a database that has a log.
    /// - Throws: ``StoreError/damaged`` for a file that isn't our database;
    ///   ``StoreError/newerVersion``; other errors unchanged.
    static func check(_ path: String) throws(StoreError) {
        let header = try Header(path)
        // Ours has a log from the beginning, unless it is a copy made by another program. A
        // database without one may be another program's and isn't opened at all: opening might
        // already roll back its transaction.
        guard header.hasLog || header.applicationID == FirstSchema.applicationID else {
            throw .damaged
        }
        guard header.isWritable else { throw .damaged }
        do throws(StoreError) { try checkContent(path) } catch {
            guard error == .readOnly else { throw error }
            // A change before the log was enabled wasn't finished; only a writer can undo it.
            _ = try StoreConnection.open(path, .writer)
            try checkContent(path)
        }
    }

    /// The log's content counts, too: it may contain the whole schema.
    private static func checkContent(_ path: String) throws(StoreError) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.label = "llavero.store"
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { database in
                let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
                // An interrupted first start leaves an empty database.
                if tables == 0 { return }
                let program = try Int.fetchOne(database, sql: "PRAGMA application_id")
                guard program == FirstSchema.applicationID else { throw StoreError.damaged }
                guard try !Migrations.all.hasBeenSuperseded(database) else {
                    throw supersession(database, path)
                }
                guard try hasItsSchema(database) else { throw StoreError.damaged }
            }
        } catch let error as StoreError {
            throw error
        } catch {
            let error = StoreError(error)
            throw error.isDamage ? .damaged : error
        }
    }

    /// The list of migrations says which tables must exist; if either is damaged, they contradict
    /// each other.
    static func hasItsSchema(_ database: Database) throws -> Bool {
        let migrations = Migrations.all
        let applied = try migrations.appliedIdentifiers(database)
        let steps = migrations.migrations.prefix { applied.contains($0) }
        guard steps.count == applied.count else { return false }
        return try SchemaShape.isMade(database, upTo: steps.last)
    }

    /// A damaged list of migrations looks like a newer version's. The list has an index, so the
    /// integrity check detects the damage.
    private static func supersession(_ database: Database, _ path: String) -> StoreError {
        switch IntegrityVerdict(of: database, at: path) {
        case .sound: .newerVersion
        case .damaged: .damaged
        case .unknown: .inputOutput
        }
    }

    /// The contents of the first 100 bytes. Source: sqlite.org/fileformat.html §1.3.
    private struct Header {
        /// The database is written with a write-ahead log.
        let hasLog: Bool
        let applicationID: Int
        /// SQLite opens a file read-only if it doesn't know its write version. None of ours has
        /// such a version: it is permanent damage.
        let isWritable: Bool

        /// - Throws: ``StoreError/damaged`` for a file that isn't a database;
        ///   ``StoreError/inputOutput`` for a file that can't be read, whose content stays unknown.
        init(_ path: String) throws(StoreError) {
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw .inputOutput }
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = unsafe pread(file, &bytes, bytes.count, 0)
            guard count >= 0 else { throw .inputOutput }
            guard count == bytes.count, bytes.starts(with: "SQLite format 3\0".utf8) else {
                throw .damaged
            }
            hasLog = bytes[18] == 2
            isWritable = bytes[18] <= 2
            applicationID = bytes[68..<72].reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
