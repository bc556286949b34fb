// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDBSQLite
import Keychain
import SecurityWire

/// From the start of securityd to its first answer, with a store of very many items.
///
/// SQLite makes the store: rows like the keychain's own, under random indexes. They can be opened
/// as little as other programs' rows, and no request asks for them.
enum OpenBenchmark {
    private static let rounds = 10
    private static let answerSeconds = 30.0

    static func run(count: Int) throws {
        let binaries = ProcessInfo.processInfo.environment["LLAVERO_BINARIES"] ?? ".build/release"
        let directory = NSTemporaryDirectory() + "/llavero-benchmark-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let location = ServiceLocation(socketPath: directory + "/llavero/securityd.sock")
        var empty: [Double] = []
        var full: [Double] = []
        try with(binaries, directory) { _ in
            let keychain = try connected(location)
            try keychain.add(item(0))
        }
        for _ in 0..<rounds { empty.append(try start(binaries, directory, location)) }
        try fill(directory + "/llavero/keychain.db", count: count)
        for _ in 0..<rounds { full.append(try start(binaries, directory, location)) }
        print("| from the start of securityd to the first answer, ms | p50 | p99 |")
        print("|---|---:|---:|")
        row("1 item", Samples(empty))
        row("\(count) items", Samples(full))
    }

    private static func row(_ name: String, _ samples: Samples) {
        print(
            String(
                format: "| %@ | %.1f | %.1f |", name, samples.p50 / 1000, samples.p99 / 1000))
    }

    // MARK: - One start

    /// - Returns: Microseconds.
    private static func start(
        _ binaries: String, _ directory: String, _ location: ServiceLocation
    ) throws -> Double {
        try with(binaries, directory) { start in
            let keychain = try connected(location)
            guard try keychain.find(query(0, .data)).count == 1 else { abort() }
            return Double(nanoseconds() - start) / 1000
        }
    }

    /// Starts a service, passes the time of its start to the caller, and ends it.
    private static func with<R>(
        _ binaries: String, _ directory: String, _ body: (UInt64) throws -> R
    ) throws -> R {
        let service = Process()
        service.executableURL = URL(fileURLWithPath: binaries + "/securityd")
        service.arguments = ["--user"]
        service.environment = ["XDG_DATA_HOME": directory, "XDG_RUNTIME_DIR": directory]
        service.standardError = FileHandle.nullDevice
        let start = nanoseconds()
        try service.run()
        defer {
            service.terminate()
            service.waitUntilExit()
        }
        return try body(start)
    }

    /// A connection to a service that may not be listening yet.
    private static func connected(_ location: ServiceLocation) throws -> KeychainConnection {
        let end = nanoseconds() + UInt64(answerSeconds * 1e9)
        while true {
            let keychain = KeychainConnection(location: location)
            do {
                _ = try keychain.deviceStatus()
                return keychain
            } catch {
                guard nanoseconds() < end else { throw error }
                usleep(500)
            }
        }
    }

    // MARK: - The store

    private static func fill(_ path: String, count: Int) throws {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK else { abort() }
        defer { sqlite3_close(database) }
        let sql = """
            PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;
            BEGIN;
            WITH RECURSIVE numbers (number) AS
                (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < \(count - 1))
            INSERT INTO genp (uuid, userid, keyclass, keygeneration, rowgeneration, tombstone,
                pk, agrp, sync, acct, svce, labl, metadata, secret)
            SELECT randomblob(16), userid, keyclass, keygeneration, rowgeneration, tombstone,
                randomblob(16), agrp, sync, randomblob(16), randomblob(16), randomblob(16),
                randomblob(length(metadata)), randomblob(length(secret))
            FROM numbers, genp WHERE genp.rowid = 1;
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);
            """
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            let message = String(cString: sqlite3_errmsg(database))
            FileHandle.standardError.write(Data("fill: \(message)\n".utf8))
            exit(1)
        }
    }
}
