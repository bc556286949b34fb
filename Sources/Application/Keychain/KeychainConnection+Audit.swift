// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

extension KeychainConnection {
    /// Reads a part of the caller's own audit log; the page has the cursor of the next one.
    ///
    /// The first page, the one without a cursor, also reports where the chain of the log is broken:
    /// where records were changed, moved or removed. It can't detect that the last records were cut
    /// off.
    /// - Parameter query: Which records.
    /// - Returns: Records, oldest first; none when the log is empty.
    /// - Throws: ``FailureReason/unreachable``; ``FailureReason/internalFailure`` when the log can't
    ///   be read.
    public func auditPage(_ query: AuditQuery) throws(KeychainError) -> AuditPage {
        guard case .auditPage(let page) = try read(.auditPage(query)) else { throw .unreachable }
        return page
    }

    /// Reads the caller's own audit log to its end; `query` limits how much of it.
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
