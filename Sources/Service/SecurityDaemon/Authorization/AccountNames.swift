// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Synchronization

/// The accounts that users' keybags were made for: a number and the name that it had then.
///
/// If the number has another name later, or none, it is another account, and the share of the first
/// one is closed to it. A new account with the same number and the same name isn't told apart. The
/// names are a user's file each, beside the database (STORAGE.md, "Accounts").
package final class AccountNames: Sendable {
    /// What a file says.
    private enum Record: Equatable {
        /// No keybag was made since there are these files.
        case none
        /// It can't be read now: nobody is refused for that.
        case unreadable
        /// Empty: the number had no name.
        case name(String)
    }

    private static let head = "llavero account 1\n"
    /// Of a name that useradd(8) makes: 32. More than that is no name.
    private static let byteLimit = 256
    /// How many are kept in memory.
    private static let capacity = 4096

    private let directory: String
    private let accounts: Accounts
    private let known = Mutex<[UInt32: Record]>([:])

    /// - Parameters:
    ///   - directory: The state directory.
    ///   - accounts: The names that numbers have now.
    package init(directory: String, accounts: Accounts) {
        self.directory = directory
        self.accounts = accounts
    }

    /// Whether a user is the account that the keybag was made for, as far as that is known.
    package func admits(_ userID: UInt32) -> Bool {
        guard case .name(let name) = record(userID) else { return true }
        // An account that was made a moment ago isn't shut out by an older list.
        return accounts.names(of: userID).map { Self.isSame(name, $0) } ?? true
            || accounts.names(of: userID, now: true).map { Self.isSame(name, $0) } ?? true
    }

    private static func isSame(_ name: String, _ names: [String]) -> Bool {
        name.isEmpty ? names.isEmpty : names.contains(name)
    }

    /// Records a user's present name, unless there is a record.
    package func note(_ userID: UInt32) {
        guard record(userID) == .none, let names = accounts.names(of: userID, now: true) else {
            return
        }
        // Without it, the account isn't compared until the next request that stores something.
        _ = write(names.sorted().first ?? "", userID)
    }

    /// Records the present name, whatever was recorded.
    /// - Returns: False when that can't be made durable.
    func rename(_ userID: UInt32) -> Bool {
        guard let names = accounts.names(of: userID, now: true) else { return false }
        return write(names.sorted().first ?? "", userID)
    }

    /// Forgets a user.
    func forget(_ userID: UInt32) {
        known.withLock { $0[userID] = nil }
        _ = unsafe unlink(path(userID))
    }

    // MARK: - Files

    private func path(_ userID: UInt32) -> String { "\(directory)/account.\(userID)" }

    private func record(_ userID: UInt32) -> Record {
        if let record = known.withLock({ $0[userID] }) { return record }
        let record = read(userID)
        if record != .unreadable { keep(record, userID) }
        return record
    }

    private func keep(_ record: Record, _ userID: UInt32) {
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[userID] = record
        }
    }

    private func read(_ userID: UInt32) -> Record {
        let raw = unsafe llavero_open(
            path(userID), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard raw >= 0 else { return errno == ENOENT ? .none : .unreadable }
        let file = Descriptor(owning: raw)
        guard let bytes = try? AuditFiles.contents(file) else { return .unreadable }
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.count <= Self.byteLimit, text.hasPrefix(Self.head), text.hasSuffix("\n") else {
            // A crash before it was complete: the next request that stores something writes it.
            return .none
        }
        return .name(String(text.dropFirst(Self.head.count).dropLast()))
    }

    /// Replaces the file as a whole.
    private func write(_ name: String, _ userID: UInt32) -> Bool {
        let new = path(userID) + ".new"
        _ = unsafe unlink(new)
        let raw = unsafe llavero_open(
            new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard raw >= 0 else { return false }
        let file = Descriptor(owning: raw)
        do throws(SystemError) {
            try AuditFiles.write(Array((Self.head + name + "\n").utf8), to: file, at: 0)
            try AuditFiles.synchronize(file)
            guard unsafe Glibc.rename(new, path(userID)) == 0 else { throw SystemError("rename") }
            try AuditFiles.synchronizeDirectory(directory)
        } catch {
            _ = unsafe unlink(new)
            return false
        }
        keep(.name(name), userID)
        return true
    }
}
