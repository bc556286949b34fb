// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What enclaved says about a request; the numbers are the wire's.
package enum EnclaveStatusCode: UInt16, CaseIterable, Sendable {
    /// Done.
    case success = 0
    /// The class key exists and is not usable now; the payload is a u32, the user's lock count.
    case locked = 1
    /// There is no key of that class.
    case classMissing = 2
    /// A sealed thing doesn't open: its tag or its format is wrong.
    case undecodable = 3
    /// Another passcode than the one that is set.
    case wrongPasscode = 4
    /// Too early after wrong passcodes; the payload is a u32, the seconds to wait.
    case throttled = 5
    /// Too many wrong passcodes: none is tried any more.
    case disabled = 6
    /// The request doesn't have the layout of its kind.
    case malformed = 7
    /// Another passcode is being worked on.
    case busy = 8
    /// A passcode is already set, or none is.
    case wrongState = 9
    /// The nonce was used, has expired, or was never given out.
    case staleChallenge = 10
    /// The enclave's files can't be read or written; nothing has changed.
    case stateNotWritten = 11
    /// An empty passcode, or one over 1024 bytes.
    case passcodeUnacceptable = 12
    /// The device key is out of reach, or isn't the one of these files; nothing has changed.
    case deviceKeyUnavailable = 13
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
    /// Seal a sealed secret anew, for another class or context.
    case rebind = 9
    /// Wait until keys of any user are dropped.
    case awaitLock = 10
    /// Put a lock off, or end that.
    case assertion = 11
    /// Tell which secrets would open; none leaves enclaved.
    case verify = 12
    /// Make a private key, which never leaves enclaved but sealed.
    case makePrivateKey = 13
    /// Sign with a private key.
    case sign = 14
    /// Agree on a secret with a private key.
    case agree = 15
    /// Remember a commit of the database.
    case anchor = 20
    /// Remember a commit of the database, and count up the device key's counter.
    case bindAnchor = 30
}

/// What a passcode is sent for.
package enum PasscodeOperation: UInt8, CaseIterable, Sendable {
    /// Set the first passcode.
    case set = 1
    /// Unlock.
    case unlock = 2
    /// Replace the old one by a new one.
    case change = 3
    /// Have none any more.
    case remove = 4
    /// Change the settings of the keybag.
    case configure = 5
    /// Make an escrow record: with its key the passcode can be reset.
    case makeEscrow = 6
    /// Have no passcode any more, by the key of the escrow record.
    case reset = 7
    /// Take the database as it is, though an earlier one was put in its place.
    case acceptRollback = 10
    /// Have a device key of another maker.
    case migrate = 30
    /// Make a recovery code: it opens the keybag without the device key.
    case makeRecoveryCode = 31
    /// Have no passcode any more, and another device key if need be, by the recovery code.
    case recover = 32
    /// Bind the passcode to registers of the TPM, or to none.
    case bindRegisters = 33
}

/// Platform configuration registers of a TPM's SHA-256 bank: what a machine was started with.
package struct PlatformRegisters: Hashable, Sendable {
    /// None.
    package static let none = PlatformRegisters(unchecked: 0)

    /// Bit n stands for register n, of 0 to 23.
    package let mask: UInt32

    /// - Returns: Nothing when there is a register over 23.
    package init?(mask: UInt32) {
        guard mask >> 24 == 0 else { return nil }
        self.init(unchecked: mask)
    }

    private init(unchecked mask: UInt32) { self.mask = mask }
}

/// What makes a device key that a keychain is to get. The numbers are the wire's.
package enum DeviceKeyTarget: UInt8, CaseIterable, Sendable {
    /// A file.
    case file = 1
    /// The TPM that the service was told of.
    case tpm = 2
}

/// What a table key is for.
package enum TableKeyPurpose: UInt8, CaseIterable, Sendable {
    /// Sealing the metadata of one class.
    case metadata = 1
    /// Blind indexes.
    case blindIndex = 2
    /// Sealing the records of one file of the audit log.
    case audit = 3
}

