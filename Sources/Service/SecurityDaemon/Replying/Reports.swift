// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import IPC
import KeychainVocabulary
import SecurityWire

extension DeviceReport {
    /// The state of the user's device, for a client's status request.
    init(_ status: EnclaveStatus, to identity: ClientIdentity, keptFileCount: Int) {
        self.init(
            state: UInt32(status.state.rawValue), passcodeSet: status.isPasscodeSet,
            deviceKey: UInt32(status.deviceKey.rawValue), memory: UInt32(status.memory.rawValue),
            failedAttempts: status.failedAttempts,
            secondsUntilNextAttempt: status.secondsUntilNextAttempt,
            usableClasses: UInt32(status.usableClasses.rawValue),
            existingClasses: UInt32(status.existingClasses.rawValue),
            identityGrade: identity.grade.rawValue)
        graceSeconds = UInt32(status.graceSeconds)
        eraseAfter = UInt32(status.eraseAfter)
        secondsUntilLocked = status.secondsUntilLocked
        hasEscrow = status.hasEscrow
        self.keptFileCount = UInt32(clamping: keptFileCount)
        erasures = status.erasures
        hasRecoveryCode = status.hasRecoveryCode
        boundRegisters = status.registers.mask
        erasesForUnidentified = status.erasesForUnidentified
        landlock = UInt32(status.walls.landlock.rawValue)
        landlockVersion = UInt32(status.walls.landlockVersion)
        filtersSystemCalls = status.walls.filtersSystemCalls
        serviceRelease = Release.own.number
        enclaveRelease = status.release.number
        biometry = UInt32(status.biometry.rawValue)
        enrolment = status.enrolment
        biometryLockedOut = status.isBiometryLockedOut
    }
}

extension Entitlements {
    /// Those of the names that the program has.
    func values(_ names: [String]) -> [String: EntitlementValue] {
        var values: [String: EntitlementValue] = [:]
        for name in names {
            switch value(name) {
            case .text(let text): values[name] = .text(text)
            case .flag(let flag): values[name] = .flag(flag)
            case .list: values[name] = texts(name).map { .texts($0) }
            case .other, nil: continue
            }
        }
        return values
    }
}

extension CallerIdentity {
    /// The identity of a client, for its own request.
    init(_ identity: ClientIdentity) {
        self.init(
            grade: identity.grade.rawValue, userID: identity.userID,
            application: identity.application, accessGroups: identity.accessGroups,
            reasons: identity.reasons.map(\.text))
    }
}
