// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import GRDBSQLite

/// A statement of a connection, run with SQLite's own calls: the hot path allocates only the values
/// that it returns. Used only while its connection is in use.
@safe final class SQLStatement {
    /// Keeps `handle` valid.
    private let statement: Statement
    private let handle: OpaquePointer
    private var position: Int32 = 0

    init(_ database: Database, _ sql: String) throws(StoreError) {
        do { statement = try database.makeStatement(sql: sql) } catch {
            throw StoreError(error)
        }
        unsafe handle = statement.sqliteStatement
    }

    /// Clears the last run's values.
    func start() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
        position = 0
    }

    /// Ends a run, so that it holds no lock.
    func end() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    // MARK: - Binding, in order

    func bind(_ value: Int64) {
        position += 1
        unsafe sqlite3_bind_int64(handle, position, value)
    }

    func bind(_ bytes: UnsafeRawBufferPointer) {
        position += 1
        guard bytes.count > 0 else {
            // A blob without an address would be NULL.
            unsafe sqlite3_bind_zeroblob(handle, position, 0)
            return
        }
        // The value is copied: SQLITE_TRANSIENT.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe sqlite3_bind_blob(
            handle, position, bytes.baseAddress, Int32(clamping: bytes.count), transient)
    }

    func bind(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe bind($0) } }

    func bind(_ data: Data) { unsafe data.withUnsafeBytes { unsafe bind($0) } }

    /// Binds text, for comparison with a column of text.
    func bind(text: String) {
        position += 1
        // The value is copied: SQLITE_TRANSIENT.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe sqlite3_bind_text(handle, position, text, -1, transient)
    }

    /// Nil is NULL.
    func bind(_ value: Int64?) {
        guard let value else {
            position += 1
            return
        }
        bind(value)
    }

    func bind(_ value: IndexValue?) {
        guard let value else {
            position += 1
            return
        }
        unsafe value.withBytes { unsafe bind($0) }
    }

    // MARK: - Running

    /// Runs to the next row.
    /// - Returns: False at the end.
    func step() throws(StoreError) -> Bool {
        let result = unsafe sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            end()
            throw StoreError(code: result)
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws(StoreError) {
        _ = try step()
        end()
    }

    // MARK: - Columns of the current row

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func data(_ column: Int32) -> Data {
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let base = unsafe sqlite3_column_blob(handle, column) else {
            return Data()
        }
        return unsafe Data(bytes: base, count: count)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let base = unsafe sqlite3_column_blob(handle, column) else { return [] }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Replaces bytes by a column's value, in the same memory if it isn't shared.
    func bytes(_ column: Int32, into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let base = unsafe sqlite3_column_blob(handle, column) else { return }
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Replaces data by a column's value, in the same memory if it isn't shared.
    func data(_ column: Int32, into data: inout Data) {
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let base = unsafe sqlite3_column_blob(handle, column) else {
            data = Data()
            return
        }
        data.count = count
        unsafe data.withUnsafeMutableBytes {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: base, count: count))
        }
    }

    /// Nil for NULL or a value of another size, in a row that another program wrote.
    func indexValue(_ column: Int32) -> IndexValue? {
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        guard count == IndexValue.byteCount,
            let base = unsafe sqlite3_column_blob(handle, column)
        else { return nil }
        return unsafe IndexValue(UnsafeRawBufferPointer(start: base, count: count))
    }
}

extension StoreError {
    /// Converts GRDB's error.
    init(_ error: any Error) {
        guard let error = error as? DatabaseError else {
            self = .notOfItsType
            return
        }
        self.init(code: error.resultCode.rawValue)
    }
}
