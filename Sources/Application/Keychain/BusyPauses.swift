// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecurityWire

/// The pauses between attempts at a request that the service had no room for, or whose challenge has
/// gone stale. Each is about twice the one before, and none has a fixed length, so that programs that
/// were refused together don't come back together.
struct BusyPauses {
    /// Ends a pause.
    private final class Alarm: Sendable {
        let rung: EventCounter
        init() throws(SystemError) { rung = try EventCounter() }
    }

    private var next = Duration.milliseconds(5)
    /// Short beside any deadline, and long beside an attempt.
    private static let longest = Duration.milliseconds(200)

    /// Waits before the next attempt.
    /// - Returns: False when there is none: it would come too late, or nobody wants it any more.
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
    /// Whether the service has done nothing, and may do it later.
    var isBusy: Bool {
        if case .failed(let failure) = self { failure.reason == .busy } else { false }
    }
}
