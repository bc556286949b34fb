// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// enclaved's result of a request; the numbers are the wire's.
package enum EnclaveStatusCode: UInt16, CaseIterable, Sendable {
    /// Done.
    case success = 0
    /// The class key exists and is not usable now; the payload is a u32, the user's lock count.
    case locked = 1
    /// There is no key of that class.
    case classMissing = 2
    /// Sealed data can't be opened: its tag or its format is wrong.
    case undecodable = 3
    /// Another passcode than the current one.
    case wrongPasscode = 4
    /// Too early after wrong passcodes; the payload is a u32, the seconds to wait.
    case throttled = 5
    /// Too many wrong passcodes: none is tried any more.
    case disabled = 6
    /// The request doesn't have the layout of its kind.
    case malformed = 7
    /// Another passcode operation is under way.
    case busy = 8
    /// A passcode is already set, or none is.
    case wrongState = 9
    /// The nonce was used, has expired, or was never issued.
    case staleChallenge = 10
    /// The enclave's files can't be read or written; nothing has changed.
    case stateNotWritten = 11
    /// An empty passcode, or one over 1024 bytes.
    case passcodeUnacceptable = 12
    /// The device key is unreachable, or isn't the one of these files; nothing has changed.
    case deviceKeyUnavailable = 13
    /// Without a passcode, only root may do this, and the request isn't root's.
    case administratorNeeded = 14
    /// Another protector has this name.
    case nameTaken = 15
    /// No protector has this name.
    case noSuchProtector = 16
    /// Nothing else protects the keys: only removing the passcode removes it.
    case lastProtector = 17
    /// There are 16 protectors.
    case tooManyProtectors = 18
}

/// The kind of a request; its reply has the same.
package enum EnclaveMessageKind: UInt16, CaseIterable, Sendable {
    /// The keybag's state.
    case status = 1
    /// A nonce for a passcode.
    case challenge = 2
    /// A passcode to set, unlock with, change or remove.
    case passcode = 3
    /// Lock.
    case lock = 4
    /// Make a table key.
    case makeTableKey = 5
    /// Open a table key made earlier.
    case openTableKey = 6
    /// Seal one secret.
    case seal = 7
    /// Open secrets.
    case open = 8
    /// Seal a sealed secret again, for another class or context.
    case rebind = 9
    /// Wait until keys of any user are dropped.
    case awaitLock = 10
    /// Delay a lock, or stop delaying it.
    case assertion = 11
    /// Find out which secrets can be opened; none leaves enclaved.
    case verify = 12
    /// Make a private key, which leaves enclaved only sealed.
    case makePrivateKey = 13
    /// Sign with a private key.
    case sign = 14
    /// Agree on a secret with a private key.
    case agree = 15
    /// Record a commit of the database.
    case anchor = 16
    /// Record a commit of the database, and increment the device key's counter.
    case bindAnchor = 17
    /// List the protectors.
    case protectors = 18
}

/// The operation for which a passcode is sent.
package enum PasscodeOperation: UInt8, CaseIterable, Sendable {
    /// Set the first passcode.
    case set = 1
    /// Unlock.
    case unlock = 2
    /// Replace the old one by a new one.
    case change = 3
    /// Remove the passcode.
    case remove = 4
    /// Change the settings of the keybag.
    case configure = 5
    /// Make an escrow record: with its key the passcode can be reset.
    case makeEscrow = 6
    /// Remove the passcode, with the key of the escrow record.
    case reset = 7
    /// Accept the database as it is, although it was replaced by an earlier one.
    case acceptRollback = 8
    /// Replace the device key by one of another maker.
    case migrate = 9
    /// Make a recovery code: it opens the keybag without the device key.
    case makeRecoveryCode = 10
    /// Remove the passcode with the recovery code, and replace the device key if necessary.
    case recover = 11
    /// Bind the passcode to registers of the TPM, or to none.
    case bindRegisters = 12
    /// Add a protector: another way to unlock.
    case addProtector = 13
    /// Remove a protector.
    case removeProtector = 14
    /// Unlock with a protector's key.
    case unlockByProtector = 15
    /// Find out whether a protector would unlock.
    case testProtector = 16
}

/// Platform configuration registers of a TPM's SHA-256 bank: digests of the software with which a
/// machine was started.
package struct PlatformRegisters: Hashable, Sendable {
    /// None.
    package static let none = PlatformRegisters(unchecked: 0)

    /// Bit n stands for register n, of 0 to 23.
    package let mask: UInt32

    /// - Returns: Nil when there is a register above 23.
    package init?(mask: UInt32) {
        guard mask >> 24 == 0 else { return nil }
        self.init(unchecked: mask)
    }

    private init(unchecked mask: UInt32) { self.mask = mask }
}

