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
    /// The state after a crash.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Crashes {
        private static let killCount = 200
        /// A supervisor waits longer and longer before it restarts a daemon that keeps dying; a new
        /// supervisor starts it at once.
        private static let killsPerSupervisor = 4
        private static let passcode = "correct horse"

        /// Kills securityd or enclaved at random moments while several clients write, each in its
        /// own class. During one kill of four, the device is also locked and unlocked, which takes
        /// longer. The long form of this test (`make campaign`) sets LLAVERO_CRASH_POINTS.
        @Test(arguments: [false, true])
        func c11NoAcknowledgedWriteIsLostByACrash(isLocking: Bool) throws {
            let variable = ProcessInfo.processInfo.environment["LLAVERO_CRASH_POINTS"]
            let total = variable.flatMap(Int.init) ?? Self.killCount
            let killCount = isLocking ? total / 4 : total - total / 4
            var generator = SeededGenerator(seed: isLocking ? 4712 : 4711)
            let codes = isLocking ? ["ak", "ck", "dk", "akpu"] : ["ak", "ck", "dk", "cku"]
            let writers = zip(UInt64(1)..., codes).map { RandomWriter(seed: $0, code: $1) }
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                var kills = 0
                while kills < killCount {
                    try TestService.run(options) { service in
                        let user = isLocking ? RandomUser(service, passcode: Self.passcode) : nil
                        try user?.becomeUnlocked()
                        for writer in writers {
                            writer.connect(service.connect())
                            #expect(writer.verify() == [])
                        }
                        let tasks = InParallel.Shared()
                        for writer in writers { tasks.start("writer") { writer.write() } }
                        if let user {
                            tasks.start("user") { try user.lockAndUnlock() }
                        }
                        for _ in 0..<min(Self.killsPerSupervisor, killCount - kills) {
                            // On a slow machine the kills wait until there was work between them.
                            try Waiting.until("calls between the kills") {
                                Self.acknowledged(writers) > kills + 1
                            }
                            try Self.killOne(service, user, using: &generator)
                            kills += 1
                        }
                        for writer in writers { writer.stop() }
                        user?.stop()
                        #expect(tasks.finish(within: RandomWriter.deadline * 2) == [])
                        try user?.becomeUnlocked()
                        for writer in writers { #expect(writer.verify() == []) }
                    }
                }
                try TestService.run(options) { service in
                    let user = isLocking ? RandomUser(service, passcode: Self.passcode) : nil
                    try user?.becomeUnlocked()
                    for writer in writers {
                        writer.connect(service.connect())
                        #expect(writer.verify() == [])
                    }
                    try Self.expectNothingElse(service, writers)
                    #expect(!service.messages.contains("damaged"))
                }
                let aside = try FileManager.default.contentsOfDirectory(
                    atPath: directory + "/llavero"
                ).filter { $0.contains("damaged") }
                #expect(aside == [])
            }
            #expect(writers.flatMap(\.violations) == [])
            // The kills must have interrupted work, and work must have been done between them.
            #expect(Self.acknowledged(writers) > killCount)
            #expect(isLocking || writers.contains { $0.interrupted > 0 })
            for writer in writers { #expect(writer.acknowledged > 0) }
            #expect(isLocking == writers.contains { $0.locked > 0 })
        }

        private static func acknowledged(_ writers: [RandomWriter]) -> Int {
            writers.reduce(0) { $0 + $1.acknowledged }
        }

        private static func killOne(
            _ service: TestService, _ user: RandomUser?, using generator: inout SeededGenerator
        ) throws {
            // An interrupted attempt counts; so many in a row would mean a wait of a minute.
            try user?.waitForAnUnlock()
            let isWorker = Bool.random(using: &generator)
            let pid = try isWorker ? service.worker() : service.enclave()
            // A random moment for the crash, not a wait for an event.
            usleep(UInt32.random(in: 0..<60_000, using: &generator))
            try service.crash(pid)
            user?.forgetUnlocks()
        }

        /// There is exactly one row for each known item, each with its key.
        private static func expectNothingElse(
            _ service: TestService, _ writers: [RandomWriter]
        ) throws {
            let rows = try StoredRows.rows("genp", service.stateDirectory)
            #expect(rows.count == writers.reduce(0) { $0 + $1.itemCount })
            let keys = try StoredRows.rows("metadatakeys", service.stateDirectory)
            let names = Set(keys.map { [$0["userid"], $0["keyclass"], $0["generation"]] })
            for row in rows {
                #expect(names.contains([row["userid"], row["keyclass"], row["keygeneration"]]))
            }
            #expect(try StoredRows.rows("quarantine", service.stateDirectory).isEmpty)
        }
    }
}

/// Locks and unlocks the device at random.
private final class RandomUser: Sendable {
    private let keychain: KeychainConnection
    private let passcode: String
    private let isStopped = Atomic(false)
    private let unlocks = Atomic(0)

    /// Valid statuses when the service dies during a call.
    private static let clearReasons: Set<FailureReason> = [.unreachable, .busy, .unknownOutcome]

