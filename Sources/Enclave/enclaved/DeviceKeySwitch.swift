// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveState
import EnclaveWire
import PasscodeDeriver
import TPMClient

/// Device keys that replace the directory's current one.
final class DeviceKeySwitch: DeviceKeyExchange {
    private let directory: StateDirectory
    private let state: FileState
    private let deriver: DeriverConnection
    private let hasTPM: Bool

    init(
        _ directory: StateDirectory, _ state: FileState, _ deriver: DeriverConnection, hasTPM: Bool
    ) {
        self.directory = directory
        self.state = state
        self.deriver = deriver
        self.hasTPM = hasTPM
    }

    func offers(_ target: DeviceKeyTarget) -> Bool { target == .file || hasTPM }

    func deviceKey(_ new: NewDeviceKey) -> (any DeviceKey)? {
        switch new {
        case .file(let key): FileDeviceKey(directory, new: key)
        case .tpm(let record):
            TPMRecord(record).map { RemoteDeviceKey($0, deriver, in: directory) }
        }
    }

    func put(_ new: NewDeviceKey, _ changes: [StateChange]) throws(DurableStateFailure) {
        try state.put(new, changes)
    }

    /// This fails only without the child, and then the process ends anyway.
    func take(_ new: NewDeviceKey) {
        switch new {
        case .tpm: try? deriver.takeNext()
        case .file: if hasTPM { try? deriver.retire() }
        }
    }

    func giveUp(_ new: NewDeviceKey, sealed: [UInt8]?) {
        guard case .tpm = new else { return }
        try? deriver.giveUpNext(releasing: sealed)
    }

    func release(_ index: HeldIndex) throws(DeviceKeyFailure) {
        guard hasTPM else { throw .absent }
        try deriver.release(index)
    }
}