/// Where to make a keychain's device key. The numbers are the wire's.
package enum DeviceKeyTarget: UInt8, CaseIterable, Sendable {
    /// A file.
    case file = 1
    /// The TPM from the service's arguments.
    case tpm = 2
}

/// The purpose of a table key.
package enum TableKeyPurpose: UInt8, CaseIterable, Sendable {
    /// Sealing the metadata of one class.
    case metadata = 1
    /// Blind indexes.
    case blindIndex = 2
    /// Sealing the records of one file of the audit log.
    case audit = 3
}

/// Identifies a table key: all of it is authenticated with the wrapped key.
package struct TableKeyName: Hashable, Sendable {
    /// The purpose of the key.
    package let purpose: TableKeyPurpose
    /// The class whose key wraps it.
    package let protectionClass: ProtectionClass
    /// The count of table keys of this purpose and class so far.
    package let generation: UInt32

    /// Names a table key.
    package init(purpose: TableKeyPurpose, protectionClass: ProtectionClass, generation: UInt32) {
        self.purpose = purpose
        self.protectionClass = protectionClass
        self.generation = generation
    }
}

/// The binding of a sealed secret.
package struct SecretBinding: Hashable, Sendable {
    /// The byte count of a context digest.
    package static let contextByteCount = 32

    /// The class whose key wraps the row key.
    package let protectionClass: ProtectionClass
    /// The 32-byte digest of all data from which the secret must not be separated.
    package let context: [UInt8]

    /// Binds to a class and a context.
    /// - Parameters:
    ///   - protectionClass: The class.
    ///   - context: 32 bytes, otherwise the result is nil.
    package init?(protectionClass: ProtectionClass, context: [UInt8]) {
        guard context.count == Self.contextByteCount else { return nil }
        self.protectionClass = protectionClass
        self.context = context
    }
}

/// A sealed secret with its binding.
package struct SealedSecret: Hashable, Sendable {
    /// The maximum number of rows in one request.
    package static let rowLimit = 1024

    /// The binding.
    package let binding: SecretBinding
    /// The sealed bytes, as `seal` returned them.
    package let sealed: [UInt8]

    /// Combines the parts.
    package init(binding: SecretBinding, sealed: [UInt8]) {
        self.binding = binding
        self.sealed = sealed
    }

    /// Combines the parts.
    /// - Parameters:
    ///   - protectionClass: The class.
    ///   - context: 32 bytes, otherwise the result is nil.
    ///   - sealed: The sealed bytes.
    package init?(protectionClass: ProtectionClass, context: [UInt8], sealed: [UInt8]) {
        guard let binding = SecretBinding(protectionClass: protectionClass, context: context) else {
            return nil
        }
        self.init(binding: binding, sealed: sealed)
    }
}

/// The state of a keybag with respect to boot, unlock and lock.
package enum EnclaveLockState: UInt8, CaseIterable, Sendable {
    /// No passcode; counts as unlocked.
    case noPasscode = 0
    /// A passcode is set; not unlocked since boot.
    case beforeFirstUnlock = 1
    /// Unlocked with the passcode.
    case unlocked = 2
    /// Locked after an unlock.
    case locked = 3
}

/// Where the device key is.
package enum DeviceKeyMaker: UInt8, CaseIterable, Sendable {
    /// A file: not backed by hardware.
    case file = 1
    /// A software TPM: not backed by hardware either.
    case softwareTPM = 2
    /// A TPM.
    case tpm = 3

    /// The maker of such keys.
    package var target: DeviceKeyTarget {
        switch self {
        case .file: .file
        case .softwareTPM, .tpm: .tpm
        }
    }
}

/// The kind of memory pages that contain enclaved's keys.
package enum EnclaveMemoryKind: UInt8, CaseIterable, Sendable {
    /// Off the kernel's direct map.
    case secretMemory = 1
    /// Locked: never swapped.
    case lockedMemory = 2
    /// Ordinary pages, left out of core dumps.
    case pagedMemory = 3
}

