// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// Copies of all wrapped keys, in an append-only file beside the database: if a key's row is
/// damaged, no item is lost. A copy is durable before its key seals anything.
package final class KeyCopies: Sendable {
    private let path: String
    private let state: Mutex<[KeyCopy]>

    /// Some hundred thousand keys: no store has so many.
    private static let byteCountLimit = 32 << 20

    /// Reads the file; a missing or unreadable one has no copies.
    init(path: String) {
        self.path = path
        state = Mutex(Self.read(path))
    }

    /// The copies of a user's keys, in the order in which they were made.
    package func copies(userID: UInt32) -> [KeyCopy] {
        state.withLock { $0.filter { $0.userID == userID } }
    }

    /// The copies of a keychain's index keys, the newest first.
    package func indexKeys(
        userID: UInt32, keychain: UInt32 = KeychainNumber.login
    ) -> [KeyCopy] {
        copies(userID: userID).filter { $0.keyClass == nil && $0.keychain == keychain }
            .sorted { $0.generation > $1.generation }
    }

    /// The highest generation that has a copy; 0 if there is none.
    package func newestGeneration(
        userID: UInt32, keychain: UInt32 = KeychainNumber.login, keyClass: UInt8?
    ) -> UInt32 {
        copies(userID: userID).filter { $0.keyClass == keyClass && $0.keychain == keychain }
            .map(\.generation).max() ?? 0
    }

    /// How many of the given keys have no intact copy in the file now.
    package func missingCount(of keys: [StoredTableKey]) -> Int {
        let found = Set(Self.read(path).map(\.key))
        return keys.count { !found.contains($0) }
    }

    // MARK: - Writing

    /// Adds a copy. When this returns it is durable.
    /// - Throws: ``StoreError/full``, ``StoreError/readOnly`` or ``StoreError/inputOutput``; the copy
    ///   may be there then, and does no harm.
    package func add(_ copy: KeyCopy) throws(StoreError) {
        do throws(StoreError) {
            try append(copy.bytes)
            state.withLock { $0.append(copy) }
        } catch {
            let found = Self.read(path)
            state.withLock { $0 = found }
            throw error
        }
    }

    /// Adds copies of those keys that have none, such as those whose file was lost. If that fails, a
    /// check reports it.
    func complete(_ keys: [KeyCopy]) {
        for key in keys {
            let isKnown = state.withLock { $0.contains { $0.isNamed(as: key) } }
            guard !isKnown else { continue }
            do throws(StoreError) { try add(key) } catch { return }
        }
    }

    private func append(_ bytes: [UInt8]) throws(StoreError) {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let file = retrying { unsafe open(path, flags, 0o600) }
        guard file >= 0 else { throw .ofTheSystem() }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        guard size >= 0 else { throw .ofTheSystem() }
        // An incomplete copy after a crash is truncated, so that the next one is written at its
        // place.
        let whole = size - size % off_t(KeyCopy.byteCount)
        if whole != size {
            guard retrying({ ftruncate(file, whole) }) == 0 else { throw .ofTheSystem() }
        }
        let written = retrying { unsafe Int32(write(file, bytes, bytes.count)) }
        guard written == bytes.count else {
            let error = written < 0 ? StoreError.ofTheSystem() : .full
            _ = ftruncate(file, whole)
            throw error
        }
        guard retrying({ fsync(file) }) == 0 else { throw .ofTheSystem() }
        if size == 0 { try syncDirectory() }
    }

    private func syncDirectory() throws(StoreError) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let directory = retrying {
            unsafe open(String(path[..<end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard directory >= 0 else { throw .ofTheSystem() }
        defer { close(directory) }
        guard retrying({ fsync(directory) }) == 0 else { throw .ofTheSystem() }
    }

    /// Repeats a call that a signal interrupted.
    private func retrying(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    // MARK: - Reading

    private static func read(_ path: String) -> [KeyCopy] {
        var copies: [KeyCopy] = []
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return copies }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: KeyCopy.byteCount)
        for place in 0..<byteCountLimit / KeyCopy.byteCount {
            let offset = off_t(place * KeyCopy.byteCount)
            let count = unsafe pread(file, &bytes, bytes.count, offset)
            guard count == bytes.count else { return copies }
            if let copy = KeyCopy(bytes[...]) { copies.append(copy) }
        }
        return copies
    }
}

extension StoreError {
    /// The meaning of the last call's error.
    fileprivate static func ofTheSystem() -> StoreError {
        switch errno {
        case ENOSPC, EDQUOT: .full
        case EROFS, EACCES, EPERM: .readOnly
        default: .inputOutput
        }
    }
}
