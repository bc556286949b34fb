// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecurityWire

/// `security device check` and `security device recover`.
enum MaintenanceCommand {
    /// Exit status 0: intact, and 1: damage was found.
    static func check(_ connection: KeychainConnection, isJSON: Bool) -> Int32 {
        do throws(KeychainError) {
            let text = MaintenanceText(report: try connection.check())
            guard show(isJSON ? text.checkJSON : text.checkLines) else { return SecurityStatus.io }
            if !isJSON, !show(try unmarked(connection)) { return SecurityStatus.io }
            return text.report.findings.contains(where: \.isDamage) ? 1 : 0
        } catch { return complain(error, at: "device check") }
    }

    /// The keychains whose files are missing: they can't be used, and nothing of them is lost.
    private static func unmarked(
        _ connection: KeychainConnection
    ) throws(KeychainError) -> String {
        let paths = try connection.keychains().keychains.map { UserKeychain($0) }
            .filter { !$0.isMarked }.map { "  " + String(decoding: $0.path, as: UTF8.self) + "\n" }
        guard !paths.isEmpty else { return "" }
        return "Keychains without their files:\n" + paths.joined()
            + "`security list-keychains --repair` writes the files again.\n"
    }

    /// Exit status 0: everything exists, and 1: some rows weren't restored.
    static func recover(_ connection: KeychainConnection, isJSON: Bool) -> Int32 {
        do throws(KeychainError) {
            let text = MaintenanceText(report: try connection.recover())
            guard show(isJSON ? text.recoverJSON : text.recoverLines) else {
                return SecurityStatus.io
            }
            return text.isComplete ? 0 : 1
        } catch { return complain(error, at: "device recover") }
    }

    private static func show(_ text: String) -> Bool {
        var output = Output(STDOUT_FILENO)
        output.put(text)
        return output.flush()
    }
}

/// The report of a check or a recovery, in lines and as JSON. The JSON's keys are frozen.
struct MaintenanceText {
    private(set) var report: MaintenanceReport

    init(report: MaintenanceReport) {
        self.report = report
        // Each file is reported once, however often it occurs.
        var seen: Set<String> = []
        self.report.findings.removeAll { finding in
            finding.kind == .unreadableFile && !seen.insert(finding.place).inserted
        }
    }

    /// Whether a recovery left no row that could still be restored.
    var isComplete: Bool {
        notRestored.allSatisfy { $0.kind == .erased } && report.counts.locked == 0
    }

    private static let mended: [MaintenanceFinding.Kind] = [.restored, .reindexed]

    private var damage: [MaintenanceFinding] { report.findings.filter(\.isDamage) }
    private var restored: [MaintenanceFinding] {
        report.findings.filter { Self.mended.contains($0.kind) }
    }
    private var notRestored: [MaintenanceFinding] {
        report.findings.filter { !Self.mended.contains($0.kind) }
    }

    // MARK: - Lines

