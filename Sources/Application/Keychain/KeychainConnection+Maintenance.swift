// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// What a check found, or a recovery did.
public struct MaintenanceReport: Sendable {
    /// One for each thing worth telling.
    public var findings: [MaintenanceFinding] = []
    /// How many rows were looked at.
    public var counts = MaintenanceCounts()

    /// Nothing.
    public init() {}

    /// Adds a finding of another part; what was erased is one finding.
    mutating func add(_ finding: MaintenanceFinding) {
        let place = finding.kind == .erased ? findings.firstIndex { $0.kind == .erased } : nil
        guard let place else { return findings.append(finding) }
        findings[place].number &+= finding.number
    }
}

extension KeychainConnection {
    /// Checks everything that the keychain stores of the caller, and the file as a whole. Nothing is
    /// changed. Rows that are locked now are counted and not opened.
    /// - Parameter progress: Called now and then with what has been counted so far.
    /// - Returns: What was found; ``MaintenanceFinding/isDamage`` tells damage from mere remarks.
    /// - Throws: ``FailureReason/unreachable``, or why the check couldn't be carried out.
    public func check(
        progress: (MaintenanceCounts) -> Void = { _ in }
    ) throws(KeychainError) -> MaintenanceReport {
        try maintain({ .check(cursor: $0) }, progress)
    }

    /// Brings back what still opens of the rows in the quarantine and in damaged files that were
    /// kept. It removes no kept file, writes over no item, and may be repeated.
    ///
    /// What lies there may be an old state of an item, or one that was deleted. So where a passcode is
    /// set it is the owner's to ask for: ``unlock(passcode:)`` on the same connection comes before.
    /// - Parameter progress: Called now and then with what has been counted so far.
    /// - Returns: What was brought back, and what wasn't and why.
    /// - Throws: ``FailureReason/denied`` where a passcode is set and wasn't given;
    ///   ``FailureReason/unreachable``, or why it couldn't be carried out; what was brought back until
    ///   then stays.
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
