// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Synchronization

/// The mounts that a process sees (`/proc/PID/mountinfo`; proc_pid_mountinfo(5)).
struct MountTable {
    /// One of them.
    struct Mount {
        let number: UInt64
        let device: [UInt8]
        let point: [UInt8]
        let type: String
        /// Programs there don't get raised rights, as on what a user may mount.
        let isNoSetUser: Bool
        /// Of the file system: `upperdir=…` and the like.
        let superOptions: String
    }

    /// More than the mounts that a namespace can have by default.
    fileprivate static let byteLimit = 64 * 1024 * 1024
    private let mounts: [Mount]

    /// Of a process; nil when it can't be read.
    init?(process: Int32) {
        self.init(
            ProcessFile.content("/proc/\(process)/mountinfo", limit: Self.byteLimit) ?? [])
    }

    /// Takes the text of `mountinfo`; nil when a line of it isn't one.
    init?(_ text: [UInt8]) {
        var mounts: [Mount] = []
        var lines = TextLines(text)
        while let line = lines.next() {
            guard let mount = Mount(line) else { return nil }
            mounts.append(mount)
        }
        guard !mounts.isEmpty else { return nil }
        self.mounts = mounts
    }

    /// The mount of an open file; nil when this process doesn't see it. No file system is asked.
    func mount(ofOpenFile descriptor: Int32) -> Mount? {
        guard let number = ProcessFile.mountNumber(ofOpenFile: descriptor) else { return nil }
        return mounts.first { $0.number == number }
    }

    /// The mount that a path leads to, if nothing on the way is a link.
    func mount(ofPath path: [UInt8]) -> Mount? {
        var best: Mount?
        // Later ones lie over earlier ones.
        for mount in mounts where mount.covers(path) {
            if mount.point.count >= best?.point.count ?? 0 { best = mount }
        }
        return best
    }

    /// The mount of the root directory.
    var root: Mount? { mounts.last { $0.point == [UInt8(ascii: "/")] } }

    /// Whether a file system is also mounted where programs may have raised rights: then it isn't
    /// one that a user has mounted.
    func isSystems(_ mount: Mount) -> Bool {
        !mount.isNoSetUser
            || mounts.contains { $0.device == mount.device && !$0.isNoSetUser }
    }
}

/// The mounts that this process sees, read again when they have changed.
final class OwnMounts: Sendable {
    private struct Known: ~Copyable {
        let file: Descriptor
        var table: MountTable?
    }

    private let known: Mutex<Known?>

    init() {
        let file = unsafe llavero_open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0)
        known = Mutex(file >= 0 ? Known(file: Descriptor(owning: file), table: nil) : nil)
    }

    /// The present ones; nil when they can't be read.
    var table: MountTable? {
        known.withLock { known in
            guard let file = known?.file.rawValue else { return nil }
            // The kernel marks the file after a change until it is asked once.
            var entry = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
            let hasChanged = unsafe poll(&entry, 1, 0) != 0
            if hasChanged || known?.table == nil {
                known?.table = MountTable(
                    ProcessFile.content(file, limit: MountTable.byteLimit) ?? [])
            }
            return known?.table
        }
    }
}

extension MountTable.Mount {
    /// Reads a line; nil for one that isn't one of `mountinfo`.
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        // What is mounted (the field after the type) can be empty.
        let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard let dash = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual("-".utf8) }),
            fields.count >= dash + 4,
            let number = UInt64(digits: fields[0], radix: 10)
        else { return nil }
        self.number = number
        device = Array(fields[2])
        point = Self.unescaped(fields[4])
        isNoSetUser = fields[5].split(separator: UInt8(ascii: ",")).contains {
            $0.elementsEqual("nosuid".utf8)
        }
        type = String(decoding: fields[dash + 1], as: UTF8.self)
        superOptions = String(decoding: Self.unescaped(fields[dash + 3]), as: UTF8.self)
    }

    /// The kernel writes spaces and the like as a backslash and three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        guard field.contains(UInt8(ascii: "\\")) else { return Array(field) }
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt64(digits: rest.prefix(3), radix: 8), code <= 255
            {
                bytes.append(UInt8(code))
                rest.removeFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    fileprivate func covers(_ path: [UInt8]) -> Bool {
        let slash = UInt8(ascii: "/")
        guard point != [slash] else { return path.first == slash }
        return path.starts(with: point)
            && (path.count == point.count || path[point.count] == slash)
    }

    /// File systems of this machine's own disks and memory: their content is changed by this kernel
    /// alone, and they say whose a file is. Not among them: FUSE, network file systems, and what
    /// another machine or a process serves. What isn't known proves nothing.
    ///
    /// Nor are btrfs and bcachefs: `maps` shows one device and one inode number for files of two
    /// subvolumes. A user may create subvolumes, and so make a library that passes for any file.
    private static let ordinaryTypes: Set<String> = [
        "erofs", "ext2", "ext3", "ext4", "f2fs", "iso9660", "jfs", "nilfs2", "ramfs", "rootfs",
        "squashfs", "tmpfs", "udf", "xfs", "zfs",
    ]

    var isOfOrdinaryType: Bool { Self.ordinaryTypes.contains(type) }

    /// Whether files are in memory alone. There a process can keep a page of a file (io_uring's buffers)
    /// and have it written when the file is closed, with its times as they were.
    var isInMemory: Bool { ["ramfs", "rootfs", "tmpfs"].contains(type) }

    /// Whether content of a file says who runs it: root's file does anywhere.
    func holds(_ file: FileStatus) -> Bool { !isInMemory || file.isRootsAlone }

    /// All directories that an overlay is made of: the one that takes the changes, if there is one,
    /// and those below it, whose files show where nothing has changed. Nil for another file system,
    /// and where the options don't say.
    var overlayDirectories: [String]? {
        guard type == "overlay" else { return nil }
        let options = superOptions.split(separator: ",")
        func values(_ name: String) -> [String] {
            options.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let upper = values("upperdir")
        let lower = ["lowerdir", "lowerdir+", "datadir+"].flatMap(values).flatMap {
            $0.split(separator: ":").map(String.init)
        }
        return upper.count <= 1 && !lower.isEmpty ? upper + lower : nil
    }
}
