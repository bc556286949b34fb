// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire
package import SecretBytes

/// A device key that will replace another one; none of it is on the disk yet.
package enum NewDeviceKey: Sendable {
    /// 32 random bytes, for a file.
    case file(Secret)
    /// The deriver has made it; this is its record.
    case tpm(record: [UInt8])
}

/// Replaces the device key.
package protocol DeviceKeyExchange: AnyObject {
    /// Whether such a key can be made.
    func offers(_ target: DeviceKeyTarget) -> Bool

    /// The new key, for use.
    /// - Returns: Nil for an invalid record.
    func deviceKey(_ new: NewDeviceKey) -> (any DeviceKey)?

    /// Makes the new key and the changes durable, in one step: a crash leaves the old key with the
    /// old records or the new key with the new ones.
    func put(_ new: NewDeviceKey, _ changes: [StateChange]) throws(DurableStateFailure)

    /// From now on the new key is the device key.
    func take(_ new: NewDeviceKey)

    /// The new key will not be used.
    /// - Parameters:
    ///   - new: The new key.
    ///   - sealed: The bytes that it has sealed, if any.
    func giveUp(_ new: NewDeviceKey, sealed: [UInt8]?)

    /// Deletes an object from the TPM, whatever the device key is: the bytes that it protected can
    /// never be opened again.
    /// - Throws: when it may still exist; a missing one is no failure.
    func release(_ index: HeldIndex) throws(DeviceKeyFailure)
}
