// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import TestSupport
import Testing

extension KeychainTests {
    /// One holder at a time, across processes.
    @Suite struct Leases {
        private static let key = ItemKey<String>(account: "token")
        /// Longer than a test takes, however long its tasks wait for their turn.
        private static let long = Duration.seconds(600)
        /// Shorter than a lease, so that no waiter gets it because it expired.
        private static let patience = Duration.seconds(300)

        @Test(arguments: Conformer.allCases) func oneHasItAtATime(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let holders = Counter()
            let meetings = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await keychain.withLease(
                            on: Self.key, for: Self.long, waiting: Self.patience
                        ) { lease in
                            if holders.add(1) > 1 { meetings.add(1) }
                            #expect(lease.isHeld)
                            await Task.yield()
                            holders.add(-1)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(meetings.value == 0)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func whoWaitsInVainIsTold(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let lease = try await keychain.lease(on: Self.key, for: Self.long, waiting: .zero)
            for waiting in [Duration.zero, .milliseconds(30)] {
                #expect(
                    await reason { () throws(KeychainError) in
                        try await keychain.lease(on: Self.key, for: .seconds(1), waiting: waiting)
                    } == .leased)
            }
            // Another name, another lease.
            let other = ItemKey<String>(account: "other")
            let second = try await keychain.lease(on: other, for: Self.long, waiting: .zero)
            #expect(second.isHeld)
            await lease.release()
            #expect(!lease.isHeld)
            let third = try await keychain.lease(on: Self.key, for: Self.long, waiting: .zero)
            #expect(third.isHeld)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func itEndsWithItsTimeUnlessItIsRenewed(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let lease = try await keychain.lease(
                on: Self.key, for: .seconds(300), waiting: .zero)
            try await lease.renew(for: Self.long)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.lease(
                        on: Self.key, for: .seconds(1), waiting: .milliseconds(500))
                } == .leased)
            try await keychain.save("kept", for: Self.key, under: lease)
            try await lease.renew(for: .milliseconds(50))
            let next = try await keychain.lease(
                on: Self.key, for: Self.long, waiting: Self.patience)
            #expect(!lease.isHeld)
            #expect(
                await reason { () throws(KeychainError) in
                    try await lease.renew(for: .seconds(1))
                } == .leaseLost)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("too late", for: Self.key, under: lease)
                } == .leaseLost)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.delete(Self.key, under: lease)
                } == .leaseLost)
            let stored: Stored<String> = try await keychain.stored(for: Self.key)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.replace(
                        stored, with: "too late", for: Self.key, under: lease)
                } == .leaseLost)
            #expect(stored.value == "kept")
            try await keychain.save("new", for: Self.key, under: next)
            #expect(try keychain.blocking.value(for: Self.key) == "new")
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func whoForgetsItGivesItBack(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            do {
                let lease = try await keychain.lease(
                    on: Self.key, for: Self.long, waiting: .zero)
                #expect(lease.isHeld)
            }
            _ = try await keychain.lease(on: Self.key, for: Self.long, waiting: Self.patience)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func itsBoundsAreKept(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            for duration in [Duration.zero, .seconds(601), .seconds(-1)] {
                #expect(
                    await reason { () throws(KeychainError) in
                        try await keychain.lease(on: Self.key, for: duration, waiting: .zero)
                    } == .invalidRequest)
            }
            let long = ItemKey<String>(account: String(repeating: "x", count: 5000))
            let lease = try await keychain.lease(on: long, for: .seconds(600), waiting: .zero)
            #expect(lease.isHeld)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aCancelledWaitTakesNothing(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let lease = try await keychain.lease(on: Self.key, for: Self.long, waiting: .zero)
            let begun = Counter()
            let waiting = Task { () -> FailureReason? in
                begun.add(1)
                return await reason { () throws(KeychainError) in
                    try await keychain.lease(
                        on: Self.key, for: Self.long, waiting: Self.patience)
                }
            }
            try await waitUntil("the wait to begin") { begun.value == 1 }
            try await Task.sleep(for: .milliseconds(50))
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            await lease.release()
            _ = try await keychain.lease(on: Self.key, for: Self.long, waiting: Self.patience)
            try subject.end()
        }

        // MARK: - Processes

        /// A process that requests the lease, and prints that; when it has the lease, it prints
        /// `held`.
        private static func applicant(
            _ subject: ServiceSubject, toSave value: String? = nil
        ) throws -> TestProcess {
            var words = [subject.service.socketPath, "hold", "token"]
            if let value { words.append(value) }
            let process = try TestProcess(Binaries.testApplication(), words)
            guard try process.readLine() == "asking" else {
                throw TestFailure("The application doesn't ask for the lease.")
            }
            return process
        }

        @Test func ofTwoProcessesTheSecondWaits() async throws {
            let subject = try ServiceSubject()
            let other = subject.another()
            let lease = try await subject.keychain.lease(
                on: Self.key, for: Self.long, waiting: .zero)
            #expect(
                await reason { () throws(KeychainError) in
                    try await other.lease(on: Self.key, for: Self.long, waiting: .zero)
                } == .leased)
            let begun = Counter()
            let waiting = Task {
                begun.add(1)
                return try await other.lease(on: Self.key, for: Self.long, waiting: Self.patience)
            }
            try await waitUntil("the wait to begin") { begun.value == 1 }
            try await Task.sleep(for: .milliseconds(50))
            try await subject.keychain.save("1", for: Self.key, under: lease)
            await lease.release()
            let second = try await waiting.value
            #expect(second.isHeld)
            // The first holder can't write any more.
            #expect(
                await reason { () throws(KeychainError) in
                    try await subject.keychain.save("2", for: Self.key, under: lease)
                } == .leaseLost)
            try subject.end()
        }

        @Test func whileAWriteIsUnderWayItsLeaseGoesToNobody() async throws {
            // The time until the write is under way depends on the machine.
            for round in UInt32(1)...20 {
                if try await Self.writeKeepsItsLease(killedAfter: round * 200_000) { return }
            }
            Issue.record("No holder was killed while its write was under way.")
        }

        /// - Returns: Whether the holder was killed while its write was under way.
        private static func writeKeepsItsLease(killedAfter pause: UInt32) async throws -> Bool {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            try await keychain.save("old", for: key)
            let holder = try applicant(subject, toSave: "new")
            #expect(try holder.readLine() == "held")
            let next = try applicant(subject)
            // The writer waits for the enclave, with the holder's write under way. securityd gives
            // up on the enclave after 2 s, so nothing here may wait for a task's turn.
            let enclave = try subject.service.enclave()
            kill(enclave, SIGSTOP)
            defer { kill(enclave, SIGCONT) }
            holder.write("save\n")
            usleep(pause)
            holder.signal(SIGKILL)
            _ = try holder.wait()
            usleep(300_000)
            let isEarly = next.hasOutput
            kill(enclave, SIGCONT)
            #expect(try next.readLine() == "held")
            let value = try await keychain.value(for: key)
            // The value that the next holder can read stays, since no process writes any more.
            try await keychain.save("barrier", for: "barrier")
            #expect(try await keychain.value(for: key) == value)
            next.end()
            try subject.end()
            guard value == "new" else { return false }
            #expect(!isEarly)
            return true
        }

        @Test func aKilledHolderGivesItBack() async throws {
            let subject = try ServiceSubject()
            for _ in 0..<5 {
                let holder = try Self.applicant(subject)
                #expect(try holder.readLine() == "held")
                #expect(
                    await reason { () throws(KeychainError) in
                        try await subject.keychain.lease(
                            on: Self.key, for: .seconds(1), waiting: .milliseconds(50))
                    } == .leased)
                let begun = Counter()
                let waiting = Task { [keychain = subject.keychain] in
                    begun.add(1)
                    return try await keychain.lease(
                        on: Self.key, for: Self.long, waiting: Self.patience)
                }
                try await waitUntil("the wait to begin") { begun.value == 1 }
                try await Task.sleep(for: .milliseconds(30))
                holder.signal(SIGKILL)
                _ = try holder.wait()
                // The lease was for ten minutes.
                await (try waiting.value).release()
            }
            try subject.end()
        }

        @Test func whoIsKilledWhileWaitingIsPassedOver() async throws {
            let subject = try ServiceSubject()
            let lease = try await subject.keychain.lease(
                on: Self.key, for: Self.long, waiting: .zero)
            let waiting = try (0..<3).map { _ in try Self.applicant(subject) }
            try await Task.sleep(for: .milliseconds(300))
            for process in waiting {
                #expect(!process.hasOutput)
                process.signal(SIGKILL)
                _ = try process.wait()
            }
            let other = subject.another()
            let begun = Counter()
            let next = Task {
                begun.add(1)
                return try await other.lease(on: Self.key, for: Self.long, waiting: Self.patience)
            }
            try await waitUntil("the wait to begin") { begun.value == 1 }
            try await Task.sleep(for: .milliseconds(50))
            await lease.release()
            #expect(try await next.value.isHeld)
            try subject.end()
        }

        @Test func withTheServiceItsLeasesEnd() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            let lease = try await keychain.lease(on: Self.key, for: Self.long, waiting: .zero)
            try subject.service.crash(subject.service.worker())
            try await keychain.waitUntilAvailable(deadline: .seconds(30))
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("too late", for: Self.key, under: lease)
                } == .leaseLost)
            let other = subject.another()
            _ = try await other.lease(on: Self.key, for: Self.long, waiting: .zero)
            try subject.end()
        }
    }
}
