// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire

/// Parts of the table of the system service, each in a process that runs as a user of the machine.
/// `Scripts/bench` compares their figures.
enum SystemBenchmark {
    private static let lanes = 4
    private static let rounds = 4000

    /// How long until a service that a manager of sockets starts has answered, in milliseconds.
    static func first() throws {
        let start = nanoseconds()
        _ = try KeychainConnection().deviceStatus()
        print(String(format: "first %.1f", Double(nanoseconds() - start) / 1_000_000))
    }

    /// How long until such a service has given out a secret of the calling user, in milliseconds.
    static func opened() throws {
        let start = nanoseconds()
        guard try KeychainConnection().find(query(0, .data)).count == 1 else { exit(1) }
        print(String(format: "opened %.1f", Double(nanoseconds() - start) / 1_000_000))
    }

    /// Stores items of the calling user.
    static func fill(_ count: Int) {
        DispatchQueue.concurrentPerform(iterations: lanes) { lane in
            let connection = KeychainConnection()
            for index in stride(from: lane, to: count, by: lanes) {
                do { _ = try connection.save(item(index)) } catch {
                    FileHandle.standardError.write(Data("save: \(error)\n".utf8))
                    exit(1)
                }
            }
        }
    }

    /// How long a read of an item takes, among so many of the calling user, in microseconds.
    static func read(_ count: Int) throws {
        let keychain = KeychainConnection()
        let queries = (0..<min(count, 1024)).map { query(($0 &* 7919) % count, .data) }
        let samples = try measure(rounds) { round in
            guard try keychain.find(queries[round % queries.count]).count == 1 else { abort() }
        }
        print(String(format: "read %.2f %.2f", samples.p50, samples.p99))
    }
}
