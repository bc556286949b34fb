// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave

/// The enclave's records as files: `keybag.<user>`, `keybag.<user>.2`,
/// `attempts.<user>`, `escrow.<user>` and `anchor.<user>`.
package final class FileState: DurableState {
    private let directory: StateDirectory
    private let report: (StateDirectoryError) -> Void

    /// Keeps the records in a directory.
    /// - Parameters:
    ///   - directory: The directory.
    ///   - report: Takes each error, for the log.
    package init(
        _ directory: StateDirectory, report: @escaping (StateDirectoryError) -> Void
    ) {
        self.directory = directory
        self.report = report
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
    fileprivate var file: (name: String, bytes: [UInt8]?) {
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
        case .attempts(let user): FileDeviceKey.attemptsPrefix + String(user)
        }
    }

    fileprivate var byteCountLimit: Int {
        switch self {
        case .keybag, .keybagCopy: Keybag.byteCountLimit
        case .attempts, .escrow, .anchor: 4096
        }
    }
}
