// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Whether the clock can be right.
package struct ClockCheck: Check {
    package let name = "clock"
    private let places: Places
    private let now: Int64

    /// - Parameters:
    ///   - places: Where the files are that were written last.
    ///   - now: What the clock says, in seconds since 1970.
    package init(_ places: Places, now: Int64) {
        self.places = places
        self.now = now
    }

    /// 2026-01-01T00:00:00Z: no program of this project is older.
    package static let earliest: Int64 = 1_767_225_600
    /// Two clocks that are set differ by less.
    package static let tolerance: Int64 = 120

    private static let files = ["keychain.db", "keychain.db-wal", "keychain.keys", "usage.db"]

    /// See ``Check/run()``.
    package func run() -> Report {
        let seconds = "\(now) s since 1970"
        if now < Self.earliest {
            return Report(
                name, seconds,
                [
                    Finding(
                        .broken, "clock-before-this-version",
                        what: "The clock says \(seconds), which is before this program was made.",
                        why: "Items get wrong dates, and certificates seem not to be valid yet.",
                        advice: "Set the clock (`timedatectl`), and look at its battery.")
                ])
        }
        if let reason = places.foreignFiles {
            return Report(name, "\(seconds); \(reason)")
        }
        let writes = Self.files.compactMap { name in
            (try? FileFacts(places.stateDirectory + "/" + name))?.modified
        }
        guard let last = writes.max(), last > now + Self.tolerance else {
            return Report(name, seconds)
        }
        return Report(
            name, seconds,
            [
                Finding(
                    .broken, "clock-before-last-write",
                    what: "The clock is \(last - now) s behind the last write to the database.",
                    why:
                        "It was set back, or it was ahead then. New items seem older than old ones.",
                    advice: "Set the clock (`timedatectl`). If it was ahead, the time passes.")
            ])
    }
}
