// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The event of a record of the audit log. The numbers are the log's (STORAGE.md, "Audit log"); an
/// unknown one comes from a newer version.
public struct AuditEvent: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// An event of any number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Items were found.
    public static let read = AuditEvent(rawValue: 1)
    /// An item was added.
    public static let add = AuditEvent(rawValue: 2)
    /// Items were changed.
    public static let update = AuditEvent(rawValue: 3)
    /// Items were deleted.
    public static let delete = AuditEvent(rawValue: 4)
    /// The first passcode was set.
    public static let setPasscode = AuditEvent(rawValue: 5)
    /// The device was unlocked.
    public static let unlock = AuditEvent(rawValue: 6)
    /// The passcode was replaced.
    public static let changePasscode = AuditEvent(rawValue: 7)
    /// The passcode was removed.
    public static let removePasscode = AuditEvent(rawValue: 8)
    /// The device was locked.
    public static let lock = AuditEvent(rawValue: 9)
    /// The settings were changed.
    public static let configure = AuditEvent(rawValue: 10)
    /// An escrow record was made.
    public static let makeEscrow = AuditEvent(rawValue: 11)
    /// The passcode was removed with the key of the escrow record.
    public static let reset = AuditEvent(rawValue: 12)
    /// Damaged or quarantined items were restored.
    public static let recover = AuditEvent(rawValue: 13)
    /// A program holds the device unlocked: a lock waits.
    public static let holdUnlocked = AuditEvent(rawValue: 14)
    /// The owner accepted rows that weren't the last committed ones.
    public static let acceptRollback = AuditEvent(rawValue: 15)
    /// Another application's access group, which the record names, was opened by the passcode.
    public static let openGroup = AuditEvent(rawValue: 16)
    /// Items were moved to another access group.
    public static let move = AuditEvent(rawValue: 17)
    /// The keychain got a device key of another maker.
    public static let migrate = AuditEvent(rawValue: 18)
    /// A recovery code was made.
    public static let makeRecoveryCode = AuditEvent(rawValue: 19)
    /// The passcode was removed with the recovery code.
    public static let useRecoveryCode = AuditEvent(rawValue: 20)
    /// The passcode was bound to registers of the TPM, or to none.
    public static let bindRegisters = AuditEvent(rawValue: 21)
    /// A protector, which the record names in place of a group, was added.
    public static let addProtector = AuditEvent(rawValue: 22)
    /// A protector was removed.
    public static let removeProtector = AuditEvent(rawValue: 23)
    /// The device was unlocked by a protector.
    public static let unlockByProtector = AuditEvent(rawValue: 24)
    /// A protector was tested.
    public static let testProtector = AuditEvent(rawValue: 25)
    /// A user's own keychain moved in: all of its items were added.
    public static let adopt = AuditEvent(rawValue: 27)
    /// Everything in a user's own keychain was read, to move it.
    public static let export = AuditEvent(rawValue: 28)
    /// Root had everything of a user destroyed, whom the record names in place of a group.
    public static let forgetUser = AuditEvent(rawValue: 29)
    /// Root said that a user, whom the record names, is the same account under another name.
    public static let renameUser = AuditEvent(rawValue: 30)
    /// The person was asked to approve the use of items with an access control.
    public static let approve = AuditEvent(rawValue: 26)
    /// A keychain with a password of its own was made.
    public static let createKeychain = AuditEvent(rawValue: 33)
    /// A keychain was unlocked by its password.
    public static let unlockKeychain = AuditEvent(rawValue: 34)
    /// A keychain got another password.
    public static let changeKeychainPassword = AuditEvent(rawValue: 35)
    /// A keychain, or all of the user's but login, was locked.
    public static let lockKeychain = AuditEvent(rawValue: 36)
    /// A keychain's settings, the search list or the default keychain was changed.
    public static let configureKeychains = AuditEvent(rawValue: 37)
    /// A keychain was deleted, with its keys.
    public static let deleteKeychain = AuditEvent(rawValue: 38)
    /// The backup password was set.
    public static let setBackupPassword = AuditEvent(rawValue: 39)
    /// The backup password was removed.
    public static let removeBackupPassword = AuditEvent(rawValue: 40)
    /// An archive of everything was begun.
    public static let backUp = AuditEvent(rawValue: 41)
    /// An archive was opened, to restore it or to see what that would do.
    public static let openBackup = AuditEvent(rawValue: 42)
    /// An archive was restored; `number` rows changed.
    public static let restoreBackup = AuditEvent(rawValue: 43)
    /// A program asked to be a front: to speak for others.
    public static let front = AuditEvent(rawValue: 45)
    /// A client of the Secret Service locked the user's secrets.
    public static let lockSecrets = AuditEvent(rawValue: 46)
    /// A client of the Secret Service unlocked the user's secrets, or had the person asked to.
    public static let unlockSecrets = AuditEvent(rawValue: 47)
    /// The service writes to the log for the first time since it was started.
    public static let started = AuditEvent(rawValue: 128)
    /// The log ended in the middle of a record; `number` bytes were truncated.
    public static let tailCut = AuditEvent(rawValue: 129)
    /// The log was damaged from record `number` on and continues in a new file.
    public static let chainBroken = AuditEvent(rawValue: 130)
    /// `number` records couldn't be written.
    public static let recordsLost = AuditEvent(rawValue: 131)

    /// Its name in the output of the `security` command.
    public var name: String { Self.names[rawValue] ?? "event-\(rawValue)" }

    private static let names: [UInt16: String] = [
        1: "read", 2: "add", 3: "update", 4: "delete", 5: "set-passcode", 6: "unlock",
        7: "change-passcode", 8: "remove-passcode", 9: "lock", 10: "configure", 11: "make-escrow",
        12: "reset", 13: "recover", 14: "hold-unlocked", 15: "accept-rollback",
        16: "open-group", 17: "move", 18: "migrate", 19: "make-recovery-code",
        20: "use-recovery-code", 21: "bind-registers",
        22: "add-protector", 23: "remove-protector", 24: "unlock-by-protector",
        25: "test-protector", 26: "approve", 27: "adopt", 28: "export", 29: "forget-user",
        30: "rename-user", 33: "create-keychain", 34: "unlock-keychain",
        35: "set-keychain-password", 36: "lock-keychain", 37: "configure-keychains",
        38: "delete-keychain", 39: "set-backup-password", 40: "remove-backup-password",
        41: "backup", 42: "open-backup", 43: "restore",
        45: "front", 46: "lock-secrets", 47: "unlock-secrets",
        128: "started", 129: "tail-cut", 130: "chain-broken",
        131: "records-lost",
    ]
}

