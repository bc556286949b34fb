// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
package import SecretBytes
package import TPMClient

/// A device key that a TPM made and keeps.
///
/// An attacker with all files of the enclave can open nothing without this TPM. With it, each guess
/// at a passcode is an operation of the TPM, which counts the wrong ones.
package final class TPMDeviceKey: DeviceKey {
    private static let tangleLabel = [UInt8]("llavero.tpm.tangle.1".utf8)

    private let device: TPMDevice
    /// The index for the next `enrol`; nil: any.
    private let indexNumber: UInt32?

    /// Uses a device key.
    /// - Parameters:
    ///   - device: The device key.
    ///   - indexNumber: The index for the next `enrol`; nil: any.
    package init(_ device: TPMDevice, indexNumber: UInt32? = nil) {
        self.device = device
        self.indexNumber = indexNumber
    }

    /// The TPM's identity when the key was made.
    package var maker: DeviceKeyMaker { device.record.kind.maker }

    private static func input(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) -> Secret {
        let label = tangleLabel + [purpose.rawValue]
        return Secret(
            unsafe SecretBytes(byteCount: label.count + input.byteCount) { room in
                unsafe room.copyBytes(from: label)
                unsafe input.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[label.count...])
                        .copyMemory(from: source)
                }
            })
    }

    /// HMAC-SHA-256 inside the TPM.
    package func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret {
        let labelled = Self.input(purpose, input)
        do { return try device.authenticate(labelled) } catch { throw DeviceKeyFailure(error) }
    }

    /// Makes a random value that the TPM releases only for the right passcode.
    package func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8]) {
        let input = Self.input(.passcode, derived.bytes)
        do {
            let made = try device.enrol(
                input, context: context, attemptLimit: attemptLimit, TPMRegisterBinding(binding),
                number: indexNumber)
            return (PasscodeMaterial(derived, made.opened), made.sealed)
        } catch { throw DeviceKeyFailure(error) }
    }

    /// Asks the TPM for the random value.
    package func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial {
        let input = Self.input(.passcode, derived.bytes)
        do {
            return PasscodeMaterial(
                derived, try device.open(input, sealed: sealed, context: context))
        } catch { throw DeviceKeyFailure(error) }
    }

    /// The index without which the sealed bytes can't be opened.
    package func index(of sealed: [UInt8], user: UInt32) -> HeldIndex? {
        HeldIndex(guarding: sealed, user: user, device.record)
    }

    /// The TPM's counter.
    package var counter: HeldIndex? { HeldIndex(counterOf: device.record) }

    /// From the bytes themselves, without asking the TPM.
    package func registers(of sealed: [UInt8]) -> PlatformRegisters {
        PlatformRegisters(boundIn: sealed)
    }

    /// The TPM's counter; made now if that failed when the key was first used.
    package func readCounter() throws(DeviceKeyFailure) -> UInt64 {
        guard device.record.counterState != .none else { throw .noCounter }
        do {
            try device.makeCounter()
            return try device.readCounter()
        } catch { throw DeviceKeyFailure(error) }
    }

    /// Increments the counter in the TPM.
    package func incrementCounter() throws(DeviceKeyFailure) {
        guard device.record.counterState == .made else { throw .noCounter }
        do { try device.incrementCounter() } catch { throw DeviceKeyFailure(error) }
    }
}

extension PasscodeMaterial {
    fileprivate init(_ derived: Secret, _ opened: TPMOpenedEntropy) {
        self.init(derived: derived, tangled: opened.tangled, entropy: opened.entropy)
    }
}

extension TPMRegisterBinding {
    fileprivate init(_ binding: RegisterBinding) {
        switch binding {
        case .to(.none): self = .none
        case .to(let registers): self = .registers(mask: registers.mask)
        case .asBefore(let sealed): self = .asBefore(sealed: sealed)
        }
    }
}

extension HeldIndex {
    /// The index that protects a passcode's value; nil if no TPM sealed it.
    package init?(guarding sealed: [UInt8], user: UInt32, _ record: TPMRecord) {
        guard let entropy = try? TPMSealedEntropy(sealed) else { return nil }
        self.init(user: user, number: entropy.indexNumber, place: record.place)
    }

    /// The counter of a device key, if it has one.
    package init?(counterOf record: TPMRecord) {
        guard record.counterState != .none else { return nil }
        self.init(user: nil, number: record.counterNumber, place: record.place)
    }
}

extension TPMKind {
    /// For the status.
    package var maker: DeviceKeyMaker {
        switch self {
        case .software: .softwareTPM
        case .hardware: .tpm
        }
    }
}

extension DeviceKeyFailure {
    /// The device key failure for a TPM's failure.
    package init(_ failure: TPMFailure) {
        switch failure {
        case .gone: self = .gone
        case .timedOut: self = .timedOut
        case .garbage: self = .garbage
        case .busy: self = .busy
        case .full: self = .full
        case .lockout: self = .lockout
        case .otherDevice: self = .otherDevice
        case .wrongAuthorization: self = .wrongPasscode
        case .exhausted: self = .exhausted
        case .replaced: self = .replaced
        case .ownerAuthorization: self = .ownerAuthorization
        case .otherRegisters: self = .otherRegisters
        case .broken, .forgotten, .code: self = .failed
        }
    }
}

extension PlatformRegisters {
    /// The registers to which the passcode was bound when a TPM sealed this; otherwise none.
    package init(boundIn sealed: [UInt8]) {
        let entropy = try? TPMSealedEntropy(sealed)
        self = entropy.flatMap { PlatformRegisters(mask: $0.registerMask) } ?? .none
    }
}
