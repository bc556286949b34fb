// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Synchronization

/// Tells which files only root can change or put others in place of: root's file, in directories
/// that only root can write, on a file system that only root has mounted. As this process sees them.
///
/// Paths are walked from the root directory down and left at the first directory that isn't root's,
/// so that no file system of a user is asked.
struct RootsFiles {
    private let mounts: MountTable
    /// Whether the process that is asked about sees the same mounts as this one.
    private let sharesMounts: Bool
    private var directories: [[UInt8]: Bool] = [:]

    init(mounts: MountTable, sharesMounts: Bool) {
        self.mounts = mounts
        self.sharesMounts = sharesMounts
    }

    /// What the file system says of a file of root's; nil for a file that isn't.
    mutating func status(_ path: String) -> FileStatus? {
        let bytes = Array(path.utf8)
        guard Self.isPlain(bytes), let mount = mounts.mount(ofPath: bytes), isRoots(mount),
            isDirectory(Self.parent(bytes)),
            let status = FileStatus(path: path, followingLinks: false), status.isRegular,
            status.isRootsAlone
        else { return nil }
        return status
    }

    /// Whether a file was root's at a path where it isn't any more: only root can have put it into
    /// the path's directory, and only root can write it.
    /// - Parameters:
    ///   - path: Where it was; the kernel's word, not a process's.
    ///   - status: Of the file.
    /// - Returns: Whether it was root's there.
    mutating func held(_ path: String, _ status: FileStatus) -> Bool {
        let bytes = Array(path.utf8)
        guard Self.isPlain(bytes), let mount = mounts.mount(ofPath: bytes), isRoots(mount),
            isDirectory(Self.parent(bytes)), status.isRegular, status.isRootsAlone,
            let directory = FileStatus(
                path: String(decoding: Self.parent(bytes), as: UTF8.self), followingLinks: false)
        else { return false }
        return directory.identity.device == status.identity.device
    }

    /// Whether a path is on the mount of the system's own libraries, which nobody unmounts.
    func staysMounted(_ path: String) -> Bool {
        mounts.mount(ofPath: Array(path.utf8))?.number
            == mounts.mount(ofPath: Array("/usr/lib".utf8))?.number
    }

    /// Whether what is on a mount changes only by this kernel's own doing: what was read once is
    /// what runs.
    ///
    /// An overlay's options are text that its mounter chose, and their paths mean something else
    /// where he sees other mounts. So the mount must be of a namespace that only root arranges:
    /// ``Namespaces/hold(_:process:)`` comes first.
    mutating func isOrdinary(_ mount: MountTable.Mount) -> Bool {
        if mount.isOfOrdinaryType { return true }
        guard mount.type == "overlay" else { return false }
        // Of a container that this process runs in, too.
        if sharesMounts, let root = mounts.root, root.device == mount.device { return true }
        guard let parts = mount.overlayDirectories else { return false }
        for part in parts.map({ Array($0.utf8) }) {
            guard Self.isPlain(part), let mount = mounts.mount(ofPath: part),
                mount.isOfOrdinaryType, isDirectory(part)
            else { return false }
        }
        return true
    }

    /// Whether only root can have mounted it.
    mutating func isRoots(_ mount: MountTable.Mount) -> Bool {
        isOrdinary(mount) && mounts.isSystems(mount)
    }

    /// Whether only root can change a directory and those above it.
    private mutating func isDirectory(_ path: [UInt8]) -> Bool {
        if let known = directories[path] { return known }
        let isRoots = (path.count == 1 || isDirectory(Self.parent(path))) && Self.isRootsAlone(path)
        directories[path] = isRoots
        return isRoots
    }

    private static func isRootsAlone(_ directory: [UInt8]) -> Bool {
        let path = String(decoding: directory, as: UTF8.self)
        guard let status = FileStatus(path: path, followingLinks: false) else { return false }
        return status.isDirectory && status.isRootsAlone
    }

    /// Longer paths than the kernel takes are none; so the walk has an end.
    private static let pathByteLimit = 4096
    private static let slash = UInt8(ascii: "/")

    /// Whether a path is absolute, with nothing in it that leads back or nowhere.
    private static func isPlain(_ path: [UInt8]) -> Bool {
        guard path.count < pathByteLimit, path.count > 1, path.first == slash else { return false }
        let parts = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && !part.elementsEqual("..".utf8) && !part.elementsEqual(".".utf8)
                && !part.contains(UInt8(ascii: "\n")) && !part.contains(0)
        }
    }

    private static func parent(_ path: [UInt8]) -> [UInt8] {
        guard let last = path.lastIndex(of: slash), last > 0 else { return [slash] }
        return Array(path[..<last])
    }
}

/// Root's libraries that were seen a moment ago: every program has the same ones, and only root can
/// make them another's.
final class RootsLibraries: Sendable {
    private struct Seen: Hashable {
        let file: Mapping.File
        let path: ArraySlice<UInt8>
    }

    private struct Kept: ~Copyable {
        var moments: [Seen: ContinuousClock.Instant] = [:]
        /// As long as a file is open its number is no other file's.
        var files: [Mapping.File: Pinned] = [:]
    }

    private final class Pinned: Sendable {
        let file: Descriptor
        init(_ file: consuming Descriptor) { self.file = file }
    }

    private static let capacity = 1024
    private static let pinnedCapacity = 256
    private static let patience = Duration.seconds(5)
    private let known = Mutex(Kept())

    func holds(_ mapping: Mapping) -> Bool {
        let seen = Seen(file: mapping.file, path: mapping.pathBytes)
        guard let since = known.withLock({ $0.moments[seen] }) else { return false }
        return ContinuousClock.now - since < Self.patience
    }

    /// Whether a mapping's file was seen as root's and has been kept open since: an upgrade may have
    /// put another one in its place.
    func held(_ mapping: Mapping) -> Bool {
        known.withLock { known in
            guard let pinned = known.files[mapping.file],
                let status = FileStatus(descriptor: pinned.file.rawValue)
            else { return false }
            return status.isRegular && status.isRootsAlone && status.isFile(of: mapping)
        }
    }

    /// Notes a library of root's.
    /// - Parameters:
    ///   - mapping: Where it is mapped.
    ///   - status: Of the file at its path, which is the one that is mapped.
    ///   - pins: Whether it may be kept open.
    func remember(_ mapping: Mapping, _ status: FileStatus, pins: Bool) {
        // A copy: the slice would keep all of `maps`.
        let seen = Seen(file: mapping.file, path: Array(mapping.pathBytes)[...])
        known.withLock { known in
            if known.moments.count >= Self.capacity { known.moments.removeAll() }
            known.moments[seen] = .now
            guard pins, known.files[mapping.file] == nil else { return }
            let raw = unsafe llavero_open(
                mapping.path, LLAVERO_O_PATH | O_CLOEXEC | O_NOFOLLOW, 0)
            guard raw >= 0 else { return }
            let file = Descriptor(owning: raw)
            guard FileStatus(descriptor: raw)?.identity == status.identity else { return }
            if known.files.count >= Self.pinnedCapacity { known.files.removeAll() }
            known.files[mapping.file] = Pinned(file)
        }
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

    /// Whether a real path is below one of them.
    func holds(_ path: String) -> Bool {
        prefixes.contains { path.utf8.starts(with: $0.utf8) }
    }
}
