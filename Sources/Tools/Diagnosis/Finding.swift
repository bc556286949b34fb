// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// One thing that is wrong: what it is, why it matters, and what to do.
package struct Finding: Hashable, Sendable {
    /// How bad it is.
    package enum Severity: UInt8, Comparable, Sendable, CaseIterable {
        /// Everything works; something could be better, or needs the owner's attention.
        case advice = 1
        /// Something doesn't work, or isn't protected as it should be.
        case broken = 2

        /// Whether the left one is less bad.
        package static func < (left: Severity, right: Severity) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// How bad it is.
    package let severity: Severity
    /// A name for programs. It never changes its meaning.
    package let code: String
    /// What is wrong.
    package let what: String
    /// Why that matters.
    package let why: String
    /// What to do.
    package let advice: String

    /// Combines the parts.
    package init(
        _ severity: Severity, _ code: String, what: String, why: String, advice: String
    ) {
        self.severity = severity
        self.code = code
        self.what = what
        self.why = why
        self.advice = advice
    }
}

/// What a check has found.
package struct Report: Hashable, Sendable {
    /// The name of the check.
    package let check: String
    /// A few words about what it saw.
    package let summary: String
    /// Whether the check could not look; the summary says why.
    package let isSkipped: Bool
    /// What is wrong.
    package let findings: [Finding]

    /// The report of a check that has looked.
    package init(_ check: String, _ summary: String, _ findings: [Finding] = []) {
        self.init(check: check, summary: summary, isSkipped: false, findings: findings)
    }

    /// The report of a check that could not look.
    package static func skipped(_ check: String, because reason: String) -> Report {
        Report(check: check, summary: reason, isSkipped: true, findings: [])
    }

    private init(check: String, summary: String, isSkipped: Bool, findings: [Finding]) {
        self.check = check
        self.summary = summary
        self.isSkipped = isSkipped
        self.findings = findings
    }
}

/// Looks at one part of the surroundings.
package protocol Check: Sendable {
    /// Its name in the page and in the JSON.
    var name: String { get }

    /// Looks. It may wait for a file system that doesn't answer.
    func run() -> Report
}

// MARK: - From the process that looks

extension Report {
    /// Between two texts; no text of the system contains it.
    private static let separator = UInt8(0)

    /// The report as bytes, for the parent process.
    var encoded: [UInt8] {
        var texts = [check, summary, isSkipped ? "skipped" : ""]
        for finding in findings {
            texts += [
                "\(finding.severity.rawValue)", finding.code, finding.what, finding.why,
                finding.advice,
            ]
        }
        return Array(
            texts.map { Array($0.utf8.filter { $0 != Self.separator }) }
                .joined(separator: [Self.separator]))
    }

    /// Reads what the child process sent; nil if it is incomplete.
    init?(encoded bytes: [UInt8]) {
        let texts = bytes.split(separator: Self.separator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard texts.count >= 3, (texts.count - 3) % 5 == 0 else { return nil }
        var findings: [Finding] = []
        for start in stride(from: 3, to: texts.count, by: 5) {
            guard let number = UInt8(texts[start]),
                let severity = Finding.Severity(rawValue: number)
            else { return nil }
            findings.append(
                Finding(
                    severity, texts[start + 1], what: texts[start + 2], why: texts[start + 3],
                    advice: texts[start + 4]))
        }
        self.init(
            check: texts[0], summary: texts[1], isSkipped: !texts[2].isEmpty, findings: findings)
    }
}
