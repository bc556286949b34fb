// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

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

extension ClientRequest {
    /// Decodes a lock request; an empty message is a lock now.
    static func decodeLock(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let message: WireLockRequest = try unsafe content.decoded()
        guard let mode = DeviceLockMode(rawValue: message.mode) else { throw .malformed }
        return .lock(mode, waits: !message.answersAtOnce, of: LockSubject(message))
    }
}

extension WireLockRequest {
    init(_ mode: DeviceLockMode, waits: Bool, of subject: LockSubject) {
        self.init()
        self.mode = mode.rawValue
        answersAtOnce = !waits
        if let number = subject.number { otherUser = number }
    }
}

extension WireLockReply {
    init(seconds: UInt32) {
        self.init()
        secondsUntilLocked = seconds
    }
}
