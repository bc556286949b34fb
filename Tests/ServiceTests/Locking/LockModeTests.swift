// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import Synchronization
import TestSupport
import Testing

extension ServiceTests {
    /// Delayed locks, and what delays them, as clients see them. In tests that advance a clock, the
    /// daemons are threads of this process.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct LockModes {
        private static let passcode = "correct horse"

        /// The passcode of ``passcode``, an item of each kind, and a clock.
        private static func lend(
            _ settings: DeviceSettings? = nil,
            _ body: (InProcessService, KeychainConnection) throws -> Void
        ) throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory)
                defer { service.stopEnclave() }
                // The library seals passcodes for the user of this process.
                let client = InProcessService.Client(
                    userID: geteuid(),
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                let keychain = try service.connect(client)
                for (account, accessibility) in [
                    ("ak", Accessibility.whenUnlocked), ("ck", .afterFirstUnlock), ("dk", .always),
                ] {
                    try keychain.add(.password(account, accessibility: accessibility))
                }
                try keychain.setPasscode(SecretBytes(passcode: passcode))
                if let settings {
                    try keychain.configure(settings, passcode: SecretBytes(passcode: passcode))
                }
                try body(service, keychain)
            }
        }

        /// The status of reading an account's secret, which needs the class key.
        private static func secret(_ keychain: KeychainConnection, _ account: String) -> Int32 {
            status { try keychain.find(.password(account)) }
        }

        /// The status of reading its attributes, which need only the metadata key.
        private static func attributes(_ keychain: KeychainConnection, _ account: String) -> Int32 {
            status { try keychain.find(.password(account, returning: .attributes)) }
        }

        private static func unlock(_ keychain: KeychainConnection) throws {
            try keychain.unlock(passcode: SecretBytes(passcode: passcode))
        }

        private static func hold(_ keychain: KeychainConnection, _ duration: Duration) throws {
            let hold = try keychain.holdUnlocked(for: duration)
            hold.release()
        }

        // MARK: - Grace

        private static let tenSeconds = DeviceSettings(erasesAfterFailures: false, graceSeconds: 10)

        @Test func s13LockAfterTheGracePeriodComesNoSoonerAndNoLater() throws {
            try Self.lend(Self.tenSeconds) { service, keychain in
                #expect(try keychain.lock(.afterGrace) == .seconds(10))
                service.clock.advance(bySeconds: 8)
                #expect(Self.secret(keychain, "ak") == 0)
                let rest = try keychain.deviceStatus().secondsUntilLocked
                #expect(rest == 2)
                // Requested again, it happens at the original time.
                #expect(try keychain.lock(.afterGrace) == .seconds(2))
                service.clock.advance(bySeconds: 1)
                #expect(Self.secret(keychain, "ak") == 0)
                service.clock.advance(bySeconds: 1)
                #expect(Self.secret(keychain, "ak") == -25308)
                #expect(Self.attributes(keychain, "ak") == -25308)
                #expect(Self.secret(keychain, "ck") == 0)
                #expect(try keychain.deviceStatus().state == .locked)
            }
        }

        @Test func s13LockNowDoesNotWaitForTheGracePeriod() throws {
            try Self.lend(Self.tenSeconds) { _, keychain in
                try keychain.lock(.afterGrace)
                try keychain.lock()
                #expect(Self.attributes(keychain, "ak") == -25308)
                #expect(try keychain.deviceStatus().secondsUntilLocked == 0)
            }
        }

        @Test func s13AnUnlockCallsOffALockThatWaits() throws {
            try Self.lend(Self.tenSeconds) { service, keychain in
                try keychain.lock(.afterGrace)
                try Self.unlock(keychain)
                service.clock.advance(bySeconds: 60)
                #expect(Self.secret(keychain, "ak") == 0)
                #expect(try keychain.deviceStatus().state == .unlocked)
            }
        }

        @Test func s13WhoeverHasSeenTheLockReadsNoAttributesAnyMore() throws {
            try Self.lend(Self.tenSeconds) { service, keychain in
                let other = KeychainConnection(
                    location: ServiceLocation(socketPath: service.socketPath))
                for round in 0..<60 {
                    #expect(Self.attributes(keychain, "ak") == 0, "its key is in the cache")
                    try keychain.lock(.afterGrace)
                    service.clock.advance(bySeconds: 11)
                    // This lock wasn't requested now: the reply itself reports it.
                    #expect(try other.deviceStatus().state == .locked)
                    #expect(Self.attributes(keychain, "ak") == -25308, "round \(round)")
                    try Self.unlock(keychain)
                    #expect(Self.attributes(keychain, "ak") == 0)
                    try keychain.lock(.afterGrace)
                    service.clock.advance(bySeconds: 11)
                    #expect(Self.secret(keychain, "ak") == -25308)
                    #expect(Self.attributes(keychain, "ak") == -25308, "round \(round)")
                    try Self.unlock(keychain)
                }
            }
        }

        // MARK: - Held unlocked

        @Test func s14AssertionDelaysALockUntilItEnds() throws {
            try Self.lend { service, keychain in
                let hold = try keychain.holdUnlocked(for: .seconds(60))
                let isLocked = Atomic<Bool>(false)
                let locking = InParallel.Shared()
                locking.start("lock") {
                    try keychain.lock()
                    isLocked.store(true, ordering: .sequentiallyConsistent)
                    // It returned: no key of class A is left.
                    guard Self.attributes(keychain, "ak") == -25308 else {
                        throw TestFailure("attributes were read after lock returned")
                    }
                }
                try Waiting.until("the lock to be asked for") {
                    try keychain.deviceStatus().secondsUntilLocked > 0
                }
                // Other calls on the same connection aren't delayed.
                #expect(Self.secret(keychain, "ak") == 0)
                #expect(
                    reason { try Self.hold(keychain, .seconds(1)) } == .locked,
                    "nobody puts a lock off twice")
                service.clock.advance(bySeconds: 55)
                #expect(Self.secret(keychain, "ak") == 0)
                var hasReturned = isLocked.load(ordering: .sequentiallyConsistent)
                #expect(!hasReturned)
                service.clock.advance(bySeconds: 6)
                #expect(locking.finish(within: .seconds(20)) == [])
                hasReturned = isLocked.load(ordering: .sequentiallyConsistent)
                #expect(hasReturned)
                hold.release()
            }
        }

        @Test func s14AssertionThatIsReleasedLetsTheLockComeAtOnce() throws {
            try Self.lend { _, keychain in
                for isExplicit in [true, false] {
                    let locking = InParallel.Shared()
                    do {
                        let hold = try keychain.holdUnlocked(for: .seconds(60))
                        locking.start("lock") { try keychain.lock() }
                        try Waiting.until("the lock to be asked for") {
                            try keychain.deviceStatus().secondsUntilLocked > 0
                        }
                        if isExplicit { hold.release() }
                    }
                    // The clock stands still: without the release the lock would never happen.
                    #expect(locking.finish() == [])
                    #expect(Self.attributes(keychain, "ak") == -25308)
                    try Self.unlock(keychain)
                }
            }
        }

        @Test func s14AssertionTakenWhileLockedIsRefused() throws {
            try Self.lend { _, keychain in
                try keychain.lock()
                #expect(status { try Self.hold(keychain, .seconds(10)) } == -25308)
                try keychain.lock(.logOut)
                #expect(status { try Self.hold(keychain, .seconds(10)) } == -25308)
                try Self.unlock(keychain)
                let hold = try keychain.holdUnlocked(for: .milliseconds(500))
                hold.release()
                let wrongs = [
                    Duration.zero, .seconds(-1), .milliseconds(60_001), .seconds(70_000),
                ]
                for wrong in wrongs {
                    #expect(reason { try Self.hold(keychain, wrong) } == .invalidRequest)
                }
            }
        }

        @Test func s14UnlockTellsALockThatWaitsThatItIsCalledOff() throws {
            try Self.lend { _, keychain in
                let hold = try keychain.holdUnlocked(for: .seconds(60))
                let locking = InParallel.Shared()
                let hasEnded = Atomic<Bool>(false)
                locking.start("lock") {
                    defer { hasEnded.store(true, ordering: .sequentiallyConsistent) }
                    let (status, reason) = (status { try keychain.lock() }, FailureReason.calledOff)
                    guard status == -128 else { throw TestFailure("\(status), not \(reason)") }
                }
                try Waiting.until("the lock to be asked for") {
                    try keychain.deviceStatus().secondsUntilLocked > 0
                }
                // By now, or soon, the lock waits on a separate connection. If it asks there only
                // after an unlock, it waits again, until the next one.
                usleep(300_000)
                try Waiting.until("the lock to be called off") {
                    try Self.unlock(keychain)
                    return hasEnded.load(ordering: .sequentiallyConsistent)
                }
                #expect(locking.finish() == [])
                #expect(Self.secret(keychain, "ak") == 0)
                hold.release()
            }
        }

        @Test func logOutWaitsForNobodyAndLeavesTheStateBeforeTheFirstUnlock() throws {
            try Self.lend(Self.tenSeconds) { _, keychain in
                let hold = try keychain.holdUnlocked(for: .seconds(60))
                #expect(try keychain.lock(.logOut) == .zero)
                #expect(try keychain.deviceStatus().state == .beforeFirstUnlock)
                for account in ["ak", "ck"] {
                    #expect(Self.attributes(keychain, account) == -25308)
                    #expect(Self.secret(keychain, account) == -25308)
                }
                #expect(Self.secret(keychain, "dk") == 0)
                hold.release()
            }
        }

        // MARK: - With the released daemons

        @Test func s14HolderThatIsKilledHoldsNothingAnyMore() throws {
            try TestService.run { service in
                let keychain = service.keychain
                try keychain.add(.password("ak", accessibility: .whenUnlocked))
                try keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                let frame = try ClientRequest.assertion(seconds: 60).frameBytes()
                let hex = frame.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                let holder = try TestProcess(
                    Binaries.launcher(), ["stay", service.socketPath, hex.joined()])
                #expect(try holder.readLine() == "bytes 16")
                let locking = InParallel.Shared()
                locking.start("lock") { try keychain.lock() }
                try Waiting.until("the lock to be asked for") {
                    try keychain.deviceStatus().secondsUntilLocked > 0
                }
                usleep(300_000)
                #expect(reads(service, "ak") == 0)
                #expect(try keychain.deviceStatus().state == .unlocked)
                kill(holder.pid, SIGKILL)
                #expect(locking.finish(within: .seconds(20)) == [])
                #expect(reads(service, "ak") == -25308)
                #expect(try keychain.deviceStatus().state == .locked)
            }
        }

        @Test func s13GracePeriodOfTheReleasedDaemons() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let passcode = SecretBytes(passcode: Self.passcode)
                try keychain.add(.password("ak", accessibility: .whenUnlocked))
                try keychain.setPasscode(passcode)
                try keychain.configure(
                    DeviceSettings(erasesAfterFailures: false, graceSeconds: 2),
                    passcode: passcode)
                let start = ContinuousClock.now
                #expect(try keychain.lock(.afterGrace) == .seconds(2))
                // The enclave counts whole seconds, so the first may be short.
                let early = reads(service, "ak")
                #expect(early == 0 || start.duration(to: .now) > .milliseconds(900))
                try Waiting.until("the lock") { reads(service, "ak") == -25308 }
                #expect(start.duration(to: .now) > .milliseconds(900))
                #expect(try keychain.deviceStatus().state == .locked)
                #expect(
                    Self.attributes(keychain, "ak") == -25308,
                    "nobody asked for it now, and the metadata key went too")
            }
        }
    }
}
