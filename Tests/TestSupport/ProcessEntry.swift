// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// A process as the kernel lists it.
package struct ProcessEntry: Hashable, Sendable {
    /// Its identifier.
    package let pid: Int32
    /// Its parent's identifier.
    package let parent: Int32
    /// The words it was started with.
    package let words: [String]

    /// All processes that run; those that have ended and only wait to be collected are left out.
    package static func all() -> [ProcessEntry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { name in Int32(name).flatMap(ProcessEntry.init(running:)) }
    }

    /// Processes one of whose words begins with a path.
    package static func mentioning(_ path: String) -> [ProcessEntry] {
        all().filter { entry in
            entry.pid != getpid() && entry.words.contains { $0.hasPrefix(path) }
        }
    }

    /// Whether a process runs.
    package static func runs(_ pid: Int32) -> Bool { ProcessEntry(running: pid) != nil }

    /// Looks a process up; nil when there is none, or when it has ended.
    package init?(running pid: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = status.range(of: ") ", options: .backwards),
            let commandLine = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
        else { return nil }
        let fields = status[name.upperBound...].split(separator: " ")
        guard fields.count > 2, fields[0] != "Z", fields[0] != "X",
            let parent = Int32(fields[1])
        else { return nil }
        self.pid = pid
        self.parent = parent
        words = commandLine.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// What a process takes of the system.
package enum ProcessUse {
    /// How many descriptors it has open.
    /// - Throws: when that can't be seen.
    package static func descriptorCount(_ pid: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    }

    /// Its resident memory, in bytes.
    package static func residentByteCount(_ pid: Int32) throws -> Int {
        let fields = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
            .split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw TestFailure("/proc/\(pid)/statm can't be read.")
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
