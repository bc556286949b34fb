// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
package import SecretBytes

/// A device key that can't be used: each call throws the reason, and no replacement is made.
package final class UnavailableDeviceKey: DeviceKey {
    /// The device key that there should be.
    package let maker: DeviceKeyMaker
    private let reason: DeviceKeyFailure

    /// Throws the reason.
    package init(maker: DeviceKeyMaker, _ reason: DeviceKeyFailure) {
        self.maker = maker
        self.reason = reason
    }

    /// Throws the reason.
    package func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret { throw reason }

    /// Throws the reason.
    package func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8]) { throw reason }

    /// Throws the reason.
    package func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial { throw reason }

    /// This works without the key.
    package func registers(of sealed: [UInt8]) -> PlatformRegisters {
        PlatformRegisters(boundIn: sealed)
    }

    /// Throws the reason.
    package func readCounter() throws(DeviceKeyFailure) -> UInt64 { throw reason }

    /// Throws the reason.
    package func incrementCounter() throws(DeviceKeyFailure) { throw reason }
}
