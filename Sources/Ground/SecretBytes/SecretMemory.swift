// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The memory for secrets: pages that are neither dumped nor swapped, allocated in blocks.
///
/// The pages are locked. In a process that asks for it (`preferSecretMemory`) blocks up to 16 KiB
/// come from `memfd_secret`, if the kernel has it: not even root's debugger can read those. A
/// forked child would share them, so libraries in an application don't use them. A process whose
/// lock limit is used up gets ordinary pages that are left out of core dumps; `kind` then says so.
@safe public enum SecretMemory {
    /// How well the pages are protected, from best to least.
    public enum Kind: UInt8, Sendable, Comparable {
        /// `memfd_secret`: off the kernel's direct map, never swapped, never dumped.
        case secretMemory = 1
        /// `mlock`: never swapped, never dumped, readable by a debugger.
        case lockedMemory = 2
        /// Never dumped; may be swapped.
        case pagedMemory = 3

        /// Whether the left kind protects the pages better than the right one.
        public static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// The weakest kind of page that blocks up to 16 KiB, and so all keys, have used so far.
    public static var kind: Kind { slab.withLock { $0.weakest } }

    /// Whether any block up to 16 KiB has been allocated: a child would share its pages.
    package static var hasBlocks: Bool { slab.withLock { $0.hasRegion } }

    /// Takes `memfd_secret` pages from now on. For a process that doesn't fork once it has secrets.
    package static func preferSecretMemory() { slab.withLock { $0.prefersSecretMemory = true } }

    /// Overwrites memory with zeros in a way that the compiler can't leave out.
    public static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        unsafe explicit_bzero(base, bytes.count)
    }

    /// The process-wide allocator; memory is the only thing that is necessarily global.
    private static let slab = ForkAwareMutex { $0 ?? Slab() }

    static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        unsafe slab.withLock { unsafe $0.allocate(byteCount: byteCount) }
    }

    /// Wipes and frees a block that `allocate` returned for the same count.
    static func deallocate(_ block: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe wipe(UnsafeMutableRawBufferPointer(start: block, count: byteCount))
        slab.withLock { unsafe $0.deallocate(block, byteCount: byteCount) }
    }
}

/// Blocks of powers of two from 32 bytes to 16 KiB, cut from regions; larger blocks have a separate
/// mapping and return to the kernel.
private struct Slab {
    private static let regionByteCount = 64 * 1024
    private static let smallestShift = 5
    private static let largestShift = 14

    private(set) var weakest = SecretMemory.Kind.secretMemory
    var prefersSecretMemory = false
    /// Addresses of free blocks, by size class.
    private var free = [[UInt]](repeating: [], count: largestShift - smallestShift + 1)
    /// The uncut rest of the newest region.
    private var cursor: UInt = 0
    private var end: UInt = 0

    var hasRegion: Bool { end != 0 }

    mutating func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        guard byteCount <= 1 << Self.largestShift else {
            return unsafe mapLocked(Self.roundedUp(byteCount)).pages
        }
        let sizeClass = Self.sizeClass(byteCount)
        if let address = free[sizeClass].popLast() { return unsafe pointer(address) }
        let blockByteCount = UInt(1) << UInt(sizeClass + Self.smallestShift)
        if end - cursor < blockByteCount {
            abandonRest()
            cursor = UInt(bitPattern: unsafe mapRegion())
            end = cursor + UInt(Self.regionByteCount)
        }
        defer { cursor += blockByteCount }
        return unsafe pointer(cursor)
    }

    mutating func deallocate(_ block: UnsafeMutableRawPointer, byteCount: Int) {
        guard byteCount <= 1 << Self.largestShift else {
            unsafe munmap(block, Self.roundedUp(byteCount))
            return
        }
        free[Self.sizeClass(byteCount)].append(UInt(bitPattern: block))
    }

    /// Cuts the rest of a region into the largest blocks that fit, so that nothing is lost.
    private mutating func abandonRest() {
        while end - cursor >= UInt(1) << UInt(Self.smallestShift) {
            let fitting = Int.bitWidth - 1 - Int(end - cursor).leadingZeroBitCount
            let shift = min(Self.largestShift, min(fitting, cursor.trailingZeroBitCount))
            free[shift - Self.smallestShift].append(cursor)
            cursor += UInt(1) << UInt(shift)
        }
    }

    private static func sizeClass(_ byteCount: Int) -> Int {
        guard byteCount > 1 << smallestShift else { return 0 }
        return Int.bitWidth - (byteCount - 1).leadingZeroBitCount - smallestShift
    }

    private static func roundedUp(_ byteCount: Int) -> Int { (byteCount + 4095) & ~4095 }

    private func pointer(_ address: UInt) -> UnsafeMutableRawPointer {
        guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
            preconditionFailure("a free block has no address")
        }
        return unsafe pointer
    }

    /// Maps the pages of a region, best kind first.
    private mutating func mapRegion() -> UnsafeMutableRawPointer {
        if prefersSecretMemory, let pages = unsafe Self.mapSecret(Self.regionByteCount) {
            return unsafe pages
        }
        let (pages, kind) = unsafe mapLocked(Self.regionByteCount)
        weakest = max(weakest, kind)
        return unsafe pages
    }

    /// Maps fresh locked pages. Running out of address space ends the process, as a failed
    /// `malloc` does in Swift.
    private func mapLocked(
        _ size: Int
    ) -> (pages: UnsafeMutableRawPointer, kind: SecretMemory.Kind) {
        let pages = unsafe mmap(
            nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
            preconditionFailure("out of memory for secrets")
        }
        unsafe madvise(pages, size, MADV_DONTDUMP)
        let isLocked = unsafe mlock(pages, size) == 0
        return unsafe (pages, isLocked ? .lockedMemory : .pagedMemory)
    }

    private static func mapSecret(_ size: Int) -> UnsafeMutableRawPointer? {
        let descriptor = llavero_memfd_secret(UInt32(O_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard ftruncate(descriptor, size) == 0 else { return nil }
        let pages = unsafe mmap(
            nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { return nil }
        unsafe madvise(pages, size, MADV_DONTDUMP)
        return unsafe pages
    }
}
