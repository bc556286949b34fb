// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// The part of the caller's own audit log to read.
public struct AuditQuery: Hashable, Sendable {
    /// The record to start at, from the page before; 0 at first.
    public var cursor: UInt64 = 0
    /// With `cursor` 0: at most this many of the newest; else at most this many. 0 is all.
    public var limit: UInt32 = 0
    /// Only records since this time, in microseconds since 1970-01-01 00:00:00 UTC.
    public var since: Int64 = 0

    /// All of the log.
    public init() {}
}

/// A part of the audit log, oldest record first.
public struct AuditPage: Hashable, Sendable {
    /// The records.
    public var records: [AuditRecord] = []
    /// Where the next page starts; 0 at the end.
    public var nextCursor: UInt64 = 0
    /// Records at which the chain of the whole log is broken; only in the first page.
    public var brokenAt: [UInt64] = []

    package init() {}
}

extension AuditQuery {
    init(_ message: WireAuditRequest) {
        cursor = message.cursor
        limit = message.limit
        since = message.since
    }

    var message: WireAuditRequest {
        var message = WireAuditRequest()
        message.cursor = cursor
        message.limit = limit
        message.since = since
        return message
    }
}

extension AuditPage {
    init(_ message: WireAuditReply) throws(WireError) {
        for record in message.records { records.append(try AuditRecord(record)) }
        nextCursor = message.nextCursor
        brokenAt = message.brokenAt
    }

    var message: WireAuditReply {
        var message = WireAuditReply()
        message.records = records.map(\.message)
        message.nextCursor = nextCursor
        message.brokenAt = brokenAt
        return message
    }
}

extension AuditRecord {
    fileprivate init(_ message: WireAuditLogRecord) throws(WireError) {
        guard let event = UInt16(exactly: message.event),
            message.items.allSatisfy({ $0.count == 16 })
        else { throw .malformed }
        self.init(
            AuditEvent(rawValue: event), userID: message.userID,
            microseconds: message.microseconds)
        sequence = message.sequence
        status = message.status
        if message.reason != 0 {
            reason = FailureReason(rawValue: message.reason) ?? .internalFailure
        }
        includesSecrets = message.includesSecrets
        processID = message.processID
        identityGrade = message.identityGrade
        accessGroup = message.accessGroup
        application = message.application
        itemClass = ItemClass(wireValue: message.itemClass)
        items = message.items.map { [UInt8]($0) }
        number = message.number
        applicationGroup = message.applicationGroup
    }

    fileprivate var message: WireAuditLogRecord {
        var message = WireAuditLogRecord()
        message.sequence = sequence
        message.microseconds = microseconds
        message.event = UInt32(event.rawValue)
        message.status = status
        message.reason = reason?.rawValue ?? 0
        message.includesSecrets = includesSecrets
        message.processID = processID
        message.userID = userID
        message.identityGrade = identityGrade
        message.accessGroup = accessGroup
        message.application = application
        message.itemClass = itemClass?.wireValue ?? 0
        message.items = items.map { Data($0) }
        message.number = number
        message.applicationGroup = applicationGroup
        return message
    }
}
