// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The applications that the person has refused several times in a row. For a while nobody is asked
/// for them, so that one application can't keep a person from work, nor other questions from coming.
package struct RefusedApplications: Sendable {
    /// So many refusals in a row.
    package static let limit = 3
    /// For so long after the last one.
    package static let pause = Duration.seconds(60)
    /// More applications than this are forgotten, the oldest first.
    package static let applicationLimit = 256

    private struct Entry {
        var count = 0
        var last: ContinuousClock.Instant
    }

    private struct Name: Hashable {
        let user: UInt32
        let application: String
    }

    private var entries: [Name: Entry] = [:]

    /// None.
    package init() {}

    /// Whether the person isn't asked for an application now.
    package func contains(
        _ application: String, user: UInt32, at now: ContinuousClock.Instant
    ) -> Bool {
        guard let entry = entries[Name(user: user, application: application)] else { return false }
        return entry.count >= Self.limit && now < entry.last + Self.pause
    }

    /// The person has refused a question, or not.
    package mutating func note(
        isRefusal: Bool, _ application: String, user: UInt32, at now: ContinuousClock.Instant
    ) {
        let name = Name(user: user, application: application)
        guard isRefusal else {
            entries[name] = nil
            return
        }
        if entries[name] == nil, entries.count >= Self.applicationLimit,
            let oldest = entries.min(by: { $0.value.last < $1.value.last })
        {
            entries[oldest.key] = nil
        }
        var entry = entries[name] ?? Entry(last: now)
        // After the pause the person is asked once, and not three times more.
        entry.count += 1
        entry.last = now
        entries[name] = entry
    }
}
