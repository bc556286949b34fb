// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Keychain
import TestSupport
import Testing

extension KeychainTests {
    /// Calls that are cancelled or run out of time.
    @Suite struct GivingUp {
        private static func failure(
            _ body: () async throws(KeychainError) -> Void
        ) async -> KeychainError? {
            do throws(KeychainError) {
                try await body()
                return nil
            } catch { return error }
        }

        /// The outcome of a write. On a slow machine the service may not have replied within the 2
        /// s of the library; then the test asks again.
        private static func outcome(
            _ failure: KeychainError?, else reason: FailureReason, _ keychain: Keychain
        ) async throws -> FailureReason? {
            guard let write = failure?.pendingWrite else { return failure?.reason }
            let isDone = try await keychain.store.settle(write, within: .seconds(60))
            return isDone ? nil : reason
        }

        @Test func cancelledBeforehandNothingIsSent() async throws {
            for conformer in Conformer.allCases {
                let subject = try conformer.subject()
                let keychain = subject.keychain
                let task = Task { () -> [FailureReason?] in
                    while !Task.isCancelled { await Task.yield() }
                    return [
                        await reason { () throws(KeychainError) in
                            try await keychain.save("value", for: "item")
                        },
                        await reason { () throws(KeychainError) in
                            try await keychain.value(for: "item")
                        },
                    ]
                }
                task.cancel()
                #expect(await task.value == [.cancelled, .cancelled])
                #expect(try await keychain.valueIfPresent(for: "item") == nil)
                try subject.end()
            }
        }

