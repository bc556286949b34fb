// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why a request failed, if the status alone is ambiguous.
public enum FailureReason: UInt32, Sendable {
    /// No such item that the caller may see.
    case absent = 1
    /// The item exists already.
    case duplicate = 2
    /// The device is locked.
    case locked = 3
    /// The service, or the enclave behind it, doesn't respond.
    case unreachable = 4
    /// The item exists, but the key that it needs is permanently gone or never existed.
    case keyGone = 5
    /// The caller isn't permitted.
    case denied = 6
    /// The passcode is wrong.
    case wrongPasscode = 7
    /// Too many wrong passcodes; wait.
    case throttled = 8
    /// The request is invalid.
    case invalidRequest = 9
    /// Over a limit.
    case tooLarge = 10
    /// The reply to a write was lost, and the outcome can't be obtained.
    case unknownOutcome = 11
    /// Not supported.
    case unimplemented = 12
    /// An internal failure that the caller didn't cause.
    case internalFailure = 13
    /// Not in this state: a passcode is set already, or none is.
    case wrongState = 14
    /// No further passcode is tried.
    case disabled = 15
    /// The socket's path is too long for the kernel; only from the client library.
    case socketPathTooLong = 16
    /// The item has been written since the state that the caller named.
    case generationChanged = 17
    /// A delayed lock was cancelled: the device was unlocked meanwhile.
    case calledOff = 18
    /// The stored data was replaced by an older state. The owner can accept it.
    case rolledBack = 19
    /// The device key is unreachable: its TPM is absent, busy, in lockout, or another one.
    case deviceKeyUnavailable = 20
    /// The item should be stored only if hardware protects the keychain, and none does.
    case tierNotMet = 21
    /// Another holder has the lease.
    case leased = 22
    /// The lease that a write depends on is over; nothing was written.
    case leaseLost = 23
    /// The call was cancelled: nothing was done, nor will be. For a write that had been sent, the
    /// service confirms that.
    case cancelled = 24
    /// The deadline passed: nothing was done, nor will be; as ``cancelled``.
    case timedOut = 25
    /// The value isn't of the requested type; only from the client library. The item hasn't
    /// changed.
    case undecodable = 26
    /// The service was too busy and did nothing. The client library has retried until the deadline.
    case busy = 27
    /// In the system service, only root permits this: the first passcode, or another device key.
    case administratorNeeded = 28
    /// In the system service, this account's share of the disk is used up. Nothing was written.
    case shareUsed = 29
    /// Another protector has this name.
    case nameTaken = 30
    /// No protector has this name.
    case noSuchProtector = 31
    /// It is the last way to unlock: only removing the passcode, or what is in its place, removes it.
    case lastProtector = 32
    /// There are 16 protectors.
    case tooManyProtectors = 33
    /// The person must approve the use of an item, and nobody could be asked.
    case personNeeded = 34
    /// An item demands a password of the application.
    case passwordNeeded = 35
    /// The item's access control refuses this, or the person didn't prove what it demands.
    case accessRefused = 36
    /// The person cancelled.
    case personCanceled = 37
    /// The item's keychain is locked, and takes its own password.
    case keychainLocked = 40
    /// There is no such keychain: it was deleted, or never made.
    case noSuchKeychain = 41
    /// There is a keychain at this path.
    case keychainExists = 42
    /// There are 1000 keychains, or 64 are unlocked.
    case tooManyKeychains = 43
    /// From the client: the file at the keychain's path isn't its marker, or can't be read or written.
    case invalidKeychain = 44
    /// The item's secret was taken away from the programs of its group, and isn't granted to this one.
    case secretWithheld = 45
    /// An archive of a backup is damaged, or no archive.
    case archiveDamaged = 46
    /// Neither this device nor the password opens an archive.
    case archiveForeign = 47
    /// An archive is older than the last one that this keychain made.
    case archiveOlder = 48
    /// The program isn't the front that it says it is.
    case notAFront = 50
    /// The process can't be represented: it has ended, is another user's, or can't be told.
    case notRepresented = 51
    /// The user has as many channels as a user can have.
    case tooManyChannels = 52
    /// A client of the Secret Service has locked the user's secrets.
    case secretsLocked = 53
    /// The secret is another owner's.
    case foreignSecret = 54
}

/// The failure of a request.
package struct Failure: Error, Equatable, Sendable {
    /// An OSStatus.
    package var status: Int32
    package var reason: FailureReason
    /// With ``FailureReason/throttled``: how long to wait.
    package var retryAfterSeconds: UInt32 = 0

    package init(_ status: Int32, _ reason: FailureReason, retryAfterSeconds: UInt32 = 0) {
        self.status = status
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
    }
}

extension Failure {
    init(_ message: WireFailure) {
        self.init(
            message.status, FailureReason(rawValue: message.reason) ?? .internalFailure,
            retryAfterSeconds: message.retryAfterSeconds)
    }

    var message: WireFailure {
        var message = WireFailure()
        message.status = status
        message.reason = reason.rawValue
        message.retryAfterSeconds = retryAfterSeconds
        return message
    }
}
