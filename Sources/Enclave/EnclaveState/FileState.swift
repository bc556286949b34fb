// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave

/// The enclave's records as files: `keybag.<user>`, `keybag.<user>.2`,
/// `attempts.<user>`, `escrow.<user>`, `anchor.<user>`, `protectors.<user>`,
/// `protectors.<user>.2`, `keychains.<user>`, `keychains.<user>.2`, `backup.<user>`,
/// `backup.<user>.2`, `binding` and `releases`.
package final class FileState: DurableState {
    private let directory: StateDirectory
    private let report: (StateDirectoryError) -> Void
    /// The users who have a keybag, even a damaged one; the sandbox forbids listing a directory.
    private var users: Set<UInt32>?

    /// Keeps the records in a directory.
    /// - Parameters:
    ///   - directory: The directory.
    ///   - report: Receives each error, for the log.
    package init(
        _ directory: StateDirectory, report: @escaping (StateDirectoryError) -> Void
    ) {
        self.directory = directory
        self.report = report
        users = try? directory.users(withFiles: FileDeviceKey.keybagPrefix)
    }

    /// Reads a record; nil when there is none.
    package func load(_ record: StateRecord) throws(DurableStateFailure) -> [UInt8]? {
        do {
            return try directory.read(record.fileName, limit: record.byteCountLimit)
        } catch {
            report(error)
            throw .notDone
        }
    }

    /// Makes the changes durable.
    package func apply(_ changes: [StateChange]) throws(DurableStateFailure) {
        do {
            try directory.apply(changes.map(\.file))
            for case .replace(.keybag(let user), _) in changes { users?.insert(user) }
        } catch {
            report(error)
            guard case .outcomeUnknown = error else { throw .notDone }
            throw .outcomeUnknown
        }
    }
}

extension FileState {
    /// Overwrites a part of a record in its place, with one sync.
    package func overwrite(
        _ record: StateRecord, byteCount: Int, at offset: Int, _ bytes: [UInt8]
    ) throws(DurableStateFailure) -> Bool {
        do {
            return try directory.overwrite(
                record.fileName, byteCount: byteCount, at: offset, bytes)
        } catch {
            report(error)
            guard case .outcomeUnknown = error else { throw .notDone }
            throw .outcomeUnknown
        }
    }
}

extension StateChange {
    /// The file's name, and its bytes; nil to delete the file.
    var file: (name: String, bytes: [UInt8]?) {
        switch self {
        case .replace(let record, let bytes): (record.fileName, bytes)
        case .remove(let record): (record.fileName, nil)
        }
    }
}

extension StateRecord {
    fileprivate var fileName: String {
        switch self {
        case .keybag(let user): FileDeviceKey.keybagPrefix + String(user)
        case .keybagCopy(let user): FileDeviceKey.keybagPrefix + "\(user).2"
        case .escrow(let user): "escrow.\(user)"
        case .anchor(let user): "anchor.\(user)"
        case .protectors(let user): "protectors.\(user)"
        case .protectorsCopy(let user): "protectors.\(user).2"
        case .keychains(let user): "keychains.\(user)"
        case .keychainsCopy(let user): "keychains.\(user).2"
        case .backup(let user): "backup.\(user)"
        case .backupCopy(let user): "backup.\(user).2"
        case .binding: "binding"
        case .releases: "releases"
        case .attempts(let user): FileDeviceKey.attemptsPrefix + String(user)
        }
    }

    fileprivate var byteCountLimit: Int {
        switch self {
        case .keybag, .keybagCopy, .binding: Keybag.byteCountLimit
        case .protectors, .protectorsCopy: 128 * 1024
        case .keychains, .keychainsCopy: KeychainList.byteCountLimit
        case .backup, .backupCopy: StoredBag.byteCountLimit
        case .attempts, .escrow, .anchor, .releases: 4096
        }
    }
}

extension FileState {
    /// The users who have a keybag.
    package func keybagOwners() throws(DurableStateFailure) -> Set<UInt32> {
        guard let users else { throw .notDone }
        return users
    }

    /// Replaces the device key and the records under it, in one step.
    package func put(
        _ new: NewDeviceKey, _ changes: [StateChange]
    ) throws(DurableStateFailure) {
        do {
            try DeviceKeyMove(directory).make(new, changes)
        } catch {
            report(error)
            guard case .outcomeUnknown = error else { throw .notDone }
            throw .outcomeUnknown
        }
    }
}
