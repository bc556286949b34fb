// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// A line on the terminal that shows the progress of long work, and is removed at the end. Nothing
/// is written for short work, or if standard error isn't a terminal.
final class ProgressBar {
    private let verb: String
    private let total: Int
    private let isShown: Bool
    private var shownPercent = -1

    /// Work with more pieces than this is long.
    static let longWork = 200
    private static let cellCount = 40

    /// - Parameters:
    ///   - verb: The word for the work.
    ///   - total: How many pieces of work there are.
    init(_ verb: String, of total: Int) {
        self.verb = verb
        self.total = total
        isShown = total > Self.longWork && isatty(STDERR_FILENO) != 0
    }

    deinit { if shownPercent >= 0 { Output.write("\r\u{1B}[K", to: STDERR_FILENO) } }

    /// Updates the number of finished pieces.
    func show(_ done: Int) {
        let percent = isShown ? done * 100 / total : -1
        guard percent != shownPercent else { return }
        shownPercent = percent
        let full = percent * Self.cellCount / 100
        let bar =
            String(repeating: "#", count: full)
            + String(repeating: ".", count: Self.cellCount - full)
        Output.write("\r\(verb) [\(bar)] \(done)/\(total)", to: STDERR_FILENO)
    }
}
