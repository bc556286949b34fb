// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary

/// When a lock happens, and which keys it drops. The raw values are the wire's.
public enum DeviceLockMode: UInt32, CaseIterable, Sendable {
    /// At once; if a program holds the device unlocked, when that ends.
    case now = 0
    /// After the grace period of the settings, counted from the first request.
    case afterGrace = 1
    /// At once, even if a program holds the device unlocked, and down to the state before the first
    /// unlock.
    case logOut = 2
}

/// Whose device a request locks.
public enum LockSubject: Hashable, Sendable {
    /// The number that stands for every user; no user has it.
    package static let everybodysNumber = UInt32.max

    /// The caller's own.
    case caller
    /// Another user's. Only the user of `llavero-session` may ask for it.
    case user(UInt32)
    /// Every user's, at once, even if a program holds one unlocked: before the machine sleeps. Only
    /// the user of `llavero-session` may ask for it.
    case everybody

    init(_ message: WireLockRequest) {
        guard message.hasOtherUser else {
            self = .caller
            return
        }
        self =
            message.otherUser == Self.everybodysNumber ? .everybody : .user(message.otherUser)
    }

    var number: UInt32? {
        switch self {
        case .caller: nil
        case .user(let number): number
        case .everybody: Self.everybodysNumber
        }
    }
}

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

extension ClientRequest {
    /// Decodes a lock request; an empty message is a lock now.
    static func lock(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> ClientRequest {
        let message: WireLockRequest = try unsafe decode(bytes)
        guard let mode = DeviceLockMode(rawValue: message.mode) else { throw .malformed }
        return .lock(mode, waits: !message.answersAtOnce, of: LockSubject(message))
    }
}

/// Decodes how long to hold the device unlocked.
func assertionSeconds(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UInt16 {
    let message: WireAssertionRequest = try unsafe decode(bytes)
    guard let seconds = UInt16(exactly: message.seconds), AssertionBounds.seconds.contains(seconds)
    else { throw .malformed }
    return seconds
}
