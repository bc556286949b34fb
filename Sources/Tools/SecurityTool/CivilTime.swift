// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A point in time as date and time of day, UTC; Foundation would take milliseconds to load.
struct CivilTime {
    private let year: Int64, month: Int64, day: Int64
    private let secondOfDay: Int64

    /// Seconds from 1970-01-01 to 2001-01-01.
    private static let reference: Int64 = 978_307_200

    /// Seconds since 2001-01-01 00:00:00; a time that isn't within ten thousand years becomes that
    /// moment.
    init(sinceReference seconds: Double) {
        let isSane = seconds.isFinite && abs(seconds) < 3e11
        self.init(sinceEpoch: Self.reference + (isSane ? Int64(seconds.rounded(.down)) : 0))
    }

    /// Seconds since 1970-01-01 00:00:00, within ten thousand years.
    init(sinceEpoch seconds: Int64) {
        let days = (seconds >= 0 ? seconds : seconds - 86399) / 86400
        secondOfDay = seconds - days * 86400
        // Count from 0000-03-01, so that a leap day ends its year, in eras of 400 years.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// `20260102030405Z`.
    var compact: String {
        date("") + [hour, minute, second].map { Self.padded($0, 2) }.joined() + "Z"
    }

    /// `2026-01-02T03:04:05Z` (RFC 3339).
    var rfc3339: String {
        date("-") + "T" + [hour, minute, second].map { Self.padded($0, 2) }.joined(separator: ":")
            + "Z"
    }

    private var hour: Int64 { secondOfDay / 3600 }
    private var minute: Int64 { secondOfDay / 60 % 60 }
    private var second: Int64 { secondOfDay % 60 }

    private func date(_ separator: String) -> String {
        [Self.padded(year, 4), Self.padded(month, 2), Self.padded(day, 2)]
            .joined(separator: separator)
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
