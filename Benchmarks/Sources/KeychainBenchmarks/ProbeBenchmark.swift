// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDBSQLite
import Keychain
import SecurityWire

/// Whether the time of a failed query reveals that another group has the item. It queries the exact
/// account of an item in another group, and an account that no item has (test F13).
enum ProbeBenchmark {
    private static let itemCount = 1000
    private static let rounds = 20_000

    static func run(_ keychain: KeychainConnection) throws {
        for index in 0..<2 * itemCount { try keychain.add(item(index)) }
        try giveAway()
        var foreign: [Double] = []
        var absent: [Double] = []
        // Alternates the two, so that other load on the machine affects both.
        for round in 0..<rounds {
            let index = round % itemCount
            foreign.append(try miss(keychain, query(2 * index + 1, .data)))
            absent.append(try miss(keychain, query(2 * itemCount + index, .data)))
        }
        guard try keychain.find(query(0, .data)).count == 1 else { abort() }
        let (hit, none) = (Samples(foreign), Samples(absent))
        print("| a miss by the exact account, µs | p50 | p99 |")
        print("|---|---:|---:|")
        print(
            String(format: "| an item of a foreign group has it | %.1f | %.1f |", hit.p50, hit.p99))
        print(String(format: "| no item has it | %.1f | %.1f |", none.p50, none.p99))
        print(String(format: "\nratio of the medians: %.3f", hit.p50 / none.p50))
    }

    private static func miss(
        _ keychain: KeychainConnection, _ query: ItemQuery
    ) throws -> Double {
        let start = nanoseconds()
        do {
            _ = try keychain.find(query)
            abort()
        } catch {
            guard error.status == SecurityStatus.itemNotFound else { throw error }
        }
        return Double(nanoseconds() - start) / 1000
    }

    /// Assigns every second item to another group, since this program is the only client.
    private static func giveAway() throws {
        var database: OpaquePointer?
        guard sqlite3_open(Daemons.stateDirectory + "/keychain.db", &database) == SQLITE_OK else {
            abort()
        }
        defer { sqlite3_close(database) }
        sqlite3_busy_timeout(database, 5000)
        let sql = "UPDATE genp SET agrp = randomblob(16), pk = randomblob(16) WHERE rowid % 2 = 0"
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { abort() }
    }
}
