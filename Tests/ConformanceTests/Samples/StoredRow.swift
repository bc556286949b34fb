// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import TestSupport
import Testing

/// A row of the database, as an attacker sees it who can write the file without the service.
struct StoredRow {
    let table: String
    let uuid: Data
    private let database: DatabaseQueue

    fileprivate init(table: String, uuid: Data, stateDirectory: String) throws {
        self.table = table
        self.uuid = uuid
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        database = try DatabaseQueue(
            path: stateDirectory + "/keychain.db", configuration: configuration)
    }

    /// Whether it is in its table.
    func isThere() throws -> Bool { try read("count(*)") == 1 }

    /// The row's number.
    var number: Int64 {
        get throws { try #require(try self.read("rowid")) }
    }

    /// Waits until it has left its table: a corrupt row that a reader finds is moved after the
    /// reply.
    func waitUntilGone() throws {
        try Waiting.until("a corrupt row to leave its table") { try !isThere() }
    }

    /// Changes one bit of a column.
    func flip(_ column: String) throws {
        var bytes: Data = try #require(try read(column))
        bytes[bytes.count - 1] ^= 1
        try set(column, bytes)
    }

    /// Copies a column from another row.
    func take(_ column: String, from other: StoredRow) throws {
        let value: Data = try #require(try other.read(column))
        try set(column, value)
    }

    /// Changes a column.
    func set(_ column: String, _ value: any DatabaseValueConvertible) throws {
        try database.write {
            try $0.execute(
                sql: "UPDATE \(table) SET \(column) = ? WHERE uuid = ?",
                arguments: [value.databaseValue, uuid])
        }
    }

    private func read<Value: DatabaseValueConvertible>(_ expression: String) throws -> Value? {
        try database.read {
            try Value.fetchOne(
                $0, sql: "SELECT \(expression) FROM \(table) WHERE uuid = ?", arguments: [uuid])
        }
    }
}

extension ConformanceKeychain {
    /// The row of the only item that a query finds.
    func row(_ query: Entries) throws -> StoredRow {
        let reference = try reference(query)
        return try StoredRow(
            table: String(decoding: reference.prefix(4), as: UTF8.self),
            uuid: Data(reference.dropFirst(4)), stateDirectory: stateDirectory)
    }
}
