// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire

/// A keychain that grows to very many items, each added in its own transaction, compared with
/// SQLite alone on the same schema.
enum GrowthBenchmark {
    private static let smallCount = 1000
    private static let readCount = 5000

    static func run(_ keychain: KeychainConnection, _ raw: RawStore, count: Int) throws {
        let small = try add(keychain, 0..<smallCount)
        let readsBefore = try reads(keychain, among: smallCount)
        let memoryBefore = Daemons.residentKibibytes()
        let large = try add(keychain, smallCount..<count)
        let readsAfter = try reads(keychain, among: count)
        let memoryAfter = Daemons.residentKibibytes()
        let rawSeconds = seconds {
            for index in 0..<count {
                raw.insert(metadataByteCount: metadataByteCount, secretByteCount: secretByteCount)
                if index % 256 == 255 { raw.checkpoint() }
            }
        }
        let ours = Double(count) / (small + large)
        let floor = Double(count) / rawSeconds
        print("| \(count) items, one transaction each | |")
        print("|---|---:|")
        print(String(format: "| adds a second | %.0f |", ours))
        print(String(format: "| SQLite alone, adds a second | %.0f |", floor))
        print(String(format: "| ratio of the rates | %.2f |", ours / floor))
        print(
            String(
                format: "| point read at %d / %d items, µs | %.1f / %.1f |", smallCount, count,
                readsBefore.p50, readsAfter.p50))
        print(String(format: "| ratio of the reads | %.2f |", readsAfter.p50 / readsBefore.p50))
        print("| bytes of the database an item | \(try databaseByteCount() / count) |")
        for (before, after) in zip(memoryBefore, memoryAfter) {
            print(
                String(
                    format: "| %@ resident at %d / %d items, MB | %.1f / %.1f |", after.0,
                    smallCount, count, Double(before.1) / 1024, Double(after.1) / 1024))
        }
    }

    private static func add(_ keychain: KeychainConnection, _ range: Range<Int>) throws -> Double {
        try seconds { for index in range { try keychain.add(item(index)) } }
    }

    private static func reads(
        _ keychain: KeychainConnection, among count: Int
    ) throws -> Samples {
        try measure(readCount) { round in
            let found = try keychain.find(query((round &* 7919) % count, .data))
            guard found.count == 1 else { abort() }
        }
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = nanoseconds()
        try body()
        return Double(nanoseconds() - start) / 1e9
    }

    private static func databaseByteCount() throws -> Int {
        try ["", "-wal"].reduce(0) { total, suffix in
            let path = Daemons.stateDirectory + "/keychain.db" + suffix
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return total + (attributes[.size] as? Int ?? 0)
        }
    }
}
