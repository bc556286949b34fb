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
}

/// The device key doesn't do what was asked: it is out of reach, or what it is to open isn't its.
package struct DeviceKeyFailure: Error, Equatable, Sendable {
    /// Makes the error.
    package init() {}
}

/// The key that never leaves this device: a file's, or later a TPM's.
package protocol DeviceKey: AnyObject {
    /// What keeps it.
    var maker: DeviceKeyMaker { get }

    /// HMAC-SHA-256 under the device key over the purpose and the input.
    /// - Returns: 32 bytes.
    func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret

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
