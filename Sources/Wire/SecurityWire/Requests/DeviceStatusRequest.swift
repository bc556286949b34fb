// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

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
    /// What fingerprints count for: 0 nothing, 1 presence, 2 also the enrolled set.
    package var biometry: UInt32 = 0
    /// The enrolled set of fingerprints: another number after each change.
    package var enrolment: UInt64 = 0
    /// Whether fingers count for nothing until the passcode is given.
    package var biometryLockedOut = false

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

extension DeviceReport {
    init(_ message: WireDeviceStatusReply) {
        self.init(
            state: message.state, passcodeSet: message.passcodeSet, deviceKey: message.deviceKey,
            memory: message.memory, failedAttempts: message.failedAttempts,
            secondsUntilNextAttempt: message.secondsUntilNextAttempt,
            usableClasses: message.usableClasses, existingClasses: message.existingClasses,
            identityGrade: message.identityGrade)
        graceSeconds = message.graceSeconds
        eraseAfter = message.eraseAfter
        secondsUntilLocked = message.secondsUntilLocked
        hasEscrow = message.hasEscrow_p
        keptFileCount = message.keptFileCount
        erasures = message.erasures
        hasRecoveryCode = message.hasRecoveryCode_p
        boundRegisters = message.boundRegisters
        erasesForUnidentified = message.erasesForUnidentified
        landlock = message.landlock
        landlockVersion = message.landlockVersion
        filtersSystemCalls = message.filtersSystemCalls
        serviceRelease = message.serviceRelease
        enclaveRelease = message.enclaveRelease
        biometry = message.biometry
        enrolment = message.enrolment
        biometryLockedOut = message.biometryLockedOut
    }

    var message: WireDeviceStatusReply {
        var message = WireDeviceStatusReply()
        message.state = state
        message.passcodeSet = passcodeSet
        message.deviceKey = deviceKey
        message.memory = memory
        message.failedAttempts = failedAttempts
        message.secondsUntilNextAttempt = secondsUntilNextAttempt
        message.usableClasses = usableClasses
        message.existingClasses = existingClasses
        message.identityGrade = identityGrade
        message.graceSeconds = graceSeconds
        message.eraseAfter = eraseAfter
        message.secondsUntilLocked = secondsUntilLocked
        message.hasEscrow_p = hasEscrow
        message.keptFileCount = keptFileCount
        message.erasures = erasures
        message.hasRecoveryCode_p = hasRecoveryCode
        message.boundRegisters = boundRegisters
        message.erasesForUnidentified = erasesForUnidentified
        message.landlock = landlock
        message.landlockVersion = landlockVersion
        message.filtersSystemCalls = filtersSystemCalls
        message.serviceRelease = serviceRelease
        message.enclaveRelease = enclaveRelease
        message.biometry = biometry
        message.enrolment = enrolment
        message.biometryLockedOut = biometryLockedOut
        return message
    }
}