        /// "Does it exist now" is a request like any other: a wait of zero must not leave zero time
        /// for the reply.
        @Test func aServiceThatIsSlowToAnswerIsThereAllTheSame() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            try await keychain.waitUntilAvailable(deadline: .seconds(30))
            let worker = try subject.service.worker()
            kill(worker, SIGSTOP)
            defer { kill(worker, SIGCONT) }
            // On a separate thread, which doesn't wait for a task's turn.
            try NativeThread.start {
                usleep(300_000)
                kill(worker, SIGCONT)
            }
            try await keychain.waitUntilAvailable(deadline: .zero)
            // A reply can be on its way already when the worker stops. The thread must not continue a
            // worker that is stopped again below.
            try await Task.sleep(for: .milliseconds(500))
            try await subject.whileStopped { _ in
                #expect(
                    await reason { () throws(KeychainError) in
                        try await keychain.waitUntilAvailable(deadline: .zero)
                    } == .unreachable)
            }
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func noDurationIsTooLongOrTooShort(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let key = ItemKey<String>(account: "item")
            try await keychain.save("value", for: key, within: .seconds(Int64.max))
            #expect(try await keychain.value(for: key, within: .seconds(Int64.max)) == "value")
            try await keychain.waitUntilAvailable(deadline: .seconds(Int64.max))
            let lease = try await keychain.lease(
                on: key, for: .seconds(600), waiting: .seconds(Int64.max))
            #expect(lease.isHeld)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: key, within: .seconds(Int64.min))
                } == .timedOut)
            try subject.end()
        }

        @Test func aCancelledReadEndsAtOnceThoughTheServiceStandsStill() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            try await keychain.save("value", for: "item")
            let begun = Counter()
            try await subject.whileStopped { _ in
                let reads = (0..<20).map { _ in
                    Task { () -> FailureReason? in
                        begun.add(1)
                        return await reason { () throws(KeychainError) in
                            try await keychain.value(for: "item", within: .seconds(300))
                        }
                    }
                }
                try await waitUntil("the reads to begin") { begun.value == 20 }
                try await Task.sleep(for: .milliseconds(50))
                for read in reads { read.cancel() }
                // The service is still stopped: only their cancellation can have ended them.
                for read in reads { #expect(await read.value == .cancelled) }
            }
            #expect(try await keychain.value(for: "item") == "value")
            try subject.end()
        }

        @Test func aDeadlineHoldsWhereverTheCallStands() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            let begun = Counter()
            try await subject.whileStopped { _ in
                // The first is under way, the others wait behind it.
                let first = Task { () -> FailureReason? in
                    begun.add(1)
                    return await reason { () throws(KeychainError) in
                        try await keychain.value(for: "item", within: .seconds(300))
                    }
                }
                try await waitUntil("the first to begin") { begun.value == 1 }
                try await Task.sleep(for: .milliseconds(30))
                for milliseconds in [0, 1, 50] {
                    #expect(
                        await reason { () throws(KeychainError) in
                            try await keychain.value(
                                for: "item", within: .milliseconds(milliseconds))
                        } == .timedOut)
                    #expect(
                        await reason { () throws(KeychainError) in
                            try await keychain.save(
                                "value", for: "item", within: .milliseconds(milliseconds))
                        } == .timedOut)
                }
                first.cancel()
                #expect(await first.value == .cancelled)
            }
            // None of the writes was begun.
            #expect(try await keychain.valueIfPresent(for: "item") == nil)
            try subject.end()
        }

        /// The control: if the pool's threads wait for the service, no other task runs before the
        /// reads have failed.
        @Test func noThreadOfThePoolWaitsForTheService() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            try await keychain.save("value", for: "item")
            var reads: [Task<String, any Error>] = []
            let worker = try subject.service.worker()
            kill(worker, SIGSTOP)
            for _ in 0..<200 {
                reads.append(
                    Task { try await keychain.value(for: "item", within: .seconds(600)) })
            }
            // More than there are threads; each ends before the service continues.
            let others = await withTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        await Task.yield()
                        return number
                    }
                }
                return await group.reduce(0) { $0 + $1 }
            }
            #expect(others == 199 * 100)
            kill(worker, SIGCONT)
            for read in reads { #expect(try await read.value == "value") }
            try subject.end()
        }

        @Test func theOutcomeOfACancelledWriteIsKnown() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            var outcomes: [FailureReason?] = []
            for round in 0..<40 {
                let key = ItemKey<String>(account: "\(round)")
                let worker = try subject.service.worker()
                let isStopped = round % 2 == 0
                if isStopped { kill(worker, SIGSTOP) }
                let write = Task {
                    await Self.failure { () throws(KeychainError) in
                        try await keychain.save("value", for: key)
                    }
                }
                try await Task.sleep(for: .microseconds(round * 100))
                write.cancel()
                if isStopped {
                    try await Task.sleep(for: .milliseconds(20))
                    kill(worker, SIGCONT)
                }
                let outcome = try await Self.outcome(
                    await write.value, else: .cancelled, keychain)
                outcomes.append(outcome)
                // Each reported outcome is true, and stays true.
                try await keychain.save("barrier", for: "barrier")
                let value = try await keychain.valueIfPresent(for: key)
                #expect(value == (outcome == nil ? "value" : nil), "round \(round)")
            }
            #expect(outcomes.allSatisfy { $0 == nil || $0 == .cancelled }, "\(outcomes)")
            try subject.end()
        }

        /// On one actor, so that the first one is in the queue before the second one begins.
        @MainActor @Test
        func aWriteThatIsCancelledBehindAnotherOneIsNeverBegun() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            let begun = Counter()
            let firstWrite = try await subject.whileStopped { _ in
                let first = Task { () -> KeychainError? in
                    begun.add(1)
                    return await Self.failure { () throws(KeychainError) in
                        try await keychain.save("value", for: "first", within: .seconds(600))
                    }
                }
                try await waitUntil("the first to begin") { begun.value == 1 }
                let second = Task { () -> KeychainError? in
                    begun.add(1)
                    return await Self.failure { () throws(KeychainError) in
                        try await keychain.save("value", for: "second", within: .seconds(600))
                    }
                }
                try await waitUntil("the second to begin") { begun.value == 2 }
                second.cancel()
                // The service is still stopped, so it wasn't asked.
                let failure = await second.value
                #expect(failure?.reason == .cancelled)
                #expect(failure?.pendingWrite == nil)
                return first
            }
            #expect(await firstWrite.value == nil)
            #expect(try await keychain.value(for: "first") == "value")
            #expect(try await keychain.valueIfPresent(for: "second") == nil)
            try subject.end()
        }

        @Test func theOutcomeOfAWriteThatRanOutOfTimeIsKnown() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            for round in 0..<10 {
                let key = ItemKey<String>(account: "\(round)")
                let failure = try await subject.whileStopped { worker in
                    let write = Task {
                        await Self.failure { () throws(KeychainError) in
                            try await keychain.save(
                                "value", for: key, within: .milliseconds(20))
                        }
                    }
                    try await Task.sleep(for: .milliseconds(100))
                    kill(worker, SIGCONT)
                    return await write.value
                }
                let outcome = try await Self.outcome(failure, else: .timedOut, keychain)
                #expect(outcome == nil || outcome == .timedOut, "\(String(describing: outcome))")
                try await keychain.save("barrier", for: "barrier")
                let value = try await keychain.valueIfPresent(for: key)
                #expect(value == (outcome == nil ? "value" : nil), "round \(round)")
            }
            try subject.end()
        }

        @Test func anUnknownOutcomeCanBeAskedForLater() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            // Its thread and its connection exist.
            try await keychain.save("value", for: "other")
            var failure: KeychainError?
            try await subject.whileStopped { _ in
                // The service stays stopped while the library asks. The requests that timed out
                // weren't even sent.
                var time = Duration.milliseconds(50)
                repeat {
                    do throws(KeychainError) {
                        try await keychain.save("value", for: "item", within: time)
                    } catch { failure = error }
                    time = time * 2
                } while failure?.reason == .timedOut && time < .seconds(10)
            }
            #expect(failure?.reason == .unknownOutcome)
            #expect(failure?.status == -36)
            let write = try #require(failure?.pendingWrite)
            let isDone = try await keychain.store.settle(write, within: .seconds(30))
            for _ in 0..<3 {
                let value = try await keychain.valueIfPresent(for: "item")
                #expect(value == (isDone ? "value" : nil))
                #expect(try await keychain.store.settle(write, within: .seconds(30)) == isDone)
            }
            try subject.end()
        }

        @Test func aWriteThatWentThroughIsNotTakenBack() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            // The service is killed during a write, repeatedly; each reported outcome is true.
            for round in 0..<6 {
                let key = ItemKey<String>(account: "\(round)")
                let worker = try subject.service.worker()
                let write = Task {
                    await Self.failure { () throws(KeychainError) in
                        try await keychain.save("value", for: key, within: .seconds(30))
                    }
                }
                try await Task.sleep(for: .microseconds(round * 150))
                try subject.service.crash(worker)
                let failure = await write.value
                try await keychain.waitUntilAvailable(deadline: .seconds(30))
                let outcome = try await Self.outcome(failure, else: .timedOut, keychain)
                let value = try await keychain.valueIfPresent(for: key)
                switch outcome {
                case nil: #expect(value == "value")
                case .unreachable, .timedOut: #expect(value == nil)
                default: Issue.record("\(String(describing: outcome))")
                }
            }
            try subject.end()
        }

        @Test func blockingCallersAndTasksShareTheConnection() async throws {
            let subject = try ServiceSubject()
            let keychain = subject.keychain
            try await keychain.save("value", for: "item")
            let failures = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        for _ in 0..<20 {
                            if number % 2 == 0 {
                                // Behind all others.
                                _ = try await keychain.value(for: "item", within: .seconds(600))
                            } else if try keychain.blocking.value(for: "item") != "value" {
                                failures.add(1)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(failures.value == 0)
            try subject.end()
        }
    }
}
