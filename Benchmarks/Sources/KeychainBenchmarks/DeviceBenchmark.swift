// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CArgon2Benchmark
import Foundation
import Keychain
import SecretBytes
import SecurityWire
import Synchronization

/// Unlocking and locking, compared with Argon2id alone with the keybag's own parameters; and how
/// much they slow other requests down.
enum DeviceBenchmark {
    private static let rounds = 20
    private static let passcode = "correct horse battery staple"

    static func run(_ keychain: KeychainConnection) throws {
        var readable = item(0)
        readable.attributes.accessibility = .alwaysThisDeviceOnly
        try keychain.add(readable)
        var guarded = item(1)
        guarded.attributes.accessibility = .whenUnlocked
        try keychain.add(guarded)
        try keychain.setPasscode(bytes())

        let reader = Reader()
        let idle = reader.sample(for: 2)
        let argon2 = try argon2id()
        // Alternates the two, so that a processor that changes its clock rate affects both.
        let (locks, unlocks, alone) = try cycles(keychain, beside: argon2.derive)
        let busy = try reader.sampleWhile { _ = try cycles(keychain, beside: {}) }
        let protector = try protectorCycles(keychain)
        let unlock = Samples(unlocks)
        let derivation = Samples(alone)
        print("| \(rounds) rounds, ms | p50 | p99 |")
        print("|---|---:|---:|")
        row("X1: Argon2id alone, \(argon2.parameters)", derivation)
        row("unlock", unlock)
        row("unlock by a protector's key (at boot the same, without the messages)", protector)
        row("lock", Samples(locks))
        print(
            String(
                format: "\nX1: %.0f ms to derive with calibrated parameters (80 to 100 aimed at)",
                derivation.p50 / 1000))
        print(
            String(
                format: "unlock by a protector: p50 %.2f ms (at most 20 aimed at)",
                protector.p50 / 1000))
        print(
            String(
                format: "unlock over Argon2id: %.2f ms", (unlock.p50 - derivation.p50) / 1000))
        print(
            String(
                format: "reads beside: p99 %.1f µs without, %.1f µs during unlocks, ratio %.2f",
                idle.p99, busy.p99, busy.p99 / idle.p99))
        let guessed = try readsBesideGuessers()
        print(
            String(
                format: "reads beside guessers: p99 %.1f µs, ratio %.2f", guessed.p99,
                guessed.p99 / idle.p99))
    }

    /// Durations of each lock, each unlock and the requests made meanwhile, in microseconds.
    private static func cycles(
        _ keychain: KeychainConnection, beside: () -> Void
    ) throws -> (locks: [Double], unlocks: [Double], beside: [Double]) {
        var locks: [Double] = []
        var unlocks: [Double] = []
        var others: [Double] = []
        for _ in 0..<rounds {
            others.append(microseconds(beside))
            locks.append(try microseconds { try keychain.lock() })
            unlocks.append(try microseconds { try keychain.unlock(passcode: bytes()) })
            // Attributes and secrets of the class come back with the unlock.
            guard try keychain.find(query(1, .data)).count == 1 else { abort() }
        }
        return (locks, unlocks, others)
    }

    /// Durations of unlocks by a key file's key.
    private static func protectorCycles(_ keychain: KeychainConnection) throws -> Samples {
        let key = ProtectorKey.random()
        try keychain.addProtector(
            NewProtector(name: "benchmark", .keyFile(key)), passcode: bytes())
        var unlocks: [Double] = []
        for _ in 0..<rounds {
            try keychain.lock(.logOut)
            unlocks.append(try microseconds { try keychain.unlock(protectorKey: key) })
            guard try keychain.find(query(1, .data)).count == 1 else { abort() }
        }
        try keychain.removeProtector(named: "benchmark", passcode: bytes())
        return Samples(unlocks)
    }

    // MARK: - Guessers

    private static let guesserCount = 3

    /// Programs that try passcodes as fast as the service refuses them: the same program again, and
    /// different ones.
    private static func readsBesideGuessers() throws -> Samples {
        let end = End()
        let group = DispatchGroup()
        for number in 0..<guesserCount {
            DispatchQueue(label: "guesser \(number)").async(group: group) {
                let keychain = KeychainConnection()
                var round = 0
                while !end.hasCome.load(ordering: .relaxed) {
                    round += number
                    try? keychain.unlock(passcode: bytes("wrong \(round)"))
                }
            }
        }
        defer {
            end.hasCome.store(true, ordering: .relaxed)
            group.wait()
        }
        return Reader().sample(for: 3)
    }

    private final class End: Sendable {
        let hasCome = Atomic(false)
    }

    private static func bytes(_ text: String = passcode) -> SecretBytes {
        let bytes = Array(text.utf8)
        return SecretBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    }

    private static func microseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = nanoseconds()
        try body()
        return Double(nanoseconds() - start) / 1000
    }

    private static func row(_ name: String, _ samples: Samples) {
        print(
            String(
                format: "| %@ | %.2f | %.2f |", name, samples.p50 / 1000, samples.p99 / 1000))
    }

    // MARK: - The lower bound

    /// Argon2id with the keybag's parameters, in this process.
    private static func argon2id() throws -> (derive: () -> Void, parameters: String) {
        let path = Daemons.stateDirectory + "/enclave/keybag.\(geteuid())"
        let keybag = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        guard let memory = number("MEMC", in: keybag), let passes = number("ITER", in: keybag)
        else { abort() }
        let salt = [UInt8](repeating: 7, count: 32)
        let text = Array(passcode.utf8)
        let derive = {
            var key = [UInt8](repeating: 0, count: 32)
            guard
                argon2id_hash_raw(
                    passes, memory, 1, text, text.count, salt, salt.count, &key, key.count) == 0
            else { abort() }
        }
        return (derive, "\(memory / 1024) MiB, \(passes) passes")
    }

    /// A number of four bytes behind its tag and its byte count.
    private static func number(_ tag: String, in bytes: [UInt8]) -> UInt32? {
        let head = Array(tag.utf8) + [0, 0, 0, 4]
        let start = (0..<max(0, bytes.count - 12)).first { Array(bytes[$0..<$0 + 8]) == head }
        return start.map { start in
            bytes[start + 8..<start + 12].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    // MARK: - Requests meanwhile

    /// Reads an item that is always readable, again and again.
    private final class Reader: Sendable {
        private let keychain = KeychainConnection()
        private let query = KeychainBenchmarks.query(0, .data)
        private let isOver = Atomic(false)
        private let values = Mutex<[Double]>([])

        func sample(for seconds: Double) -> Samples {
            var values: [Double] = []
            let end = nanoseconds() + UInt64(seconds * 1e9)
            while nanoseconds() < end { values.append(one()) }
            return Samples(values)
        }

        /// Samples on a separate thread while `body` runs.
        func sampleWhile(_ body: () throws -> Void) rethrows -> Samples {
            let group = DispatchGroup()
            DispatchQueue(label: "reader").async(group: group) { [self] in
                while !isOver.load(ordering: .relaxed) {
                    let value = one()
                    values.withLock { $0.append(value) }
                }
            }
            do {
                defer {
                    isOver.store(true, ordering: .relaxed)
                    group.wait()
                }
                try body()
            }
            return Samples(values.withLock { $0 })
        }

        private func one() -> Double {
            let start = nanoseconds()
            guard let found = try? keychain.find(query), found.count == 1 else { abort() }
            return Double(nanoseconds() - start) / 1000
        }
    }
}
