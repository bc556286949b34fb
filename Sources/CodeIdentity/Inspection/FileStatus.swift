// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

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

    /// Names a file and its content: a changed file has another one, unless it was changed within
    /// the clock's tick (see ``settled(now:)``).
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
        let byteCount: Int64
        let modified: Int64
        let changed: Int64
    }

    var identity: Identity {
        Identity(
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

/// Where only root can put programs.
package struct ProgramDirectories: Sendable {
    private let prefixes: [String]

    /// Takes absolute paths; others count for nothing.
    package init(_ paths: [String]) {
        prefixes = paths.compactMap { path in
            var path = path
            while path.hasSuffix("/") { path.removeLast() }
            return path.hasPrefix("/") ? path + "/" : nil
        }
    }

    /// Whether a real path is below one of them, and root alone can change what is on the way.
    func holds(_ path: String) -> Bool {
        guard prefixes.contains(where: { path.hasPrefix($0) }), !path.contains("/../"),
            !path.contains("\n")
        else { return false }
        var parent = path
        while let slash = parent.lastIndex(of: "/") {
            parent = String(parent[..<slash])
            let name = parent.isEmpty ? "/" : parent
            guard let status = FileStatus(path: name, followingLinks: false),
                status.isDirectory, status.isRootsAlone
            else { return false }
        }
        return true
    }
}
