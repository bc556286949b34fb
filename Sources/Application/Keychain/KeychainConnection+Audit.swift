// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

extension KeychainConnection {
    /// Reads a part of the caller's own audit log; the page says where the next one starts.
    ///
    /// The first page, the one without a cursor, also says where the chain of the log is broken:
    /// where records were changed, moved or taken away. Records cut off the end of a log are not
    /// missed.
    /// - Parameter query: Which records.
    /// - Returns: Records, oldest first; none when nothing has been noted.
    /// - Throws: ``FailureReason/unreachable``; ``FailureReason/internalFailure`` when the log can't
    ///   be read.
    public func auditPage(_ query: AuditQuery) throws(KeychainError) -> AuditPage {
        guard case .auditPage(let page) = try read(.auditPage(query)) else { throw .unreachable }
        return page
    }

    /// Reads the caller's own audit log to its end; `query` says how much of it.
    /// - Returns: The records, oldest first, and where the chain of the log is broken.
    /// - Throws: As ``auditPage(_:)``.
    public func auditLog(
        _ query: AuditQuery = AuditQuery()
    ) throws(KeychainError) -> (records: [AuditRecord], brokenAt: [UInt64]) {
        var query = query
        var page = try auditPage(query)
        let brokenAt = page.brokenAt
        var records = page.records
        while page.nextCursor != 0 {
            query.cursor = page.nextCursor
            if query.limit != 0 { query.limit -= UInt32(clamping: page.records.count) }
            page = try auditPage(query)
            records += page.records
        }
        return (records, brokenAt)
    }
}