    var checkLines: String {
        let counts = report.counts
        var lines = [
            "Rows:    \(counts.examined) looked at, \(counts.sound) sound, \(counts.locked) locked",
            "Damage:  \(damage.isEmpty ? "none" : "\(damage.count)")",
        ]
        lines += damage.map(Self.line)
        let remarks = report.findings.filter { !$0.isDamage }
        if !remarks.isEmpty { lines.append("Kept:") }
        lines += remarks.map(Self.line)
        if report.findings.contains(where: { [.quarantined, .keptFile].contains($0.kind) }) {
            lines.append(
                "`security device recover` brings back what still opens of what is kept.")
        }
        if counts.locked > 0 {
            lines.append("Locked rows were not opened: unlock the device and check again.")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    var recoverLines: String {
        let counts = report.counts
        var lines = [
            "Rows:    \(counts.examined) looked at, \(counts.restored) brought back, "
                + "\(counts.present) there already, \(counts.locked) locked",
            "Not brought back:  \(notRestored.isEmpty ? "none" : "\(notRestored.count)")",
        ]
        lines += notRestored.map(Self.line)
        lines += report.findings.filter { $0.kind == .reindexed }.map(Self.line)
        if counts.locked > 0 {
            lines.append("Locked rows stay where they are: unlock the device and recover again.")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func line(_ finding: MaintenanceFinding) -> String {
        var words = "  "
        if let itemClass = finding.itemClass {
            words += "\(itemClass.rawValue) \(AuditText.uuid(finding.uuid)) "
            words += "(\(protectionClass(finding))): "
        } else if finding.protectionClass != 0 {
            words += "class \(protectionClass(finding)): "
        }
        words += meaning(finding)
        if !finding.place.isEmpty { words += ": " + AuditText.quoted(finding.place) }
        return words
    }

    private static func meaning(_ finding: MaintenanceFinding) -> String {
        switch finding.kind {
        case .pages: "the file is damaged"
        case .fields: "a field has a value that none has"
        case .metadata: "its metadata doesn't open"
        case .notCurrent: "it isn't what was stored last"
        case .missingRow: "row \(finding.number) is missing, and nobody deleted it"
        case .root: "the rows aren't those that were stored last; see `accept-rollback`"
        case .attributes: "its metadata says something else than the row"
        case .secret: "its secret doesn't open"
        case .keyMissing: "the key that it needs is missing"
        case .foreignUser: "belongs to a user who isn't served here"
        case .metadataKey: "metadata key \(finding.number) doesn't open"
        case .indexKey: "the index key is missing or doesn't open"
        case .newerFormat: "a newer version wrote it"
        case .keyCopies: "the copies of keys are damaged"
        case .quarantined: "\(finding.number) in the quarantine"
        case .keptFile: "a damaged file"
        case .erased: "\(finding.number) rows whose keys an erasure destroyed"
        case .restored: "brought back"
        case .nameTaken: "another item has its name now"
        case .unreadableFile: "can't be read, or not to its end"
        case .reindexed: "an index was built anew"
        }
    }

    private static func protectionClass(_ finding: MaintenanceFinding) -> String {
        let accessibility = UInt8(exactly: finding.protectionClass).flatMap {
            Accessibility(rawValue: $0)
        }
        return accessibility?.code ?? "class \(finding.protectionClass)"
    }

    // MARK: - JSON

    var checkJSON: String {
        """
        {
          "examined": \(report.counts.examined),
          "sound": \(report.counts.sound),
          "locked": \(report.counts.locked),
          "damage": \(Self.json(damage)),
          "kept": \(Self.json(report.findings.filter { !$0.isDamage }))
        }

        """
    }

    var recoverJSON: String {
        """
        {
          "examined": \(report.counts.examined),
          "present": \(report.counts.present),
          "locked": \(report.counts.locked),
          "restored": \(Self.json(restored)),
          "notRestored": \(Self.json(notRestored))
        }

        """
    }

    private static func json(_ findings: [MaintenanceFinding]) -> String {
        guard !findings.isEmpty else { return "[]" }
        return "[\n" + findings.map { "    " + json($0) }.joined(separator: ",\n") + "\n  ]"
    }

    private static func json(_ finding: MaintenanceFinding) -> String {
        var fields = ["\"kind\": \(AuditText.quoted("\(finding.kind)"))"]
        if let itemClass = finding.itemClass {
            fields.append("\"class\": \(AuditText.quoted(itemClass.rawValue))")
            fields.append("\"uuid\": \(AuditText.quoted(AuditText.uuid(finding.uuid)))")
        }
        if finding.protectionClass != 0 {
            fields.append("\"protectionClass\": \(AuditText.quoted(protectionClass(finding)))")
        }
        if !finding.place.isEmpty {
            fields.append("\"place\": \(AuditText.quoted(finding.place))")
        }
        if finding.number != 0 { fields.append("\"number\": \(finding.number)") }
        return "{" + fields.joined(separator: ", ") + "}"
    }
}
