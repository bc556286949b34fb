// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import MachineBus
import SessionRules

/// Follows logind for as long as the process lives, and locks.
struct SessionWatch {
    /// The pauses between attempts to reach the bus.
    private static let firstPause: Int32 = 250
    private static let longestPause: Int32 = 30_000
    /// Between attempts to lock before sleep.
    private static let sleepPause: Int32 = 100

    let onlyUser: UInt32?
    let files: OptionFiles
    let log: ServiceLog
    var locks: KeychainLocks
    private var table = SessionTable()
    /// The machine is going to sleep, and keys are still there.
    private var owesSleep = false
    private var canDelaySleep = true
    private var isBusGone = false

    init(onlyUser: UInt32?, files: OptionFiles, log: ServiceLog, locks: KeychainLocks) {
        self.onlyUser = onlyUser
        self.files = files
        self.log = log
        self.locks = locks
    }

    /// Works until the process ends.
    mutating func run() -> Never {
        var pause = Self.firstPause
        while true {
            do throws(BusError) {
                let logind = try Logind(onlyUser: onlyUser)
                try begin(logind)
                pause = Self.firstPause
                while true { try turn(logind) }
            } catch {
                if !isBusGone {
                    isBusGone = true
                    log.write(
                        .busLost, .warning,
                        "No keychain is locked with the machine: \(error). Trying again.")
                }
            }
            rest(pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Waits without a bus; locks that are owed go on.
    private mutating func rest(_ milliseconds: Int32) {
        var left = milliseconds
        while left > 0 {
            let pause = min(left, KeychainLocks.pauseMilliseconds)
            usleep(UInt32(pause) * 1000)
            left -= pause
            if locks.isWaiting { locks.perform() }
        }
    }

    /// Asks logind for what there is now.
    private mutating func begin(_ logind: Logind) throws(BusError) {
        add(table.take(.listed(try logind.sessions())))
        delaySleep(logind)
        if isBusGone {
            isBusGone = false
            log.write(.busBack, .notice, "Keychains are locked with the machine again.")
        }
    }

    private mutating func delaySleep(_ logind: Logind) {
        do throws(BusError) {
            try logind.delaySleep()
            canDelaySleep = true
        } catch {
            guard canDelaySleep else { return }
            canDelaySleep = false
            log.write(
                .sleepNotDelayed, .warning,
                "The machine may sleep before keychains are locked: \(error). Is polkitd installed?"
            )
        }
    }

    /// Takes in all that has come, locks once for it, and waits for more.
    private mutating func turn(_ logind: Logind) throws(BusError) {
        while let report = try logind.next() {
            switch report {
            case .session(let event): add(table.take(try known(event, logind)))
            case .sleep(true):
                owesSleep = files.options(of: "").lockOn.contains(.sleep)
                if !owesSleep { logind.letSleep() }
            case .sleep(false):
                owesSleep = false
                delaySleep(logind)
            case .restarted: try begin(logind)
            }
        }
        if owesSleep, locks.performBeforeSleep() {
            owesSleep = false
            logind.letSleep()
        }
        if locks.isWaiting { locks.perform() }
        let pause =
            owesSleep ? Self.sleepPause : locks.isWaiting ? KeychainLocks.pauseMilliseconds : -1
        try logind.wait(milliseconds: pause)
    }

    /// Makes a session known before it is asked to lock.
    private mutating func known(
        _ event: SessionEvent, _ logind: Logind
    ) throws(BusError) -> SessionEvent {
        if case .lockRequested(let path) = event, !table.knows(path),
            let session = try logind.session(path)
        {
            _ = table.take(.changed(session))
        }
        return event
    }

    private mutating func add(_ dues: [DueLock]) {
        for due in dues { locks.add(due, files.options(of: due.userName)) }
    }
}
