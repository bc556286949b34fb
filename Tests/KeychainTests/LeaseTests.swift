// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import TestSupport
import Testing

extension KeychainTests {
    /// One at a time, across processes.
    @Suite struct Leases {
        private static let key = ItemKey<String>(account: "token")

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
                            on: Self.key, for: .seconds(60), waiting: .seconds(60)
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
            let lease = try await keychain.lease(on: Self.key, for: .seconds(60), waiting: .zero)
            for waiting in [Duration.zero, .milliseconds(30)] {
                #expect(
                    await reason { () throws(KeychainError) in
                        try await keychain.lease(on: Self.key, for: .seconds(1), waiting: waiting)
                    } == .leased)
            }
            // Another name, another lease.
            let other = ItemKey<String>(account: "other")
            let second = try await keychain.lease(on: other, for: .seconds(60), waiting: .zero)
            #expect(second.isHeld)
            await lease.release()
            #expect(!lease.isHeld)
            let third = try await keychain.lease(on: Self.key, for: .seconds(60), waiting: .zero)
            #expect(third.isHeld)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func itEndsWithItsTimeUnlessItIsRenewed(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let lease = try await keychain.lease(
                on: Self.key, for: .seconds(20), waiting: .zero)
            try await lease.renew(for: .seconds(60))
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.lease(
                        on: Self.key, for: .seconds(1), waiting: .milliseconds(500))
                } == .leased)
            try await keychain.save("kept", for: Self.key, under: lease)
            try await lease.renew(for: .milliseconds(50))
            let next = try await keychain.lease(
                on: Self.key, for: .seconds(60), waiting: .seconds(30))
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
                    on: Self.key, for: .seconds(60), waiting: .zero)
                #expect(lease.isHeld)
            }
            _ = try await keychain.lease(on: Self.key, for: .seconds(60), waiting: .seconds(30))
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
            let lease = try await keychain.lease(on: Self.key, for: .seconds(60), waiting: .zero)
            let waiting = Task {
                await reason { () throws(KeychainError) in
                    try await keychain.lease(
                        on: Self.key, for: .seconds(60), waiting: .seconds(60))
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            await lease.release()
            _ = try await keychain.lease(on: Self.key, for: .seconds(60), waiting: .seconds(30))
            try subject.end()
        }

        // MARK: - Processes

        @Test func ofTwoProcessesTheSecondWaits() async throws {
            let subject = try ServiceSubject()
            let other = subject.another()
            let lease = try await subject.keychain.lease(
                on: Self.key, for: .seconds(60), waiting: .zero)
            #expect(
                await reason { () throws(KeychainError) in
                    try await other.lease(on: Self.key, for: .seconds(60), waiting: .zero)
                } == .leased)
            let waiting = Task {
                try await other.lease(on: Self.key, for: .seconds(60), waiting: .seconds(60))
            }
            try await Task.sleep(for: .milliseconds(50))
            try await subject.keychain.save("1", for: Self.key, under: lease)
            await lease.release()
            let second = try await waiting.value
            #expect(second.isHeld)
            // The first can't write any more.
            #expect(
                await reason { () throws(KeychainError) in
                    try await subject.keychain.save("2", for: Self.key, under: lease)
                } == .leaseLost)
            try subject.end()
        }

        @Test func whileAWriteIsUnderWayItsLeaseGoesToNobody() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            try await keychain.save("old", for: Self.key)
            let holder = try TestProcess(
                Binaries.testApplication(), [subject.service.socketPath, "hold", "token", "new"])
            #expect(try holder.readLine() == "held")
            // The writer waits for the enclave, with the holder's write in hand.
            let enclave = try subject.service.enclave()
            let stopped = ContinuousClock.now
            kill(enclave, SIGSTOP)
            defer { kill(enclave, SIGCONT) }
            holder.write("save\n")
            try await Task.sleep(for: .milliseconds(200))
            holder.signal(SIGKILL)
            _ = try holder.wait()
            let isNext = Counter()
            let next = Task {
                let lease = try await keychain.lease(
                    on: Self.key, for: .seconds(60), waiting: .seconds(60))
                isNext.add(1)
                return (lease, try await keychain.value(for: Self.key))
            }
            try await Task.sleep(for: .milliseconds(300))
            #expect(isNext.value == 0)
            kill(enclave, SIGCONT)
            let pause = stopped.duration(to: .now)
            let (lease, value) = try await next.value
            #expect(lease.isHeld)
            // What the next one has read stays, since nobody writes any more.
            try await keychain.save("barrier", for: "barrier")
            #expect(try await keychain.value(for: Self.key) == value)
            // securityd gives the enclave up after 2 s.
            #expect(value == "new" || pause > .seconds(1))
            try subject.end()
        }

        @Test func aKilledHolderGivesItBack() async throws {
            let subject = try ServiceSubject()
            let program = try Binaries.testApplication()
            for _ in 0..<5 {
                let holder = try TestProcess(
                    program, [subject.service.socketPath, "hold", "token"])
                #expect(try holder.readLine() == "held")
                #expect(
                    await reason { () throws(KeychainError) in
                        try await subject.keychain.lease(
                            on: Self.key, for: .seconds(1), waiting: .milliseconds(50))
                    } == .leased)
                let waiting = Task { [keychain = subject.keychain] in
                    try await keychain.lease(
                        on: Self.key, for: .seconds(60), waiting: .seconds(60))
                }
                try await Task.sleep(for: .milliseconds(30))
                holder.signal(SIGKILL)
                _ = try holder.wait()
                // It had it for ten minutes.
                await (try waiting.value).release()
            }
            try subject.end()
        }

        @Test func whoIsKilledWhileWaitingIsPassedOver() async throws {
            let subject = try ServiceSubject()
            let lease = try await subject.keychain.lease(
                on: Self.key, for: .seconds(60), waiting: .zero)
            let program = try Binaries.testApplication()
            var waiting: [TestProcess] = []
            for _ in 0..<3 {
                waiting.append(
                    try TestProcess(program, [subject.service.socketPath, "hold", "token"]))
            }
            try await Task.sleep(for: .milliseconds(300))
            for process in waiting {
                process.signal(SIGKILL)
                _ = try process.wait()
            }
            let other = subject.another()
            let next = Task {
                try await other.lease(on: Self.key, for: .seconds(60), waiting: .seconds(60))
            }
            try await Task.sleep(for: .milliseconds(50))
            await lease.release()
            #expect(try await next.value.isHeld)
            try subject.end()
        }

        @Test func withTheServiceItsLeasesEnd() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            let lease = try await keychain.lease(on: Self.key, for: .seconds(60), waiting: .zero)
            try subject.service.crash(subject.service.worker())
            try await keychain.waitUntilAvailable(deadline: .seconds(30))
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("too late", for: Self.key, under: lease)
                } == .leaseLost)
            let other = subject.another()
            _ = try await other.lease(on: Self.key, for: .seconds(60), waiting: .zero)
            try subject.end()
        }
    }
}
