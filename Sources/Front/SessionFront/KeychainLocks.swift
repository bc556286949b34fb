// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Keychain
import SecurityWire
import SessionRules

/// Locks through securityd, and tries again what didn't succeed.
struct KeychainLocks {
    /// How long securityd may take for a lock.
    private static let limit = Duration.seconds(2)
    /// After this, a user may have unlocked again, and a late lock would only annoy.
    private static let patience = Duration.seconds(60)
    static let pauseMilliseconds: Int32 = 250

    private struct Owed {
        var mode: DeviceLockMode
        var cause: LockCause
        let since = ContinuousClock.now
    }

    private let connection: KeychainConnection
    private let locksOthers: Bool
    private let log: ServiceLog
    private var owed: [UInt32: Owed] = [:]
    private var hasComplained = false

    /// - Parameters:
    ///   - connection: To securityd.
    ///   - locksOthers: Whether this process runs for all users of the machine.
    ///   - log: The log.
    init(_ connection: KeychainConnection, locksOthers: Bool, _ log: ServiceLog) {
        self.connection = connection
        self.locksOthers = locksOthers
        self.log = log
    }

    /// Whether a lock is still to be done.
    var isWaiting: Bool { !owed.isEmpty }

    /// Owes a user a lock.
    mutating func add(_ due: DueLock, _ options: SessionOptions) {
        guard options.lockOn.contains(due.cause) else { return }
        let mode: DeviceLockMode = options.afterGrace.contains(due.cause) ? .afterGrace : .now
        // The stricter one of two.
        if let before = owed[due.userID], before.mode == .now { return }
        owed[due.userID] = Owed(mode: mode, cause: due.cause)
    }

    /// Tries all locks that are owed.
    mutating func perform() {
        for (userID, lock) in owed {
            do throws(KeychainError) {
                let subject: LockSubject = locksOthers ? .user(userID) : .caller
                let rest = try connection.lock(subject, lock.mode, within: Self.limit)
                owed[userID] = nil
                recovered()
                let when = rest > .zero ? "locks in \(rest.components.seconds) s" : "is locked"
                log.write(
                    .keychainLocked, .info,
                    "The keychain of user \(userID) \(when) (\(lock.cause.rawValue)).",
                    userID: userID)
            } catch {
                let isLate = ContinuousClock.now - lock.since > Self.patience
                if isLate || error.reason == .administratorNeeded { owed[userID] = nil }
                complain(error)
            }
        }
    }

    /// Locks everything before the machine sleeps.
    /// - Returns: Whether the keys are gone.
    mutating func performBeforeSleep() -> Bool {
        do throws(KeychainError) {
            var rest = try connection.lock(
                locksOthers ? .everybody : .caller, .now, within: Self.limit)
            // A program that holds the device unlocked doesn't keep keys in a sleeping machine.
            if rest > .zero, !locksOthers {
                rest = try connection.lock(.caller, .logOut, within: Self.limit)
            }
            recovered()
            if rest == .zero {
                owed = [:]
                log.write(.keychainLocked, .info, "All keychains are locked (sleep).")
            }
            return rest == .zero
        } catch {
            complain(error)
            return false
        }
    }

    private mutating func complain(_ error: KeychainError) {
        guard !hasComplained else { return }
        hasComplained = true
        let reason =
            error.reason == .administratorNeeded
            ? "securityd doesn't know this user as llavero-session's. Restart it: systemctl restart "
                + "llavero-securityd"
            : "securityd can't be reached (\(error.status)); trying again"
        log.write(.lockFailed, .error, "A keychain can't be locked: \(reason).")
    }

    private mutating func recovered() {
        guard hasComplained else { return }
        hasComplained = false
        log.write(.keychainLocked, .notice, "Keychains can be locked again.")
    }
}
