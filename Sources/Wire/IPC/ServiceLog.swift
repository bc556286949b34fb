// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// What happened, for programs that read the journal: the value of `MESSAGE_ID`. A value never gets
/// another meaning. Documentation/log-messages.md and the journal's catalog explain each.
package enum LogMessage: String, CaseIterable, Sendable {
    // The system service.
    case serviceReady = "c8fd0e43bce14a5182969b7ca10c3b5e"
    case daemonEnded = "547814027a964077bae0fb3363046376"
    case daemonHangs = "9d74b6f8c65a4501b61f1b7cf8cbfac3"
    case daemonKeepsEnding = "663650c1a49941da92eca8f7adea7738"
    case rightMissing = "27fb1b56c0cc4c83b20ce73f6e0f3b42"
    case serviceEnds = "0c20a98395614766a573de26cb308d30"
    case startFailed = "b5e44b61ca334fa1a81dc88cd00fb418"
    case protectorUnusable = "c26aad4b6b614bdcbb899d77b7978e6d"
    // securityd.
    case databaseDamaged = "5ff36f65698340d0825deff90ab3a2f4"
    case databaseFails = "bc534a40c59847adbc535c2554a11be7"
    case securitydRestarts = "20ac2cc9da2b467aab5c8d1b8dc8c4a3"
    case auditLogFails = "6215339e545b443789b8ffb5d666f579"
    case auditLogWorksAgain = "e8247ad003494360ad6e236cdb76b536"
    case rolledBack = "048f1207aea844a48d8d23cfc3cbb211"
    case rollbackAccepted = "8b3966d74bf24e94980eda8b82690076"
    case rowsDamaged = "01c38a776c054b1da37d9c607aa35316"
    // llavero-session.
    case busLost = "829eab836e4f441c9c140a608b6ab940"
    case busBack = "95e2494c74d24bf6b1c55a6b0a256b23"
    case keychainLocked = "1b6c5a44db89444493367f6ccee8d4c4"
    case lockFailed = "5b1e9527d21d40a99af8bf3fe5002914"
    case sleepNotDelayed = "44e12dbb1c6645c4b8bbc768dfc05ab2"

    /// How urgent the supervisor's lines are.
    package var priority: ServiceLog.Priority {
        switch self {
        case .serviceReady, .busBack, .rollbackAccepted, .auditLogWorksAgain: .notice
        case .keychainLocked: .info
        case .rightMissing, .protectorUnusable, .busLost, .sleepNotDelayed: .warning
        case .rolledBack: .critical
        case .daemonEnded, .daemonHangs, .daemonKeepsEnding, .serviceEnds, .startFailed,
            .databaseDamaged, .databaseFails, .securitydRestarts, .auditLogFails, .rowsDamaged,
            .lockFailed:
            .error
        }
    }
}

/// Lines for the person who runs a service: to the journal, with fields, if standard error leads there;
/// otherwise as text to standard error. Without systemd's library: an entry is one datagram.
package struct ServiceLog: Sendable {
    /// The priorities of syslog.
    package enum Priority: Int, Sendable {
        case critical = 2
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
    }

    private static let journal = "/run/systemd/journal/socket"

    private let program: String
    /// Whether lines get to the journal, which notes the time.
    package let usesJournal: Bool

    /// - Parameter program: The name that begins each line.
    package init(program: String) {
        self.program = program
        usesJournal = llavero_is_journal_stream(STDERR_FILENO) != 0
    }

    /// Writes a line.
    /// - Parameters:
    ///   - event: What happened; nil for what no program waits for.
    ///   - priority: How urgent it is.
    ///   - text: For a person; without names, paths of users, and secrets.
    ///   - userID: The user whom it concerns.
    package func write(
        _ event: LogMessage?, _ priority: Priority, _ text: String, userID: UInt32? = nil
    ) {
        if usesJournal, send(event, priority, text, userID) { return }
        var line = "\(program): \(text)\n"
        line.withUTF8 { bytes in
            _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    /// - Returns: Whether the journal has taken it.
    private func send(
        _ event: LogMessage?, _ priority: Priority, _ text: String, _ userID: UInt32?
    ) -> Bool {
        // A field ends with its line.
        let line = String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 })
        var fields =
            "MESSAGE=\(line)\nPRIORITY=\(priority.rawValue)\nSYSLOG_IDENTIFIER=\(program)\n"
        if let event { fields += "MESSAGE_ID=\(event.rawValue)\n" }
        if let userID { fields += "KEYCHAIN_USER=\(userID)\n" }
        return unsafe llavero_send_datagram(Self.journal, fields) == 0
    }
}
