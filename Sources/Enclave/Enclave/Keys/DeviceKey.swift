// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import SecretBytes

/// What a derivation with the device key is for; part of its input, so that one can't stand in for
/// another.
package enum TanglePurpose: UInt8, CaseIterable, Sendable {
    /// The root of the keys that protect a user's keybag without a passcode.
    case keybag = 1
    /// Tying a passcode's derived key to this device.
    case passcode = 2
    /// Tying an escrow record's key to this device.
    case escrow = 3
    /// The key of what is kept of the counter.
    case binding = 4
}

/// Why the device key doesn't do what was asked; the numbers are those of the messages between
/// enclaved and its child.
package enum DeviceKeyFailure: UInt8, Error, CaseIterable, Sendable {
    /// What it is to open isn't its, or is damaged.
    case refused = 1
    /// It judges passcodes itself, and this isn't the one; it has counted that.
    case wrongPasscode = 2
    /// It has counted too many wrong passcodes: it opens nothing any more.
    case exhausted = 3
    /// The TPM isn't there.
    case absent = 4
    /// The connection to the TPM ended.
    case gone = 5
    /// The TPM doesn't answer in time.
    case timedOut = 6
    /// The TPM gives answers that are none.
    case garbage = 7
    /// The TPM has other things to do.
    case busy = 8
    /// The TPM has no room for another object, session or index.
    case full = 9
    /// The TPM refuses protected objects for a while: too many wrong tries by anybody.
    case lockout = 10
    /// It is another TPM, or one that has been cleared.
    case otherDevice = 11
    /// What is to be opened was sealed for an earlier passcode, or its index is gone from the TPM.
    case replaced = 12
    /// The TPM's owner has set an authorization value.
    case ownerAuthorization = 13
    /// The TPM refuses for another reason, or has failed.
    case failed = 14
    /// There is no counter.
    case noCounter = 15
    /// The passcode is bound to registers of the TPM, which hold something else.
    case otherRegisters = 16
}

/// What a passcode depends on besides itself, where a TPM judges it.
package enum RegisterBinding: Hashable, Sendable {
    /// These registers hold what they hold now.
    case to(PlatformRegisters)
    /// Those of an earlier passcode hold what they hold now.
    case asBefore(sealed: [UInt8])
}

/// What comes of a passcode with the device key: the parts of the key that protects classes.
package struct PasscodeMaterial: Sendable {
    /// A: derived from the passcode alone.
    package let derived: Secret
    /// B: A through the device key.
    package let tangled: Secret
    /// E: the random value that the device key keeps.
    package let entropy: Secret

    /// Puts the parts together.
    package init(derived: Secret, tangled: Secret, entropy: Secret) {
        self.derived = derived
        self.tangled = tangled
        self.entropy = entropy
    }
}

/// The key that never leaves this device: a file's or a TPM's.
package protocol DeviceKey: AnyObject {
    /// What keeps it.
    var maker: DeviceKeyMaker { get }

    /// HMAC-SHA-256 under the device key over the purpose and the input.
    /// - Returns: 32 bytes.
    func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret

    /// Makes and seals the random value of a new passcode.
    /// - Parameters:
    ///   - derived: A.
    ///   - context: What it belongs to; needed again to open it.
    ///   - attemptLimit: After so many wrong passcodes in a row it is never opened again, if the device
    ///     key can see to that.
    ///   - binding: What else it depends on, where a TPM judges it.
    /// - Returns: The parts, and 1 to 4096 bytes for the keybag.
    /// - Throws: when the device key is out of reach.
    func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8])

    /// Opens what `enrol` gave.
    /// - Throws: `wrongPasscode` only from a device key that tells it by itself.
    func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial

    /// What is kept outside the files for what `enrol` gave, if anything.
    func index(of sealed: [UInt8], user: UInt32) -> HeldIndex?

    /// The counter, where that is kept outside the files.
    var counter: HeldIndex? { get }

    /// What `enrol` has bound it to.
    func registers(of sealed: [UInt8]) -> PlatformRegisters

    /// A number that never goes back, for whoever has to tell that files are older than they should be.
    /// - Throws: `noCounter` when there is none.
    func readCounter() throws(DeviceKeyFailure) -> UInt64

    /// Counts up; when it returns, no earlier number is read any more.
    func incrementCounter() throws(DeviceKeyFailure)

    /// Begins to count up by one, if that hasn't been done.
    /// - Parameters:
    ///   - number: What the counter is to stand at.
    ///   - isCertain: Whether it is known to stand just before it.
    /// - Returns: Whether it is done; else the enclave is told (`counted`) once it is, or isn't.
    /// - Throws: when it isn't done and nobody is told of it.
    func beginCounting(to number: UInt64, isCertain: Bool) throws(DeviceKeyFailure) -> Bool

    /// Has another counter, in the place of one that is gone.
    func renewCounter() throws(DeviceKeyFailure)
}

extension DeviceKey {
    /// There is no other one.
    package func renewCounter() throws(DeviceKeyFailure) { throw .noCounter }

    /// At once.
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

/// A device key that seals bytes, and knows nothing of passcodes.
package protocol SealingDeviceKey: DeviceKey {
    /// Seals 32 random bytes so that this device alone opens them.
    /// - Parameters:
    ///   - entropy: The bytes.
    ///   - context: What they belong to; needed again to open them.
    /// - Returns: 1 to 4096 bytes, for the keybag.
    /// - Throws: when the device key is out of reach.
    func sealEntropy(
        _ entropy: borrowing SecretBytes, context: [UInt8]
    ) throws(DeviceKeyFailure) -> [UInt8]

    /// Opens what `sealEntropy` gave.
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

    /// Nothing judges registers here.
    package func registers(of sealed: [UInt8]) -> PlatformRegisters { .none }
}