/// One record of the audit log: which program did what to which items, and whether it was refused.
///
/// It contains no secret and no attribute of an item.
public struct AuditRecord: Hashable, Sendable {
    /// Maximum number of items in one record.
    package static let itemLimit = 128

    /// Counts the records of the log, from 1.
    public var sequence: UInt64 = 0
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    public var microseconds: Int64
    /// The event.
    public var event: AuditEvent
    /// 0, or the `OSStatus` of a refusal.
    public var status: Int32 = 0
    /// Why it was refused; nil when it wasn't.
    public var reason: FailureReason?
    /// Whether the reply contained secrets.
    public var includesSecrets = false
    /// The caller's process; 0 in a record of the service itself.
    public var processID: Int32 = 0
    /// The caller's user.
    public var userID: UInt32
    /// How well the service knew the caller: `S+`, `S`, `P` or `U`; empty in a record of the
    /// service.
    public var identityGrade = ""
    /// The first access group that the caller holds, or the application group that it named; by its
    /// stored name.
    public var accessGroup = ""
    /// The name that programs of its team use for ``accessGroup``, if that is an application group;
    /// else empty.
    public var applicationGroup = ""
    /// The file name of the caller's program; any program can have any name.
    public var application = ""
    /// The class of the items.
    public var itemClass: ItemClass?
    /// The items: the 16-byte UUIDs of their rows, as in their persistent references.
    public var items: [[UInt8]] = []
    /// A number of the service's own records.
    public var number: UInt64 = 0

    package init(_ event: AuditEvent, userID: UInt32, microseconds: Int64) {
        self.event = event
        self.userID = userID
        self.microseconds = microseconds
    }
}
