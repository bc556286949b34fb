// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import Logging
import SecurityDaemon

/// Writes securityd's lines to the service's log.
struct ServiceLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    let log: ServiceLog

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var facts = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let message = facts.removeValue(forKey: LogMessage.metadataKey)
            .flatMap { LogMessage(rawValue: "\($0)") }
        let user = facts["user"].flatMap { UInt32("\($0)") }
        let rest = facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let head = log.usesJournal ? [] : [Self.now(), "\(event.level)"]
        let text = (head + [event.message.description] + rest).joined(separator: " ")
        log.write(message, Self.priority(event.level), text, userID: user)
    }

    /// The time, as the journal would note it: `2026-01-02T03:04:05Z`.
    private static func now() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        return unsafe String(
            format: "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900, parts.tm_mon + 1,
            parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
    }

    private static func priority(_ level: Logger.Level) -> ServiceLog.Priority {
        switch level {
        case .trace, .debug, .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
