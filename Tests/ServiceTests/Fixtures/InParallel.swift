// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Keychain
import SecurityWire
import Synchronization
import TestSupport
import Testing

/// Runs blocking work on separate threads.
enum InParallel {
    /// Runs `body` a number of times at once and waits for all.
    /// - Returns: The errors, as text.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [String] {
        let shared = Shared()
        for number in 0..<count {
            shared.start("thread \(number)") { try body(number) }
        }
        return shared.finish()
    }

    /// Runs `body` for each element, several at once, and waits for all: for cases that mostly wait.
    /// `#expect` belongs to no test there, so a claim that doesn't hold is thrown
    /// (``TestFailure/claim(_:_:)``).
    /// - Returns: The errors, as text, each with its element.
    static func each<Element: Sendable>(
        _ elements: [Element], atOnce threadCount: Int, within duration: Duration,
        _ body: @escaping @Sendable (Element) throws -> Void
    ) -> [String] {
        let next = Atomic(0)
        let failures = Names()
        let threads = Shared()
        for number in 0..<min(threadCount, elements.count) {
            threads.start("thread \(number)") {
                while true {
                    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard index < elements.count else { return }
                    do { try body(elements[index]) } catch {
                        failures.append("\(elements[index]): \(error)")
                    }
                }
            }
        }
        return threads.finish(within: duration) + failures.all
    }

    /// Names that several threads collect.
    final class Names: Sendable {
        private let names = Mutex<[String]>([])

        /// All so far.
        var all: [String] { names.withLock { $0 } }

        /// Adds one.
        func append(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// A task on a thread, with a wait for its end.
    final class Shared: Sendable {
        private let failures = Mutex<[String]>([])
        private let running = Mutex(0)

        /// Starts a task.
        func start(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
            running.withLock { $0 += 1 }
            do {
                try NativeThread.start {
                    do { try body() } catch { self.fail("\(name): \(error)") }
                    self.end()
                }
            } catch {
                fail("\(name): \(error)")
                end()
            }
        }

        /// Waits for all tasks, up to a deadline.
        /// - Returns: The errors, as text, including tasks that don't end.
        func finish(within duration: Duration = .seconds(120)) -> [String] {
            do {
                try Waiting.until("the threads to end", within: duration) {
                    running.withLock { $0 == 0 }
                }
            } catch { fail("\(error)") }
            return failures.withLock { $0 }
        }

        private func fail(_ text: String) { failures.withLock { $0.append(text) } }

        private func end() { running.withLock { $0 -= 1 } }
    }
}

extension TestFailure {
    /// Throws unless a claim holds.
    static func claim(_ holds: Bool, _ text: @autoclosure () -> String) throws {
        if !holds { throw TestFailure(text()) }
    }
}

extension TestService {
    /// Stores items over several connections at once: they share commits, and arrive in no fixed
    /// order.
    func add(_ items: [NewItem]) throws {
        let connectionCount = 8
        let connections = (0..<connectionCount).map { _ in connect() }
        let failures = InParallel.run(connectionCount) { number in
            for index in stride(from: number, to: items.count, by: connectionCount) {
                try connections[number].add(items[index])
            }
        }
        guard failures.isEmpty else { throw TestFailure("\(failures)") }
    }
}

extension ServiceTests {
    /// The tests' own threads.
    @Suite struct Parallel {
        @Test func taskThatDoesNotEndIsReportedAndNotWaitedForInVain() throws {
            let task = InParallel.Shared()
            let isReleased = Mutex(false)
            task.start("idler") {
                try Waiting.until("the test to say so", within: .seconds(600)) {
                    isReleased.withLock { $0 }
                }
            }
            #expect(task.finish(within: .milliseconds(20)).count == 1)
            isReleased.withLock { $0 = true }
            #expect(task.finish().count == 1, "it has ended, and the report stays")
        }
    }
}
