// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes

/// One item of a reply.
public struct FoundItem: Sendable {
    /// Its class.
    public var itemClass: ItemClass
    /// Its attributes; empty unless they were asked for. Of an identity: those of its key.
    public var attributes = ItemAttributes()
    /// Its secret; nil when it has none or none was asked for. Of an identity: its key's.
    public var secret: Secret?
    /// Its reference; nil unless it was asked for. Of an identity it names the certificate.
    public var persistentReference: PersistentReference?
    /// The state that it is in; nil unless usage was asked for, and of identities.
    public var generation: ItemGeneration?
    /// When its secret was last read, in seconds since 2001-01-01 00:00:00 UTC; nil when it hasn't
    /// been, or usage wasn't asked for.
    public var lastUsed: Double?
    /// Of an identity: its certificate.
    public var certificate: FoundCertificate?

    /// An item of which nothing is known but its class.
    package init(_ itemClass: ItemClass) { self.itemClass = itemClass }
}

/// The certificate half of an identity.
public struct FoundCertificate: Sendable {
    /// Its attributes; empty unless they were asked for.
    public var attributes = ItemAttributes()
    /// Its data, in general DER; nil when it has none or none was asked for.
    public var data: Secret?
}

/// What happened to one item.
public struct ItemChange: Hashable, Sendable {
    /// What happens to items.
    public enum Kind: UInt32, Sendable {
        /// It is new.
        case added = 1
        /// Its attributes or its secret are others now.
        case updated = 2
        /// It is gone.
        case deleted = 3
    }

    /// What happened.
    public let kind: Kind
    /// To which item; a reference to a deleted item finds nothing.
    public let reference: PersistentReference
    /// The state that the item was brought to; of a deleted one its last.
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

/// Why a request failed, where the status alone would mix things up.
public enum FailureReason: UInt32, Sendable {
    /// No such item that the caller may see.
    case absent = 1
    /// There is one already.
    case duplicate = 2
    /// The device is locked.
    case locked = 3
    /// The service, or the enclave behind it, doesn't answer.
    case unreachable = 4
    /// The item is there, but the key that it needs is gone for good or never existed.
    case keyGone = 5
    /// The caller may not.
    case denied = 6
    /// That isn't the passcode.
    case wrongPasscode = 7
    /// Too many wrong passcodes; wait.
    case throttled = 8
    /// The request can't be meant.
    case invalidRequest = 9
    /// Over a limit.
    case tooLarge = 10
    /// The answer to a write was lost and can't be had.
    case unknownOutcome = 11
    /// Not offered.
    case unimplemented = 12
    /// Something broke that isn't the caller's doing.
    case internalFailure = 13
    /// Not in this state: a passcode is set already, or none is.
    case wrongState = 14
    /// No further passcode is tried.
    case disabled = 15
    /// The socket's path is too long for the kernel; said by the client library alone.
    case socketPathTooLong = 16
    /// The item has been written since the state that the caller named.
    case generationChanged = 17
    /// A lock that waited didn't happen: somebody has unlocked the device meanwhile.
    case calledOff = 18
    /// What is stored isn't what was stored last: an older state was put in its place. The owner
    /// can accept it.
    case rolledBack = 19
    /// The device key is out of reach: a TPM that is absent, busy, in lockout, or another one.
    case deviceKeyUnavailable = 20
    /// The item was to be stored only where hardware backs the keychain, and none does.
    case tierNotMet = 25
    /// Somebody else has the lease.
    case leased = 40
    /// The lease that a write depends on is over; nothing was written.
    case leaseLost = 41
    /// The caller gave up, and nothing was done nor will be. Of a write that was on its way, the
    /// service says so.
    case cancelled = 42
    /// The deadline passed, and nothing was done nor will be; as ``cancelled``.
    case timedOut = 43
    /// The value isn't of the type that was asked for; said by the client library alone. The item
    /// is as it was.
    case undecodable = 44
    /// The service has too much to do, and nothing was done. The client library has tried again until
    /// the deadline.
    case busy = 45
}

/// A request's refusal.
package struct Failure: Error, Equatable, Sendable {
    /// An OSStatus.
    package var status: Int32
    package var reason: FailureReason
    /// With ``FailureReason/throttled``: how long.
    package var retryAfterSeconds: UInt32 = 0

    package init(_ status: Int32, _ reason: FailureReason, retryAfterSeconds: UInt32 = 0) {
        self.status = status
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// Who securityd takes a caller for.
public struct CallerIdentity: Equatable, Sendable {
    /// `S+`, `S`, `P` or `U`.
    public let grade: String
    /// The user.
    public let userID: UInt32
    /// The application's identifier with its team's prefix; nil of an unsigned program.
    public let application: String?
    /// The access groups that it holds, by the names that it uses, the default one first.
    public let accessGroups: [String]
    /// The same groups by their stored names, in the same order: an application group has its team's
    /// prefix there.
    public let storedGroups: [String]
    /// Why the grade isn't better, in words.
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
    /// How long a lock that may wait does.
    package var graceSeconds: UInt32 = 0
    /// After so many wrong passcodes everything is erased; 0: never.
    package var eraseAfter: UInt32 = 0
    /// 0: no lock has been asked for.
    package var secondsUntilLocked: UInt32 = 0
    package var hasEscrow = false
    /// Damaged databases that were put aside.
    package var keptFileCount: UInt32 = 0
    /// How often everything has been erased.
    package var erasures: UInt32 = 0
    package var hasRecoveryCode = false
    /// Bit n stands for register n of the TPM.
    package var boundRegisters: UInt32 = 0
    /// Whether wrong passcodes of unidentified programs count towards erasing.
    package var erasesForUnidentified = false
    /// 0 unknown, 1 stands, 2 not in the kernel, 3 switched off at its start, 4 forbidden here.
    package var landlock: UInt32 = 0
    /// The kernel's version of Landlock, where it stands.
    package var landlockVersion: UInt32 = 0
    /// Whether enclaved ends at a system call outside its list.
    package var filtersSystemCalls = false

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
