// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import Glibc

/// The database file of a keychain: finds, checks and migrates it, then opens connections to it.
package struct ItemStore: Sendable {
    private let path: String
    private let readCheck: ReadCheck
    /// Where the database is.
    package let stateDirectory: String

    /// An event at opening that the owner should know of.
    package enum Notice: Equatable, Sendable {
        /// The database was damaged; it was kept under this name and a new one was made.
        case keptAside(String)
    }

    /// The findings at opening.
    package private(set) var notice: Notice?

    /// The name of a copy of the database's log, made because SQLite can't read all commits in it.
    package private(set) var keptLog: String?

    /// Copies of the wrapped keys that the database holds.
    package let keyCopies: KeyCopies

    private static let fileName = "keychain.db"

    /// Opens the database in a state directory, or makes it if there is none.
    ///
    /// A file that isn't a keychain database, or whose damage the integrity check confirms, is
    /// renamed (never deleted, and not changed) and a new one is made; ``notice`` then says so.
    /// - Parameters:
    ///   - stateDirectory: The directory, already checked to be private.
    ///   - timestamp: Becomes part of a kept file's name: `20260102T030405Z`.
    /// - Throws: ``StoreError/newerVersion`` without touching the file; other errors unchanged.
    package init(stateDirectory: String, timestamp: String) throws(StoreError) {
        self.stateDirectory = stateDirectory
        path = stateDirectory + "/" + Self.fileName
        readCheck = ReadCheck(path)
        keyCopies = KeyCopies(path: stateDirectory + "/keychain.keys")
        let existed = Self.exists(path)
        if WALScan.isDamaged(path + "-wal") { keptLog = keepLog(timestamp) }
        var verdict = IntegrityVerdict.sound
        do throws(StoreError) {
            if existed { try Recognition.check(path) }
            if existed && isMarked { verdict = integrity() }
            if verdict == .damaged { throw .damaged }
            try prepare()
        } catch {
            guard error == .damaged, existed else { throw error }
            guard isReadable() else { throw .inputOutput }
            notice = .keptAside(try keepAside(timestamp))
            try prepare()
        }
        // If this check has no result, the next start repeats it.
        if verdict != .unknown { removeMark() }
        keyCopies.complete((try? makeReader().keysToCopy()) ?? [])
    }

    /// A connection for one reading thread.
    package func makeReader() throws(StoreError) -> StoreReader { try StoreReader(path: path) }

    /// The connection that writes; there is only one.
    /// - Parameter keeper: Keeps the roots of the rows that it writes.
    /// - Returns: The connection.
    /// - Throws: ``StoreError`` when the database can't be opened.
    package func makeWriter(keeper: any RootKeeper) throws(StoreError) -> StoreWriter {
        try StoreWriter(path: path, keeper: keeper)
    }

    /// Whether each byte of the database and its log can be read.
    package func isReadable() -> Bool { readCheck.passes() }

    /// Records that SQLite reported damage, so that the next start checks the whole file.
    package func markDamaged() {
        let descriptor = unsafe open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    // MARK: - Opening

    private func prepare() throws(StoreError) {
        let queue = try StoreConnection.open(path, .writer)
        do {
            try Migrations.all.migrate(queue)
        } catch { throw StoreError(error) }
        guard unsafe chmod(path, 0o600) == 0 else { throw .inputOutput }
    }

    private func integrity() -> IntegrityVerdict {
        do {
            let queue = try StoreConnection.open(path, .reader)
            return queue.inDatabase { IntegrityVerdict(of: $0, at: path) }
        } catch { return error == .damaged ? .damaged : .unknown }
    }

    // MARK: - Damage

    private var mark: String { path + "-iscorrupt" }
    private var isMarked: Bool { Self.exists(mark) }

    private func removeMark() { unsafe unlink(mark) }

    /// Renames the database and its logs. All must be renamed: SQLite would take the old database's
    /// journal for the new one's.
    /// - Returns: The name of the kept file.
    private func keepAside(_ timestamp: String) throws(StoreError) -> String {
        let directory = String(path.dropLast(Self.fileName.count))
        var name = "\(Self.keptPrefix)\(timestamp).db"
        var number = 1
        while Self.exists(directory + name) {
            number += 1
            name = "\(Self.keptPrefix)\(timestamp)-\(number).db"
        }
        for suffix in ["", "-wal", "-shm", "-journal"] where Self.exists(path + suffix) {
            guard unsafe rename(path + suffix, directory + name + suffix) == 0 else {
                throw .inputOutput
            }
        }
        return name
    }

    /// Copies the log before SQLite drops the part that it can't read. An incomplete copy is
    /// discarded: the database still opens.
    /// - Returns: The copy's name.
    private func keepLog(_ timestamp: String) -> String? {
        let directory = String(path.dropLast(Self.fileName.count))
        let name = "\(Self.keptPrefix)\(timestamp)\(KeptFile.logAloneSuffix)"
        let source = unsafe open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { return nil }
        defer { close(source) }
        let target = unsafe open(
            directory + name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard target >= 0 else { return nil }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(source, &buffer, buffer.count)
            if count == 0, fsync(target) == 0 { return name }
            guard count > 0, unsafe write(target, buffer, count) == count else {
                _ = unsafe unlink(directory + name)
                return nil
            }
        }
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }
}
