// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import TPMClient

/// A TPM, and the device key in it: what the process has that speaks with the TPM.
package final class TPMHost {
    private let connection: TPMConnection
    private let isShared: Bool
    private let mayBeHardware: Bool
    private var device: TPMDevice?
    /// Made, and not yet used.
    private var next: TPMDevice?

    /// Uses a TPM.
    /// - Parameters:
    ///   - connection: The TPM.
    ///   - isShared: Whether a resource manager keeps its clients apart.
    ///   - mayBeHardware: False for a socket: no chip is at the end of one.
    package init(_ connection: TPMConnection, isShared: Bool, mayBeHardware: Bool) {
        self.connection = connection
        self.isShared = isShared
        self.mayBeHardware = mayBeHardware
    }

    /// The device key; none before it was made or named.
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

    /// Uses the device key of which this was kept.
    package func use(_ record: [UInt8]) throws(DeviceKeyFailure) -> [UInt8] {
        guard let kept = TPMRecord(record) else { throw .refused }
        let named = TPMDevice(kept, connection, isShared: isShared)
        // A TPM that is out of reach now may be there at the next request.
        device = named
        do throws(TPMFailure) {
            try named.check()
            try named.makeCounter()
            return named.record.bytes
        } catch { throw DeviceKeyFailure(error) }
    }

    /// There is nothing to count any more.
    package func removeCounter() throws(DeviceKeyFailure) {
        guard let device, device.record.counterState == .made else { return }
        do throws(TPMFailure) { try device.removeCounter() } catch {
            throw DeviceKeyFailure(error)
        }
    }
}

extension TPMHost {
    /// Makes another counter in the place of one that is gone.
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
    /// Makes a device key beside the one that is used.
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

    /// The one that was made last is used from now on.
    package func takeNext() throws(DeviceKeyFailure) {
        guard let next else { throw .absent }
        device = next
        self.next = nil
    }

    /// The one that was made last isn't used. What can't be removed now is on the list of what is to
    /// be released.
    package func giveUpNext(releasing sealed: [UInt8]) {
        guard let next else { return }
        self.next = nil
        if !sealed.isEmpty { try? next.release(sealed) }
        // Its index may be there, whatever is known.
        if next.record.counterState != .none { try? next.removeCounter() }
    }

    /// The one that is used isn't any more.
    package func retire() { device = nil }

    /// Takes an index away, whatever the device key is.
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
