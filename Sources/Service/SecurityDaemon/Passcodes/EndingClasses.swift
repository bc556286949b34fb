// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import EnclaveWire
import Glibc
import IPC

/// Files that record which class keys the enclave will destroy. Each exists from before the request
/// to the enclave until the class's rows are deleted, so that the next start can finish after a
/// crash.
///
/// One file for each, `ending.USER.GENERATION`: its content is the 16 bytes of the keybag's UUID,
/// and its name has the keybag's generation at that time. The class is akpu, the only one that ends
/// with a passcode.
struct EndingClasses {
    /// A user's class key that will be destroyed.
    struct Note: Hashable, Sendable {
        let userID: UInt32
        /// The keybag with the key.
        let keybagUUID: [UInt8]
        let keybagGeneration: UInt32

        /// Whether the key has certainly been destroyed: a later generation of the same keybag has
        /// none. A keybag that is lost, or older, proves nothing.
        func hasHappened(_ status: EnclaveStatus) -> Bool {
            status.keybagUUID == keybagUUID && status.keybagGeneration > keybagGeneration
                && !status.existingClasses.contains(.akpu)
        }
    }

    private static let prefix = "ending."
    private static let byteCount = 16

    let directory: String

    private func path(_ note: Note) -> String {
        directory + "/" + Self.prefix + "\(note.userID).\(note.keybagGeneration)"
    }

    /// Makes a note durable.
    func begin(_ note: Note) throws(SystemError) {
        let path = path(note)
        unsafe unlink(path)
        let raw = unsafe llavero_open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw SystemError("open") }
        let file = Descriptor(owning: raw)
        do throws(SystemError) {
            try AuditFiles.write(note.keybagUUID, to: file, at: 0)
            try AuditFiles.synchronize(file)
            try AuditFiles.synchronizeDirectory(directory)
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    /// Deletes a note. If a power cut brings it back, that is harmless.
    func end(_ note: Note) { unsafe unlink(path(note)) }

    /// The existing notes. An invalid file is deleted: it is incomplete, so nothing was destroyed.
    /// One that can't be read now stays.
    /// - Returns: The notes, and whether these are all.
    func notes() -> (notes: [Note], areAll: Bool) {
        guard let stream = unsafe opendir(directory) else { return ([], false) }
        defer { unsafe closedir(stream) }
        var notes: [Note] = []
        var areAll = true
        while let entry = unsafe llavero_next_entry_name(UnsafeMutableRawPointer(stream)) {
            let name = unsafe String(cString: entry)
            guard name.hasPrefix(Self.prefix) else { continue }
            do throws(SystemError) {
                if let note = try note(name) {
                    notes.append(note)
                } else {
                    unsafe unlink(directory + "/" + name)
                }
            } catch { areAll = false }
        }
        return (notes, areAll)
    }

    /// - Returns: Nil for an invalid file.
    private func note(_ name: String) throws(SystemError) -> Note? {
        let numbers = name.dropFirst(Self.prefix.count).split(separator: ".").compactMap {
            UInt32($0)
        }
        guard numbers.count == 2 else { return nil }
        let raw = unsafe llavero_open(
            directory + "/" + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        guard raw >= 0 else { throw SystemError("open") }
        let file = Descriptor(owning: raw)
        let uuid = try AuditFiles.contents(file)
        guard uuid.count == Self.byteCount else { return nil }
        return Note(userID: numbers[0], keybagUUID: uuid, keybagGeneration: numbers[1])
    }
}
