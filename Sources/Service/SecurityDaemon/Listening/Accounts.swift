// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Synchronization

/// Which user numbers are in one hand. An account with subordinate numbers (subuid(5)) can speak as
/// 65,536 users. Where a limit is for each user, all of them together count as that account.
///
/// Only limits depend on it: whose items a program sees follows from its user number alone.
package final class Accounts: Sendable {
    /// Numbers that a line of subuid(5) gives to an account.
    private struct Numbers {
        let first: UInt32
        let last: UInt32
        /// Nil where the line's name has no entry, or is root's.
        let owner: UInt32?

        /// Root gives each container a block of its own numbers.
        func account(of userID: UInt32) -> UInt32 {
            owner ?? first + (userID - first) / blockSize * blockSize
        }
    }

    /// What a file had when it was read.
    private struct Stamp: Equatable {
        var device: UInt = 0
        var inode: UInt = 0
        var seconds = 0
        var nanoseconds = 0
        var byteCount = 0
    }

    private struct State {
        /// The names of each number; nil when passwd(5) couldn't be read.
        var names: [UInt32: [String]]?
        var numbers: [Numbers] = []
        var stamps: [Stamp] = []
        var nextLook: ContinuousClock.Instant?
    }

    /// Each number is an account of its own.
    package static let apart = Accounts(files: nil)

    /// How many numbers a user namespace usually has.
    private static let blockSize: UInt32 = 1 << 16
    private static let lookInterval = Duration.seconds(10)
    private static let byteLimit = 8 << 20
    private static let lineLimit = 4096

    private let files: (passwd: String, subuid: String)?
    private let state = Mutex(State())

    /// Reads `/etc/passwd` and `/etc/subuid`, again when they have changed. No name service is asked:
    /// it could take long.
    /// - Parameter root: What both are below; empty for the system itself.
    package convenience init(root: String) {
        self.init(files: (root + "/etc/passwd", root + "/etc/subuid"))
    }

    private init(files: (passwd: String, subuid: String)?) { self.files = files }

    /// The account of a user: the user, or the owner of the range that has the number.
    package func account(of userID: UInt32) -> UInt32 {
        guard files != nil else { return userID }
        return state.withLock { state in
            look(&state)
            guard state.names?[userID] == nil else { return userID }
            let range = state.numbers.first { ($0.first...$0.last).contains(userID) }
            return range?.account(of: userID) ?? userID
        }
    }

    /// The account of a user in a user namespace that isn't the service's. Who made
    /// that namespace has given out its numbers.
    func accountInNamespace(of userID: UInt32) -> UInt32 {
        guard files != nil else { return userID }
        let account = account(of: userID)
        let isNamed = state.withLock { $0.names?[userID] != nil }
        guard account == userID, !isNamed else { return account }
        return userID / Self.blockSize * Self.blockSize
    }

    /// The names that a number has in passwd(5).
    /// - Parameters:
    ///   - userID: The number.
    ///   - now: Whether the file is looked at again; else they may be up to ten seconds old.
    /// - Returns: Nil when the file can't be read.
    package func names(of userID: UInt32, now: Bool = false) -> [String]? {
        guard files != nil else { return nil }
        return state.withLock { state in
            if now { state.nextLook = nil }
            look(&state)
            return state.names.map { $0[userID] ?? [] }
        }
    }

    /// Whose a job counts as.
    func requester(_ requester: Requester) -> Requester {
        Requester(userID: account(of: requester.userID), process: requester.process)
    }

    // MARK: - The files

    private func look(_ state: inout State) {
        let now = ContinuousClock.now
        guard let files, state.nextLook.map({ $0 <= now }) ?? true else { return }
        state.nextLook = now + Self.lookInterval
        let stamps = [files.passwd, files.subuid].map(Self.stamp)
        guard stamps != state.stamps else { return }
        state.stamps = stamps
        var users: [Substring: UInt32] = [:]
        let passwd = Self.content(files.passwd)
        for line in Self.lines(passwd) {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 2, let number = UInt32(fields[2]) else { continue }
            users[fields[0]] = number
        }
        var names: [UInt32: [String]] = [:]
        for (name, number) in users { names[number, default: []].append(String(name)) }
        state.names = names.isEmpty ? nil : names
        state.numbers = Self.lines(Self.content(files.subuid)).prefix(Self.lineLimit).compactMap {
            Self.numbers($0, users)
        }
    }

    private static func numbers(_ line: Substring, _ users: [Substring: UInt32]) -> Numbers? {
        let fields = line.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 3, let first = UInt32(fields[1]), let count = UInt32(fields[2]),
            count > 0, first > 0
        else { return nil }
        let (last, isOver) = first.addingReportingOverflow(count - 1)
        guard !isOver else { return nil }
        let owner = users[fields[0]] ?? UInt32(fields[0])
        return Numbers(first: first, last: last, owner: owner == 0 ? nil : owner)
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    private static func content(_ path: String) -> String {
        guard stamp(path) != Stamp(), let data = FileManager.default.contents(atPath: path),
            data.count <= byteLimit
        else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    private static func stamp(_ path: String) -> Stamp {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return Stamp()
        }
        return Stamp(
            device: UInt(status.st_dev), inode: UInt(status.st_ino),
            seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec,
            byteCount: Int(status.st_size))
    }
}
