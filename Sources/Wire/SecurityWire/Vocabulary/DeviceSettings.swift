// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The person's settings for locking and wrong passcodes.
public struct DeviceSettings: Hashable, Sendable {
    /// The longest grace period.
    public static let graceSecondsLimit: UInt16 = 300
    /// The number of consecutive wrong passcodes after which everything is erased, if that is
    /// enabled.
    public static let eraseAfterFailureCount: UInt32 = 10

    /// Whether the tenth wrong passcode in a row destroys all keys.
    public var erasesAfterFailures: Bool
    /// Whether wrong passcodes from unidentified programs (grade U) count towards that. Without it
    /// they delay and in the end disable the passcode, but erase nothing. With it, any program of
    /// the user could destroy everything.
    public var countsUnidentifiedPrograms: Bool
    /// The grace period of a lock: 0 to 300 s.
    public var graceSeconds: UInt16

    /// Combines the parts.
    public init(
        erasesAfterFailures: Bool, graceSeconds: UInt16, countsUnidentifiedPrograms: Bool = false
    ) {
        self.erasesAfterFailures = erasesAfterFailures
        self.countsUnidentifiedPrograms = countsUnidentifiedPrograms
        self.graceSeconds = graceSeconds
    }
}
