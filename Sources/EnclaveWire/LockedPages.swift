// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes

/// Pages for one large message: never swapped, never dumped, wiped when the owner goes.
///
/// `SecretBytes` would take pages off the kernel's direct map, at some 20 microseconds each: right
/// for a key that stays, not for a megabyte that is through in a millisecond.
///
/// `@unchecked Sendable` because its one owner, a message buffer, is used by one thread at a time.
@safe final class LockedPages: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    /// Maps pages; running out of address space ends the process, as a failed `malloc` does.
    init(byteCount: Int) {
        let pages = unsafe mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
            preconditionFailure("out of memory for a message")
        }
        unsafe madvise(pages, byteCount, MADV_DONTDUMP)
        // Past the limit of locked memory the pages stay ordinary ones, for this message.
        _ = unsafe mlock(pages, byteCount)
        unsafe bytes = UnsafeMutableRawBufferPointer(start: pages, count: byteCount)
    }

    deinit {
        unsafe SecretMemory.wipe(bytes)
        unsafe munmap(bytes.baseAddress, bytes.count)
    }
}
