// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes

/// One item of a reply.
public struct FoundItem: Sendable {
    /// Its class.
    public var itemClass: ItemClass
    /// Its attributes; empty unless requested. For an identity: those of its key.
    public var attributes = ItemAttributes()
    /// Its secret; nil when it has none or none was requested. For an identity: its key's.
    public var secret: Secret?
    /// Its reference; nil unless requested. For an identity it refers to the certificate.
    public var persistentReference: PersistentReference?
    /// Its state; nil unless usage was requested, and for identities.
    public var generation: ItemGeneration?
    /// When its secret was last read, in seconds since 2001-01-01 00:00:00 UTC; nil when it hasn't
    /// been, or usage wasn't requested.
    public var lastUsed: Double?
    /// For an identity: its certificate.
    public var certificate: FoundCertificate?

    /// An item of which only the class is known.
    package init(_ itemClass: ItemClass) { self.itemClass = itemClass }
}

/// The certificate half of an identity.
public struct FoundCertificate: Sendable {
    /// Its attributes; empty unless requested.
    public var attributes = ItemAttributes()
    /// Its data, usually DER; nil when it has none or none was requested.
    public var data: Secret?
}

/// A change of one item.
public struct ItemChange: Hashable, Sendable {
    /// The kinds of changes.
    public enum Kind: UInt32, Sendable {
        /// It was added.
        case added = 1
        /// Its attributes or its secret have changed.
        case updated = 2
        /// It was deleted.
        case deleted = 3
    }

    /// The kind of change.
    public let kind: Kind
    /// The item; a reference to a deleted item finds nothing.
    public let reference: PersistentReference
    /// The state after the change; for a deleted item its last one.
    public let generation: ItemGeneration

    package init?(kind: Kind, itemClass: ItemClass, uuid: [UInt8], generation: UInt32) {
        guard let reference = PersistentReference(itemClass: itemClass, uuid: uuid),
            let generation = ItemGeneration(uuid: uuid, number: generation)
        else { return nil }
        self.kind = kind
        self.reference = reference
        self.generation = generation
    }
}

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

/// The identity that securityd has assigned to a caller.
public struct CallerIdentity: Equatable, Sendable {
    /// `S+`, `S`, `P` or `U`.
    public let grade: String
    /// The user.
    public let userID: UInt32
    /// The application's identifier with its team's prefix; nil for an unsigned program.
    public let application: String?
    /// The access groups that it holds, by the names that it uses, the default one first.
    public let accessGroups: [String]
    /// The same groups by their stored names, in the same order: an application group has its team's
    /// prefix there.
    public let storedGroups: [String]
    /// Why the grade isn't better, as text.
    public let reasons: [String]

    package init(
        grade: String, userID: UInt32, application: String?, accessGroups: [String],
        storedGroups: [String]? = nil, reasons: [String]
    ) {
        let storedGroups = storedGroups ?? accessGroups
        precondition(storedGroups.count == accessGroups.count)
        self.grade = grade
        self.userID = userID
        self.application = application
        self.accessGroups = accessGroups
        self.storedGroups = storedGroups
        self.reasons = reasons
    }
}

/// The device as securityd and enclaved see it.
package struct DeviceReport: Equatable, Sendable {
    package var state: UInt32
    package var passcodeSet: Bool
    package var deviceKey: UInt32
    package var memory: UInt32
    package var failedAttempts: UInt32
    /// 0xFFFFFFFF: no further attempt.
    package var secondsUntilNextAttempt: UInt32
    package var usableClasses: UInt32
    package var existingClasses: UInt32
    package var identityGrade: String
    /// How long a lock with grace period is delayed.
    package var graceSeconds: UInt32 = 0
    /// After this many wrong passcodes everything is erased; 0: never.
    package var eraseAfter: UInt32 = 0
    /// 0: no lock has been requested.
    package var secondsUntilLocked: UInt32 = 0
    package var hasEscrow = false
    /// Damaged databases in quarantine.
    package var keptFileCount: UInt32 = 0
    /// How often everything has been erased.
    package var erasures: UInt32 = 0
    package var hasRecoveryCode = false
    /// Bit n stands for register n of the TPM.
    package var boundRegisters: UInt32 = 0
    /// Whether wrong passcodes of unidentified programs count towards erasing.
    package var erasesForUnidentified = false
    /// 0 unknown, 1 active, 2 not in the kernel, 3 switched off at its start, 4 forbidden here.
    package var landlock: UInt32 = 0
    /// The kernel's version of Landlock, if it is active.
    package var landlockVersion: UInt32 = 0
    /// Whether the kernel ends enclaved at a system call outside its list.
    package var filtersSystemCalls = false
    /// The number of securityd's release; 0 unknown.
    package var serviceRelease: UInt32 = 0
    /// The number of enclaved's release; 0 unknown.
    package var enclaveRelease: UInt32 = 0

    package init(
        state: UInt32, passcodeSet: Bool, deviceKey: UInt32, memory: UInt32,
        failedAttempts: UInt32, secondsUntilNextAttempt: UInt32, usableClasses: UInt32,
        existingClasses: UInt32, identityGrade: String
    ) {
        self.state = state
        self.passcodeSet = passcodeSet
        self.deviceKey = deviceKey
        self.memory = memory
        self.failedAttempts = failedAttempts
        self.secondsUntilNextAttempt = secondsUntilNextAttempt
        self.usableClasses = usableClasses
        self.existingClasses = existingClasses
        self.identityGrade = identityGrade
    }
}
