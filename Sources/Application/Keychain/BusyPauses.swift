// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecurityWire

/// The pauses between retries of a request that the service had no room for, or whose challenge is
/// stale. Each is about twice as long as the one before, with a random part, so that programs that
/// were refused together don't retry together.
struct BusyPauses {
    /// Ends a pause.
    private final class Alarm: Sendable {
        let rung: EventCounter
        init() throws(SystemError) { rung = try EventCounter() }
    }

    private var next = Duration.milliseconds(5)
    /// Short compared with any deadline, and long compared with an attempt.
    private static let longest = Duration.milliseconds(200)

    /// Waits before the next attempt.
    /// - Returns: False when there is no next attempt: it would be too late, or the call was
    ///   cancelled.
    mutating func wait(_ bounds: CallBounds) -> Bool {
        let pause = next * Double.random(in: 0.5...1)
        next = min(next * 2, Self.longest)
        if let end = bounds.end, end <= .now + pause { return false }
        guard let alarm = try? Alarm() else { return false }
        let interruption = bounds.interruption
        let isWanted = interruption?.begin { alarm.rung.signal() } ?? true
        if isWanted {
            let milliseconds = (pause / .milliseconds(1)).rounded(.up)
            _ = alarm.rung.wait(milliseconds: Int32(milliseconds))
        }
        interruption?.end()
        return isWanted && interruption?.cause == nil
    }
}

extension ReceivedReply {
    /// Whether the service has done nothing, and a retry may succeed.
    var isBusy: Bool {
        if case .failed(let failure) = self { failure.reason == .busy } else { false }
    }
}
