// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import EnclaveWire
import Glibc
import IPC

/// Notes on the disk of class keys that the enclave is about to destroy, from before it is asked
/// until the rows of the class are deleted: a crash in between is made up for at the next start.
///
/// One file for each, `ending.USER.GENERATION`: the 16 bytes of the keybag's UUID, and in its name the
/// keybag's generation at that moment. The class is akpu; it alone ends with a passcode.
struct EndingClasses {
    /// A class key of a user that is about to be destroyed.
    struct Note: Hashable, Sendable {
        let userID: UInt32
        /// The keybag that has the key.
        let keybagUUID: [UInt8]
        let keybagGeneration: UInt32

        /// Whether the key has been destroyed, beyond doubt: a later form of the same keybag has none.
        /// A keybag that was lost, or is older, proves nothing.
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

    /// Takes a note away. One that comes back, because the power went, does no harm.
    func end(_ note: Note) { unsafe unlink(path(note)) }

    /// The notes that are there. A file that is none is taken away: it wasn't finished, so nothing
    /// was destroyed. One that can't be read now stays.
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

    /// - Returns: Nil for a file that is no note.
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
