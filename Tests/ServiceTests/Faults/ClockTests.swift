// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Clocks that jump: the time of day, which the owner of the machine may set, and the clock
    /// since boot, which continues while the machine sleeps.
    @Suite struct Clocks {
        private static let day: UInt64 = 24 * 60 * 60
        private static let year = 365 * day

        private static let client = InProcessService.Client(
            userID: 7,
            entitlements: Entitlements([
                "keychain-access-groups": .list([.text("TEAM000000.test")])
            ]))

        private static func withService(
            _ body: (InProcessService, KeychainConnection, _ wall: TestClock) throws -> Void
        ) throws {
            try TemporaryDirectory.lend { directory in
                let wall = TestClock()
                let service = try InProcessService(stateDirectory: directory, wallClock: wall)
                defer { service.stopEnclave() }
                try body(service, try service.connect(client), wall)
                #expect(service.restartReason == nil)
            }
        }

        // MARK: - The clock of the day

        /// Ten years forward, thirty back, and forward again: everything stays readable, and each
        /// change is later than the one before it.
        @Test func wallClockThatJumpsCostsNothingAndChangesStayInOrder() throws {
            try Self.withService { _, keychain, wall in
                try keychain.add(.password("a", accessibility: .whenUnlocked))
                var last = try Self.modified(keychain, "a")
                let jumps: [(TestClock) -> Void] = [
                    { $0.advance(bySeconds: 10 * Self.year) },
                    { $0.setBack(bySeconds: 30 * Self.year) },
                    { $0.setBack(bySeconds: 1) },
                    { $0.advance(bySeconds: 20 * Self.year) },
                ]
                for (number, jump) in jumps.enumerated() {
                    jump(wall)
                    try keychain.add(.password("new \(number)", secret: "\(number)"))
                    try keychain.update(
                        .password("a"), applying: .setting(secret: "changed \(number)"))
                    let modified = try Self.modified(keychain, "a")
                    #expect(modified > last)
                    last = modified
                    let found = try keychain.find(.password("a"))
                    #expect(found.map { $0.secret?.testText } == ["changed \(number)"])
                    try keychain.delete(.password("new \(number)"))
                    #expect(reason { try keychain.find(.password("new \(number)")) } == .absent)
                }
                #expect(try keychain.check().findings == [])
            }
        }

        /// The log's records are ordered by their numbers; their times are the clock's.
        /// A machine without a clock of its own, until the network tells it the time.
        @Test func aServiceOf1970KeepsWhatItStoresWhenTheClockIsSet() throws {
            try Self.withService { _, keychain, wall in
                let seconds = wall.seconds
                wall.setBack(bySeconds: seconds)
                try keychain.add(.password("a", accessibility: .whenUnlocked))
                let first = try Self.modified(keychain, "a")
                try keychain.update(.password("a"), applying: .setting(secret: "in 1970"))
                wall.advance(bySeconds: seconds)
                try keychain.update(.password("a"), applying: .setting(secret: "today"))
                #expect(try Self.modified(keychain, "a") > first + Double(seconds) / 2)
                let found = try keychain.find(.password("a"))
                #expect(found.map { $0.secret?.testText } == ["today"])
                #expect(try keychain.check().findings == [])
            }
        }

        @Test func wallClockThatJumpsLeavesTheAuditLogWhole() throws {
            try Self.withService { _, keychain, wall in
                for number in 0..<6 {
                    try keychain.add(.password("\(number)"))
                    if number.isMultiple(of: 2) {
                        wall.advance(bySeconds: Self.year)
                    } else {
                        wall.setBack(bySeconds: 3 * Self.year)
                    }
                }
                let log = try keychain.auditLog()
                #expect(log.brokenAt == [])
                let numbers = log.records.map(\.sequence)
                #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
                #expect(log.records.count >= 6)
                let times = log.records.map(\.microseconds)
                #expect(times != times.sorted())
            }
        }

        /// The outcome of a write is kept for a minute of the boot's clock.
        @Test func wallClockThatJumpsForgetsNoOutcome() throws {
            try Self.withService { service, keychain, wall in
                let identity = [UInt8](repeating: 5, count: 16)
                func add(isRepeated: Bool) throws -> ClientRequest {
                    .add(.password("a"), WriteIdentity(requestID: identity, isRepeated: isRepeated))
                }
                let connection = try service.connectRaw(Self.client)
                let first = connection.exchange(try add(isRepeated: false).frameBytes(sequence: 2))
                #expect(first.failure == nil)
                for step in 0..<4 {
                    if step.isMultiple(of: 2) {
                        wall.advance(bySeconds: Self.day)
                    } else {
                        wall.setBack(bySeconds: 2 * Self.day)
                    }
                    try keychain.add(.password("other \(step)"))
                    let again = connection.exchange(
                        try add(isRepeated: true).frameBytes(sequence: UInt32(3 + step)))
                    #expect(again.failure == nil)
                }
                #expect(try keychain.find(.password("a", limit: nil)).count == 1)
            }
        }

        /// Setting the time of day neither allows an earlier guess, nor makes the owner wait.
        @Test func wallClockThatJumpsNeitherShortensNorLengthensADelay() throws {
            try Self.withService { service, keychain, wall in
                try Self.fail(service, times: 5)
                #expect(try Self.delay(keychain) == 60)
                wall.advance(bySeconds: Self.year)
                #expect(try Self.delay(keychain) == 60)
                #expect(throws: TestFailure.self) {
                    try service.passcode(.unlock, "right", Self.client)
                }
                wall.setBack(bySeconds: 2 * Self.year)
                #expect(try Self.delay(keychain) == 60)
                service.clock.advance(bySeconds: 61)
                try service.passcode(.unlock, "right", Self.client)
                #expect(try keychain.deviceStatus().failedAttempts == 0)
            }
        }

        // MARK: - The clock since the boot

        /// A machine that sleeps for a day: a delay has expired, a waiting lock has happened, and a
        /// year later the right passcode still unlocks.
        @Test func bootClockThatJumpsAheadEndsDelaysAndGracePeriods() throws {
            try Self.withService { service, keychain, _ in
                try keychain.add(.password("ak", accessibility: .whenUnlocked))
                try service.passcode(.set, "right", Self.client)
                try service.passcode(
                    .configure, "right", settings: .init(eraseAfter: 0, graceSeconds: 300),
                    Self.client)
                _ = try keychain.lock(.afterGrace)
                #expect(status { try keychain.find(.password("ak")) } == 0)
                service.clock.advance(bySeconds: Self.day)
                try Waiting.until("the lock") {
                    status { try keychain.find(.password("ak")) } == -25308
                }
                for number in 1...5 {
                    #expect(throws: TestFailure.self) {
                        try service.passcode(.unlock, "wrong \(number)", Self.client)
                    }
                }
                service.clock.advance(bySeconds: Self.year)
                #expect(try keychain.deviceStatus().secondsUntilNextAttempt == 0)
                try service.passcode(.unlock, "right", Self.client)
                #expect(status { try keychain.find(.password("ak")) } == 0)
            }
        }

        /// No kernel sets it back; if one did, no delay would become shorter, and the service would
        /// continue.
        @Test func bootClockThatIsSetBackShortensNoDelay() throws {
            try Self.withService { service, keychain, _ in
                try Self.fail(service, times: 5)
                service.clock.advance(bySeconds: 30)
                service.clock.setBack(bySeconds: 3600)
                let status = try keychain.deviceStatus()
                #expect(status.failedAttempts == 5)
                #expect(status.secondsUntilNextAttempt == 60)
                #expect(throws: TestFailure.self) {
                    try service.passcode(.unlock, "right", Self.client)
                }
                service.clock.advance(bySeconds: 3600 + 31)
                try service.passcode(.unlock, "right", Self.client)
            }
        }

        /// Real daemons, in a time namespace in which the machine has been up for a year longer:
        /// their records of a delay don't depend on any clock.
        @Test func bootClockAYearAheadAtTheNextStartLeavesTheFullDelay() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("dk", accessibility: .always))
                    try service.keychain.setPasscode(SecretBytes(passcode: "right"))
                    for number in 1...5 {
                        let passcode = SecretBytes(passcode: "wrong \(number)")
                        #expect(
                            reason { try service.keychain.unlock(passcode: passcode) }
                                == .wrongPasscode)
                    }
                }
                options.program = try Self.programAYearAhead(directory)
                let start = ContinuousClock.now
                try TestService.run(options) { service in
                    let enclave = try service.enclave()
                    let offsets = try ProcessFile.read(enclave, "timens_offsets")
                    #expect(offsets.contains("\(Self.year)"))
                    let seconds = try Self.delay(service.keychain)
                    // Minus the duration of the start.
                    let passed = start.duration(to: .now).components.seconds
                    #expect(Int64(seconds) + passed > 50)
                    let refusal = reason {
                        try service.keychain.unlock(passcode: SecretBytes(passcode: "right"))
                    }
                    #expect(refusal == .throttled)
                    #expect(reads(service, "dk") == 0)
                }
            }
        }

        /// - Returns: A program that starts securityd in such a namespace.
        private static func programAYearAhead(_ directory: String) throws -> String {
            let path = directory + "/securityd-ahead"
            let rights = geteuid() == 0 ? "" : "--user --map-current-user"
            let script = """
                #!/bin/sh
                exec unshare \(rights) --time --boottime \(year) '\(try Binaries.path("securityd"))' "$@"
                """
            try Data(script.utf8).write(to: URL(fileURLWithPath: path))
            #expect(unsafe chmod(path, 0o700) == 0)
            return path
        }

        // MARK: - Helpers

        private static func fail(_ service: InProcessService, times: Int) throws {
            try service.passcode(.set, "right", client)
            for number in 1...times {
                #expect(throws: TestFailure.self) {
                    try service.passcode(.unlock, "wrong \(number)", client)
                }
            }
        }

        /// Seconds until the next attempt.
        private static func delay(_ keychain: KeychainConnection) throws -> UInt32 {
            guard let seconds = try keychain.deviceStatus().secondsUntilNextAttempt else {
                throw TestFailure("There is no next attempt.")
            }
            return seconds
        }

        private static func modified(
            _ keychain: KeychainConnection, _ account: String
        ) throws -> Double {
            let found = try keychain.find(.password(account, returning: .attributes))
            guard case .date(let seconds)? = found.first?.attributes[.modificationDate] else {
                throw TestFailure("\(account) has no date.")
            }
            return seconds
        }
    }
}
