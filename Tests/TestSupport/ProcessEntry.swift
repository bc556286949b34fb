// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc

/// A process as the kernel lists it.
package struct ProcessEntry: Hashable, Sendable {
    /// Its identifier.
    package let pid: Int32
    /// Its parent's identifier.
    package let parent: Int32
    /// Its arguments.
    package let words: [String]

    /// All running processes, without those that have ended and only wait to be collected.
    package static func all() -> [ProcessEntry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { name in Int32(name).flatMap(ProcessEntry.init(running:)) }
    }

    /// Processes with an argument that begins with a path.
    package static func mentioning(_ path: String) -> [ProcessEntry] {
        all().filter { entry in
            entry.pid != getpid() && entry.words.contains { $0.hasPrefix(path) }
        }
    }

    /// Whether a process runs.
    package static func runs(_ pid: Int32) -> Bool { ProcessEntry(running: pid) != nil }

    /// How long a process has computed, all its threads together, in ticks of a hundredth of a second.
    /// - Throws: when that can't be seen.
    package static func processorTicks(_ pid: Int32) throws -> Int {
        let status = try ProcessFile.read(pid, "stat")
        let fields = status.range(of: ") ", options: .backwards).map {
            status[$0.upperBound...].split(separator: " ")
        }
        // utime and stime (proc_pid_stat(5)).
        guard let fields, fields.count > 12, let own = Int(fields[11]), let system = Int(fields[12])
        else { throw TestFailure("/proc/\(pid)/stat can't be read.") }
        return own + system
    }

    /// Looks a process up; nil when there is none, or when it has ended.
    package init?(running pid: Int32) {
        guard let status = try? ProcessFile.read(pid, "stat"),
            let name = status.range(of: ") ", options: .backwards),
            let commandLine = try? ProcessFile.read(pid, "cmdline")
        else { return nil }
        let fields = status[name.upperBound...].split(separator: " ")
        guard fields.count > 2, fields[0] != "Z", fields[0] != "X",
            let parent = Int32(fields[1])
        else { return nil }
        self.pid = pid
        self.parent = parent
        words = commandLine.split(separator: "\0").map(String.init)
    }
}

/// A file of a process in `/proc`. Reads of such files return pieces, and their size is unknown.
package enum ProcessFile {
    /// The whole text.
    /// - Throws: when it can't be read.
    package static func read(_ pid: Int32, _ name: String) throws -> String {
        let path = "/proc/\(pid)/\(name)"
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw TestFailure("\(path) can't be opened: error \(errno).") }
        defer { close(file) }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe Glibc.read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw TestFailure("\(path) can't be read: error \(errno).") }
            guard count > 0 else { return String(decoding: content, as: UTF8.self) }
            content += piece[..<count]
        }
    }
}

/// The resources of a process.
package enum ProcessUse {
    /// The number of its open descriptors.
    /// - Throws: when that can't be read.
    package static func descriptorCount(_ pid: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    }

    /// Its resident memory, in bytes.
    package static func residentByteCount(_ pid: Int32) throws -> Int {
        let fields = try ProcessFile.read(pid, "statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw TestFailure("/proc/\(pid)/statm can't be read.")
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
