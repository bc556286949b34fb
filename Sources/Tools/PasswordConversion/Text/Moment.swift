// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Times of foreign files, in milliseconds since 1970 (proleptic Gregorian calendar, UTC).
enum Moment {
    /// The years that are read and written.
    private static let years: ClosedRange<Int64> = 1...9999
    private static let dayMilliseconds: Int64 = 86_400_000
    /// Seconds from 0001-01-01, where KeePass begins to count, to 1970.
    static let keePassOffset: Int64 = 62_135_596_800

    /// Reads `2024-05-06T07:08:09.123Z`; the fraction may be missing, and the offset +02:00.
    static func parse(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard let year = number(4, &rest), take("-", &rest), let month = number(2, &rest),
            take("-", &rest), let day = number(2, &rest), take("T", &rest) || take(" ", &rest),
            let hour = number(2, &rest), take(":", &rest), let minute = number(2, &rest),
            take(":", &rest), let second = number(2, &rest), years.contains(year),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var milliseconds = ((hour * 60 + minute) * 60 + second) * 1000
        if take(".", &rest) {
            let digits = rest.prefix(while: ASCII.isDigit)
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            let padded = Array(digits.prefix(3)) + [48, 48, 48]
            milliseconds += padded.prefix(3).reduce(0) { $0 * 10 + Int64($1 - 48) }
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        return day1970(year, month, day) * dayMilliseconds + milliseconds - offset * 60_000
    }

    /// Writes a time in that form.
    /// - Returns: Nil for a year of more than four digits.
    static func text(_ time: Int64, hasFraction: Bool = true) -> String? {
        let (days, rest) = time.floored(by: dayMilliseconds)
        guard days > -720_000, days < 2_932_897 else { return nil }
        let (year, month, day) = date(days)
        guard years.contains(year) else { return nil }
        let second = rest / 1000
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
        let fraction = hasFraction ? "." + padded(rest % 1000, 3) : ""
        let date = padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
        return date + "T" + clock.joined(separator: ":") + fraction + "Z"
    }

    /// Milliseconds of a time in seconds; nil if that is too far away.
    static func milliseconds(seconds: Int64) -> Int64? {
        let (value, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return overflows || value == .min ? nil : value
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
    }

    private static func number(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(ASCII.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    }

    private static func take(_ letter: Character, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, first == letter.asciiValue else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Minutes east of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if rest.isEmpty || take("Z", &rest) { return 0 }
        let isWest = take("-", &rest)
        guard isWest || take("+", &rest), let hour = number(2, &rest), take(":", &rest),
            let minute = number(2, &rest)
        else { return nil }
        return (hour * 60 + minute) * (isWest ? -1 : 1)
    }

    /// Days since 1970 of a date, counted in eras of 400 years that begin in March.
    private static func day1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.floored(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, day) = (days + 719_468).floored(by: 146_097)
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    /// Quotient and remainder, the latter never negative.
    fileprivate func floored(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
