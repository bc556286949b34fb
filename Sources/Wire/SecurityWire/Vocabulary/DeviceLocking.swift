// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// When a lock happens, and how much it takes away. The raw values are the wire's.
public enum DeviceLockMode: UInt32, CaseIterable, Sendable {
    /// At once; while somebody holds the device unlocked, when that ends.
    case now = 0
    /// When the grace period of the settings is over, counted from the first ask on.
    case afterGrace = 1
    /// At once, whoever holds the device unlocked, and down to the state before the first unlock.
    case logOut = 2
}

/// What the person chooses about locking and wrong passcodes.
public struct DeviceSettings: Hashable, Sendable {
    /// The longest grace period.
    public static let graceSecondsLimit: UInt16 = 300
    /// The wrong passcodes in a row after which everything is erased, where that is on.
    public static let eraseAfterFailureCount: UInt32 = 10

    /// Whether the tenth wrong passcode in a row destroys all keys.
    public var erasesAfterFailures: Bool
    /// Whether wrong passcodes that unidentified programs give (grade U) count towards that. Without
    /// it they delay and in the end disable the passcode, but erase nothing: any program of the user
    /// could destroy everything else.
    public var countsUnidentifiedPrograms: Bool
    /// How long a lock waits that may wait: 0 to 300 s.
    public var graceSeconds: UInt16

    /// Puts all together.
    public init(
        erasesAfterFailures: Bool, graceSeconds: UInt16, countsUnidentifiedPrograms: Bool = false
    ) {
        self.erasesAfterFailures = erasesAfterFailures
        self.countsUnidentifiedPrograms = countsUnidentifiedPrograms
        self.graceSeconds = graceSeconds
    }
}

extension ClientRequest {
    /// Reads a request to lock; a message without anything is a lock now.
    static func lock(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> ClientRequest {
        let message: WireLockRequest = try unsafe decode(bytes)
        guard let mode = DeviceLockMode(rawValue: message.mode) else { throw .malformed }
        return .lock(mode, waits: !message.answersAtOnce)
    }
}

/// The longest that one connection holds a device unlocked.
package let assertionSecondsBounds: ClosedRange<UInt16> = 1...60

/// Reads how long the device is to be held unlocked.
func assertionSeconds(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UInt16 {
    let message: WireAssertionRequest = try unsafe decode(bytes)
    guard let seconds = UInt16(exactly: message.seconds), assertionSecondsBounds.contains(seconds)
    else { throw .malformed }
    return seconds
}
