// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import SecretBytes

/// The purpose of a derivation with the device key. It is part of the input, so that one result
/// can't replace another.
package enum TanglePurpose: UInt8, CaseIterable, Sendable {
    /// The root of the keys that protect a user's keybag without a passcode.
    case keybag = 1
    /// Binding a passcode's derived key to this device.
    case passcode = 2
    /// Binding an escrow record's key to this device.
    case escrow = 3
    /// The key of the counter's record.
    case binding = 4
    /// Binding a protector's key to this device.
    case protector = 5
}

/// Why the device key failed; the numbers are those of the messages between enclaved and its child.
package enum DeviceKeyFailure: UInt8, Error, CaseIterable, Sendable {
    /// The bytes to open were not made by it, or are damaged.
    case refused = 1
    /// It judges passcodes itself: this one is wrong, and it has counted the attempt.
    case wrongPasscode = 2
    /// It has counted too many wrong passcodes: it opens nothing any more.
    case exhausted = 3
    /// There is no TPM.
    case absent = 4
    /// The connection to the TPM ended.
    case gone = 5
    /// The TPM doesn't reply in time.
    case timedOut = 6
    /// The TPM's replies are invalid.
    case garbage = 7
    /// The TPM is busy.
    case busy = 8
    /// The TPM has no space for another object, session or index.
    case full = 9
    /// The TPM refuses protected objects for a while, because its clients made too many wrong
    /// attempts.
    case lockout = 10
    /// It is another TPM, or was cleared.
    case otherDevice = 11
    /// The bytes to open were sealed for an earlier passcode, or their index was deleted from the
    /// TPM.
    case replaced = 12
    /// The TPM's owner has set an authorization value.
    case ownerAuthorization = 13
    /// The TPM refuses for another reason, or has failed.
    case failed = 14
    /// There is no counter.
    case noCounter = 15
    /// The passcode is bound to registers of the TPM, which have other values.
    case otherRegisters = 16
}

/// The other conditions of a passcode, if a TPM judges it.
package enum RegisterBinding: Hashable, Sendable {
    /// These registers have their current values.
    case to(PlatformRegisters)
    /// The registers of the earlier passcode have their current values.
    case asBefore(sealed: [UInt8])
}

/// The result of a passcode with the device key: the parts of the key that protects classes.
package struct PasscodeMaterial: Sendable {
    /// A: derived from the passcode alone.
    package let derived: Secret
    /// B: A through the device key.
    package let tangled: Secret
    /// E: the random value that the device key protects.
    package let entropy: Secret

    /// Combines the parts.
    package init(derived: Secret, tangled: Secret, entropy: Secret) {
        self.derived = derived
        self.tangled = tangled
        self.entropy = entropy
    }
}

/// The key that never leaves this device: in a file or in a TPM.
package protocol DeviceKey: AnyObject {
    /// Where it is stored.
    var maker: DeviceKeyMaker { get }

    /// HMAC-SHA-256 under the device key over the purpose and the input.
    /// - Returns: 32 bytes.
    func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret

    /// Makes and seals the random value of a new passcode.
    /// - Parameters:
    ///   - derived: A.
    ///   - context: The context; needed again to open it.
    ///   - attemptLimit: After this many wrong passcodes in a row it is never opened again, if the
    ///     device key can enforce that.
    ///   - binding: The other conditions, if a TPM judges it.
    /// - Returns: The parts, and 1 to 4096 bytes for the keybag.
    /// - Throws: when the device key is unreachable.
    func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8])

    /// Opens the result of `enrol`.
    /// - Throws: `wrongPasscode` only from a device key that judges passcodes itself.
    func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial

    /// The object outside the files for a result of `enrol`, if any.
    func index(of sealed: [UInt8], user: UInt32) -> HeldIndex?

    /// The counter, if it is outside the files.
    var counter: HeldIndex? { get }

    /// The binding of a result of `enrol`.
    func registers(of sealed: [UInt8]) -> PlatformRegisters

    /// A number that never decreases, which shows whether files are older than they should be.
    /// - Throws: `noCounter` when there is none.
    func readCounter() throws(DeviceKeyFailure) -> UInt64

    /// Increments the counter; when it returns, no earlier number is read any more.
    func incrementCounter() throws(DeviceKeyFailure)

    /// Begins to increment the counter, if that hasn't been done.
    /// - Parameters:
    ///   - number: The counter's value afterwards.
    ///   - isCertain: Whether it is known to be one below that value.
    /// - Returns: Whether it is done; otherwise the enclave is notified (`counted`) of the result.
    /// - Throws: when it isn't done and there will be no notification.
    func beginCounting(to number: UInt64, isCertain: Bool) throws(DeviceKeyFailure) -> Bool

    /// Makes a new counter, which replaces a lost one.
    func renewCounter() throws(DeviceKeyFailure)
}

extension DeviceKey {
    /// There is no other counter.
    package func renewCounter() throws(DeviceKeyFailure) { throw .noCounter }

    /// Done at once.
    package func beginCounting(
        to number: UInt64, isCertain: Bool
    ) throws(DeviceKeyFailure) -> Bool {
        let hasCounted = isCertain ? false : try readCounter() >= number
        if !hasCounted { try incrementCounter() }
        return true
    }

    /// All is in the files.
    package func index(of sealed: [UInt8], user: UInt32) -> HeldIndex? { nil }

    /// It is in a file.
    package var counter: HeldIndex? { nil }
}

/// A device key that seals bytes, and doesn't judge passcodes.
package protocol SealingDeviceKey: DeviceKey {
    /// Seals 32 random bytes so that only this device opens them.
    /// - Parameters:
    ///   - entropy: The bytes.
    ///   - context: The context; needed again to open them.
    /// - Returns: 1 to 4096 bytes, for the keybag.
    /// - Throws: when the device key is unreachable.
    func sealEntropy(
        _ entropy: borrowing SecretBytes, context: [UInt8]
    ) throws(DeviceKeyFailure) -> [UInt8]

    /// Opens the result of `sealEntropy`.
    func openEntropy(_ sealed: [UInt8], context: [UInt8]) throws(DeviceKeyFailure) -> Secret
}

extension SealingDeviceKey {
    /// Makes a random value and seals it.
    package func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8]) {
        if case .to(let registers) = binding, registers != .none { throw .failed }
        let entropy = Secret(.random(byteCount: Cryptography.keyByteCount))
        let sealed = try sealEntropy(entropy.bytes, context: context)
        let tangled = try tangle(.passcode, derived.bytes)
        return (PasscodeMaterial(derived: derived, tangled: tangled, entropy: entropy), sealed)
    }

    /// Opens the random value, for any passcode.
    package func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial {
        let entropy = try openEntropy(sealed, context: context)
        let tangled = try tangle(.passcode, derived.bytes)
        return PasscodeMaterial(derived: derived, tangled: tangled, entropy: entropy)
    }

    /// This device key has no registers.
    package func registers(of sealed: [UInt8]) -> PlatformRegisters { .none }
}