/// Which table key: all of it is authenticated with the wrapped key.
package struct TableKeyName: Hashable, Sendable {
    /// What the key is for.
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

/// What a sealed secret is tied to.
package struct SecretBinding: Hashable, Sendable {
    /// The byte count of a context digest.
    package static let contextByteCount = 32

    /// The class whose key wraps the row key.
    package let protectionClass: ProtectionClass
    /// The 32-byte digest of everything the secret must not be moved away from.
    package let context: [UInt8]

    /// Ties to a class and a context.
    /// - Parameters:
    ///   - protectionClass: The class.
    ///   - context: 32 bytes, else nothing is made.
    package init?(protectionClass: ProtectionClass, context: [UInt8]) {
        guard context.count == Self.contextByteCount else { return nil }
        self.protectionClass = protectionClass
        self.context = context
    }
}

/// A sealed secret with what it is tied to.
package struct SealedSecret: Hashable, Sendable {
    /// The most rows in one request.
    package static let rowLimit = 1024

    /// What it is tied to.
    package let binding: SecretBinding
    /// The sealed bytes, as `seal` gave them.
    package let sealed: [UInt8]

    /// Puts both together.
    package init(binding: SecretBinding, sealed: [UInt8]) {
        self.binding = binding
        self.sealed = sealed
    }

    /// Puts all together.
    /// - Parameters:
    ///   - protectionClass: The class.
    ///   - context: 32 bytes, else nothing is made.
    ///   - sealed: The sealed bytes.
    package init?(protectionClass: ProtectionClass, context: [UInt8], sealed: [UInt8]) {
        guard let binding = SecretBinding(protectionClass: protectionClass, context: context) else {
            return nil
        }
        self.init(binding: binding, sealed: sealed)
    }
}

/// Where a keybag stands between boot, unlock and lock.
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

/// What keeps the device key.
package enum DeviceKeyMaker: UInt8, CaseIterable, Sendable {
    /// A file: not backed by hardware.
    case file = 1
    /// A software TPM: not backed by hardware either.
    case softwareTPM = 2
    /// A TPM.
    case tpm = 3

    /// What makes such keys.
    package var target: DeviceKeyTarget {
        switch self {
        case .file: .file
        case .softwareTPM, .tpm: .tpm
        }
    }
}

/// What kind of pages enclaved keeps its keys in.
package enum EnclaveMemoryKind: UInt8, CaseIterable, Sendable {
    /// Off the kernel's direct map.
    case secretMemory = 1
    /// Locked: never swapped.
    case lockedMemory = 2
    /// Ordinary pages, left out of core dumps.
    case pagedMemory = 3
}

/// The walls that enclaved works in. The raw values are the wire's.
package struct EnclaveWalls: Hashable, Sendable {
    /// Whether files are fenced by Landlock, or why not.
    package enum Landlock: UInt8, CaseIterable, Sendable {
        /// Nobody has said.
        case unknown = 0
        /// They are.
        case stands = 1
        /// The kernel was built without.
        case notInKernel = 2
        /// The kernel was started without.
        case switchedOff = 3
        /// Its calls are forbidden here.
        case forbidden = 4
    }

    /// Whether files are fenced.
    package var landlock: Landlock
    /// The kernel's version of it; 0 where it doesn't stand.
    package var landlockVersion: UInt8
    /// Whether system calls outside a list end the process.
    package var filtersSystemCalls: Bool

    /// Puts all together.
    package init(
        landlock: Landlock = .unknown, landlockVersion: UInt8 = 0,
        filtersSystemCalls: Bool = false
    ) {
        self.landlock = landlock
        self.landlockVersion = landlockVersion
        self.filtersSystemCalls = filtersSystemCalls
    }
}

/// Everything enclaved tells about a user's keybag.
package struct EnclaveStatus: Hashable, Sendable {
    /// The value of `secondsUntilNextAttempt` when no further passcode is tried.
    package static let never = UInt32.max

    /// The state of the keybag.
    package var state: EnclaveLockState
    /// Whether a passcode is set.
    package var isPasscodeSet: Bool
    /// What keeps the device key.
    package var deviceKey: DeviceKeyMaker
    /// What kind of pages the keys lie in.
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
    /// Until the lock that has been asked for; 0: none has.
    package var secondsUntilLocked: UInt32
    /// How long a lock that may wait does.
    package var graceSeconds: UInt16
    /// After so many wrong passcodes everything is erased; 0: never.
    package var eraseAfter: UInt8
    /// Whether there is an escrow record.
    package var hasEscrow: Bool
    /// How often everything has been erased.
    package var erasures: UInt32
    /// Whether there is a recovery code.
    package var hasRecoveryCode: Bool
    /// What the passcode is bound to.
    package var registers: PlatformRegisters
    /// Whether wrong passcodes of unidentified programs count towards erasing.
    package var erasesForUnidentified: Bool
    /// The walls that enclaved works in.
    package var walls: EnclaveWalls

    /// Puts all together.
    package init(
        state: EnclaveLockState, isPasscodeSet: Bool, deviceKey: DeviceKeyMaker,
        memory: EnclaveMemoryKind, failedAttempts: UInt32, secondsUntilNextAttempt: UInt32,
        usableClasses: ProtectionClassSet, existingClasses: ProtectionClassSet,
        keybagGeneration: UInt32, keybagUUID: [UInt8], lockCount: UInt32,
        secondsUntilLocked: UInt32, graceSeconds: UInt16, eraseAfter: UInt8, hasEscrow: Bool,
        erasures: UInt32, hasRecoveryCode: Bool = false, registers: PlatformRegisters = .none,
        erasesForUnidentified: Bool = false, walls: EnclaveWalls = EnclaveWalls()
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
    }
}
