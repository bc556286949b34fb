// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Names a file and its content: a changed file has another one, unless it was changed within the
/// clock's tick (see ``FileStatus/settled(now:)``).
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let byteCount: Int64
    let modified: Int64
    let changed: Int64

    /// Takes what the file system says; times in nanoseconds since 1970.
    package init(device: UInt64, inode: UInt64, byteCount: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.byteCount = byteCount
        self.modified = modified
        self.changed = changed
    }
}

/// What the file system says of a file.
struct FileStatus {
    private let status: stat

    /// Of an open file.
    init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.status = status
    }

    /// Of a path; nil when there is nothing.
    init?(path: String, followingLinks: Bool = true) {
        var status = stat()
        let result =
            followingLinks ? unsafe stat(path, &status) : unsafe lstat(path, &status)
        guard result == 0 else { return nil }
        self.status = status
    }

    var identity: FileIdentity {
        FileIdentity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            byteCount: Int64(status.st_size), modified: Self.nanoseconds(status.st_mtim),
            changed: Self.nanoseconds(status.st_ctim))
    }

    /// Whether the file was last changed long enough ago that the next change gets another time.
    func settled(now: Int64) -> Bool { now - Int64(status.st_ctim.tv_sec) >= 2 }

    var owner: UInt32 { status.st_uid }
    var group: UInt32 { status.st_gid }
    var byteCount: Int { Int(status.st_size) }
    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var isSetGroup: Bool { status.st_mode & mode_t(S_ISGID) != 0 }

    /// Whether only root can write it. Access lists show in the group's bits.
    var isRootsAlone: Bool { owner == 0 && status.st_mode & 0o022 == 0 }

    /// Whether only its owner and root can write it.
    var isOwnersAlone: Bool { status.st_mode & 0o022 == 0 }

    /// Whether this user or root alone can write it.
    func isAlone(of user: UInt32) -> Bool {
        (owner == 0 || owner == user) && status.st_mode & 0o022 == 0
    }

    /// Whether it is the file of a mapping.
    func isFile(of mapping: Mapping) -> Bool {
        let number = UInt64(status.st_dev)
        // As the kernel's C library takes a device number apart.
        let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
        let minor = number & 0xFF | (number >> 12) & ~0xFF
        return UInt64(status.st_ino) == mapping.inode && major << 32 | minor == mapping.device
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
