// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import TPMClient

/// `device.tpm` and `device.tpm.2`: the record of a device key in a TPM, twice.
package struct TPMRecordFiles {
    static let fileNames = [fileName, copyName]

    private static let fileName = "device.tpm"
    private static let copyName = "device.tpm.2"

    private let directory: StateDirectory

    /// In this directory.
    package init(_ directory: StateDirectory) { self.directory = directory }

    /// Whether there are any, even damaged ones.
    package func exist() throws(StateDirectoryError) -> Bool {
        let hasFirst = try directory.hasFile(Self.fileName)
        let hasCopy = try directory.hasFile(Self.copyName)
        return hasFirst || hasCopy
    }

    /// Reads the record; if one copy is missing or damaged, the other one replaces it.
    /// - Returns: Nil when there is none.
    /// - Throws: when there are files, and none is a record or the disk fails; of two intact ones
    ///   that differ, the first one is the later.
    package func read() throws(StateDirectoryError) -> TPMRecord? {
        let first = try directory.read(Self.fileName, limit: TPMRecord.byteCountLimit)
        let second = try directory.read(Self.copyName, limit: TPMRecord.byteCountLimit)
        guard first != nil || second != nil else { return nil }
        guard let record = first.flatMap(TPMRecord.init) ?? second.flatMap(TPMRecord.init) else {
            throw .damaged(file: Self.fileName)
        }
        for (name, found) in [(Self.fileName, first), (Self.copyName, second)]
        where found != record.bytes {
            try directory.write(name, record.bytes)
        }
        return record
    }

    /// Stores a record.
    package func write(_ record: [UInt8]) throws(StateDirectoryError) {
        try directory.apply([(Self.fileName, record), (Self.copyName, record)])
    }
}
