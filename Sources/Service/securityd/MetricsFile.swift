// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC
import SecurityDaemon

/// The file that node-exporter's textfile collector reads: counts, no names. It is replaced as a whole.
struct MetricsFile {
    private static let interval = Duration.seconds(15)

    private let directory: String
    private let counts: RequestCounts
    private let start = time(nil)
    private var next = ContinuousClock.now

    /// - Parameters:
    ///   - directory: Its directory, which is this process's user's.
    ///   - counts: What is written.
    init(directory: String, counts: RequestCounts) {
        self.directory = directory
        self.counts = counts
    }

    /// Writes it, if it is time. A monitor that finds an old file says so; nothing depends on it.
    mutating func writeIfDue() {
        guard next <= .now else { return }
        next = .now + Self.interval
        let new = directory + "/.llavero.prom"
        let raw = unsafe llavero_open(
            new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard raw >= 0 else { return }
        let file = Descriptor(owning: raw)
        var text = counts.text(start: start)
        let isWhole = text.withUTF8 { bytes in
            unsafe write(file.rawValue, bytes.baseAddress, bytes.count) == bytes.count
        }
        // The umask of the service hides files from others.
        guard isWhole, fchmod(file.rawValue, 0o644) == 0 else { return }
        _ = unsafe rename(new, directory + "/llavero.prom")
    }
}
