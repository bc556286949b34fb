// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
public import SecurityWire

/// What protects the keychain now.
public struct DeviceStatus: Sendable {
    /// The device's state, by the letters that the design uses.
    public enum State: String, Sendable {
        /// No passcode is set: everything is usable.
        case noPasscode = "N"
        /// Before the first unlock since the start.
        case beforeFirstUnlock = "B"
        /// Unlocked.
        case unlocked = "U"
        /// Locked, after a first unlock.
        case locked = "L"
    }

    /// What fingerprints count for. Their reader proves nothing to the service: the owner has decided
    /// that its word is enough. The raw values are those of the JSON.
    public enum Biometry: String, Sendable {
        /// Nothing.
        case off
        /// Presence: any enrolled finger.
        case presence
        /// Also the enrolled set, as far as `security` changed it.
        case sets
    }

    /// The restrictions that the process with the keys has put on itself, so that an attacker who
    /// takes it over gains less.
    public struct Walls: Hashable, Sendable {
        /// Whether Landlock restricts its access to files, or why not. The raw values are those of
        /// the JSON.
        public enum Landlock: String, Sendable {
            /// The service doesn't report it.
            case unknown
            /// Landlock is active.
            case stands
            /// The kernel was built without Landlock.
            case notInKernel = "not-in-kernel"
            /// The kernel was started without Landlock.
            case switchedOff = "switched-off"
            /// The container forbids Landlock's calls.
            case forbidden
        }

        /// The state of Landlock.
        public let landlock: Landlock
        /// The kernel's version of Landlock; 0 if it isn't active.
        public let landlockVersion: UInt32
        /// Whether the kernel ends the process at a system call outside its list.
        public let filtersSystemCalls: Bool

        init(_ report: DeviceReport) {
            let kinds: [Landlock] = [
                .unknown, .stands, .notInKernel, .switchedOff, .forbidden,
            ]
            landlock =
                kinds.indices.contains(Int(report.landlock))
                ? kinds[Int(report.landlock)] : .unknown
            landlockVersion = report.landlockVersion
            filtersSystemCalls = report.filtersSystemCalls
        }
    }

    /// The state.
    public let state: State
    /// Whether a passcode is set.
    public let passcodeSet: Bool
    /// What holds the device key: `tpm`, `swtpm` or `file`.
    public let deviceKey: String
    /// Whether hardware holds the device key.
    public let hardwareBacked: Bool
    /// How strongly the keychain, and with it each of its items, is bound to this machine.
    public var tier: StorageTier { hardwareBacked ? .hardware : .software }
    /// Wrong passcodes since the last right one.
    public let failedAttempts: UInt32
    /// How long until the service accepts the next passcode: 0 is now, nil is never.
    public let secondsUntilNextAttempt: UInt32?
    /// Classes whose keys are usable now.
    public let usableClasses: [Accessibility]
    /// Classes whose keys exist.
    public let existingClasses: [Accessibility]
    /// How well the service knows the caller's identity: `S+`, `S`, `P` or `U`.
    public let identityGrade: String
    /// Where the enclave keeps keys: `memfd_secret`, `mlock` or `unlocked`.
    public let memory: String
    /// The restrictions on the process that has the keys.
    public let walls: Walls
    /// The person's settings for locking and wrong passcodes.
    public let settings: DeviceSettings
    /// How long until the lock that was requested; 0 when none was.
    public let secondsUntilLocked: UInt32
    /// Whether there is an escrow record, with whose key the passcode can be removed.
    public let hasEscrow: Bool
    /// Whether there is a recovery code, which opens the keychain without its device key.
    public let hasRecoveryCode: Bool
    /// The registers of the TPM, 0 to 23, that must have the same values as when the passcode was
    /// bound to them: ``KeychainConnection/bindPasscode(toRegisters:passcode:)``. Usually none.
    public let boundRegisters: [Int]
    /// How often everything has been erased after wrong passcodes.
    public let erasures: UInt32
    /// How many damaged databases have been quarantined.
    public let keptFileCount: UInt32
    /// What fingerprints count for.
    public let biometry: Biometry
    /// The enrolled set of fingerprints: another number after each change; 0 before the first.
    public let enrolment: UInt64
    /// Whether too many fingers weren't recognized: none counts until the passcode is given.
    public let isBiometryLockedOut: Bool
    /// The version of securityd, as `major.minor.patch`; nil if it is too old to report one.
    public let serviceVersion: String?
    /// The version of enclaved, as ``serviceVersion``.
    public let enclaveVersion: String?

    package init?(_ report: DeviceReport) {
        let states: [State] = [.noPasscode, .beforeFirstUnlock, .unlocked, .locked]
        let makers = [1: "file", 2: "swtpm", 3: "tpm"]
        let kinds = [1: "memfd_secret", 2: "mlock", 3: "unlocked"]
        guard report.state < 4, let maker = makers[Int(report.deviceKey)],
            let memory = kinds[Int(report.memory)]
        else { return nil }
        state = states[Int(report.state)]
        passcodeSet = report.passcodeSet
        deviceKey = maker
        hardwareBacked = maker == "tpm"
        failedAttempts = report.failedAttempts
        secondsUntilNextAttempt =
            report.secondsUntilNextAttempt == .max ? nil : report.secondsUntilNextAttempt
        usableClasses = Accessibility.allCases.filter {
            report.usableClasses & (1 << UInt32($0.rawValue)) != 0
        }
        existingClasses = Accessibility.allCases.filter {
            report.existingClasses & (1 << UInt32($0.rawValue)) != 0
        }
        identityGrade = report.identityGrade
        self.memory = memory
        settings = DeviceSettings(
            erasesAfterFailures: report.eraseAfter > 0,
            graceSeconds: UInt16(clamping: report.graceSeconds),
            countsUnidentifiedPrograms: report.erasesForUnidentified)
        walls = Walls(report)
        secondsUntilLocked = report.secondsUntilLocked
        hasEscrow = report.hasEscrow
        erasures = report.erasures
        hasRecoveryCode = report.hasRecoveryCode
        boundRegisters = (0..<24).filter { report.boundRegisters & 1 << UInt32($0) != 0 }
        keptFileCount = report.keptFileCount
        let modes: [Biometry] = [.off, .presence, .sets]
        biometry = modes.indices.contains(Int(report.biometry)) ? modes[Int(report.biometry)] : .off
        enrolment = report.enrolment
        isBiometryLockedOut = report.biometryLockedOut
        serviceVersion = Self.version(report.serviceRelease)
        enclaveVersion = Self.version(report.enclaveRelease)
    }

    private static func version(_ number: UInt32) -> String? {
        let release = Release(number: number)
        return release.isKnown ? release.description : nil
    }
}
