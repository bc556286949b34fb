// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveState
import EnclaveWire
import PasscodeDeriver
import TPMClient

/// Which device key a directory has, or gets.
///
/// What is there decides: no argument makes an old keychain's device key another one, and no device
/// key is made in the place of one that is out of reach.
struct DeviceKeySelection {
    /// The TPM, if one is to be used; the child's.
    let tpm: OpenedTPM?
    private let arguments: Arguments
    private let directory: StateDirectory
    private let hasFile: Bool
    /// A move to another device key was cut off; what it comes to is as good as there.
    private let pending: DeviceKeyTarget?

    /// Looks what there is and opens the TPM, before the child is forked: no file is read yet, since
    /// what is read lies in pages that a child would share.
    init(_ arguments: Arguments, _ directory: StateDirectory) throws(StateDirectoryError) {
        self.arguments = arguments
        self.directory = directory
        pending = try DeviceKeyMove(directory).pending()
        let hasKey = try FileDeviceKey.exists(in: directory)
        let hasRecord = try TPMRecordFiles(directory).exist()
        guard !hasRecord || !hasKey || pending != nil else {
            throw .differ(file: "device.key", copy: "device.tpm")
        }
        hasFile = pending.map { $0 == .file } ?? hasKey
        // Also where the device key is a file: it may be moved to a TPM, and no path leads out of the
        // sandbox then. Nothing is sent before.
        tpm = OpenedTPM(arguments.maker)
    }

    /// Finds the device key, or makes it for a directory that is new.
    func deviceKey(
        _ deriver: DeriverConnection
    ) throws(StateDirectoryError) -> any DeviceKey {
        // What a move that came to nothing has left is a keybag under a key beside it.
        try directory.discardUnfinished()
        if let pending {
            try DeviceKeyMove(directory).finish(pending)
            Console.say("the move to another device key is finished that was cut off")
        }
        if hasFile { return try FileDeviceKey(directory) }
        if let record = try TPMRecordFiles(directory).read() { return try kept(record, deriver) }
        switch (arguments.maker, tpm) {
        case (.file, _), (.automatic, nil):
            return try FileDeviceKey(directory)
        case (.tpm, nil), (.socket, nil):
            return try unavailable(.tpm, .absent)
        case (.automatic, _?), (.tpm, _?), (.socket, _?):
            return try made(deriver)
        }
    }

    private func kept(
        _ record: TPMRecord, _ deriver: DeriverConnection
    ) throws(StateDirectoryError) -> any DeviceKey {
        guard tpm != nil else { return try unavailable(record.kind.maker, .absent) }
        let next: [UInt8]
        do throws(DeviceKeyFailure) {
            next = try deriver.useDeviceKey(record.bytes)
        } catch {
            say(error)
            // The child knows the record: a TPM that comes to itself is used.
            return RemoteDeviceKey(record, deriver, in: directory)
        }
        if next != record.bytes { try TPMRecordFiles(directory).write(next) }
        return RemoteDeviceKey(record, deriver, in: directory)
    }

    /// The record is on the disk before anything of it is in the TPM that would stay there.
    private func made(
        _ deriver: DeriverConnection
    ) throws(StateDirectoryError) -> any DeviceKey {
        try FileDeviceKey.refuseWhereKeybagsAre(directory)
        let first: [UInt8]
        do throws(DeviceKeyFailure) {
            first = try deriver.makeDeviceKey(hasCounter: !arguments.isEphemeral)
        } catch {
            say(error)
            guard arguments.maker == .automatic else {
                return UnavailableDeviceKey(maker: .tpm, error)
            }
            Console.say("the device key is a file instead")
            return try FileDeviceKey(directory)
        }
        guard let record = TPMRecord(first) else { return try unavailable(.tpm, .garbage) }
        try TPMRecordFiles(directory).write(first)
        return try kept(record, deriver)
    }

    private func unavailable(
        _ maker: DeviceKeyMaker, _ reason: DeviceKeyFailure
    ) throws(StateDirectoryError) -> any DeviceKey {
        say(reason)
        return UnavailableDeviceKey(maker: maker, reason)
    }

    private func say(_ failure: DeviceKeyFailure) {
        Console.say("the device key can't be used: \(Console.words(failure))")
    }
}

extension RemoteDeviceKey {
    /// Uses the key of a record that lies in a directory.
    convenience init(
        _ record: TPMRecord, _ deriver: DeriverConnection, in directory: StateDirectory
    ) {
        var kept = record
        func index(of sealed: [UInt8]?, _ user: UInt32?) -> HeldIndex? {
            guard let sealed, let user else { return HeldIndex(counterOf: kept) }
            return HeldIndex(guarding: sealed, user: user, kept)
        }
        self.init(
            maker: record.kind.maker, deriver, registersOf: PlatformRegisters.init(boundIn:),
            indexOf: index
        ) { (next) throws(DeviceKeyFailure) in
            do throws(StateDirectoryError) {
                try TPMRecordFiles(directory).write(next)
                kept = TPMRecord(next) ?? kept
            } catch {
                Console.say("\(error)")
                throw .failed
            }
        }
    }
}
