// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// The findings of a check, or the results of a recovery.
public struct MaintenanceReport: Sendable {
    /// One for each result worth reporting.
    public var findings: [MaintenanceFinding] = []
    /// How many rows were checked.
    public var counts = MaintenanceCounts()

    /// Nothing.
    public init() {}

    /// Adds the findings of another part; all erased rows are one finding.
    mutating func add(_ finding: MaintenanceFinding) {
        let place = finding.kind == .erased ? findings.firstIndex { $0.kind == .erased } : nil
        guard let place else { return findings.append(finding) }
        findings[place].number &+= finding.number
    }
}

extension KeychainConnection {
    /// Checks everything that the keychain stores for the caller, and the whole file. It changes
    /// nothing. It counts rows that are locked now without opening them.
    /// - Parameter progress: Called from time to time with the counts so far.
    /// - Returns: The findings; ``MaintenanceFinding/isDamage`` is true for damage and false for
    ///   mere remarks.
    /// - Throws: ``FailureReason/unreachable``, or why the check couldn't be carried out.
    public func check(
        progress: (MaintenanceCounts) -> Void = { _ in }
    ) throws(KeychainError) -> MaintenanceReport {
        try maintain({ .check(cursor: $0) }, progress)
    }

    /// Restores the rows in the quarantine and in kept damaged files that can still be opened. It
    /// deletes no kept file, overwrites no item, and may be repeated.
    ///
    /// Those files may contain an old state of an item, or a deleted item. So if a passcode is set,
    /// the owner must ask for it: call ``unlock(passcode:)`` on the same connection first.
    /// - Parameter progress: Called from time to time with the counts so far.
    /// - Returns: The rows that were restored, and the rows that weren't and why.
    /// - Throws: ``FailureReason/denied`` if a passcode is set and wasn't given;
    ///   ``FailureReason/unreachable``, or why it couldn't be carried out. Rows that were restored
    ///   until then stay.
    public func recover(
        progress: (MaintenanceCounts) -> Void = { _ in }
    ) throws(KeychainError) -> MaintenanceReport {
        try maintain({ .recover(cursor: $0) }, progress)
    }

    private func maintain(
        _ request: ([UInt8]) -> ClientRequest, _ progress: (MaintenanceCounts) -> Void
    ) throws(KeychainError) -> MaintenanceReport {
        var report = MaintenanceReport()
        var cursor: [UInt8] = []
        repeat {
            let reply = try read(request(cursor), deadline: .seconds(30))
            guard case .maintenance(let page) = reply else { throw .unreachable }
            for finding in page.findings { report.add(finding) }
            report.counts += page.counts
            progress(report.counts)
            cursor = page.nextCursor
        } while !cursor.isEmpty
        return report
    }
}
