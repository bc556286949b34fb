// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// The mounts that a process sees (`/proc/PID/mountinfo`; proc_pid_mountinfo(5)).
struct MountTable {
    /// One of them.
    struct Mount {
        let number: UInt64
        let device: String
        let point: String
        let type: String
        /// Programs there don't get raised rights, as on what a user may mount.
        let isNoSetUser: Bool
        /// Of the file system: `upperdir=…` and the like.
        let superOptions: String
    }

    private static let byteLimit = 4 * 1024 * 1024
    private let mounts: [Mount]

    /// Of a process, `self` for this one; nil when it can't be read.
    init?(process: String) {
        guard let text = ProcessFile.content("/proc/\(process)/mountinfo", limit: Self.byteLimit)
        else { return nil }
        var mounts: [Mount] = []
        var lines = TextLines(text)
        while let line = lines.next() {
            guard let mount = Mount(line) else { return nil }
            mounts.append(mount)
        }
        self.mounts = mounts
    }

    /// The mount of an open file; nil when this process doesn't see it. No file system is asked.
    func mount(ofOpenFile descriptor: Int32) -> Mount? {
        let path = "/proc/self/fdinfo/\(descriptor)"
        guard let text = ProcessFile.content(path, limit: 4096) else { return nil }
        var lines = TextLines(text)
        while let line = lines.next() {
            var fields = LineFields(line)
            guard let name = fields.next(), name.elementsEqual("mnt_id:".utf8) else { continue }
            guard let number = fields.next().flatMap({ UInt64(digits: $0, radix: 10) }) else {
                return nil
            }
            return mounts.first { $0.number == number }
        }
        return nil
    }

    /// The mount that a path leads to, if nothing on the way is a link.
    func mount(ofPath path: String) -> Mount? {
        var best: Mount?
        // Later ones lie over earlier ones.
        for mount in mounts where mount.covers(path) {
            if mount.point.utf8.count >= best?.point.utf8.count ?? 0 { best = mount }
        }
        return best
    }

    /// The mount of the root directory.
    var root: Mount? { mounts.last { $0.point == "/" } }

    /// Whether a file system is also mounted where programs may have raised rights: then it isn't
    /// one that a user has mounted.
    func isSystems(_ mount: Mount) -> Bool {
        !mount.isNoSetUser
            || mounts.contains { $0.device == mount.device && !$0.isNoSetUser }
    }
}

extension MountTable.Mount {
    /// Reads a line; nil for one that isn't one of `mountinfo`.
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard let dash = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }),
            dash >= 6, fields.count >= dash + 4,
            let number = UInt64(digits: fields[0], radix: 10)
        else { return nil }
        self.number = number
        device = String(decoding: fields[2], as: UTF8.self)
        point = Self.unescaped(fields[4])
        isNoSetUser = fields[5].split(separator: UInt8(ascii: ",")).contains {
            $0.elementsEqual("nosuid".utf8)
        }
        type = String(decoding: fields[dash + 1], as: UTF8.self)
        superOptions = Self.unescaped(fields[dash + 3])
    }

    /// The kernel writes spaces and the like as a backslash and three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> String {
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
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate func covers(_ path: String) -> Bool {
        point == "/" || path == point || path.hasPrefix(point + "/")
    }

    /// File systems of this machine's own disks and memory: their content is changed by this kernel
    /// alone, and they say whose a file is. Not among them: FUSE, network file systems, and what
    /// another machine or a process serves. What isn't known proves nothing.
    private static let ordinaryTypes: Set<String> = [
        "bcachefs", "btrfs", "erofs", "ext2", "ext3", "ext4", "f2fs", "iso9660", "jfs", "nilfs2",
        "ramfs", "rootfs", "squashfs", "tmpfs", "udf", "xfs", "zfs",
    ]

    var isOfOrdinaryType: Bool { Self.ordinaryTypes.contains(type) }

    /// Whether an overlay's parts are root's alone: the directory that takes the changes, or, where
    /// there is none, all that lie below it. Nil where the options don't say.
    var overlayDirectories: [String]? {
        guard type == "overlay" else { return nil }
        let options = superOptions.split(separator: ",")
        func values(_ name: String) -> [String] {
            options.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let upper = values("upperdir")
        if upper.count == 1 { return upper }
        let lower = (values("lowerdir") + values("lowerdir+")).flatMap {
            $0.split(separator: ":").map(String.init)
        }
        return upper.isEmpty && !lower.isEmpty ? lower : nil
    }
}
