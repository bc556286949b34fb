// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDBSQLite

/// The lower bound of the store: SQLite itself, on the keychain's own schema with rows of the same
/// size, in a file beside the keychain's.
final class RawStore {
    private var database: OpaquePointer?
    private var readStatement: OpaquePointer?
    private var insertStatement: OpaquePointer?
    private var updateStatement: OpaquePointer?
    private var deleteStatement: OpaquePointer?
    private var readLeafStatement: OpaquePointer?
    private var writeLeafStatement: OpaquePointer?
    private var writeRootStatement: OpaquePointer?
    private var generator = SystemRandomNumberGenerator()
    private(set) var keys: [(service: [UInt8], account: [UInt8])] = []
    private let directory: String

    private static let columnCount = 20

    /// Makes an empty store with the schema of the keychain's database, which is at `template`.
    init(template: String) throws {
        directory = NSTemporaryDirectory() + "/llavero-benchmark-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        check(sqlite3_open(directory + "/raw.db", &database))
        run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        run("PRAGMA wal_autocheckpoint = 0; PRAGMA cell_size_check = ON")
        run("ATTACH DATABASE '\(template)' AS template")
        for sql in schema() { run(sql) }
        run("DETACH DATABASE template")
        readStatement = prepare(
            """
            SELECT * FROM genp INDEXED BY genp_svce_acct WHERE userid = 0 AND tombstone = 0 \
            AND rowid > 0 AND svce = ? AND acct = ? ORDER BY rowid
            """)
        let places = Array(repeating: "?", count: Self.columnCount).joined(separator: ",")
        insertStatement = prepare("INSERT INTO genp VALUES (NULL, \(places))")
        updateStatement = prepare("UPDATE genp SET metadata = ?, secret = ? WHERE rowid = ?")
        deleteStatement = prepare("DELETE FROM genp WHERE rowid = ?")
        readLeafStatement = prepare("SELECT tags FROM leaves WHERE number = ?")
        writeLeafStatement = prepare("INSERT OR REPLACE INTO leaves (number, tags) VALUES (?, ?)")
        writeRootStatement = prepare(
            """
            INSERT OR REPLACE INTO roots (userid, number, keygeneration, sealed) \
            VALUES (0, ?, 1, ?)
            """)
    }

    func end() {
        for statement in [
            readStatement, insertStatement, updateStatement, deleteStatement, readLeafStatement,
            writeLeafStatement, writeRootStatement,
        ] {
            sqlite3_finalize(statement)
        }
        sqlite3_close(database)
        try? FileManager.default.removeItem(atPath: directory)
    }

    func begin() { run("BEGIN") }
    func commit() { run("COMMIT") }
    func checkpoint() {
        sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Inserts a row with halves of the given byte counts and commits it.
    func insert(metadataByteCount: Int, secretByteCount: Int) {
        let service = random(16)
        let account = random(16)
        keys.append((service, account))
        bind(insertStatement, 1, random(16))
        for column in Int32(2)...6 {
            sqlite3_bind_int64(insertStatement, column, column == 6 ? 0 : 1)
        }
        sqlite3_bind_int64(insertStatement, 2, 0)
        bind(insertStatement, 7, random(16))
        bind(insertStatement, 8, [UInt8](repeating: 7, count: 16))
        bind(insertStatement, 9, [UInt8](repeating: 8, count: 16))
        bind(insertStatement, 10, account)
        bind(insertStatement, 11, service)
        bind(insertStatement, 12, random(16))
        for column in Int32(13)...18 { sqlite3_bind_null(insertStatement, column) }
        bind(insertStatement, 19, random(metadataByteCount))
        bind(insertStatement, 20, random(secretByteCount))
        step(insertStatement)
    }

    /// The same with the ledger's work added: the row's leaf, read and written, and the root.
    func insertWithLedger(metadataByteCount: Int, secretByteCount: Int) {
        begin()
        insert(metadataByteCount: metadataByteCount, secretByteCount: secretByteCount)
        let number = sqlite3_last_insert_rowid(database)
        readLeaf(number / 64)
        sqlite3_bind_int64(writeLeafStatement, 1, number / 64)
        bind(writeLeafStatement, 2, random(1024))
        step(writeLeafStatement)
        sqlite3_bind_int64(writeRootStatement, 1, number)
        bind(writeRootStatement, 2, random(1 + 12 + 32 + 16))
        step(writeRootStatement)
        commit()
    }

    private func readLeaf(_ number: Int64) {
        sqlite3_bind_int64(readLeafStatement, 1, number)
        let result = sqlite3_step(readLeafStatement)
        guard result == SQLITE_ROW || result == SQLITE_DONE else { abort() }
        sqlite3_reset(readLeafStatement)
    }

    func read(_ index: Int) {
        let key = keys[index % keys.count]
        bind(readStatement, 1, key.service)
        bind(readStatement, 2, key.account)
        guard sqlite3_step(readStatement) == SQLITE_ROW else { abort() }
        var total: Int32 = 0
        for column in Int32(0)...20 { total += sqlite3_column_bytes(readStatement, column) }
        guard total > 0, sqlite3_step(readStatement) == SQLITE_DONE else { abort() }
        sqlite3_reset(readStatement)
    }

    func update(_ rowID: Int64, metadataByteCount: Int, secretByteCount: Int) {
        bind(updateStatement, 1, random(metadataByteCount))
        bind(updateStatement, 2, random(secretByteCount))
        sqlite3_bind_int64(updateStatement, 3, rowID)
        step(updateStatement)
    }

    func delete(_ rowID: Int64) {
        sqlite3_bind_int64(deleteStatement, 1, rowID)
        step(deleteStatement)
    }

    // MARK: - SQLite

    private func schema() -> [String] {
        let statement = prepare(
            """
            SELECT sql FROM template.sqlite_master \
            WHERE tbl_name IN ('genp', 'leaves', 'roots') AND sql IS NOT NULL
            """)
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            texts.append(String(cString: sqlite3_column_text(statement, 0)))
        }
        return texts
    }

    private func random(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var offset = 0
        while offset < count {
            var word = generator.next()
            withUnsafeBytes(of: &word) { source in
                for byte in source.prefix(count - offset) {
                    bytes[offset] = byte
                    offset += 1
                }
            }
        }
        return bytes
    }

    private func bind(_ statement: OpaquePointer?, _ column: Int32, _ bytes: [UInt8]) {
        sqlite3_bind_blob(
            statement, column, bytes, Int32(bytes.count),
            unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    private func step(_ statement: OpaquePointer?) {
        check(sqlite3_step(statement))
        sqlite3_reset(statement)
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        return statement
    }

    private func run(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

    private func check(_ result: Int32) {
        guard [SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(result) else {
            FileHandle.standardError.write(Data("SQLite: \(result)\n".utf8))
            exit(1)
        }
    }
}
