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

extension ClientRequest {
    /// Decodes a lock request; an empty message is a lock now.
    static func decodeLock(_ content: FrameContent) throws(WireError) -> ClientRequest {
        let message: WireLockRequest = try unsafe content.decoded()
        guard let mode = DeviceLockMode(rawValue: message.mode) else { throw .malformed }
        return .lock(mode, waits: !message.answersAtOnce)
    }
}

extension WireLockRequest {
    init(_ mode: DeviceLockMode, waits: Bool) {
        self.init()
        self.mode = mode.rawValue
        answersAtOnce = !waits
    }
}

extension WireLockReply {
    init(seconds: UInt32) {
        self.init()
        secondsUntilLocked = seconds
    }
}
