// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC

/// A running daemon of the system service, as the supervisor sees it.
final class SystemDaemon {
    /// Which one.
    enum Kind: String, CaseIterable {
        /// Decides whether a key may be used now.
        case enclaved
        /// Starts inspectors, with the right to look into other processes.
        case peerinspector
        /// Starts the processes that judge certificates, as a user of their own.
        case trustd
        /// Serves clients.
        case securityd
    }

    let kind: Kind
    let process: Int32
    let control: ControlSocket
    let start = ContinuousClock.now
    private let user: ServiceUser
    /// Since when a ping has had no answer. Time asleep doesn't count: nobody answers then.
    private var pinged: SuspendingClock.Instant?
    /// Whether it has answered one.
    private(set) var hasAnswered = false
    /// When it is killed, if it hasn't ended by itself.
    var deadline: SuspendingClock.Instant?

    /// How long it may take to answer: longer than any of its tasks on a busy machine.
    private static let patience = Duration.seconds(60)

    init(_ kind: Kind, _ user: ServiceUser, process: Int32, control: ControlSocket) {
        self.kind = kind
        self.user = user
        self.process = process
        self.control = control
    }

    /// Asks whether it works, unless it is being asked.
    func ping() {
        guard pinged == nil else { return }
        pinged = .now
        control.send(.ping)
    }

    /// It has answered.
    func answered() {
        hasAnswered = true
        pinged = nil
    }

    /// It has been killed: nothing else is expected of it before it must have ended.
    func expectEnd(within duration: Duration) {
        pinged = nil
        deadline = .now + duration
    }

    /// Whether it should have answered, or ended, by now.
    var isLate: Bool {
        let now = SuspendingClock.now
        return pinged.map { $0 + Self.patience < now } ?? false
            || deadline.map { $0 < now } ?? false
    }

    /// How long the child that kills it may take. Its own work takes less than a millisecond.
    private static let killMilliseconds: Int32 = 1000

    /// Kills it. The supervisor may not signal other users' processes: a child of it, with the
    /// daemon's user as its effective one, does. The daemon can't signal that child.
    func kill() { _ = llavero_kill_as_user(user.userID, process, Self.killMilliseconds) }

    /// Waits until it has ended, and kills it after a time limit.
    /// - Parameter milliseconds: The time limit.
    func end(within milliseconds: Int) {
        let pause = 5
        for _ in 0..<max(milliseconds / pause, 1) {
            var status: Int32 = 0
            if unsafe waitpid(process, &status, WNOHANG) != 0 { return }
            usleep(UInt32(pause) * 1000)
        }
        kill()
        for _ in 0..<(Int(Self.killMilliseconds) / pause) {
            var status: Int32 = 0
            if unsafe waitpid(process, &status, WNOHANG) != 0 { return }
            usleep(UInt32(pause) * 1000)
        }
    }

    /// Tries to kill all processes of a user. A process of the user can stop a child that kills;
    /// then the next one kills both.
    private static let sweepCount = 16
    private static let sweepMilliseconds: Int32 = 200

    /// Kills all processes of a user, so that no daemon leaves a process behind.
    /// - Returns: Whether the last attempt ended in time.
    static func killAll(of user: ServiceUser) -> Bool {
        for _ in 0..<sweepCount
        where llavero_kill_all_of_user(user.userID, user.groupID, sweepMilliseconds) == 0 {
            return true
        }
        return false
    }
}