/// The restrictions of enclaved. The raw values are the wire's.
package struct EnclaveWalls: Hashable, Sendable {
    /// Whether Landlock restricts access to files, or why not.
    package enum Landlock: UInt8, CaseIterable, Sendable {
        /// Not reported.
        case unknown = 0
        /// Landlock is active.
        case stands = 1
        /// The kernel was built without Landlock.
        case notInKernel = 2
        /// The kernel was started without Landlock.
        case switchedOff = 3
        /// The container forbids Landlock's calls.
        case forbidden = 4
    }

    /// The state of Landlock.
    package var landlock: Landlock
    /// The kernel's version of it; 0 if it isn't active.
    package var landlockVersion: UInt8
    /// Whether the kernel ends the process at a system call outside its list.
    package var filtersSystemCalls: Bool

    /// Combines the parts.
    package init(
        landlock: Landlock = .unknown, landlockVersion: UInt8 = 0,
        filtersSystemCalls: Bool = false
    ) {
        self.landlock = landlock
        self.landlockVersion = landlockVersion
        self.filtersSystemCalls = filtersSystemCalls
    }
}

/// enclaved's full report on a user's keybag.
package struct EnclaveStatus: Hashable, Sendable {
    /// The value of `secondsUntilNextAttempt` when no further passcode is tried.
    package static let never = UInt32.max

    /// The state of the keybag.
    package var state: EnclaveLockState
    /// Whether a passcode is set.
    package var isPasscodeSet: Bool
    /// Where the device key is.
    package var deviceKey: DeviceKeyMaker
    /// The kind of pages that contain the keys.
    package var memory: EnclaveMemoryKind
    /// Wrong passcodes since the last right one.
    package var failedAttempts: UInt32
    /// 0: now. `never`: disabled.
    package var secondsUntilNextAttempt: UInt32
    /// Classes whose key is usable now.
    package var usableClasses: ProtectionClassSet
    /// Classes that have a key.
    package var existingClasses: ProtectionClassSet
    /// Counts the keybag's rewrites.
    package var keybagGeneration: UInt32
    /// 16 bytes.
    package var keybagUUID: [UInt8]
    /// How often keys of the user have been dropped since enclaved started.
    package var lockCount: UInt32
    /// The time until the requested lock; 0: none.
    package var secondsUntilLocked: UInt32
    /// How long a lock with grace period is delayed.
    package var graceSeconds: UInt16
    /// After this many wrong passcodes everything is erased; 0: never.
    package var eraseAfter: UInt8
    /// Whether there is an escrow record.
    package var hasEscrow: Bool
    /// How often everything has been erased.
    package var erasures: UInt32
    /// Whether there is a recovery code.
    package var hasRecoveryCode: Bool
    /// The registers to which the passcode is bound.
    package var registers: PlatformRegisters
    /// Whether wrong passcodes of unidentified programs count towards erasing.
    package var erasesForUnidentified: Bool
    /// The restrictions of enclaved.
    package var walls: EnclaveWalls
    /// The version of enclaved.
    package var release: Release

    /// Combines the parts.
    package init(
        state: EnclaveLockState, isPasscodeSet: Bool, deviceKey: DeviceKeyMaker,
        memory: EnclaveMemoryKind, failedAttempts: UInt32, secondsUntilNextAttempt: UInt32,
        usableClasses: ProtectionClassSet, existingClasses: ProtectionClassSet,
        keybagGeneration: UInt32, keybagUUID: [UInt8], lockCount: UInt32,
        secondsUntilLocked: UInt32, graceSeconds: UInt16, eraseAfter: UInt8, hasEscrow: Bool,
        erasures: UInt32, hasRecoveryCode: Bool = false, registers: PlatformRegisters = .none,
        erasesForUnidentified: Bool = false, walls: EnclaveWalls = EnclaveWalls(),
        release: Release = .own
    ) {
        self.state = state
        self.isPasscodeSet = isPasscodeSet
        self.deviceKey = deviceKey
        self.memory = memory
        self.failedAttempts = failedAttempts
        self.secondsUntilNextAttempt = secondsUntilNextAttempt
        self.usableClasses = usableClasses
        self.existingClasses = existingClasses
        self.keybagGeneration = keybagGeneration
        self.keybagUUID = keybagUUID
        self.lockCount = lockCount
        self.secondsUntilLocked = secondsUntilLocked
        self.graceSeconds = graceSeconds
        self.eraseAfter = eraseAfter
        self.hasEscrow = hasEscrow
        self.erasures = erasures
        self.hasRecoveryCode = hasRecoveryCode
        self.registers = registers
        self.erasesForUnidentified = erasesForUnidentified
        self.walls = walls
        self.release = release
    }
}
