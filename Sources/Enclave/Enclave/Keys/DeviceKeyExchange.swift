// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import SecretBytes

/// A device key that is to take another one's place; nothing of it is on the disk yet.
package enum NewDeviceKey: Sendable {
    /// 32 random bytes, for a file.
    case file(Secret)
    /// The deriver has made it; this is to be kept of it.
    case tpm(record: [UInt8])
}

/// Puts another device key in the place of the present one.
package protocol DeviceKeyExchange: AnyObject {
    /// Whether there is something that could make such a key.
    func offers(_ target: DeviceKeyTarget) -> Bool

    /// The new key, for use.
    /// - Returns: Nothing for a record that isn't one.
    func deviceKey(_ new: NewDeviceKey) -> (any DeviceKey)?

    /// Makes the new key and the changes durable, in one step: a crash leaves the old key with the
    /// old records or the new key with the new ones.
    func put(_ new: NewDeviceKey, _ changes: [StateChange]) throws(DurableStateFailure)

    /// The new key is the device key from now on.
    func take(_ new: NewDeviceKey)

    /// The new key isn't used after all.
    /// - Parameters:
    ///   - new: It.
    ///   - sealed: What it has sealed, if anything.
    func giveUp(_ new: NewDeviceKey, sealed: [UInt8]?)

    /// Takes something out of the TPM, whatever the device key is: what it guarded never opens again.
    /// - Throws: when it may still be there; one that is gone is no failure.
    func release(_ index: HeldIndex) throws(DeviceKeyFailure)
}
