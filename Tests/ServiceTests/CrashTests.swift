// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import Synchronization
import TestSupport
import Testing

extension ServiceTests {
    /// What a crash leaves behind.
    @Suite struct Crashes {
        private static let killCount = 100
        /// A supervisor starts a daemon that keeps dying ever later; a fresh one starts it at once.
        private static let killsPerSupervisor = 4

        /// Kills securityd or enclaved at random moments while a client writes. The long form of
        /// this test (`make campaign`) sets LLAVERO_CRASH_POINTS.
        @Test func noAcknowledgedWriteIsLostByACrash() throws {
            let variable = ProcessInfo.processInfo.environment["LLAVERO_CRASH_POINTS"]
            let killCount = variable.flatMap(Int.init) ?? Self.killCount
            var generator = SeededGenerator(seed: 4711)
            let writer = RandomWriter(seed: 1)
            try TemporaryDirectory.lend { directory in
                var kills = 0
                while kills < killCount {
                    try TestService.run(.init(.user, directory: directory)) { service in
                        writer.connect(service.connect())
                        #expect(writer.verify() == [])
                        let task = InParallel.Shared()
                        task.start("writer") { writer.write() }
                        for _ in 0..<min(Self.killsPerSupervisor, killCount - kills) {
                            try Self.killOne(service, using: &generator)
                            kills += 1
                        }
                        writer.stop()
                        #expect(task.finish() == [])
                        #expect(writer.verify() == [])
                    }
                }
                try TestService.run(.init(.user, directory: directory)) { service in
                    writer.connect(service.connect())
                    #expect(writer.verify() == [])
                    #expect(!service.messages.contains("damaged"))
                }
                #expect(writer.violations == [])
                let aside = try FileManager.default.contentsOfDirectory(
                    atPath: directory + "/llavero"
                ).filter { $0.contains("damaged") }
                #expect(aside == [])
            }
            // The kills must have hit work, and work must have been done between them.
            #expect(writer.acknowledged > killCount)
            #expect(writer.interrupted > 0)
        }

        private static func killOne(
            _ service: TestService, using generator: inout SeededGenerator
        ) throws {
            let isWorker = Bool.random(using: &generator)
            let pid = try isWorker ? service.worker() : service.enclave()
            // The point of the crash, not a wait for anything.
            usleep(UInt32.random(in: 0..<60_000, using: &generator))
            try service.crash(pid)
        }
    }
}

/// A client that writes at random and knows what must be there.
final class RandomWriter: Sendable {
    /// What an account may hold: certain when there is one possibility; nil is no item.
    private typealias Possibilities = Set<String?>

    private struct State {
        var generator: SeededGenerator
        var keychain: KeychainConnection?
        var accounts: [String: Possibilities] = [:]
        var counter = 0
        var acknowledged = 0
        var interrupted = 0
        var violations: [String] = []
    }

    private static let accountCount = 12
    private static let service = "crash"
    /// The longest of a call's deadlines, and some more for a busy machine.
    private static let deadline = Duration.seconds(35)
    /// What a client may be told when the service dies under its call.
    private static let clearReasons: Set<FailureReason> = [.unreachable, .unknownOutcome]

    private let state: Mutex<State>
    private let isStopped = Atomic(false)

    init(seed: UInt64) { state = Mutex(State(generator: SeededGenerator(seed: seed))) }

    /// Calls that succeeded.
    var acknowledged: Int { state.withLock { $0.acknowledged } }
    /// Calls that ended with one of the statuses for a service that is gone.
    var interrupted: Int { state.withLock { $0.interrupted } }
    /// What must not have happened.
    var violations: [String] { state.withLock { $0.violations } }

    /// Talks to a service from now on.
    func connect(_ keychain: KeychainConnection) {
        state.withLock { $0.keychain = keychain }
        isStopped.store(false, ordering: .relaxed)
    }

    /// Ends `write` after its present call.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Stores, updates and deletes until it is stopped.
    func write() {
        while !isStopped.load(ordering: .relaxed) {
            state.withLock { state in
                if let keychain = state.keychain { Self.step(&state, keychain) }
            }
        }
    }

    /// Compares every account with what must be there.
    /// - Returns: The differences.
    func verify() -> [String] {
        state.withLock { state in
            guard let keychain = state.keychain else { return ["not connected"] }
            var differences: [String] = []
            for account in (0..<Self.accountCount).map({ "account \($0)" }) {
                do {
                    try Self.settle(account, &state, keychain)
                } catch { differences.append("\(account): \(error)") }
            }
            return differences
        }
    }

    private static func step(_ state: inout State, _ keychain: KeychainConnection) {
        let account = "account \(Int.random(in: 0..<accountCount, using: &state.generator))"
        do {
            let present = try settle(account, &state, keychain)
            state.counter += 1
            let value = "value \(state.counter) " + String(repeating: "x", count: 300)
            guard present != nil else {
                return try attempt(account, from: present, to: value, &state) {
                    try keychain.add(item(account, value))
                }
            }
            if Int.random(in: 0..<3, using: &state.generator) == 0 {
                try attempt(account, from: present, to: nil, &state) {
                    try keychain.delete(.password(account, service: service))
                }
            } else {
                try attempt(account, from: present, to: value, &state) {
                    try keychain.update(
                        .password(account, service: service),
                        applying: .setting([.label: .text(value)], secret: value))
                }
            }
        } catch let error as KeychainError where clearReasons.contains(error.reason) {
            state.interrupted += 1
        } catch { state.violations.append("\(account): \(error)") }
    }

    /// A write: certain when it is acknowledged, both ways possible when it isn't.
    private static func attempt(
        _ account: String, from old: String?, to new: String?, _ state: inout State,
        _ body: () throws -> Void
    ) throws {
        state.accounts[account] = [old, new]
        let start = ContinuousClock.now
        defer {
            if start.duration(to: .now) > deadline {
                state.violations.append("\(account): a call went over its deadline")
            }
        }
        try body()
        state.accounts[account] = [new]
        state.acknowledged += 1
    }

    /// Reads an account and checks that it holds one of its possibilities, wholly.
    @discardableResult
    private static func settle(
        _ account: String, _ state: inout State, _ keychain: KeychainConnection
    ) throws -> String? {
        let possible = state.accounts[account] ?? [nil]
        let present = try read(account, keychain)
        guard possible.contains(present) else {
            throw TestFailure(
                "holds \(present?.prefix(12) ?? "nothing"), not one of "
                    + "\(possible.map { $0?.prefix(12) ?? "nothing" })")
        }
        state.accounts[account] = [present]
        return present
    }

    private static func read(_ account: String, _ keychain: KeychainConnection) throws -> String? {
        let found: [FoundItem]
        do {
            found = try keychain.find(
                .password(account, service: service, limit: nil, returning: [.data, .attributes]))
        } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
        guard found.count == 1, let secret = found[0].secret?.testText,
            found[0].attributes[.label] == .text(secret)
        else { throw TestFailure("is there in part or twice") }
        return secret
    }

    private static func item(_ account: String, _ value: String) -> NewItem {
        var item = NewItem.password(account, service: service, secret: value)
        item.attributes[.label] = .text(value)
        return item
    }
}
