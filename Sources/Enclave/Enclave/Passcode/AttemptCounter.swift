// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A user's wrong passcodes since the last right one.
///
/// The count is durable; the start of the delay and the last wrong entry are not: after a restart
/// the delay runs again in full.
package struct AttemptCounter {
    /// Wrong passcodes, the one being judged included.
    package private(set) var failures: UInt32
    /// Whether one of them came from a program that isn't known, or may have.
    package private(set) var hasUnidentified: Bool
    /// What that was before the one being judged.
    private var hadUnidentified: Bool
    /// When the last one was counted, or the process began.
    package private(set) var delayStart: UInt64
    /// A digest under a key that only lives in this process.
    private var lastWrong: [UInt8]?

    /// Starts with what the record says.
    package init(failures: UInt32, hasUnidentified: Bool = false, now: UInt64) {
        self.failures = failures
        self.hasUnidentified = hasUnidentified
        hadUnidentified = hasUnidentified
        delayStart = now
    }

    /// Whether it is the last wrong one once more.
    package func isLastWrong(_ digest: [UInt8]) -> Bool { lastWrong == digest }

    /// Counts an attempt before it is judged.
    package mutating func begin(isIdentified: Bool, now: UInt64) {
        hadUnidentified = hasUnidentified
        if !isIdentified { hasUnidentified = true }
        failures = failures == .max ? .max : failures + 1
        delayStart = now
    }

    /// The attempt could not be judged after all.
    package mutating func withdraw() {
        failures = failures == 0 ? 0 : failures - 1
        hasUnidentified = hadUnidentified
    }

    /// The attempt was wrong.
    package mutating func wrong(_ digest: [UInt8], now: UInt64) {
        lastWrong = digest
        delayStart = now
    }

    /// The attempt was right, or there is a new passcode.
    package mutating func reset() {
        failures = 0
        hasUnidentified = false
        lastWrong = nil
    }
}
