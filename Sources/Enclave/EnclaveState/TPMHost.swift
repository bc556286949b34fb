// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import TPMClient

/// A TPM, and its device key: the part of the process that talks to the TPM.
package final class TPMHost {
    private let connection: TPMConnection
    private let isShared: Bool
    private let mayBeHardware: Bool
    private var device: TPMDevice?
    /// Made, but not used yet.
    private var next: TPMDevice?

    /// Uses a TPM.
    /// - Parameters:
    ///   - connection: The TPM.
    ///   - isShared: Whether a resource manager separates its clients.
    ///   - mayBeHardware: False for a socket, which never leads to a chip.
    package init(_ connection: TPMConnection, isShared: Bool, mayBeHardware: Bool) {
        self.connection = connection
        self.isShared = isShared
        self.mayBeHardware = mayBeHardware
    }

    /// The device key; nil before it was made or named.
    package func deviceKey(indexNumber: UInt32?) -> (any DeviceKey)? {
        device.map { TPMDeviceKey($0, indexNumber: indexNumber) }
    }

    /// Makes a device key.
    package func make(hasCounter: Bool) throws(DeviceKeyFailure) -> [UInt8] {
        do throws(TPMFailure) {
            let made = try TPMDevice.make(
                connection, isShared: isShared, mayBeHardware: mayBeHardware,
                hasCounter: hasCounter)
            device = made
            return made.record.bytes
        } catch { throw DeviceKeyFailure(error) }
    }

    /// Uses the device key with this record.
    package func use(_ record: [UInt8]) throws(DeviceKeyFailure) -> [UInt8] {
        guard let kept = TPMRecord(record) else { throw .refused }
        let named = TPMDevice(kept, connection, isShared: isShared)
        // A TPM that is unreachable now may be reachable at the next request.
        device = named
        do throws(TPMFailure) {
            try named.check()
            try named.makeCounter()
            return named.record.bytes
        } catch { throw DeviceKeyFailure(error) }
    }

    /// The counter isn't used any more.
    package func removeCounter() throws(DeviceKeyFailure) {
        guard let device, device.record.counterState == .made else { return }
        do throws(TPMFailure) { try device.removeCounter() } catch {
            throw DeviceKeyFailure(error)
        }
    }
}

extension TPMHost {
    /// Makes a new counter, which replaces a lost one.
    package func renewCounter() throws(DeviceKeyFailure) -> [UInt8] {
        guard let device else { throw .absent }
        do throws(TPMFailure) {
            try device.renewCounter()
            return device.record.bytes
        } catch { throw DeviceKeyFailure(error) }
    }
}

// MARK: - Another device key

extension TPMHost {
    /// Makes a second device key beside the current one.
    package func makeNext(
        counterNumber: UInt32?, indexNumber: UInt32
    ) throws(DeviceKeyFailure) -> (record: [UInt8], key: any DeviceKey) {
        do throws(TPMFailure) {
            let made = try TPMDevice.make(
                connection, isShared: isShared, mayBeHardware: mayBeHardware,
                hasCounter: counterNumber != nil, counterNumber: counterNumber)
            next = made
            try made.makeCounter()
            return (made.record.bytes, TPMDeviceKey(made, indexNumber: indexNumber))
        } catch { throw DeviceKeyFailure(error) }
    }

    /// From now on the new device key is used.
    package func takeNext() throws(DeviceKeyFailure) {
        guard let next else { throw .absent }
        device = next
        self.next = nil
    }

    /// The new device key will not be used. Objects that can't be deleted now are on the list of
    /// objects to delete.
    package func giveUpNext(releasing sealed: [UInt8]) {
        guard let next else { return }
        self.next = nil
        if !sealed.isEmpty { try? next.release(sealed) }
        // Its index may exist, even if nothing is known of it.
        if next.record.counterState != .none { try? next.removeCounter() }
    }

    /// The current device key isn't used any more.
    package func retire() { device = nil }

    /// Deletes an index, whatever the device key is.
    package func release(_ index: HeldIndex) throws(DeviceKeyFailure) {
        let place = index.place == HeldIndex.anywhere ? nil : index.place
        do throws(TPMFailure) {
            if let device, place == nil || place == device.record.place {
                try device.release(indexNumber: index.number)
            } else {
                try TPMDevice.release(
                    indexNumber: index.number, place: place, connection, isShared: isShared)
            }
        } catch { throw DeviceKeyFailure(error) }
    }
}
