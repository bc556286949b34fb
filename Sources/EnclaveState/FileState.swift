// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave

/// The enclave's records as files: `keybag.<user>` and `attempts.<user>`.
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
            throw DurableStateFailure()
        }
    }

    /// Writes a record durably.
    package func store(_ record: StateRecord, _ bytes: [UInt8]) throws(DurableStateFailure) {
        do {
            try directory.write(record.fileName, bytes)
        } catch {
            report(error)
            throw DurableStateFailure()
        }
    }
}

extension StateRecord {
    fileprivate var fileName: String {
        switch self {
        case .keybag(let user): FileDeviceKey.keybagPrefix + String(user)
        case .attempts(let user): "attempts.\(user)"
        }
    }

    fileprivate var byteCountLimit: Int {
        switch self {
        case .keybag: Keybag.byteCountLimit
        case .attempts: 4096
        }
    }
}
