// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive

/// Which archives of a directory stay. An archive stays if any of the rules keeps it.
struct BackupRetention {
    /// A span of time, of which the newest archive stays. Days are those of UTC; a week begins on
    /// Monday.
    private enum Span: CaseIterable {
        case archive, day, week, month

        /// The option with the number of spans.
        var option: String {
            switch self {
            case .archive: "--keep-last"
            case .day: "--keep-daily"
            case .week: "--keep-weekly"
            case .month: "--keep-monthly"
            }
        }

        /// Equal for two archives of one span.
        func key(of head: ArchiveHead) -> String {
            let seconds = min(head.date, 1 << 37)
            let date = CivilTime(sinceEpoch: Int64(seconds)).rfc3339
            return switch self {
            case .archive: "\(head.number) \(date)"
            case .day: String(date.prefix { $0 != "T" })
            // 1970-01-01 was a Thursday.
            case .week: "\((seconds / 86400 + 3) / 7)"
            case .month: date.split(separator: "-").prefix(2).joined(separator: "-")
            }
        }
    }

    /// The options' names.
    static let options = Set(Span.allCases.map(\.option))

    private var counts: [(span: Span, count: Int)] = []

    /// Rules from options; nil without any, or with a number that isn't above 0.
    init?(_ options: DeviceOptions) {
        for span in Span.allCases {
            guard let text = options.value(span.option) else { continue }
            guard let count = Int(text), count > 0 else { return nil }
            counts.append((span, count))
        }
        guard !counts.isEmpty else { return nil }
    }

    /// The archives that no rule keeps. Each set has newest archives of its own: another machine may
    /// write into the same directory.
    /// - Parameter files: The newest last.
    /// - Returns: Those of them that may go, in the same order.
    func superfluous(_ files: [BackupFile]) -> [BackupFile] {
        var spans: [[UInt8]: [Set<String>]] = [:]
        var deleted: [BackupFile] = []
        for file in files.reversed() {
            var seen = spans[file.head.set] ?? counts.map { _ in [] }
            var isKept = false
            for (index, rule) in counts.enumerated() where seen[index].count < rule.count {
                let isNewest = seen[index].insert(rule.span.key(of: file.head)).inserted
                isKept = isKept || isNewest
            }
            spans[file.head.set] = seen
            if !isKept { deleted.append(file) }
        }
        return deleted.reversed()
    }
}
