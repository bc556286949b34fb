// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import KeychainVocabulary

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
    /// Whether fingerprints count.
    package var biometry: BiometryMode
    /// The enrolled set of fingerprints: another number after each change.
    package var enrolment: UInt64
    /// Whether too many fingers weren't recognized: none counts until the passcode is given.
    package var isBiometryLockedOut: Bool
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
        erasesForUnidentified: Bool = false, biometry: BiometryMode = .off,
        enrolment: UInt64 = 0, isBiometryLockedOut: Bool = false,
        walls: EnclaveWalls = EnclaveWalls(),
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
        self.biometry = biometry
        self.enrolment = enrolment
        self.isBiometryLockedOut = isBiometryLockedOut
        self.walls = walls
        self.release = release
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

/// Where to make a keychain's device key. The numbers are the wire's.
package enum DeviceKeyTarget: UInt8, CaseIterable, Sendable {
    /// A file.
    case file = 1
    /// The TPM from the service's arguments.
    case tpm = 2
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

// MARK: - Layout

extension MessageBuffer {
    mutating func append(_ status: EnclaveStatus) {
        u8(status.state.rawValue)
        u8(status.isPasscodeSet ? 1 : 0)
        u8(status.deviceKey.rawValue)
        u8(status.memory.rawValue)
        u32(status.failedAttempts)
        u32(status.secondsUntilNextAttempt)
        u16(status.usableClasses.rawValue)
        u16(status.existingClasses.rawValue)
        u32(status.keybagGeneration)
        bytes(status.keybagUUID)
        u32(status.lockCount)
        u32(status.secondsUntilLocked)
        u16(status.graceSeconds)
        u8(status.eraseAfter)
        u8(status.hasEscrow ? 1 : 0)
        u32(status.erasures)
        u8(status.hasRecoveryCode ? 1 : 0)
        u32(status.registers.mask)
        u8(status.erasesForUnidentified ? 1 : 0)
        u8(status.biometry.rawValue)
        u64(status.enrolment)
        u8(status.isBiometryLockedOut ? 1 : 0)
        u8(status.walls.landlock.rawValue)
        u8(status.walls.landlockVersion)
        u8(status.walls.filtersSystemCalls ? 1 : 0)
        u32(status.release.number)
    }
}

extension EnclaveStatus {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let state = EnclaveLockState(rawValue: try unsafe reader.u8()),
            let isPasscodeSet = Bool(wireByte: try unsafe reader.u8()),
            let deviceKey = DeviceKeyMaker(rawValue: try unsafe reader.u8()),
            let memory = EnclaveMemoryKind(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        self.init(
            state: state, isPasscodeSet: isPasscodeSet, deviceKey: deviceKey, memory: memory,
            failedAttempts: try unsafe reader.u32(),
            secondsUntilNextAttempt: try unsafe reader.u32(),
            usableClasses: ProtectionClassSet(rawValue: try unsafe reader.u16()),
            existingClasses: ProtectionClassSet(rawValue: try unsafe reader.u16()),
            keybagGeneration: try unsafe reader.u32(), keybagUUID: try unsafe reader.array(16),
            lockCount: try unsafe reader.u32(), secondsUntilLocked: try unsafe reader.u32(),
            graceSeconds: try unsafe reader.u16(), eraseAfter: try unsafe reader.u8(),
            hasEscrow: try unsafe Self.flag(&reader), erasures: try unsafe reader.u32(),
            hasRecoveryCode: try unsafe Self.flag(&reader),
            registers: try unsafe Self.registers(&reader),
            erasesForUnidentified: try unsafe Self.flag(&reader),
            biometry: try unsafe Self.biometry(&reader), enrolment: try unsafe reader.u64(),
            isBiometryLockedOut: try unsafe Self.flag(&reader),
            walls: try unsafe Self.walls(&reader),
            release: Release(number: try unsafe reader.u32()))
    }

    private static func biometry(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> BiometryMode {
        guard let mode = BiometryMode(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        return mode
    }

    private static func walls(_ reader: inout ByteReader) throws(DecodingFailure) -> EnclaveWalls {
        guard let landlock = EnclaveWalls.Landlock(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        return EnclaveWalls(
            landlock: landlock, landlockVersion: try unsafe reader.u8(),
            filtersSystemCalls: try unsafe flag(&reader))
    }

    private static func registers(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> PlatformRegisters {
        guard let registers = PlatformRegisters(mask: try unsafe reader.u32()) else {
            throw DecodingFailure()
        }
        return registers
    }

    private static func flag(_ reader: inout ByteReader) throws(DecodingFailure) -> Bool {
        guard let flag = Bool(wireByte: try unsafe reader.u8()) else { throw DecodingFailure() }
        return flag
    }
}

extension Bool {
    fileprivate init?(wireByte: UInt8) {
        guard wireByte <= 1 else { return nil }
        self = wireByte == 1
    }
}

// MARK: - Call

extension EnclaveClient {
    /// The state of a user's keybag; makes one for a new user.
    package mutating func status(userID: UInt32) throws(EnclaveCallError) -> EnclaveStatus {
        switch try call(.status, userID: userID) {
        case .status(let status): return status
        case let reply: throw link.unexpected(reply)
        }
    }
}
