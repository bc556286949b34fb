// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The room where the state is, and the kind of file system.
package struct DiskCheck: Check {
    package let name = "disk"
    private let places: Places

    package init(_ places: Places) { self.places = places }

    /// What a file system says of itself.
    package struct Room: Hashable, Sendable {
        /// The room for this user.
        package var freeByteCount: UInt64
        /// How many more files there may be; nil if there is no limit.
        package var freeFileCount: UInt64?
        package var isReadOnly: Bool
        /// The kernel's number of the file system's kind (linux/magic.h).
        package var kind: Int64

        package init(
            freeByteCount: UInt64, freeFileCount: UInt64?, isReadOnly: Bool, kind: Int64
        ) {
            self.freeByteCount = freeByteCount
            self.freeFileCount = freeFileCount
            self.isReadOnly = isReadOnly
            self.kind = kind
        }
    }

    /// Below this a write may fail: the largest item and its log need less.
    package static let leastByteCount: UInt64 = 8 << 20
    /// Below this it is time to make room.
    package static let smallByteCount: UInt64 = 32 << 20
    private static let leastFileCount: UInt64 = 32

    /// See ``Check/run()``.
    package func run() -> Report {
        if let reason = places.foreignFiles { return .skipped(name, because: reason) }
        var path = places.stateDirectory
        while !path.isEmpty {
            if let room = Self.room(at: path) {
                return Report(name, Self.summary(room), findings(room, at: path))
            }
            guard let slash = path.lastIndex(of: "/") else { break }
            path = slash == path.startIndex && path.count > 1 ? "/" : String(path[..<slash])
        }
        return .skipped(name, because: "\(places.stateDirectory) has no file system")
    }

    /// Asks the file system of a path; nil if there is no such path.
    static func room(at path: String) -> Room? {
        var answer = statvfs()
        guard unsafe statvfs(path, &answer) == 0 else { return nil }
        return Room(
            freeByteCount: UInt64(answer.f_bavail) * UInt64(answer.f_frsize),
            freeFileCount: answer.f_files == 0 ? nil : UInt64(answer.f_favail),
            isReadOnly: answer.f_flag & UInt(ST_RDONLY) != 0,
            kind: unsafe llavero_file_system_kind(path))
    }

    private static func summary(_ room: Room) -> String {
        let mebibytes = room.freeByteCount >> 20
        let text = mebibytes >= 10 * 1024 ? "\(mebibytes >> 10) GiB" : "\(mebibytes) MiB"
        return "\(text) free"
    }

    /// What is wrong with a file system for the state directory.
    package func findings(_ room: Room, at path: String) -> [Finding] {
        if room.isReadOnly {
            return [
                Finding(
                    .broken, "read-only-file-system",
                    what: "The file system of \(path) is read-only.",
                    why: "The service can't start, or stores nothing.",
                    advice: "Mount it for writing, or set XDG_DATA_HOME to a directory that can be "
                        + "written. In a container, a tmpfs or a volume will do.")
            ]
        }
        return fullness(room, at: path) + kind(room, at: path)
    }

    private func fullness(_ room: Room, at path: String) -> [Finding] {
        let isFull =
            room.freeByteCount < Self.leastByteCount
            || (room.freeFileCount ?? .max) < Self.leastFileCount
        guard isFull || room.freeByteCount < Self.smallByteCount else { return [] }
        let free = "\(room.freeByteCount >> 10) KiB"
        let files = room.freeFileCount.map { " and for \($0) files" } ?? ""
        return [
            Finding(
                isFull ? .broken : .advice, isFull ? "disk-full" : "disk-almost-full",
                what: "The file system of \(path) has room for \(free)\(files).",
                why:
                    "A write that doesn't fit fails with -25291, and nothing of it is stored. Items "
                    + "that are there stay readable.",
                advice: "Make room.")
        ]
    }

    private func kind(_ room: Room, at path: String) -> [Finding] {
        if [0x0102_1994, 0x8584_58F6].contains(room.kind), !places.isEphemeral {
            return [
                Finding(
                    .advice, "state-in-memory", what: "\(path) is in memory (tmpfs).",
                    why: "The keychain is gone when the machine or the container ends.",
                    advice:
                        "Set XDG_DATA_HOME to a directory on a disk or a volume, unless that is "
                        + "what you want.")
            ]
        }
        // NFS, SMB2, CIFS, Ceph, AFS.
        let networks: [Int64] = [0x6969, 0xFE53_4D42, 0xFF53_4D42, 0x00C3_6400, 0x6B41_4653]
        guard networks.contains(room.kind) else { return [] }
        return [
            Finding(
                .advice, "state-on-a-network", what: "\(path) is on a network file system.",
                why: "When the server doesn't answer, neither does the keychain. Two machines that "
                    + "use it at once damage it.",
                advice: "Set XDG_DATA_HOME to a directory on a disk of this machine.")
        ]
    }
}
