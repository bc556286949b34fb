// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// The threads of a process. Each one can be debugged without the others.
enum ProcessThreads {
    /// A process with more can't be looked into: each one costs a few microseconds.
    private static let limit = 2048
    private static let byteLimit = 64 * 1024

    /// Whether a thread besides the first one is debugged; never waits for the process. Nil when
    /// that can't be seen, or there are too many threads.
    static func areTraced(process: Int32) -> Bool? {
        let directory = "/proc/\(process)/task"
        guard let stream = unsafe opendir(directory) else { return nil }
        defer { unsafe closedir(stream) }
        var count = 0
        while let entry = unsafe readdir(stream) {
            guard let number = unsafe number(entry), number != process else { continue }
            count += 1
            guard count <= limit else { return nil }
            // A thread that has ended meanwhile does nothing.
            guard
                let text = ProcessFile.content("\(directory)/\(number)/status", limit: byteLimit)
            else { continue }
            guard let isTraced = isTraced(text) else { return nil }
            if isTraced { return true }
        }
        return false
    }

    /// The number that an entry of the directory has; nil for `.` and `..`.
    private static func number(_ entry: UnsafeMutablePointer<dirent>) -> Int32? {
        unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
            let digits = unsafe [UInt8](name.prefix { $0 != 0 })
            return UInt64(digits: digits, radix: 10).flatMap(Int32.init(exactly:))
        }
    }

    private static func isTraced(_ text: [UInt8]) -> Bool? {
        var lines = TextLines(text)
        while let line = lines.next() {
            guard line.first == UInt8(ascii: "T") else { continue }
            var fields = LineFields(line)
            guard fields.next()?.elementsEqual("TracerPid:".utf8) == true else { continue }
            return fields.next().flatMap { UInt64(digits: $0, radix: 10) }.map { $0 != 0 }
        }
        return nil
    }
}
