// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import Synchronization
import TestSupport
import Testing

extension ServiceTests {
    /// When the reply to a lock is sent, the keys are gone, whatever other requests are under way.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct LockBarrier {
        private static let passcode = "correct horse"
        private static let rounds = 40

        /// Incremented after a lock is answered, and before the device is unlocked again: an odd
        /// value means locked.
        private final class Phase: Sendable {
            private let value = Atomic<Int>(0)
            let isOver = Atomic<Bool>(false)

            var now: Int { value.load(ordering: .sequentiallyConsistent) }

            func advance() { value.add(1, ordering: .sequentiallyConsistent) }
        }

        /// The results of the readers of one kind.
        private final class Tally: Sendable {
            private let readings = Atomic<Int>(0)
            private let refusals = Atomic<Int>(0)

            var readingCount: Int { readings.load(ordering: .relaxed) }
            /// Results of reads that began and ended while locked.
            var refusalCount: Int { refusals.load(ordering: .relaxed) }

            func noteReading() { readings.add(1, ordering: .relaxed) }
            func noteRefusal() { refusals.add(1, ordering: .relaxed) }
        }

        /// Waits until each kind has one more result of this type.
        private static func awaitOne(
            _ what: String, _ tallies: [Tally], _ count: (Tally) -> Int
        ) throws {
            let before = tallies.map { count($0) }
            try Waiting.until(what) {
                tallies.indices.allSatisfy { count(tallies[$0]) > before[$0] }
            }
        }

        @Test func s02ReadThatStartsAfterALockWasAnsweredNeverSucceeds() throws {
            try TestService.run { service in
                for index in 0..<20 {
                    try service.keychain.add(.password("a\(index)", accessibility: .whenUnlocked))
                }
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                let phase = Phase()
                // Attributes need only the metadata key, secrets also the class key.
                let kinds: [ReturnFields] = [.attributes, .data]
                let tallies = kinds.map { _ in Tally() }
                let readers = InParallel.Shared()
                for number in 0..<4 {
                    let keychain = service.connect()
                    let fields = kinds[number % kinds.count]
                    let tally = tallies[number % kinds.count]
                    readers.start("reader \(number)") {
                        while !phase.isOver.load(ordering: .relaxed) {
                            let before = phase.now
                            let result = outcome {
                                try keychain.find(
                                    .password(service: "service", limit: nil, returning: fields))
                            }
                            let isLocked = !before.isMultiple(of: 2) && phase.now == before
                            switch result {
                            case .success where isLocked:
                                throw TestFailure("read in phase \(before), which was locked")
                            case .success: tally.noteReading()
                            case .failure(let error):
                                guard error.reason == .locked else { throw error }
                                if isLocked { tally.noteRefusal() }
                            }
                        }
                    }
                }
                let turns: Result<Void, any Error> = Result {
                    // The readers read in each phase, otherwise the test would prove nothing.
                    for _ in 0..<Self.rounds {
                        try service.keychain.lock()
                        phase.advance()
                        try Self.awaitOne("reads to be refused", tallies) { $0.refusalCount }
                        phase.advance()
                        try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                        try Self.awaitOne("reads to succeed", tallies) { $0.readingCount }
                    }
                }
                phase.isOver.store(true, ordering: .relaxed)
                #expect(readers.finish() == [])
                try turns.get()
            }
        }

        @Test func lockDoesNotWaitForAPasscodeThatIsBeingStretched() throws {
            try TestService.run { service in
                try service.keychain.add(.password("ak", accessibility: .whenUnlocked))
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                let deriver = try service.deriver()
                let phase = Phase()
                let unlocking = InParallel.Shared()
                kill(deriver, SIGSTOP)
                defer { kill(deriver, SIGCONT) }
                let other = service.connect()
                unlocking.start("unlock") {
                    _ = outcome { try other.unlock(passcode: SecretBytes(passcode: Self.passcode)) }
                    phase.advance()
                }
                // The passcode has been sent: an attempt is counted before the derivation.
                try Waiting.until("the attempt to be counted") {
                    try service.keychain.deviceStatus().failedAttempts == 1
                }
                try service.keychain.lock()
                #expect(phase.now == 0, "the passcode had been answered")
                #expect(reads(service, "ak") == -25308)
                kill(deriver, SIGCONT)
                #expect(unlocking.finish() == [])
                // The lock was requested after the unlock, so it takes effect.
                #expect(try service.keychain.deviceStatus().state == .locked)
                #expect(reads(service, "ak") == -25308)
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                #expect(reads(service, "ak") == 0)
            }
        }
    }
}
