// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
package import Enclave
package import EnclaveWire
import Glibc
import IPC
import SecretBytes

/// Replaces the device key and the records under it. It first writes all new contents to one file
/// beside the old files. The move happens in one step: the rename of that file. The rest can be
/// repeated, however often it is interrupted.
///
/// Documentation/STORAGE.md has the layout.
package struct DeviceKeyMove {
    private static let magic = [UInt8]("LLMOVE1\0".utf8)
    private static let checkByteCount = 16
    private static let checkLabel = [UInt8]("llavero.device.move.1".utf8)
    private static let byteCountLimit = 256 * 1024

    private let directory: StateDirectory

    /// In this directory.
    package init(_ directory: StateDirectory) { self.directory = directory }

    private static func fileName(_ target: DeviceKeyTarget) -> String {
        switch target {
        case .file: "device.move.file"
        case .tpm: "device.move.tpm"
        }
    }

    /// The device key after an interrupted move is finished; it reads nothing.
    package func pending() throws(StateDirectoryError) -> DeviceKeyTarget? {
        for target in DeviceKeyTarget.allCases
        where try directory.hasFile(Self.fileName(target)) { return target }
        return nil
    }

    /// Makes a move.
    /// - Throws: `outcomeUnknown` when it may have happened, even partly: the next start finishes
    ///   it.
    package func make(
        _ new: NewDeviceKey, _ changes: [StateChange]
    ) throws(StateDirectoryError) {
        let records = changes.map { change in
            let (name, bytes) = change.file
            return File(name: name, bytes: bytes.map { Secret(SecretBytes(copying: $0)) })
        }
        let files = Self.files(new) + records
        let name = Self.fileName(new.target)
        do throws(StateDirectoryError) {
            // Everything that needs disk space is done before the rename.
            try directory.writeNew(name.temporary, Self.encode(files), mode: 0o600)
            for file in files { try prepare(file) }
            try directory.rename(name.temporary, name)
        } catch {
            directory.discard(name.temporary)
            for file in files { directory.discard(file.name.temporary) }
            throw error
        }
        try directory.synchronize(afterChanging: name)
        do throws(StateDirectoryError) {
            try replace(files)
            try directory.apply([(name, nil)])
        } catch {
            guard case .failed(let file, let reason) = error else { throw error }
            throw .outcomeUnknown(file: file, reason)
        }
    }

    /// Finishes an interrupted move.
    /// - Throws: `damaged` when it can't be read: nothing has changed then.
    package func finish(_ target: DeviceKeyTarget) throws(StateDirectoryError) {
        let name = Self.fileName(target)
        guard let bytes = try directory.readSecret(name, limit: Self.byteCountLimit),
            let files = Self.decode(bytes.bytes)
        else { throw .damaged(file: name) }
        for file in files { try prepare(file) }
        try replace(files)
        try directory.apply([(name, nil)])
    }

    private func prepare(_ file: File) throws(StateDirectoryError) {
        guard let bytes = file.bytes else { return }
        try directory.writeNew(file.name.temporary, bytes.bytes, mode: 0o600)
    }

    private func replace(_ files: [File]) throws(StateDirectoryError) {
        let old = files.compactMap { directory.openToOverwrite($0.name) }
        defer { for descriptor in old { close(descriptor) } }
        for file in files {
            if file.bytes == nil {
                try directory.remove(file.name)
            } else {
                try directory.rename(file.name.temporary, file.name)
            }
        }
        try directory.synchronize(afterChanging: ".")
        for descriptor in old { StateDirectory.overwrite(descriptor) }
    }
}

// MARK: - The file

extension DeviceKeyMove {
    /// A file's new content.
    private struct File {
        let name: String
        /// Nil: the file is deleted.
        let bytes: Secret?
    }

    private static func files(_ new: NewDeviceKey) -> [File] {
        let names = (key: FileDeviceKey.fileNames, record: TPMRecordFiles.fileNames)
        let gone: [String]
        let made: [File]
        switch new {
        case .file(let key):
            gone = names.record
            made = names.key.map { File(name: $0, bytes: Secret(FileDeviceKey.file(key))) }
        case .tpm(let record):
            gone = names.key
            made = names.record.map {
                File(name: $0, bytes: Secret(SecretBytes(copying: record)))
            }
        }
        return made + (gone + [FileCounter.fileName]).map { File(name: $0, bytes: nil) }
    }

