// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import TestSupport

/// The database of a service as another program sees it.
enum StoredRows {
    /// A metadata key as it lies in the database.
    struct MetadataKey {
        let keyClass: UInt8
        let generation: UInt32
        let wrapped: [UInt8]
    }

    /// Every blob in the rows of generic passwords.
    static func blobs(_ stateDirectory: String) throws -> [Data] {
        try open(stateDirectory).read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM genp").flatMap { row in
                row.databaseValues.compactMap { value in
                    guard case .blob(let data) = value.storage else { return nil }
                    return data
                }
            }
        }
    }

    /// The wrapped metadata keys.
    static func metadataKeys(_ stateDirectory: String) throws -> [MetadataKey] {
        try open(stateDirectory).read { database in
            try Row.fetchAll(
                database, sql: "SELECT keyclass, generation, wrapped FROM metadatakeys"
            ).map { row in
                MetadataKey(
                    keyClass: row["keyclass"], generation: row["generation"],
                    wrapped: [UInt8](row["wrapped"] as Data))
            }
        }
    }

    /// Moves the write-ahead log into the database.
    static func checkpoint(_ stateDirectory: String) throws {
        try open(stateDirectory).inDatabase { database in
            _ = try database.checkpoint(.truncate)
        }
    }

    /// Runs a statement.
    static func execute(_ sql: String, _ stateDirectory: String) throws {
        try open(stateDirectory).inDatabase { try $0.execute(sql: sql) }
    }

    private static func open(_ stateDirectory: String) throws -> DatabaseQueue {
        try DatabaseQueue(path: path(stateDirectory))
    }

    /// The database file.
    static func path(_ stateDirectory: String) -> String { stateDirectory + "/keychain.db" }
}
