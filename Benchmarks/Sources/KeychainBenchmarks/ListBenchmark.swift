// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import Security
import SecurityWire

/// Calls that give, or look at, many items.
enum ListBenchmark {
    private static let itemCount = 10_000
    private static let hostCount = 10

    static func run(_ keychain: KeychainConnection) throws {
        for index in 0..<itemCount { try keychain.add(server(index)) }
        print("| \(itemCount) items in one call | µs an item | rows opened |")
        print("|---|---:|---:|")

        var query = ItemQuery(.internetPassword)
        query.limit = nil
        query.returning = .attributes
        let typed = try measure(10) { _ in
            guard try keychain.find(query).count == itemCount else { abort() }
        }
        row("attributes through `Keychain`", typed, rows: itemCount)

        var page = query
        page.returning = .data
        let secrets = try measure(5) { _ in
            guard try keychain.find(page).count == itemCount else { abort() }
        }
        row("secrets through `Keychain`", secrets, rows: itemCount)

        let all: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: true,
        ]
        let facade = measure(10) { _ in
            guard count(all) == itemCount else { abort() }
        }
        row("attributes through `Security`", facade, rows: itemCount)

        // One of a thousand servers passes the filter, which is judged in the caller's library.
        let filtered: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: true, kSecMatchHostOrSubdomainOfHost: "wanted.example",
        ]
        let scan = measure(10) { _ in
            guard count(filtered) == hostCount else { abort() }
        }
        row("host or subdomain: \(hostCount) pass", scan, rows: try openedRows(keychain, query))

        // An attribute without an index: every row of the group is opened.
        var invisible = query
        invisible.attributes[.isInvisible] = .integer(1)
        let unindexed = try measure(10) { _ in
            guard try keychain.find(invisible).count == hostCount else { abort() }
        }
        row(
            "no index: \(hostCount) match", unindexed,
            rows: try openedRows(keychain, invisible))
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

    private static func row(_ name: String, _ samples: Samples, rows: Int) {
        let each = samples.p50 / Double(itemCount)
        print(String(format: "| %@ | %.2f | %d |", name, each, rows))
    }
}