    init(_ service: TestService, passcode: String) {
        keychain = service.connect()
        self.passcode = passcode
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func forgetUnlocks() { unlocks.store(0, ordering: .relaxed) }

    /// Waits until the device was unlocked since they were dropped.
    func waitForAnUnlock() throws {
        try Waiting.until("an unlock") { unlocks.load(ordering: .relaxed) > 0 }
    }

    /// Sets the passcode if there is none, and unlocks; retries after an interruption.
    func becomeUnlocked() throws {
        try Waiting.until("the device to be unlocked") { try unlock() }
    }

    func lockAndUnlock() throws {
        while !isStopped.load(ordering: .relaxed) {
            guard try unlock() else { continue }
            usleep(UInt32.random(in: 0..<40_000))
            try survive { try keychain.lock() }
            usleep(UInt32.random(in: 0..<10_000))
        }
    }

    private func unlock() throws -> Bool {
        var isUnlocked = false
        try survive {
            let device = try keychain.deviceStatus()
            if !device.passcodeSet {
                try keychain.setPasscode(SecretBytes(passcode: passcode))
            } else if device.state != .unlocked {
                try keychain.unlock(passcode: SecretBytes(passcode: passcode))
            }
            isUnlocked = true
            unlocks.add(1, ordering: .relaxed)
        }
        return isUnlocked
    }

    private func survive(_ body: () throws -> Void) throws {
        do { try body() } catch let error as KeychainError
            where Self.clearReasons.contains(error.reason)
        {}
    }
}

/// A client that writes at random and knows the expected state.
final class RandomWriter: Sendable {
    /// The possible values of an account: certain when there is one possibility; nil is no item.
    private typealias Possibilities = Set<String?>

    private struct State {
        var generator: SeededGenerator
        var keychain: KeychainConnection?
        var accounts: [String: Possibilities] = [:]
        var counter = 0
        var interrupted = 0
        var locked = 0
        var violations: [String] = []
    }

    private static let accountCount = 6
    /// The longest of a call's deadlines, and a margin for a busy machine.
    fileprivate static let deadline = Duration.seconds(35)
    /// Valid statuses for a client when the service dies during its call.
    private static let clearReasons: Set<FailureReason> = [.unreachable, .busy, .unknownOutcome]

    private let state: Mutex<State>
    private let isStopped = Atomic(false)
    private let successes = Atomic(0)
    /// Its items' service and class.
    private let code: String

    init(seed: UInt64, code: String) {
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
        self.code = code
    }

    /// Calls that succeeded; also counted during a call.
    var acknowledged: Int { successes.load(ordering: .relaxed) }
    /// Calls that ended with one of the statuses for a service that has died.
    var interrupted: Int { state.withLock { $0.interrupted } }
    /// Calls that were refused because the class was locked.
    var locked: Int { state.withLock { $0.locked } }
    /// Existing items, according to the last `verify`.
    var itemCount: Int {
        state.withLock { $0.accounts.values.count { $0.count == 1 && $0.first != .some(nil) } }
    }
    /// Violations.
    var violations: [String] { state.withLock { $0.violations } }

    /// Uses a service from now on.
    func connect(_ keychain: KeychainConnection) {
        state.withLock { $0.keychain = keychain }
        isStopped.store(false, ordering: .relaxed)
    }

    /// Ends `write` after its current call.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Stores, updates and deletes until it is stopped.
    func write() {
        while !isStopped.load(ordering: .relaxed) {
            state.withLock { state in
                if let keychain = state.keychain { step(&state, keychain) }
            }
        }
    }

    /// Compares every account with its possible values.
    /// - Returns: The differences.
    func verify() -> [String] {
        state.withLock { state in
            guard let keychain = state.keychain else { return ["not connected"] }
            var differences: [String] = []
            for account in (0..<Self.accountCount).map({ "account \($0)" }) {
                do {
                    try settle(account, &state, keychain)
                } catch { differences.append("\(account): \(error)") }
            }
            return differences
        }
    }

    private func step(_ state: inout State, _ keychain: KeychainConnection) {
        let account = "account \(Int.random(in: 0..<Self.accountCount, using: &state.generator))"
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
                    try keychain.delete(.password(account, service: code))
                }
            } else {
                try attempt(account, from: present, to: value, &state) {
                    try keychain.update(
                        .password(account, service: code),
                        applying: .setting([.label: .text(value)], secret: value))
                }
            }
        } catch let error as KeychainError where Self.clearReasons.contains(error.reason) {
            state.interrupted += 1
        } catch let error as KeychainError where error.reason == .locked {
            state.locked += 1
            // It stays so for a while.
            usleep(2_000)
        } catch { state.violations.append("\(account): \(error)") }
    }

    /// A write: certain when it is acknowledged, otherwise both values are possible.
    private func attempt(
        _ account: String, from old: String?, to new: String?, _ state: inout State,
        _ body: () throws -> Void
    ) throws {
        state.accounts[account] = [old, new]
        let start = ContinuousClock.now
        defer {
            if start.duration(to: .now) > Self.deadline {
                state.violations.append("\(account): a call went over its deadline")
            }
        }
        do { try body() } catch let error as KeychainError where error.reason == .locked {
            // A clear failure: nothing was done.
            state.accounts[account] = [old]
            throw error
        }
        state.accounts[account] = [new]
        successes.add(1, ordering: .relaxed)
    }

    /// Reads an account and checks that it has exactly one of its possible values.
    @discardableResult
    private func settle(
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

    private func read(_ account: String, _ keychain: KeychainConnection) throws -> String? {
        let found: [FoundItem]
        do {
            found = try keychain.find(
                .password(account, service: code, limit: nil, returning: [.data, .attributes]))
        } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
        guard found.count == 1, let secret = found[0].secret?.testText,
            found[0].attributes[.label] == .text(secret)
        else { throw TestFailure("is there in part or twice") }
        return secret
    }

    private func item(_ account: String, _ value: String) -> NewItem {
        var item = NewItem.password(
            account, service: code, secret: value, accessibility: Accessibility(code: code))
        item.attributes[.label] = .text(value)
        return item
    }
}
