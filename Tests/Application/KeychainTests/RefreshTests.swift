// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import TestSupport
import Testing

extension KeychainTests {
    /// A token that can be exchanged once, and many processes that need the next one.
    @Suite struct Refreshing {
        /// How long the processes work: 5 s, or the value of `LLAVERO_REFRESH_SECONDS`.
        private static let seconds =
            ProcessInfo.processInfo.environment["LLAVERO_REFRESH_SECONDS"].flatMap { Int($0) } ?? 5
        private static let processCount = 64

        /// `lease` takes a lease; `claim` replaces the token by a claim to it, unless another
        /// process has.
        @Test(arguments: [("lease", 0), ("claim", 0), ("lease", 8)])
        func eachTokenIsExchangedOnce(_ way: String, killed: Int) throws {
            try TestService.run { service in
                try TemporaryDirectory.lend { directory in
                    let keychain = Keychain(
                        service: "com.example.test",
                        in: KeychainService(
                            location: ServiceLocation(socketPath: service.socketPath)))
                    try keychain.blocking.save("0 0", for: "token")
                    let program = try Binaries.testApplication()
                    let start = ContinuousClock.now
                    let processes = try (0..<Self.processCount).map { _ in
                        try TestProcess(
                            program,
                            [
                                service.socketPath, "refresh", way, directory,
                                String(Self.seconds * 1000),
                            ])
                    }
                    // At any moment, also while they have the lease.
                    for process in processes.prefix(killed) {
                        usleep(UInt32(Self.seconds) * 1_000_000 / UInt32(killed + 1))
                        process.signal(SIGKILL)
                    }
                    for process in processes.dropFirst(killed) {
                        let line = try process.readLine(
                            within: .seconds(Self.seconds) + Waiting.patience * 4)
                        #expect(line == "done")
                    }
                    for process in processes { _ = try process.wait() }
                    // If that took so long, there was little time for exchanges.
                    let isSlow = start.duration(to: .now) > .seconds(2 * Self.seconds)
                    try judge(
                        keychain, directory, killed: killed, least: isSlow ? 2 : Self.seconds + 1)
                }
            }
        }

        /// The issuer's log: a line for each requested exchange.
        private func judge(
            _ keychain: Keychain, _ directory: String, killed: Int, least: Int
        ) throws {
            let log = try String(contentsOfFile: directory + "/log", encoding: .utf8)
            let exchanges = log.split(separator: "\n").compactMap { Int($0) }
            let token = try keychain.blocking.value(for: "token")
            let last = try #require(token.split(separator: " ").first.flatMap { Int($0) })
            print("\(exchanges.count) exchanges by \(Self.processCount) processes")
            // A process that is killed between the issuer's reply and the save has lost a token.
            // That can't be prevented, and the issuer would reject the old one.
            #expect(exchanges.count - Set(exchanges).count <= killed)
            if killed == 0 {
                #expect(exchanges.sorted() == Array(0..<last))
            } else {
                #expect(Set(exchanges).isSuperset(of: 0..<last))
            }
            // One about every 100 ms.
            #expect(last >= least)
        }
    }
}