    private static func isName(_ name: String) -> Bool {
        let prefixes = [
            FileDeviceKey.keybagPrefix, FileDeviceKey.attemptsPrefix, "escrow.", "anchor.",
            "protectors.", "binding", "releases",
        ]
        let names = FileDeviceKey.fileNames + TPMRecordFiles.fileNames + [FileCounter.fileName]
        return !name.contains("/")
            && (names.contains(name) || prefixes.contains { name.hasPrefix($0) })
    }

    /// `LLMOVE1` and a zero; u16 count; of each file u8 byte count and name, u8 1 and u32 byte count
    /// and bytes, or u8 0; the first 16 bytes of an HMAC over all that.
    private static func encode(_ files: [File]) -> SecretBytes {
        let heads = files.map { file in
            var head = ByteWriter()
            head.u8(UInt8(truncatingIfNeeded: file.name.utf8.count))
            head.bytes([UInt8](file.name.utf8))
            head.u8(file.bytes == nil ? 0 : 1)
            if let bytes = file.bytes { head.u32(UInt32(bytes.bytes.byteCount)) }
            return head.bytes
        }
        var count = ByteWriter()
        count.u16(UInt16(truncatingIfNeeded: files.count))
        let start = magic + count.bytes
        let byteCount = zip(heads, files).reduce(start.count) {
            $0 + $1.0.count + ($1.1.bytes?.bytes.byteCount ?? 0)
        }
        var content = unsafe SecretBytes(byteCount: byteCount + checkByteCount) { room in
            unsafe room.copyBytes(from: start)
            var offset = start.count
            for (head, file) in zip(heads, files) {
                unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset...])
                    .copyBytes(from: head)
                offset += head.count
                guard let bytes = file.bytes else { continue }
                unsafe bytes.bytes.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset...])
                        .copyMemory(from: source)
                }
                offset += bytes.bytes.byteCount
            }
        }
        let check = check(content.prefix(byteCount))
        unsafe content.withUnsafeMutableBytes { room in
            unsafe UnsafeMutableRawBufferPointer(rebasing: room[byteCount...])
                .copyBytes(from: check)
        }
        return content
    }

    /// Detects damage only: an attacker who can write here controls the directory.
    private static func check(_ content: borrowing SecretBytes) -> [UInt8] {
        [UInt8](
            Cryptography.authenticate(content, using: SymmetricKey(data: checkLabel))
                .prefix(checkByteCount))
    }

    private static func decode(_ content: borrowing SecretBytes) -> [File]? {
        let byteCount = content.byteCount - checkByteCount
        guard byteCount > magic.count else { return nil }
        let check = check(content.prefix(byteCount))
        return unsafe content.withUnsafeBytes { bytes in
            guard unsafe [UInt8](bytes[byteCount...]) == check else { return nil }
            var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
            return try? unsafe files(&reader)
        }
    }

    private static func files(_ reader: inout ByteReader) throws(DecodingFailure) -> [File] {
        guard try unsafe reader.array(magic.count) == magic else { throw DecodingFailure() }
        var files: [File] = []
        for _ in 0..<(try unsafe reader.u16()) {
            let byteCount = try unsafe Int(reader.u8())
            let name = String(decoding: try unsafe reader.array(byteCount), as: UTF8.self)
            guard isName(name) else { throw DecodingFailure() }
            switch try unsafe reader.u8() {
            case 0: files.append(File(name: name, bytes: nil))
            case 1:
                let byteCount = try unsafe Int(reader.u32())
                let bytes = unsafe SecretBytes(copying: try reader.bytes(byteCount))
                files.append(File(name: name, bytes: Secret(bytes)))
            case _: throw DecodingFailure()
            }
        }
        try unsafe reader.finish()
        return files
    }
}

extension NewDeviceKey {
    /// The maker of the device key.
    var target: DeviceKeyTarget {
        switch self {
        case .file: .file
        case .tpm: .tpm
        }
    }
}
