// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import Synchronization

/// Tells whether an open file is the one that a line of `maps` means.
///
/// On most file systems both have the same device and inode number. On some (overlays on older
/// kernels) `maps` shows other numbers: there the file is mapped here, to see what the kernel calls
/// it. That proves nothing where two files have the same numbers in `maps`. Such file systems are no
/// ordinary ones (``MountTable/Mount/isOfOrdinaryType``).
final class MappedFiles: Sendable {
    private struct Numbers: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private static let capacity = 4096
    private static let byteLimit = 8 * 1024 * 1024
    private let known = Mutex<[FileIdentity: Numbers]>([:])

    /// Whether a file is that of a mapping.
    func isFile(_ file: borrowing Descriptor, _ status: FileStatus, of mapping: Mapping) -> Bool {
        if status.isFile(of: mapping) { return true }
        return numbers(file, status) == Numbers(device: mapping.device, inode: mapping.inode)
    }

    private func numbers(_ file: borrowing Descriptor, _ status: FileStatus) -> Numbers? {
        if let numbers = known.withLock({ $0[status.identity] }) { return numbers }
        guard let numbers = Self.ask(file.rawValue) else { return nil }
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[status.identity] = numbers
        }
        return numbers
    }

    private static func ask(_ descriptor: Int32) -> Numbers? {
        let byteCount = 4096
        guard let address = unsafe mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0),
            unsafe address != MAP_FAILED
        else { return nil }
        defer { unsafe munmap(address, byteCount) }
        let start = Array(String(UInt(bitPattern: address), radix: 16).utf8)
        guard let text = ProcessFile.content("/proc/self/maps", limit: byteLimit) else {
            return nil
        }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // Addresses have at least eight digits, with zeros before them.
            let first = line.prefix { $0 != UInt8(ascii: "-") }.drop { $0 == UInt8(ascii: "0") }
            guard first.elementsEqual(start), let mapping = Mapping(line[...]) else { continue }
            return Numbers(device: mapping.device, inode: mapping.inode)
        }
        return nil
    }
}
