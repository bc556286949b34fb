// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
package import SecretBytes

/// A device key that can't be had: each call says why, and nothing is made in its place.
package final class UnavailableDeviceKey: DeviceKey {
    /// Of the key that there should be.
    package let maker: DeviceKeyMaker
    private let reason: DeviceKeyFailure

    /// Says why.
    package init(maker: DeviceKeyMaker, _ reason: DeviceKeyFailure) {
        self.maker = maker
        self.reason = reason
    }

    /// Says why not.
    package func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret { throw reason }

    /// Says why not.
    package func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32, _ binding: RegisterBinding
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8]) { throw reason }

    /// Says why not.
    package func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial { throw reason }

    /// It can be told without the key.
    package func registers(of sealed: [UInt8]) -> PlatformRegisters {
        PlatformRegisters(boundIn: sealed)
    }

    /// Says why not.
    package func readCounter() throws(DeviceKeyFailure) -> UInt64 { throw reason }

    /// Says why not.
    package func incrementCounter() throws(DeviceKeyFailure) { throw reason }
}
