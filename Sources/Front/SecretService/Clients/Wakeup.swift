// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// A counter of the kernel that wakes threads.
struct Wakeup: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// Makes a counter. Of a semaphore, each ``wait()`` takes one and may wait; else it takes all.
    init(isSemaphore: Bool) throws(SystemError) {
        let kind = isSemaphore ? EFD_SEMAPHORE : EFD_NONBLOCK
        let number = eventfd(0, Int32(EFD_CLOEXEC | kind))
        guard number >= 0 else { throw SystemError("eventfd") }
        descriptor = Descriptor(owning: number)
    }

    /// For poll.
    var rawValue: Int32 { descriptor.rawValue }

    /// Wakes one thread.
    func signal() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor.rawValue, &one, 8)
    }

    /// Waits for a signal; doesn't wait unless it is a semaphore.
    func wait() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor.rawValue, &count, 8)
    }
}
