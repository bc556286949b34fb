// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

extension EnclaveClient {
    /// The user's bag for backups; empty when no backup password is set.
    package mutating func backupBag(userID: UInt32) throws(EnclaveCallError) -> [UInt8] {
        guard case .bag(let bag) = try backup(.bag, userID) else { throw link.broken() }
        return bag
    }

    /// Makes a bag under a new password. When this returns it is on the disk.
    /// - Throws: as a passcode; `administratorNeeded` without a passcode for anybody but an
    ///   administrator.
    package mutating func setBackupPassword(
        letter: [UInt8], _ caller: BackupCaller, userID: UInt32
    ) throws(EnclaveCallError) {
        try finish(.setPassword(letter: letter, caller), userID)
    }

    /// Deletes the bag.
    /// - Throws: as ``setBackupPassword(letter:_:userID:)``; `wrongState` when there is
    ///   none.
    package mutating func removeBackupPassword(
        letter: [UInt8], _ caller: BackupCaller, userID: UInt32
    ) throws(EnclaveCallError) {
        try finish(.removePassword(letter: letter, caller), userID)
    }

    /// Wraps row keys to the bag: for each of 1 to 1024 heads of sealed secrets, 44 bytes each, gives 104
    /// bytes to put behind it, or none where that isn't possible now.
    package mutating func attach(
        _ heads: [[UInt8]], userID: UInt32
    ) throws(EnclaveCallError) -> [[UInt8]] {
        try wraps(.attach(heads), heads.count, userID)
    }

    /// The portable wraps of row keys: for each of 1 to 1024 heads of sealed secrets, with what is attached
    /// to it, gives 72 bytes, or none where that isn't possible now.
    package mutating func exportWraps(
        _ heads: [[UInt8]], userID: UInt32
    ) throws(EnclaveCallError) -> [[UInt8]] {
        try wraps(.export(heads), heads.count, userID)
    }

    /// Wraps a table key to the bag.
    /// - Returns: 104 bytes, or none where that isn't possible now.
    package mutating func attachKey(
        _ name: TableKeyName, wrapped: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        try wraps(.attachKey(name, wrapped: wrapped), 1, userID)[0]
    }

    /// The portable wrap of a table key.
    /// - Returns: 72 bytes, or none where that isn't possible now.
    package mutating func exportKey(
        _ name: TableKeyName, wrapped: [UInt8], attachment: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        try wraps(.exportKey(name, wrapped: wrapped, attachment: attachment), 1, userID)[0]
    }

    /// Makes the key of an archive.
    package mutating func makeArchive(
        userID: UInt32
    ) throws(EnclaveCallError) -> (keys: ArchiveKeys, key: Secret) {
        guard case .made(let keys, let key) = try backup(.makeArchive, userID) else {
            throw link.broken()
        }
        return (keys, key)
    }

    /// Opens an archive.
    /// - Throws: `locked` unless all classes are open; `wrongPasscode` for passcode and password;
    ///   `undecodable` when this device or this password isn't the archive's.
    package mutating func openArchive(
        _ keys: ArchiveKeys, letter: [UInt8], _ caller: BackupCaller, userID: UInt32
    ) throws(EnclaveCallError) -> (session: UInt32, key: Secret) {
        let request = BackupRequest.openArchive(keys, letter: letter, caller)
        guard case .opened(let session, let key) = try backup(request, userID) else {
            throw link.broken()
        }
        return (session, key)
    }

    /// Opens a table key of an open archive.
    package mutating func openArchivedKey(
        session: UInt32, _ name: TableKeyName, wrapped: [UInt8], portable: [UInt8], userID: UInt32
    ) throws(EnclaveCallError) -> Secret {
        let request = BackupRequest.openKey(
            session: session, name, wrapped: wrapped, portable: portable)
        guard case .openedKey(let key) = try backup(request, userID) else { throw link.broken() }
        return key
    }

    /// Seals secrets of an open archive for rows of this keychain.
    package mutating func restoreSecrets(
        session: UInt32, _ secrets: [ArchivedSecret], userID: UInt32
    ) throws(EnclaveCallError) -> [RestoredSecret] {
        guard
            case .restored(let restored) = try backup(.restore(session: session, secrets), userID),
            restored.count == secrets.count
        else { throw link.broken() }
        return restored
    }

    /// Forgets the keys of an archive.
    package mutating func closeArchive(
        session: UInt32, userID: UInt32
    ) throws(EnclaveCallError) { try finish(.closeArchive(session: session), userID) }

    private mutating func finish(
        _ request: BackupRequest, _ userID: UInt32
    ) throws(EnclaveCallError) {
        guard case .done = try backup(request, userID) else { throw link.broken() }
    }

    private mutating func wraps(
        _ request: BackupRequest, _ count: Int, _ userID: UInt32
    ) throws(EnclaveCallError) -> [[UInt8]] {
        guard case .wraps(let wraps) = try backup(request, userID), wraps.count == count else {
            throw link.broken()
        }
        return wraps
    }

    private mutating func backup(
        _ request: BackupRequest, _ userID: UInt32
    ) throws(EnclaveCallError) -> BackupReply {
        let milliseconds = request.derives ? Self.passcodeDeadlineMilliseconds : nil
        switch try call(.backup(request), userID: userID, milliseconds: milliseconds) {
        case .backup(let reply): return reply
        case let reply: throw link.unexpected(reply)
        }
    }
}

extension BackupRequest {
    /// Whether enclaved derives a key for it.
    fileprivate var derives: Bool {
        switch self {
        case .setPassword, .removePassword, .openArchive: true
        case .bag, .attach, .export, .attachKey, .exportKey, .makeArchive, .openKey, .restore,
            .closeArchive:
            false
        }
    }
}
