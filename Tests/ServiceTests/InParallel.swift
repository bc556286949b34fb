// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Synchronization

/// Runs blocking work on threads of its own.
enum InParallel {
    /// Runs `body` so many times at once and waits for all.
    /// - Returns: What went wrong, in words.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [String] {
        let shared = Shared()
        for number in 0..<count {
            shared.start("thread \(number)") { try body(number) }
        }
        return shared.finish()
    }

    /// A task on a thread, whose end can be waited for.
    final class Shared: Sendable {
        private let failures = Mutex<[String]>([])
        private let running = Mutex(0)
        private let changed: EventCounter?

        init() { changed = try? EventCounter() }

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

        /// Waits for all tasks.
        /// - Returns: What went wrong, in words.
        func finish() -> [String] {
            while running.withLock({ $0 > 0 }) {
                switch changed {
                case .some(let changed): changed.wait()
                case .none: usleep(3000)
                }
            }
            return failures.withLock { $0 }
        }

        private func fail(_ text: String) { failures.withLock { $0.append(text) } }

        private func end() {
            running.withLock { $0 -= 1 }
            switch changed {
            case .some(let changed): changed.signal()
            case .none: break
            }
        }
    }
}
