// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import KeychainVocabulary
import SecurityWire
import Synchronization

/// A request about the device itself; may take long.
enum DeviceRequest: Sendable {
    case passcode(PasscodeRequest)
    case lock(LockRequest)
}

/// A passcode for the enclave.
struct PasscodeRequest: Sendable {
    let operation: PasscodeOperation
    let sealed: [UInt8]
    let userID: UInt32
    /// Whether its program is identified. Any program of the user may guess; guesses of
    /// unidentified ones don't lead to erasing unless the owner wants that.
    let isIdentified: Bool
    /// Whether root sent it.
    let isRoot: Bool
    /// Whether it came as a request about protectors, which has a reply of its own.
    let isOfProtectors: Bool

    /// What can be sent in a request about protectors.
    static let ofProtectors: [PasscodeOperation] = [
        .remove, .addProtector, .removeProtector, .unlockByProtector, .testProtector, .forget,
    ]

    init(operation: PasscodeOperation, sealed: [UInt8], from identity: ClientIdentity) {
        self.operation = operation
        self.sealed = sealed
        userID = identity.userID
        isIdentified = identity.grade != .unsigned
        isRoot = identity.userID == 0
        isOfProtectors = false
    }

    /// A request about the protectors of a user, who isn't always the caller.
    init(
        operation: PasscodeOperation, sealed: [UInt8], from identity: ClientIdentity,
        userID: UInt32
    ) {
        self.operation = operation
        self.sealed = sealed
        self.userID = userID
        isIdentified = identity.grade != .unsigned
        isRoot = identity.userID == 0
        isOfProtectors = true
    }
}

/// A lock request.
enum LockRequest: Sendable {
    /// `waits`: for an immediate lock that is delayed, the reply comes when the keys are gone.
    case lock(LockMode, waits: Bool, userID: UInt32)
    /// Locks every user, before the machine sleeps.
    case everybody
    /// Delays locks until it is released.
    case hold(UnlockHold, seconds: UInt16)
    case release(UnlockHold)
}

/// A device request that waits, with its reply handler.
struct DeviceJob<Request: Sendable>: Sendable {
    let request: Request
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void
}

/// A connection's calls to hold its user's device unlocked. One thread takes and releases the
/// assertion in this order, so both are never under way at the same time.
final class UnlockHold: Sendable {
    let userID: UInt32
    private let token = Mutex<UInt32?>(nil)

    init(userID: UInt32) { self.userID = userID }

    /// Stores the enclave's token.
    func taken(_ token: UInt32) { self.token.withLock { $0 = token } }

    /// Returns and clears the token; nil when there is none.
    func give() -> UInt32? {
        token.withLock { token in
            defer { token = nil }
            return token
        }
    }
}

extension LockMode {
    /// A client's request.
    init(_ mode: DeviceLockMode) {
        switch mode {
        case .now: self = .now
        case .afterGrace: self = .afterGrace
        case .logOut: self = .logOut
        }
    }
}
