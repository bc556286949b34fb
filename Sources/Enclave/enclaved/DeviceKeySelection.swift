// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveState
import EnclaveWire
import Glibc
import PasscodeDeriver
import TPMClient

/// The device key that a directory has, or gets.
///
/// The existing files decide: no argument changes an old keychain's device key, and an unreachable
/// device key is never replaced.
struct DeviceKeySelection {
    /// The TPM, if one will be used; the child gets it.
    let tpm: OpenedTPM?
    private static let triesPerSecond = 10
    private let arguments: Arguments
    private let directory: StateDirectory
    private let hasFile: Bool
    /// A move to another device key was interrupted; its target counts as the existing key.
    private let pending: DeviceKeyTarget?

    /// Checks which files exist and opens the TPM, before the child is forked. It reads no file
    /// yet, because a child would share the pages with the content.
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
        // Also if the device key is in a file: it may later be moved to a TPM, and then the sandbox
        // forbids opening a path. No command is sent before.
        let isNeeded = hasRecord && !hasFile || pending == .tpm
        tpm = OpenedTPM(arguments.maker) ?? (isNeeded ? Self.wait(arguments) : nil)
    }

    /// At boot, this process may be earlier than the TPM's driver.
    /// - Returns: Nil when the time is over.
    private static func wait(_ arguments: Arguments) -> OpenedTPM? {
        guard arguments.tpmWaitSeconds > 0, arguments.maker != .file else { return nil }
        Console.say(
            "the TPM that has the device key isn't there yet: waiting for it for "
                + "\(arguments.tpmWaitSeconds) s")
        for _ in 0..<arguments.tpmWaitSeconds * triesPerSecond {
            usleep(UInt32(1_000_000 / triesPerSecond))
            if let tpm = OpenedTPM(arguments.maker) { return tpm }
        }
        Console.say(
            "the TPM hasn't come within \(arguments.tpmWaitSeconds) s: nothing can be opened until "
                + "the service is started again")
        return nil
    }

    /// Finds the device key, or makes it for a new directory.
    func deviceKey(
        _ deriver: DeriverConnection
    ) throws(StateDirectoryError) -> any DeviceKey {
        // A failed move leaves files with a keybag and its new key; delete them.
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
            // The child knows the record, so a TPM that becomes reachable is used.
            return RemoteDeviceKey(record, deriver, in: directory)
        }
        if next != record.bytes { try TPMRecordFiles(directory).write(next) }
        return RemoteDeviceKey(record, deriver, in: directory)
    }

    /// The record is on the disk before any lasting object is made in the TPM.
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
    /// Uses the key of a record in a directory.
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
