// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import Security
import SecurityWire

/// Calls that return, or look at, many items.
enum ListBenchmark {
    private static let itemCount = 10_000
    private static let hostCount = 10

    /// Repeats one kind of list, for a profiler: `attributes`, `secrets` or `Security`.
    static func `repeat`(_ kind: String, _ rounds: Int, _ keychain: KeychainConnection) throws {
        try fill(keychain)
        try row(kind, rounds, rows: itemCount) {
            switch kind {
            case "attributes": _ = try keychain.find(typedQuery(.attributes))
            case "secrets": _ = try keychain.find(typedQuery(.data))
            default: _ = count(facadeQuery)
            }
        }
    }

    static func run(_ keychain: KeychainConnection) throws {
        try fill(keychain)
        print(
            "| \(itemCount) items in one call | µs an item | caller's CPU | services' CPU | rows opened |"
        )
        print("|---|---:|---:|---:|---:|")

        let query = typedQuery(.attributes)
        try row("attributes through `Keychain`", 20, rows: itemCount) {
            guard try keychain.find(query).count == itemCount else { abort() }
        }
        // Values are created only when the caller asks for them.
        try row("the same, every value read", 20, rows: itemCount) {
            var count = 0
            for item in try keychain.find(query) { count += item.attributes.entries.count }
            guard count > itemCount else { abort() }
        }
        let withSecrets = typedQuery(.data)
        try row("secrets through `Keychain`", 10, rows: itemCount) {
            guard try keychain.find(withSecrets).count == itemCount else { abort() }
        }
        try row("attributes through `Security`", 20, rows: itemCount) {
            guard count(facadeQuery) == itemCount else { abort() }
        }

        // One of a thousand servers passes the filter, which the caller's library applies.
        var filtered = facadeQuery
        filtered[kSecMatchHostOrSubdomainOfHost] = "wanted.example"
        let opened = try openedRows(keychain, query)
        try row("host or subdomain: \(hostCount) pass", 20, rows: opened) {
            guard count(filtered) == hostCount else { abort() }
        }

        // An attribute without an index: the service opens every row of the group.
        var invisible = query
        invisible.attributes[.isInvisible] = .integer(1)
        try row("no index: \(hostCount) match", 20, rows: try openedRows(keychain, invisible)) {
            guard try keychain.find(invisible).count == hostCount else { abort() }
        }
    }

    private static func fill(_ keychain: KeychainConnection) throws {
        for index in 0..<itemCount { try keychain.add(server(index)) }
    }

    private static func typedQuery(_ fields: ReturnFields) -> ItemQuery {
        var query = ItemQuery(.internetPassword)
        query.limit = nil
        query.returning = fields
        return query
    }

    private static var facadeQuery: [CFString: Any] {
        [
            kSecClass: kSecClassInternetPassword, kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: true,
        ]
    }

    private static func server(_ index: Int) -> NewItem {
        let isWanted = index % (itemCount / hostCount) == 0
        var item = NewItem(.internetPassword)
        item.attributes[.server] =
            .text(isWanted ? "host\(index).wanted.example" : "host\(index).example")
        item.attributes[.account] = .text("user\(index)")
        item.attributes[.networkProtocol] = .text("htps")
        item.attributes[.label] = .text("Server \(index)")
        if isWanted { item.attributes[.isInvisible] = .integer(1) }
        item.secret = secret("correct horse battery \(index)")
        return item
    }

    private static func count(_ query: [CFString: Any]) -> Int {
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
            let found = result as? NSArray
        else { return 0 }
        return found.count
    }

    private static func openedRows(
        _ keychain: KeychainConnection, _ query: ItemQuery
    ) throws -> Int {
        var opened: UInt64 = 0
        var cursor: UInt64 = 0
        repeat {
            let page = try keychain.findPage(query, after: cursor)
            opened += page.openedRowCount
            cursor = page.nextCursor
        } while cursor != 0
        return Int(opened)
    }

    /// Times a call, and reports which process used the processor time. On one processor the sum
    /// decides; on several, the slower process does.
    private static func row(
        _ name: String, _ rounds: Int, rows: Int, _ body: () throws -> Void
    ) rethrows {
        let services = Daemons.processes().map(\.process)
        var own: [Double] = []
        var theirs: [Double] = []
        let wall = try measure(rounds) { _ in
            let before = (
                Daemons.processorNanoseconds([Int(getpid())]),
                Daemons.processorNanoseconds(services)
            )
            try body()
            own.append(Double(Daemons.processorNanoseconds([Int(getpid())]) - before.0) / 1000)
            theirs.append(Double(Daemons.processorNanoseconds(services) - before.1) / 1000)
        }
        let each = [wall, Samples(own), Samples(theirs)].map { $0.p50 / Double(itemCount) }
        print(
            String(
                format: "| %@ | %.2f | %.2f | %.2f | %d |", name, each[0], each[1], each[2], rows))
    }
}
