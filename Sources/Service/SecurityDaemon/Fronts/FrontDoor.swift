// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
import Glibc
package import KeychainVocabulary
package import SecurityWire
import Synchronization

/// Where fronts come in: which program is one, what their callers reach, and how many channels there
/// are.
package final class FrontDoor: Sendable {
    /// Of one user: more than programs of a session that use secrets at once.
    package static let channelLimit = 256

    /// The directory of securityd's own program, in which fronts' programs are.
    private let directory: String
    /// Where the policy file is.
    private let policyPath: String
    /// Whether the file must be root's, and all code in a front as well.
    private let isOfMachine: Bool
    private let report: @Sendable (String) -> Void
    private let counts = Mutex<[UInt32: Int]>([:])
    /// The last complaint, so that the log has it once.
    private let complaint = Mutex("")
    /// Which users' secrets a client has locked.
    package let locks = SecretLocks()

    /// - Parameters:
    ///   - directory: The directory of securityd's own program.
    ///   - policyPath: Where the policy file is; there may be none.
    ///   - isOfMachine: Whether all users of a machine share the service.
    ///   - report: Writes a line into the log.
    package init(
        directory: String, policyPath: String, isOfMachine: Bool,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.directory = directory
        self.policyPath = policyPath
        self.isOfMachine = isOfMachine
        self.report = report
    }

    /// Whether a process is a front: it runs the file beside securityd's own program, and nobody
    /// debugs it. In a machine's service all code in it is root's or its team's as well.
    package func admits(_ name: FrontName, _ facts: ProcessFacts) -> Bool {
        guard facts.isOfUser, !facts.isTraced, let program = facts.program,
            !isOfMachine || facts.hasProvenCode
        else { return false }
        var status = stat()
        guard unsafe lstat(directory + "/" + name.program, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return false }
        return program
            == ProcessFacts.ProgramFile(
                device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    // MARK: - Policy

    /// What the policy file says now. If it breaks a rule, none of it counts.
    package func policy() -> SecretServicePolicy {
        do throws(PolicyFailure) {
            let policy = try readPolicy()
            complaint.withLock { $0 = "" }
            return policy
        } catch {
            let line = "\(policyPath) is left out: \(error.text)"
            let isNew = complaint.withLock { complaint in
                defer { complaint = line }
                return complaint != line
            }
            if isNew { report(line) }
            return SecretServicePolicy()
        }
    }

    private enum PolicyFailure: Error {
        case unreadable(Int32)
        case notRoots
        case problem(PolicyProblem)

        var text: String {
            switch self {
            case .unreadable(let number): "it can't be read (error \(number))"
            case .notRoots: "it isn't root's alone"
            case .problem(let problem): "line \(problem.line): \(problem.kind.rawValue)"
            }
        }
    }

    private func readPolicy() throws(PolicyFailure) -> SecretServicePolicy {
        let file = unsafe open(policyPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return SecretServicePolicy() }
            throw .unreadable(errno)
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(EINVAL)
        }
        if isOfMachine {
            guard status.st_uid == 0, status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
                throw .notRoots
            }
        }
        // One more than is allowed, so that a longer file is noticed.
        var text = [UInt8](repeating: 0, count: SecretServicePolicy.byteLimit + 1)
        var count = 0
        while count < text.count {
            let result = unsafe text.withUnsafeMutableBytes { room in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
                return unsafe read(file, rest.baseAddress, rest.count)
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw .unreadable(errno) }
            guard result > 0 else { break }
            count += result
        }
        do throws(PolicyProblem) {
            return try SecretServicePolicy(parsing: Array(text[..<count]))
        } catch { throw .problem(error) }
    }

    // MARK: - Channels

    /// Counts a channel for as long as it is kept.
    package final class Seat: Sendable {
        private let door: FrontDoor
        private let userID: UInt32

        fileprivate init(_ door: FrontDoor, _ userID: UInt32) {
            self.door = door
            self.userID = userID
        }

        deinit { door.release(userID) }
    }

    /// - Returns: Nil when the user has as many channels as a user can have.
    package func takeSeat(of userID: UInt32) -> Seat? {
        let hasRoom = counts.withLock { counts in
            guard counts[userID, default: 0] < Self.channelLimit else { return false }
            counts[userID, default: 0] += 1
            return true
        }
        return hasRoom ? Seat(self, userID) : nil
    }

    private func release(_ userID: UInt32) {
        counts.withLock { counts in
            let count = counts[userID, default: 1] - 1
            counts[userID] = count > 0 ? count : nil
        }
    }
}

/// Whose secrets a client of the Secret Service has locked. It is no lock of the device, and is over
/// when the service ends.
package final class SecretLocks: Sendable {
    private struct State {
        var users: Set<UInt32> = []
        var observers: [@Sendable (UInt32, Bool) -> Void] = []
    }

    private let state = Mutex(State())

    init() {}

    /// Whether a user's secrets are locked.
    package func isLocked(_ userID: UInt32) -> Bool {
        state.withLock { $0.users.contains(userID) }
    }

    /// Locks or unlocks a user's secrets, and tells who observes if that changes anything.
    package func set(_ userID: UInt32, locked: Bool) {
        let observers = state.withLock { state -> [@Sendable (UInt32, Bool) -> Void] in
            let hasChanged =
                locked ? state.users.insert(userID).inserted : state.users.remove(userID) != nil
            return hasChanged ? state.observers : []
        }
        for observer in observers { observer(userID, locked) }
    }

    /// Is told of each change from now on.
    func observe(_ observer: @escaping @Sendable (UInt32, Bool) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }
}
