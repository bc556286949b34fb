// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// The test's environment didn't do what the test needs; the sentence says what.
package struct TestFailure: Error, CustomStringConvertible {
    /// The sentence.
    package let description: String

    /// Makes the error.
    package init(_ description: String) { self.description = description }
}

/// Waits for another process.
package enum Waiting {
    /// The time limit for anything on a busy machine.
    package static let patience = Duration.seconds(30)

    /// Polls until the condition holds.
    /// - Parameters:
    ///   - what: Ends the sentence "Waited in vain for …".
    ///   - duration: The deadline.
    ///   - condition: Called repeatedly until it is true.
    /// - Throws: when the deadline passes; the error of the condition.
    package static func until(
        _ what: String, within duration: Duration = patience, _ condition: () throws -> Bool
    ) throws {
        let _: Bool = try value(what, within: duration) { try condition() ? true : nil }
    }

    /// Polls until there is a value.
    /// - Throws: when the deadline passes; the error of `body`.
    package static func value<R>(
        _ what: String, within duration: Duration = patience, _ body: () throws -> R?
    ) throws -> R {
        let deadline = ContinuousClock.now + duration
        while true {
            if let value = try body() { return value }
            guard ContinuousClock.now < deadline else {
                throw TestFailure("Waited in vain for \(what).")
            }
            nap()
        }
    }

    /// Waits until a descriptor is readable or its peer has closed.
    /// - Returns: False when the deadline passes.
    package static func forReadable(_ descriptor: Int32, until deadline: ContinuousClock.Instant)
        -> Bool
    {
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            let (seconds, attoseconds) = rest.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&entry, 1, Int32(clamping: max(milliseconds, 0)))
            if count > 0 { return true }
            if count == 0 && ContinuousClock.now >= deadline { return false }
        }
    }

    private static func nap() { usleep(3000) }
}
