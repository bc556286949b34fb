// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import SecurityWire
import Synchronization

/// A request about the device itself; may take long.
enum DeviceRequest: Sendable {
    case passcode(PasscodeRequest)
    case lock(LockRequest)

    /// What it opens to its connection once it has succeeded.
    var opening: PasscodeOpening? {
        guard case .passcode(let request) = self, request.operation == .unlock else { return nil }
        return .ownersRequests
    }
}

/// A passcode for the enclave.
struct PasscodeRequest: Sendable {
    let operation: PasscodeOperation
    let sealed: [UInt8]
    let userID: UInt32
    /// Whether its program is known. Any program of the user may guess; the guesses of those that are
    /// not known erase nothing unless the owner wants that.
    let isIdentified: Bool

    init(operation: PasscodeOperation, sealed: [UInt8], from identity: ClientIdentity) {
        self.operation = operation
        self.sealed = sealed
        userID = identity.userID
        isIdentified = identity.grade != .unsigned
    }
}

/// A request about locking.
enum LockRequest: Sendable {
    /// `waits`: of a lock now that is put off, the answer comes when the keys are gone.
    case lock(LockMode, waits: Bool, userID: UInt32)
    /// Puts locks off until it is released.
    case hold(UnlockHold, seconds: UInt16)
    case release(UnlockHold)
}

/// A device request that waits, with what takes its answer.
struct DeviceJob<Request: Sendable>: Sendable {
    let request: Request
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void
}

/// What one connection does to hold its user's device unlocked. It is asked for and given back in
/// this order by one thread, so there is no moment at which both are under way.
final class UnlockHold: Sendable {
    let userID: UInt32
    private let token = Mutex<UInt32?>(nil)

    init(userID: UInt32) { self.userID = userID }

    /// Keeps the enclave's token.
    func taken(_ token: UInt32) { self.token.withLock { $0 = token } }

    /// Gives up the token; nil when there is none.
    func give() -> UInt32? {
        token.withLock { token in
            defer { token = nil }
            return token
        }
    }
}

extension LockMode {
    /// What a client asks for.
    init(_ mode: DeviceLockMode) {
        switch mode {
        case .now: self = .now
        case .afterGrace: self = .afterGrace
        case .logOut: self = .logOut
        }
    }
}
