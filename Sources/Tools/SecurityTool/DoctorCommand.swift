// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Diagnosis
import Glibc
import Keychain
import SecurityWire

/// `security device doctor`.
enum DoctorCommand {
    /// Looks at everything, and prints one page.
    /// - Returns: 0: nothing is wrong; 1: there is advice; 2: something is broken.
    static func run(isJSON: Bool) -> Int32 {
        let location = ServiceLocation.current
        let places = Places(
            location, temporaryDirectory: variable("TMPDIR") ?? "/tmp",
            runtimeBase: variable("XDG_RUNTIME_DIR"))
        let diagnosis = Diagnosis(
            places, deadline: location.deadline, now: Int64(time(nil)), explain: explanation)
        let text = DoctorText(reports: diagnosis.run())
        var output = Output(STDOUT_FILENO)
        output.put(isJSON ? text.json : text.page)
        guard output.flush() else { return SecurityStatus.io }
        return Int32(text.worst?.rawValue ?? 0)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// The reports of all checks as a page, and as JSON. The JSON's keys are frozen.
struct DoctorText {
    let reports: [Report]

    /// The worst of all findings; nil if there is none.
    var worst: Finding.Severity? { findings.map(\.1.severity).max() }

    /// With the names of their checks, the worst first.
    private var findings: [(String, Finding)] {
        let all = reports.flatMap { report in report.findings.map { (report.check, $0) } }
        return all.filter { $0.1.severity == .broken } + all.filter { $0.1.severity == .advice }
    }

    // MARK: - The page

    var page: String {
        var lines = [headline, ""]
        for (_, finding) in findings {
            lines += [
                "\(Self.word(finding.severity).uppercased()): \(Self.plain(finding.what))",
                "  Why it matters:  \(Self.plain(finding.why))",
                "  What to do:      \(Self.plain(finding.advice))", "",
            ]
        }
        lines.append("Looked at:")
        lines += reports.map { report in
            let padding = String(repeating: " ", count: max(1, 14 - report.check.count))
            let note = report.isSkipped ? "not looked at: " : ""
            return "  \(report.check)\(padding)\(note)\(Self.plain(report.summary))"
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private var headline: String {
        let broken = findings.count { $0.1.severity == .broken }
        let advice = findings.count - broken
        switch (broken, advice) {
        case (0, 0): return "Nothing is wrong."
        case (0, _): return "Nothing is broken. Advice: \(advice)."
        case (_, 0): return "Broken: \(broken)."
        default: return "Broken: \(broken). Advice: \(advice)."
        }
    }

    private static func word(_ severity: Finding.Severity) -> String {
        switch severity {
        case .advice: "advice"
        case .broken: "broken"
        }
    }

    /// A path may contain anything; on a terminal no control character gets through.
    private static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? "?" : $0 }))
    }

    // MARK: - JSON

    var json: String {
        let findings = findings.map { check, finding in
            Self.object([
                ("check", AuditText.quoted(check)), ("code", AuditText.quoted(finding.code)),
                ("severity", AuditText.quoted(Self.word(finding.severity))),
                ("what", AuditText.quoted(finding.what)), ("why", AuditText.quoted(finding.why)),
                ("advice", AuditText.quoted(finding.advice)),
            ])
        }
        let checks = reports.map { report in
            Self.object([
                ("name", AuditText.quoted(report.check)), ("skipped", "\(report.isSkipped)"),
                ("summary", AuditText.quoted(report.summary)),
            ])
        }
        return """
            {
              "severity": \(AuditText.quoted(worst.map(Self.word) ?? "none")),
              "findings": \(Self.list(findings)),
              "checks": \(Self.list(checks))
            }

            """
    }

    private static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }

    private static func list(_ objects: [String]) -> String {
        guard !objects.isEmpty else { return "[]" }
        return "[\n" + objects.map { "    " + $0 }.joined(separator: ",\n") + "\n  ]"
    }
}
