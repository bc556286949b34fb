// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecurityDaemon
import SecurityWire
import TestSupport
import Testing

/// An audit log in a separate directory, with keys and a clock that the test controls.
final class AuditFixture {
    static let user: UInt32 = 1000

    /// Makes keys, and opens those that it made.
    final class Keys {
        private var made: [[UInt8]: SymmetricKey] = [:]
        var areAvailable = true
        /// Keys made so far.
        var count: Int { made.count }

        func forget() { made = [:] }

        var source: AuditKeys {
            AuditKeys(
                make: { (number) throws(AuditFailure) in
                    guard self.areAvailable else { throw .keyUnavailable }
                    let wrapped = (0..<60).map { _ in UInt8.random(in: 0...255) }
                    let key = SymmetricKey(size: .bits256)
                    self.made[wrapped + [UInt8(truncatingIfNeeded: number)]] = key
                    return (wrapped, key)
                },
                open: { (wrapped, number) throws(AuditFailure) in
                    guard self.areAvailable else { throw .keyUnavailable }
                    let key = self.made[wrapped + [UInt8(truncatingIfNeeded: number)]]
                    return key.map { .key($0) } ?? .gone
                })
        }
    }

    let directory: String
    let keys = Keys()
    /// The protectors, and when each last unlocked.
    var lastUnlocks: [(name: String, moment: Int64)] = []
    var limits = AuditLog.Limits()
    private(set) var log: AuditLog
    /// Microseconds; each reading of the clock is later.
    private var time: Int64 = 1_000_000

    /// Makes a fixture in a new directory.
    static func run(
        limits: AuditLog.Limits = AuditLog.Limits(), _ body: (AuditFixture) throws -> Void
    ) throws {
        try TemporaryDirectory.lend { try body(AuditFixture($0, limits)) }
    }

    private init(_ directory: String, _ limits: AuditLog.Limits) {
        self.directory = directory
        self.limits = limits
        log = AuditLog(
            directory: directory, userID: Self.user, keys: keys.source, limits: limits, now: { 0 })
        reopen()
    }

    /// The log in a process that has just started.
    func reopen() {
        log = AuditLog(
            directory: directory, userID: Self.user, keys: keys.source, limits: limits,
            lastUnlocks: { [unowned self] in lastUnlocks },
            now: { [unowned self] in now() })
    }

    private func now() -> Int64 {
        time += 1
        return time
    }

    // MARK: - Records

    /// A record that can be distinguished from others.
    func record(_ number: Int, itemCount: Int = 1) -> AuditRecord {
        var record = AuditRecord(.read, userID: Self.user, microseconds: now())
        record.processID = Int32(number)
        record.identityGrade = "U"
        record.accessGroup = "unsigned.1000"
        record.application = "program \(number)"
        record.itemClass = .genericPassword
        record.items = (0..<itemCount).map { item in
            (0..<16).map { UInt8(truncatingIfNeeded: number &* 7 &+ item &+ $0) }
        }
        return record
    }

    /// Appends records with the numbers as their process identifiers.
    func append(_ numbers: some Sequence<Int>, itemCount: Int = 1) throws {
        let records = numbers.map { record($0, itemCount: itemCount) }
        let (count, failure) = log.append(records)
        #expect(failure == nil)
        #expect(count == records.count)
    }

    /// All of the log, page by page.
    func read(pageSize: Int = 1000) throws -> AuditPage {
        var query = AuditQuery()
        var all = try log.page(query, recordLimit: pageSize)
        while all.nextCursor != 0 {
            query.cursor = all.nextCursor
            let page = try log.page(query, recordLimit: pageSize)
            all.records += page.records
            all.nextCursor = page.nextCursor
        }
        return all
    }

    /// The process identifiers of the clients' records.
    func numbers() throws -> [Int] { try read().clientNumbers }

    // MARK: - Files

    /// The log's files, oldest first.
    var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasPrefix("audit.") }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
            .map { directory + "/" + $0 }
    }

    /// The newest file.
    func newest() throws -> String { try #require(files.last) }

    func contents(_ file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// Replaces a file's bytes, in the same file.
    func replace(_ file: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file), options: [])
    }

    /// The start and end of each record of a file, from the lengths in the records.
    static func places(_ bytes: [UInt8]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var offset = 128
        while offset + 1 < bytes.count {
            let end = offset + (Int(bytes[offset]) + Int(bytes[offset + 1]) << 8) * 64
            places.append(offset..<end)
            offset = end
        }
        return places
    }
}

extension AuditPage {
    /// The process identifiers of the clients' records.
    var clientNumbers: [Int] { records.filter { $0.processID > 0 }.map { Int($0.processID) } }

    /// The service's own notes of one kind.
    func notes(_ event: AuditEvent) -> [AuditRecord] { records.filter { $0.event == event } }
}
