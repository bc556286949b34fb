// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import ItemStore

/// Tells moments by the clock that nobody sets, so that a change of the wall clock neither makes
/// outcomes of writes old nor keeps them.
struct BootClock: Sendable {
    private let bootID: [UInt8]

    /// Reads which start of the machine this is.
    init() {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let digits = text?.filter(\.isHexDigit) ?? ""
        // Where it can't be read every start is the same; the clock then tells them apart badly, and
        // an outcome is kept for some time longer.
        bootID = stride(from: 0, to: 32, by: 2).map { position in
            UInt8(digits.dropFirst(position).prefix(2), radix: 16) ?? 0
        }
    }

    /// The moment now.
    var now: BootMoment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return BootMoment(seconds: Int64(time.tv_sec), bootID: bootID)
    }
}
