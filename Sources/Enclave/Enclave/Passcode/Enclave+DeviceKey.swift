// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import IPC

/// The device key's part in passcodes: the deriver does it if it has the device key, otherwise the
/// enclave.
extension Enclave {
    /// The result for a passcode that is being judged.
    mutating func opened(
        _ outcome: DerivationOutcome, _ protection: Keybag.PasscodeProtection,
        _ digest: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> PasscodeMaterial {
        do throws(DeviceKeyFailure) {
            switch outcome {
            case .opened(let material): return material
            case .derived(let derived, _):
                return try deviceKey.open(
                    derived, sealed: protection.sealedEntropy, context: entropyContext(keybag))
            case .refused(let failure): throw failure
            case .failed, .enrolled, .made: break
            }
        } catch {
            throw try refusal(error, digest, keybag)
        }
        try withdrawAttempt(keybag)
        notify(.derivationFailed(user: keybag.user))
        throw .status(.busy)
    }

    /// What the device key's failure means for the count of wrong passcodes.
    private mutating func refusal(
        _ failure: DeviceKeyFailure, _ digest: [UInt8], _ keybag: UserKeybag
    ) throws(Refusal) -> Refusal {
        switch failure {
        case .wrongPasscode:
            return try wrong(digest, keybag)
        case .exhausted:
            // It has counted more than the record says: the record was rolled back.
            let failures = max(keybag.attempts.failures, delays.disabledAt)
            // It is also unknown which programs sent them.
            keybag.attempts = AttemptCounter(
                failures: failures, hasUnidentified: true, now: clock())
            try storeAttemptsIfPossible(failures, keybag)
            notify(.deviceKeyFailed(user: keybag.user, failure))
            try eraseIfDue(keybag)
            return .status(.disabled)
        case .refused, .absent, .gone, .timedOut, .garbage, .busy, .full, .lockout, .otherDevice,
            .replaced, .ownerAuthorization, .failed, .noCounter, .otherRegisters:
            try withdrawAttempt(keybag)
            notify(.deviceKeyFailed(user: keybag.user, failure))
            return .status(.deviceKeyUnavailable)
        }
    }

    /// The passcode was wrong.
    mutating func wrong(_ digest: [UInt8], _ keybag: UserKeybag) throws(Refusal) -> Refusal {
        keybag.attempts.wrong(digest, now: clock())
        try eraseIfDue(keybag)
        return .status(.wrongPasscode)
    }

    /// The result for a new passcode.
    mutating func enrolment(
        _ outcome: DerivationOutcome, _ binding: RegisterBinding, _ keybag: UserKeybag
    ) throws(Refusal) -> (
        material: PasscodeMaterial, sealed: [UInt8], parameters: DerivationParameters
    ) {
        do throws(DeviceKeyFailure) {
            switch outcome {
            case .enrolled(let material, let sealed, let parameters):
                return (material, sealed, parameters)
            case .derived(let derived, let parameters):
                let made = try deviceKey.enrol(
                    derived, context: entropyContext(keybag), attemptLimit: delays.disabledAt,
                    binding)
                return (made.material, made.sealed, parameters)
            case .refused(let failure): throw failure
            case .failed, .opened, .made: break
            }
        } catch {
            notify(.deviceKeyFailed(user: keybag.user, error))
            throw .status(.deviceKeyUnavailable)
        }
        notify(.derivationFailed(user: keybag.user))
        throw .status(.busy)
    }

    /// The context that the random value of a passcode is bound to.
    func entropyContext(_ keybag: UserKeybag) -> [UInt8] {
        var context: [UInt8] = []
        context.append(littleEndian: keybag.user)
        return context + keybag.keybag.uuid
    }
}
