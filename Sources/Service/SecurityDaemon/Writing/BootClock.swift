// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import ItemStore

/// Reads the time on a clock that can't be set, so that a change of the wall clock neither expires
/// outcomes of writes nor keeps them longer.
struct BootClock: Sendable {
    private let bootID: [UInt8]

    /// Reads the identifier of the machine's current start.
    init() {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let digits = text?.filter(\.isHexDigit) ?? ""
        // If it can't be read, all starts look the same. Times of different starts are then
        // confused, and an outcome may be kept somewhat longer.
        bootID = stride(from: 0, to: 32, by: 2).map { position in
            UInt8(digits.dropFirst(position).prefix(2), radix: 16) ?? 0
        }
    }

    /// The current time.
    var now: BootMoment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return BootMoment(seconds: Int64(time.tv_sec), bootID: bootID)
    }
}
